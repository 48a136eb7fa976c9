import type { Segment } from '../../../platform/text/segment.ts'
import type { Stretch } from './plan.ts'

export interface Heard extends Stretch {
  /** With times of the whole recording. */
  segments: Segment[]
}

/** Words near a seam that are compared, and those between a common run and the cut, where a word may be cut in two. */
const COMPARED = 40
const GARBLED = 2

/** Moves the segments of a stretch to their place in the recording. A transcript without times has those of its stretch. */
export function placeSegments({ startMs, endMs }: Stretch, segments: readonly Segment[]): Segment[] {
  const [first, last] = [startMs / 1_000, endMs / 1_000]
  const isTimeless = segments.every(({ start }) => start === null)
  const place = (seconds: number) => Math.round(Math.min(first + seconds, last) * 1_000) / 1_000
  return segments.map(segment => {
    const { start, end } = segment
    if (isTimeless && segments.length === 1) return { ...segment, start: first, end: last }
    return { ...segment, start: start === null ? null : place(start), end: end === null ? null : place(end) }
  })
}

/** Joins the transcripts of stretches. What was said where two overlap is in the result once. */
export function joinSeams(parts: readonly Heard[]): Segment[] {
  let joined: Segment[] = []
  let before: Stretch | undefined
  for (const part of parts) {
    const overlap = before ? { from: part.startMs / 1_000, to: before.endMs / 1_000 } : undefined
    joined =
      overlap && overlap.to > overlap.from ? joinOverlap(joined, part.segments, overlap) : [...joined, ...part.segments]
    before = part
  }
  return withRisingTimes(joined)
}

interface Overlap {
  from: number
  to: number
}

function joinOverlap(left: readonly Segment[], right: readonly Segment[], overlap: Overlap): Segment[] {
  const tailFrom = left.findIndex(({ end }) => end === null || end > overlap.from)
  const kept = tailFrom < 0 ? left : left.slice(0, tailFrom)
  const tail = tailFrom < 0 ? [] : left.slice(tailFrom)
  const after = right.findIndex(({ start }) => start !== null && start >= overlap.to)
  const head = after < 0 ? right : right.slice(0, after)
  const rest = after < 0 ? [] : right.slice(after)
  const run = commonRun(wordsOf(tail).slice(-COMPARED), wordsOf(head).slice(0, COMPARED))
  if (run) {
    const ends = run.tail.segment
    const trimmed = tail.slice(0, ends + 1).map((segment, at) => (at === ends ? upTo(segment, run.tail.end) : segment))
    const begins = run.head.segment
    const others = head.slice(begins).map((segment, at) => (at === 0 ? from(segment, run.head.end) : segment))
    return [...kept, ...trimmed, ...others.filter(({ text }) => text !== ''), ...rest]
  }
  const middle = (overlap.from + overlap.to) / 2
  return [
    ...kept,
    ...tail.filter(({ start }) => start === null || start < middle),
    ...head.filter(({ end }) => end === null || end > middle),
    ...rest
  ]
}

interface Word {
  word: string
  segment: number
  /** The place in the text of the segment behind the word and its punctuation. */
  end: number
}

/** A word, or a character of a script without spaces, with the punctuation behind it. */
const WORD =
  /([\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]\p{M}*|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}])[\p{L}\p{N}\p{M}'’])+)[^\p{L}\p{N}\s]*/gu

function wordsOf(segments: readonly Segment[]): Word[] {
  return segments.flatMap(({ text }, segment) =>
    [...text.matchAll(WORD)].map(({ 0: all, 1: word = '', index }) => ({
      word: word.normalize('NFKC').toLowerCase().replaceAll('’', "'"),
      segment,
      end: index + all.length
    }))
  )
}

/** The longest run of words that ends near the end of one text and begins near the beginning of the other. Returns its last word in both. */
function commonRun(tail: readonly Word[], head: readonly Word[]) {
  let best: { length: number; strays: number; tail: Word; head: Word } | undefined
  for (let last = Math.max(0, tail.length - 1 - GARBLED); last < tail.length; last++)
    for (let end = 0; end < head.length; end++) {
      const length = runBefore(tail, head, last, end)
      const strays = tail.length - 1 - last + (end + 1 - length)
      const [inTail, inHead] = [tail[last], head[end]]
      if (length === 0 || !inTail || !inHead || end + 1 - length > GARBLED || (length === 1 && strays > 1)) continue
      const isBetter = !best || length > best.length || (length === best.length && strays < best.strays)
      if (isBetter) best = { length, strays, tail: inTail, head: inHead }
    }
  return best
}

function runBefore(tail: readonly Word[], head: readonly Word[], last: number, end: number) {
  let length = 0
  while (length <= Math.min(last, end) && tail[last - length]?.word === head[end - length]?.word) length++
  return length
}

function upTo(segment: Segment, end: number): Segment {
  return { ...segment, text: segment.text.slice(0, end) }
}

function from(segment: Segment, begin: number): Segment {
  return { ...segment, text: segment.text.slice(begin).trimStart() }
}

function withRisingTimes(segments: readonly Segment[]): Segment[] {
  let latest = 0
  return segments.map(segment => {
    if (segment.start === null) return segment
    latest = Math.max(latest, segment.start)
    return { ...segment, start: latest, end: segment.end === null ? null : Math.max(latest, segment.end) }
  })
}
