import type { MatchedBy } from '../contract/person.ts'
import { nameKey } from '../core/fold.ts'
import type { Segment } from '../core/segment.ts'
import type { Speaker } from '../db/schema/index.ts'

/** Somebody who speaks in a transcript, and what the source says of them. */
export interface Heard {
  nameInSession: string
  nameKey: string
  /** The keys of all their names in the transcript. */
  nameKeys: string[]
  talkSeconds: number
  topLines: string[]
  isMe: boolean
  /** Who the source says they are; who is only a label is looked for among those who are known. */
  person: string | null
  matchedBy: MatchedBy
}

const TOP_LINES = 3
const LONGEST_LINE = 1_000

/** Who speaks, each once, by the names that the transcript has: a source that knows a label's person has it there by name. */
export function heardIn(segments: readonly Segment[], speakers: readonly Speaker[]): Heard[] {
  // Of several labels of one person, the first speaks for all.
  const known = new Map(speakers.map((speaker): [string, Speaker] => [nameKey(speaker.person ?? speaker.label), speaker]).reverse())
  const lines = Map.groupBy(segments, ({ speaker }) => nameKey(speaker))
  return [...lines].map(([key, said]) => {
    const speaker = known.get(key)
    return {
      nameInSession: said[0]?.speaker ?? '',
      nameKey: key,
      nameKeys: [key],
      talkSeconds: secondsOf(said),
      topLines: longest(said),
      isMe: speaker?.isMe ?? false,
      person: speaker?.person ?? null,
      matchedBy: speaker?.matchedBy ?? 'name'
    }
  })
}

/** To the millisecond: sums of many fractions would not be. */
function secondsOf(said: Segment[]) {
  const seconds = said.reduce((sum, { start, end }) => sum + Math.max(0, (end ?? 0) - (start ?? 0)), 0)
  return Math.round(seconds * 1_000) / 1_000
}

function longest(said: Segment[]) {
  const lines = [...new Set(said.map(({ text }) => text.replace(/\s+/g, ' ').trim()))]
  return lines
    .sort((a, b) => b.length - a.length)
    .slice(0, TOP_LINES)
    .map(line => ([...line].length > LONGEST_LINE ? `${[...line].slice(0, LONGEST_LINE - 1).join('')}…` : line))
}

/** What two who are one person come to: the name of who speaks more, the lines of both. */
export function together(one: Heard, other: Heard): Heard {
  const [more, less] = one.talkSeconds >= other.talkSeconds ? [one, other] : [other, one]
  const topLines = [...new Set([...one.topLines, ...other.topLines])].sort((a, b) => b.length - a.length).slice(0, TOP_LINES)
  return {
    ...more,
    nameKeys: [...new Set([...one.nameKeys, ...other.nameKeys])],
    talkSeconds: Math.round((more.talkSeconds + less.talkSeconds) * 1_000) / 1_000,
    topLines,
    isMe: one.isMe || other.isMe,
    person: more.person ?? less.person
  }
}
