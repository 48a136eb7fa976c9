import { LIMITS } from '../../../contract/limits.ts'
import { type ParsedTranscript, type Turn, UnreadableTranscript } from '../transcript.ts'
import { completeTranscript, withLabels } from '../turns.ts'
import { type Clock, countMilliseconds, findTimes, type Timed } from './clocks.ts'
import { isRecord, type JsonRecord, read, someObjects, speaker as speakerField } from './fields.ts'
import { type FoundList, findTurns, partsOf } from './find-turns.ts'
import { findSpeaker, findText } from './keys.ts'
import { findSpeakerNames } from './speaker-names.ts'
import { joinWords, turnsOfWords } from './words.ts'

interface Said extends Timed {
  speaker: string | null
  text: string
  /** The sentences or words of a turn, if it has some. */
  parts: Said[]
  areWords: boolean
}

interface ReadAny {
  transcript: ParsedTranscript
  /** The names of the keys that were read. */
  keys: ReadonlySet<string>
  /** The instant from which on the times count, if the file has instants. */
  since: number | null
}

/**
 * Reads the list of turns or words of any tool, by the names of its keys. Returns null if the JSON holds no list with texts and with times
 * or speakers.
 */
export function readAnyTool(json: unknown, startedAt: number | null): ReadAny | null {
  const list = findTurns(json)
  if (!list) return null
  const keys = new Set<string>(list.path)
  const table = findSpeakerNames(json)
  for (const key of table.keys) keys.add(key)
  const all = list.entries.map((entry, index) => readSaid(entry, [...list.path, index], keys))
  nameSpeakers(all, table.names)
  const since = sinceWhen(all, startedAt)
  const toSeconds = clockReader(all, since)
  const words = list.areWords ? withSpans(json, toTurns(all, toSeconds), list.path, keys) : null
  const turns = words ? turnsOfWords(words) : joinWords(all.flatMap(said => turnsOf(said, toSeconds)))
  const warnings = describeSilent(list)
  return { transcript: completeTranscript({ turns: withLabels(turns), warnings }), keys, since }
}

/** Some tools list events, such as pauses, between the turns. */
function describeSilent({ entries, path }: FoundList) {
  const silent = entries.filter(entry => findText(entry) === null && partsOf(entry) === null && hasValues(entry)).length
  return silent === 0
    ? []
    : [`${path.join('.') || 'The list'}: ${silent} entries are left out, because they have no text`]
}

function hasValues(entry: JsonRecord) {
  return Object.entries(entry).some(([key, value]) => typeof value === 'string' && value !== '' && key !== 'partial')
}

function readSaid(entry: JsonRecord, path: PropertyKey[], keys: Set<string>): Said {
  const text = findText(entry)
  const named = findSpeaker(entry)
  const times = findTimes(entry, path)
  const parts = partsOf(entry)
  for (const key of [text?.key, named?.key, parts?.key, ...times.keys]) if (key !== undefined) keys.add(key)
  const areWords = parts !== null && parts.key !== 'sentences'
  const inner = parts?.entries.map((part, index) => readSaid(part, [...path, parts.key, index], keys)) ?? []
  return {
    ...times,
    speaker: named && read(speakerField, named.label),
    // A translation stands beside the words that were said.
    text: entry.translation_status === 'translation' ? '' : (text?.text ?? ''),
    characters: text?.text.length ?? inner.reduce((sum, { characters }) => sum + characters + 1, 0),
    parts: inner,
    areWords
  }
}

const UNREADABLE_ID = /^(?:[\da-f]{8}-[\da-f-]{4,40}|(?:speaker )?\d{6,30}|(?=[\da-zA-Z_-]*\d)[\da-zA-Z_-]{20,80})$/i

/** Puts names for ids. An id that says nothing to people becomes a number. */
function nameSpeakers(all: readonly Said[], names: ReadonlyMap<string, string>) {
  const numbers = new Map<string, string>()
  for (const said of all) {
    if (said.speaker !== null) {
      const known = names.get(said.speaker) ?? names.get(said.speaker.replace(/^Speaker /, ''))
      if (known === undefined && UNREADABLE_ID.test(said.speaker)) {
        if (!numbers.has(said.speaker)) numbers.set(said.speaker, `Speaker ${numbers.size + 1}`)
        said.speaker = numbers.get(said.speaker) ?? null
      } else said.speaker = known ?? said.speaker
    }
    nameSpeakers(said.parts, names)
  }
}

const MAX_FIRST_SECONDS = 4 * 3_600

/** Instants count from the start of the meeting, or else from the first one. */
function sinceWhen(all: readonly Said[], startedAt: number | null) {
  const [first] = all
    .flatMap(said => [said, ...said.parts])
    .flatMap(({ start }) => (start?.isAbsolute ? start.value : []))
  if (first === undefined) return null
  const isStart = startedAt !== null && first >= startedAt && first - startedAt < MAX_FIRST_SECONDS
  return isStart ? startedAt : first
}

type ToSeconds = (clock: Clock | null) => number | null

function clockReader(all: readonly Said[], from: number | null): ToSeconds {
  const whole = all.some(({ start }) => start?.unit === null)
  const unit = countMilliseconds(whole ? all : all.flatMap(({ parts }) => parts)) ? 1000 : 1
  return clock => {
    if (clock === null) return null
    const seconds = clock.value / (clock.unit === 'ms' ? 1000 : clock.unit === 's' ? 1 : unit)
    const since = clock.isAbsolute ? Math.max(0, seconds - (from ?? 0)) : seconds
    if (since > LIMITS.recordingSeconds)
      throw new UnreadableTranscript(
        `The time ${clock.value} is later than ${LIMITS.recordingSeconds} seconds: send seconds or milliseconds.`
      )
    return Math.round(since * 1000) / 1000
  }
}

function toTurns(all: readonly Said[], toSeconds: ToSeconds): Turn[] {
  return all.map(({ speaker, text, start, end, length }) => {
    const from = toSeconds(start)
    const lasts = toSeconds(length)
    const until = toSeconds(end) ?? (from === null || lasts === null ? null : Math.round((from + lasts) * 1000) / 1000)
    return { speaker, text, start: from, end: until }
  })
}

function turnsOf(said: Said, toSeconds: ToSeconds): Turn[] {
  const [turn] = toTurns([said], toSeconds)
  if (!turn) return []
  const parts = toTurns(said.parts, toSeconds).map(part => ({ ...part, speaker: part.speaker ?? turn.speaker }))
  if (parts.length === 0) return [turn]
  const speaks = turn.speaker === null && parts.some(part => part.speaker !== null)
  if (said.text === '' || speaks) return within(said.areWords ? turnsOfWords(parts) : parts, turn)
  const start = turn.start ?? parts.find(part => part.start !== null)?.start ?? null
  return [{ ...turn, start, end: turn.end ?? parts.findLast(part => part.end !== null)?.end ?? null }]
}

/** The turns of an entry begin and end with it, although its last word may end before. */
function within(turns: Turn[], { start, end }: Turn): Turn[] {
  const [first, last] = [turns[0], turns.at(-1)]
  if (first && start !== null) first.start = start
  if (last && end !== null) last.end = end
  return turns
}

/** Some tools say in a list of its own who speaks when. */
function withSpans(json: unknown, words: Turn[], path: readonly string[], keys: Set<string>): Turn[] {
  if (words.some(word => word.speaker !== null)) return words
  const around = path.slice(0, -1).reduce<unknown>((value, key) => Object(value)[key], json)
  if (!isRecord(around)) return words
  for (const [key, value] of Object.entries(around)) {
    const spans = someObjects(value)
    if (!spans?.every(span => findText(span) === null && findSpeaker(span) !== null)) continue
    const read = spans.map((span, index) => readSaid(span, [key, index], keys))
    nameSpeakers(read, findSpeakerNames(json).names)
    keys.add(key)
    return withSpeakers(words, toTurns(read, clockReader(read, null)))
  }
  return words
}

/** Gives each word the speaker of the span in which its middle lies. Both are in the order of time. */
export function withSpeakers<T extends Turn>(words: readonly T[], spans: readonly Turn[]): T[] {
  const ordered = spans.toSorted((a, b) => (a.start ?? 0) - (b.start ?? 0))
  let at = 0
  return words.map(word => {
    if (word.start === null) return { ...word, speaker: ordered[at]?.speaker ?? null }
    const middle = (word.start + (word.end ?? word.start)) / 2
    while (at + 1 < ordered.length && (ordered[at + 1]?.start ?? 0) <= middle) at++
    const span = ordered[at]
    return { ...word, speaker: span && (span.start ?? 0) <= middle ? span.speaker : null }
  })
}
