import { oneLine } from '../../../contract/text.ts'
import type { Passage } from '../../../platform/ports/corrected-transcript.ts'
import type { Segment } from '../../../platform/text/segment.ts'
import { openPauses } from '../../../platform/work/pauses.ts'

const UNSPACED = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map(name => `\\p{Script=${name}}`)
  .join('')

/** A passage ends at the first change of speaker after this many words. */
const ENOUGH_WORDS = 200
/** A turn longer than this is split. */
const MAX_WORDS = 400
/** A word with the space after it. Two characters of a script without spaces count as one, and so do 40 characters of a URL or other data. */
const WORD = new RegExp(String.raw`(?:[${UNSPACED}]\p{M}{0,4}){1,2} ?|[^ ${UNSPACED}]{1,40} ?`, 'gu')

/**
 * Cuts a transcript into passages of 200 to 400 words, on speaker turns where possible. The last may be shorter. Other work goes on between
 * the steps, because the longest transcripts take a fifth of a second.
 */
export async function cutPassages(segments: readonly Segment[]): Promise<Passage[]> {
  const cut: Passage[] = []
  const pause = openPauses()
  for (const passage of passagesOf(segments)) {
    cut.push(passage)
    await pause()
  }
  return cut
}

/** The same at once, for a short transcript or a process of its own. */
export function listPassages(segments: readonly Segment[]): Passage[] {
  return [...passagesOf(segments)]
}

function* passagesOf(segments: readonly Segment[]): Generator<Passage> {
  let group: Piece[] = []
  let words = 0
  for (const piece of pieces(segments)) {
    const turns = group.at(-1)?.speaker !== piece.speaker
    const isFull = (turns && words >= ENOUGH_WORDS) || words + piece.words > MAX_WORDS
    if (group.length > 0 && isFull) {
      yield toPassage(segments, group)
      group = []
      words = 0
    }
    group.push(piece)
    words += piece.words
  }
  if (group.length > 0) yield toPassage(segments, group)
}

function toPassage(segments: readonly Segment[], group: readonly Piece[]): Passage {
  const [firstSegment, lastSegment] = [group[0]?.segment ?? 0, group.at(-1)?.segment ?? 0]
  const times = { startsAt: segments[firstSegment]?.start ?? null, endsAt: segments[lastSegment]?.end ?? null }
  return { firstSegment, lastSegment, ...times, text: textOf(group) }
}

interface Piece {
  segment: number
  speaker: string
  text: string
  words: number
}

/** Yields the segments, split where one has more words than a passage holds. */
function* pieces(segments: readonly Segment[]): Generator<Piece> {
  for (const [segment, { speaker, text }] of segments.entries()) {
    const words = oneLine(text).match(WORD) ?? []
    for (let from = 0; from < words.length; from += MAX_WORDS) {
      const part = words.slice(from, from + MAX_WORDS)
      yield { segment, speaker, text: part.join('').trimEnd(), words: part.length }
    }
  }
}

function textOf(group: readonly Piece[]) {
  const lines = group.map(({ speaker, text }, at) =>
    speaker === group[at - 1]?.speaker ? ` ${text}` : `\n${oneLine(speaker)}: ${text}`
  )
  return lines.join('').slice(1)
}

const ENDS_UNSPACED = new RegExp(String.raw`[${UNSPACED}\u3000-\u303f\uff00-\uffef]\p{M}*$`, 'u')
const STARTS_UNSPACED = new RegExp(String.raw`^[${UNSPACED}\u3000-\u303f\uff00-\uffef]`, 'u')

/** Joins the texts of two passages in a row if the second goes on with the speaker of the first. */
export function joinPassages(text: string, next: string): string | undefined {
  const lastLine = text.slice(text.lastIndexOf('\n') + 1)
  const speaker = next.slice(0, next.indexOf(': ') + 2)
  if (speaker === '' || !lastLine.startsWith(speaker)) return undefined
  const rest = next.slice(speaker.length)
  const isUnspaced = ENDS_UNSPACED.test(text.slice(-8)) && STARTS_UNSPACED.test(rest)
  return `${text}${isUnspaced ? '' : ' '}${rest}`
}
