import { oneLine } from '../contract/text.ts'
import type { CuePlace } from './cue-id.ts'
import type { TimedSegment } from './segment.ts'
import { splitSentences } from './sentences.ts'

/** A caption. Times are milliseconds from the start of the recording. */
export interface Cue extends CuePlace {
  start: number
  end: number
  speaker: string
  text: string
}

const MAX_CUE_CHARACTERS = 84
const MAX_CUE_MS = 7_000
/** Slower speech is mostly silence, so it is not split further. */
const MIN_CUE_CHARACTERS = 21
/** The reading speed. It decides how long a segment without a known end is shown. */
const CHARACTERS_A_SECOND = 15
const MIN_READING_MS = 1_000
/** Keeps sums of milliseconds exact. */
const MAX_MS = 1e14

/**
 * Splits segments into cues in the order of their start. A cue has at most 84 characters, as JavaScript counts them, less those that
 * `reserved` keeps for its speaker. It lasts from 1 ms to 7 s. A segment that ends where it starts is shown for as long as reading it
 * takes, at most until the next one starts.
 */
export function toCues(segments: readonly TimedSegment[], reserved: (speaker: string) => number = () => 0): Cue[] {
  const cues = segments.flatMap((segment, index) => {
    const speaker = oneLine(segment.speaker)
    const text = oneLine(segment.text)
    const next = segments[index + 1]?.start
    return text === ''
      ? []
      : splitSegment({ ...segment, speaker, text }, index + 1, MAX_CUE_CHARACTERS - reserved(speaker), next)
  })
  return cues.sort((a, b) => a.start - b.start || a.segment - b.segment || a.part - b.part)
}

function splitSegment(
  { speaker, text, ...times }: TimedSegment,
  segment: number,
  maxCharacters: number,
  next?: number
): Cue[] {
  const start = toMs(times.start)
  const end = Math.max(start, toMs(times.end))
  const untilNext = next === undefined ? 0 : toMs(next) - start
  const duration = end > start ? end - start : toReadingMs(text, untilNext > 0 ? untilNext : MAX_MS)
  const inMaxTime = duration > MAX_CUE_MS ? Math.floor((text.length * MAX_CUE_MS) / duration) : maxCharacters
  const pieces = splitText(text, Math.min(maxCharacters, Math.max(inMaxTime, MIN_CUE_CHARACTERS)))
  const starts: number[] = []
  for (const { from } of pieces) {
    starts.push(Math.max(start + Math.round((duration * from) / text.length), (starts.at(-1) ?? -1) + 1))
  }
  return pieces.map((piece, index) => {
    const [before, from = start, following] = [pieces[index - 1], starts[index], starts[index + 1]]
    const to = Math.max(from + 1, Math.min(from + MAX_CUE_MS, following ?? start + duration))
    return {
      ...{ segment, part: index + 1, spaced: before === undefined || before.to < piece.from },
      ends: following !== undefined || to === end ? null : end,
      ...{ start: from, end: to, speaker, text: text.slice(piece.from, piece.to) }
    }
  })
}

function toReadingMs(text: string, atMost: number) {
  return Math.min(Math.max(Math.round((text.length / CHARACTERS_A_SECOND) * 1_000), MIN_READING_MS), atMost)
}

function toMs(seconds: number) {
  return Math.min(Math.round(seconds * 1_000), MAX_MS)
}

/** A range of a text, without the blanks around it. */
interface TextSpan {
  from: number
  to: number
}

/** Fills pieces with whole sentences. Only a sentence that is too long for one piece is split, at its words. */
function splitText(text: string, max: number): TextSpan[] {
  if (text.length <= max) return [{ from: 0, to: text.length }]
  const pieces: TextSpan[] = []
  const add = (unit: TextSpan) => {
    const last = pieces.at(-1)
    if (last && unit.to - last.from <= max) last.to = unit.to
    else pieces.push({ ...unit })
  }
  for (const sentence of splitSentences(text)) {
    if (sentence.text.length <= max) add({ from: sentence.start, to: sentence.start + sentence.text.length })
    else
      for (const [index, word] of wordSpans(sentence.text, sentence.start, max).entries())
        index === 0 ? pieces.push(word) : add(word)
  }
  return pieces
}

function wordSpans(sentence: string, start: number, max: number): TextSpan[] {
  const words: TextSpan[] = []
  let from = start
  for (const word of sentence.split(' ')) {
    for (const part of word.length <= max ? [word] : charactersOf(word, max)) {
      words.push({ from, to: from + part.length })
      from += part.length
    }
    from += 1
  }
  return words
}

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Splits a word into graphemes, so that no emoji is split. A grapheme over the maximum becomes code points. */
function charactersOf(word: string, max: number) {
  return [...GRAPHEMES.segment(word)].flatMap(({ segment }) => (segment.length <= max ? [segment] : [...segment]))
}
