import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Summary } from '../../src/platform/ai/ai.ts'
import { openLanguage } from '../../src/platform/ai/summarizer/language.ts'
import type { Meeting } from '../qmsum.ts'
import { stemsOf } from './rouge.ts'

/** A mark that a reader made in a meeting: the turns `segment` to `last`, counted from 0, say it. */
export interface Label {
  /** The part and the line of the meeting, as in val:0. */
  meeting: string
  segment?: number
  last?: number
  kind: 'commitment' | 'request' | 'optional' | 'in-call' | 'decision' | 'not'
  text: string
  assignee?: string | null
}

export interface Labels {
  items: Label[]
  decisions: Label[]
}

/** A result with what the label says of it; `optional` counts neither way. */
export interface Judged {
  text: string
  label: Label | undefined
  verdict: 'right' | 'wrong' | 'optional'
}

const { stopWords } = openLanguage('en')
const TURNS_BEFORE = { item: 4, decision: 2 }
const TURNS_AFTER = 2
/** The share of words that must agree where no place is known. */
const MIN_ITEM_SHARE = 0.5
const MIN_DECISION_SHARE = 0.4
/** The better verdict first, so that a text that finds several labels gets the best. */
const WORTH = ['commitment', 'decision', 'request', 'optional', 'in-call', 'not']

/** Reads items.jsonl and decisions.jsonl. */
export function readLabels(folder: string): Labels {
  const read = (name: string) =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .filter(line => line.trim() !== '')
      .map((line): Label => JSON.parse(line))
  return { items: read('items.jsonl'), decisions: read('decisions.jsonl') }
}

/** Compares the action items of a meeting with its labels. A label is found once; another item for it is optional. */
export function judgeItems({ actionItems }: Summary, meeting: Meeting, labels: readonly Label[]): Judged[] {
  return judge(actionItems, labels, ({ text, sourceStart }, label) => {
    const words = contentOf(text)
    if (sourceStart === null) return shareOf(words, contentOf(label.text)) >= MIN_ITEM_SHARE
    return isNear(turnAt(meeting, sourceStart), label, TURNS_BEFORE.item) && shares(words, meeting, label)
  })
}

/** Compares the bullets under Decisions with the labels. */
export function judgeDecisions(bullets: readonly string[], meeting: Meeting, labels: readonly Label[]): Judged[] {
  const { segments } = meeting.document
  return judge(
    bullets.map(text => ({ text })),
    labels,
    ({ text }, label) => {
      const words = contentOf(text)
      const common = words.intersection(contentOf(label.text)).size
      if (common >= 2 && common >= MIN_DECISION_SHARE * words.size) return true
      const near = segments.flatMap((segment, at) => (isNear(at, label, TURNS_BEFORE.decision) ? [segment.text] : []))
      return shareOf(words, contentOf(near.join(' '))) >= 0.8 && shares(words, meeting, label)
    }
  )
}

function judge<T extends { text: string }>(
  made: readonly T[],
  labels: readonly Label[],
  finds: (one: T, label: Label) => boolean
): Judged[] {
  const found = new Set<Label>()
  return made.map(one => {
    const [label, ...others] = labels
      .filter(each => finds(one, each))
      .sort((a, b) => WORTH.indexOf(a.kind) - WORTH.indexOf(b.kind))
    const free = [label, ...others].find(each => each && !found.has(each))
    const chosen = free ?? label
    if (!chosen) return { text: one.text, label: undefined, verdict: 'wrong' as const }
    const isAgain = found.has(chosen)
    found.add(chosen)
    const isWrong = chosen.kind === 'in-call' || chosen.kind === 'not'
    const isOpen = chosen.kind === 'optional' || isAgain
    return { text: one.text, label: chosen, verdict: isWrong ? 'wrong' : isOpen ? 'optional' : ('right' as const) }
  })
}

function shares(words: ReadonlySet<string>, { document: { segments } }: Meeting, label: Label) {
  const { segment, last } = label
  const turns = segment === undefined ? [] : segments.slice(segment, (last ?? segment) + 1)
  return words.intersection(contentOf([label.text, ...turns.map(({ text }) => text)].join(' '))).size > 0
}

function isNear(turn: number, { segment, last }: Label, before: number) {
  return segment !== undefined && turn >= segment - before && turn <= (last ?? segment) + TURNS_AFTER
}

function turnAt({ document: { segments } }: Meeting, seconds: number) {
  return segments.findIndex(({ start, end }) => start <= seconds && seconds < end)
}

function shareOf(words: ReadonlySet<string>, others: ReadonlySet<string>) {
  return words.size === 0 ? 0 : words.intersection(others).size / words.size
}

function contentOf(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? []
  return new Set(words.filter(word => word.length > 1 && !stopWords.has(word)).flatMap(stemsOf))
}
