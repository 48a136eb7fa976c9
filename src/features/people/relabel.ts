import type { ActionItem } from '../../contract/action-item.ts'
import { nameKey } from '../../platform/text/fold.ts'
import type { Segment } from '../../platform/text/segment.ts'
import { isPersonName, isVoiceLabel } from '../../platform/text/speaker-name.ts'
import { rememberNameKeys } from '../library/speakers.ts'

/** The new label of what a speaker says. */
export interface Relabel {
  /** The key of the label so far. */
  key: string
  label: string
  /** False if the new label says that nobody knows the speaker, who then owns no action item. */
  isKnown: boolean
  /** Indexes of the only segments to relabel; undefined for all that have the label. */
  chosen?: ReadonlySet<number> | undefined
}

/** Relabels segments, and returns the same ones where the label stays. All relabels read the labels so far, so two speakers can be exchanged; the first that applies counts. */
export function relabelSegments(segments: readonly Segment[], relabels: readonly Relabel[]): Segment[] {
  const keyOf = rememberNameKeys()
  return segments.map((said, index) => {
    const key = keyOf(said.speaker)
    const relabel = relabels.find(one => one.key === key && (one.chosen?.has(index) ?? true))
    return relabel && relabel.label !== said.speaker ? { ...said, speaker: relabel.label } : said
  })
}

interface Relabelled {
  /** The transcript as it was. */
  segments: readonly Segment[]
  relabels: readonly Relabel[]
  now: Date
}

/**
 * Returns the items with their assignees relabelled, and the names in their texts; undefined if that changes nothing. If only some segments
 * were relabelled, items that come from one of these are changed.
 */
export function relabelItems(items: readonly ActionItem[], { segments, relabels, now }: Relabelled) {
  const renames = listRenames(segments, relabels)
  const starts = relabels.map(
    ({ chosen }) => chosen && new Set([...chosen].map(index => segments[index]?.start ?? null))
  )
  const changed = items.map(item => {
    const { assignee, source_start: start = null } = item
    const text = renameInText(item.text, renames)
    const relabel = relabels.find(
      ({ key }, at) =>
        assignee != null &&
        nameKey(assignee) === key &&
        (start === null ? !starts[at] : (starts[at]?.has(start) ?? true))
    )
    const owner = relabel ? (relabel.isKnown ? relabel.label : null) : assignee
    return text === item.text && owner === assignee
      ? item
      : { ...item, text, assignee: owner, updated_at: now.getTime() }
  })
  return changed.some((item, at) => item !== items[at]) ? changed : undefined
}

/** The new name of each name in the transcript that no longer occurs in it as it did. */
export function listRenames(segments: readonly Segment[], relabels: readonly Relabel[]): ReadonlyMap<string, string> {
  const whole = new Map(relabels.flatMap(({ key, label, chosen }) => (chosen ? [] : [[key, label] as const])))
  const spelled = new Set(segments.map(({ speaker }) => speaker))
  return new Map(
    [...spelled].flatMap(name => {
      const label = whole.get(nameKey(name))
      return label === undefined || label === name || !isDistinctive(name) ? [] : [[name, label] as const]
    })
  )
}

/** Returns whether a label in a text surely means the speaker: "Ada" and "Speaker 2" do, but not "You". */
function isDistinctive(label: string) {
  return isPersonName(label) || (isVoiceLabel(label) && /\p{N}/u.test(label))
}

const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/** Renames in one pass, so that two names can be exchanged. A part of a longer word is left alone, except in scripts without spaces. */
export function renameInText(text: string, renames: ReadonlyMap<string, string>) {
  if (renames.size === 0) return text
  const longestFirst = [...renames.keys()].sort((a, b) => b.length - a.length)
  const names = longestFirst.map(name => {
    const before = UNSPACED.test(name) ? '' : '(?<![\\p{L}\\p{N}_])'
    const after = UNSPACED.test(name) ? '' : '(?![\\p{L}\\p{N}_])'
    return `${before}${RegExp.escape(name)}${after}`
  })
  return text.replace(new RegExp(names.join('|'), 'gu'), name => renames.get(name) ?? name)
}
