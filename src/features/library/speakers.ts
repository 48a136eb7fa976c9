import type { Speaker, TranscriptSpeaker } from '../../platform/ports/corrected-transcript.ts'
import { nameKey } from '../../platform/text/fold.ts'
import type { Segment } from '../../platform/text/segment.ts'

/** Returns `nameKey` that computes each of many equal names once. */
export function rememberNameKeys() {
  const keys = new Map<string, string>()
  return (name: string) => {
    const key = keys.get(name) ?? nameKey(name)
    keys.set(name, key)
    return key
  }
}

/** The keys of the names in a transcript. */
export function keysIn(segments: readonly Segment[]) {
  return new Set([...new Set(segments.map(({ speaker }) => speaker))].map(nameKey))
}

const MAX_TOP_LINES = 3
const MAX_LINE_CHARACTERS = 1_000

/** Returns each speaker once, by name. The segments already have the names of people that the source knows. */
export function listSpeakers(segments: readonly Segment[], speakers: readonly Speaker[]): TranscriptSpeaker[] {
  // The first of several labels of one person counts.
  const known = new Map(
    speakers.map((speaker): [string, Speaker] => [nameKey(speaker.person ?? speaker.label), speaker]).reverse()
  )
  const keyOf = rememberNameKeys()
  const lines = Map.groupBy(segments, ({ speaker }) => keyOf(speaker))
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

/** Rounds to milliseconds, because sums of fractions are inexact. */
function secondsOf(said: Segment[]) {
  const seconds = said.reduce((sum, { start, end }) => sum + Math.max(0, (end ?? 0) - (start ?? 0)), 0)
  return Math.round(seconds * 1_000) / 1_000
}

/** The longest different lines; of equally long ones, the first to be said. */
function longest(said: Segment[]) {
  const lines: string[] = []
  for (const { text } of said) {
    // Without its extra blanks it is no longer, and most of a long conversation is shorter than its longest lines.
    if (lines.length === MAX_TOP_LINES && text.length <= (lines.at(-1)?.length ?? 0)) continue
    const line = text.replace(/\s+/g, ' ').trim()
    if (lines.includes(line)) continue
    const shorter = lines.findIndex(other => other.length < line.length)
    lines.splice(shorter < 0 ? lines.length : shorter, 0, line)
    lines.splice(MAX_TOP_LINES)
  }
  return lines.map(line =>
    [...line].length > MAX_LINE_CHARACTERS ? `${[...line].slice(0, MAX_LINE_CHARACTERS - 1).join('')}…` : line
  )
}

/** Groups the speakers who are a person by the id of that person. */
export function groupByPerson(
  speakers: readonly TranscriptSpeaker[],
  personIdOf: (speaker: TranscriptSpeaker) => string | undefined
) {
  const byPerson = new Map<string, TranscriptSpeaker>()
  for (const speaker of speakers) {
    const personId = personIdOf(speaker)
    const before = personId && byPerson.get(personId)
    if (personId) byPerson.set(personId, before ? mergeSpeakers(before, speaker) : speaker)
  }
  return byPerson
}

/** Merges two speakers who are one person: the name of the one who speaks more, the lines of both. */
function mergeSpeakers(one: TranscriptSpeaker, other: TranscriptSpeaker): TranscriptSpeaker {
  const [more, less] = one.talkSeconds >= other.talkSeconds ? [one, other] : [other, one]
  const topLines = [...new Set([...one.topLines, ...other.topLines])]
    .sort((a, b) => b.length - a.length)
    .slice(0, MAX_TOP_LINES)
  return {
    ...more,
    nameKeys: [...new Set([...one.nameKeys, ...other.nameKeys])],
    talkSeconds: Math.round((more.talkSeconds + less.talkSeconds) * 1_000) / 1_000,
    topLines,
    isMe: one.isMe || other.isMe,
    person: more.person ?? less.person
  }
}
