import { oneLine } from '../contract/text.ts'
import type { Segment } from '../core/segment.ts'

/** A passage of the search index: whole turns, or part of a turn that is longer than a passage. */
export interface Passage {
  /** Indexes of segments, both inclusive. */
  firstSegment: number
  lastSegment: number
  /** Seconds into the recording; null where the source has no times. */
  startsAt: number | null
  endsAt: number | null
  /** Lines of `Speaker: words`. */
  text: string
}

/** A passage ends at the first change of speaker after this many words. */
const ENOUGH_WORDS = 200
/** A turn longer than this is split. */
const MAX_WORDS = 400

/** Cuts a transcript into passages of 200 to 400 words, on speaker turns where possible. The last may be shorter. */
export function cutPassages(segments: readonly Segment[]): Passage[] {
  const groups: Piece[][] = []
  let words = Number.POSITIVE_INFINITY
  for (const piece of pieces(segments)) {
    const open = groups.at(-1)
    const turns = open?.at(-1)?.speaker !== piece.speaker
    if (open && !(turns && words >= ENOUGH_WORDS) && words + piece.words.length <= MAX_WORDS) open.push(piece)
    else {
      groups.push([piece])
      words = 0
    }
    words += piece.words.length
  }
  return groups.map(group => {
    const [firstSegment, lastSegment] = [group[0]?.segment ?? 0, group.at(-1)?.segment ?? 0]
    const times = { startsAt: segments[firstSegment]?.start ?? null, endsAt: segments[lastSegment]?.end ?? null }
    return { firstSegment, lastSegment, ...times, text: textOf(group) }
  })
}

interface Piece {
  segment: number
  speaker: string
  words: string[]
}

/** Yields the segments, split where one has more words than a passage holds. */
function* pieces(segments: readonly Segment[]): Generator<Piece> {
  for (const [segment, { speaker, text }] of segments.entries()) {
    const words = oneLine(text).split(' ').filter(Boolean).flatMap(shortEnough)
    for (let from = 0; from < words.length; from += MAX_WORDS) {
      yield { segment, speaker, words: words.slice(from, from + MAX_WORDS) }
    }
  }
}

/** Splits the long "words" of scripts without spaces, so that passages keep their size. */
function shortEnough(word: string) {
  return word.length <= 80 ? word : (word.match(/.{1,20}/gsu) ?? [])
}

function textOf(group: readonly Piece[]) {
  const lines = group.map(({ speaker, words }, at) =>
    speaker === group[at - 1]?.speaker ? ` ${words.join(' ')}` : `\n${oneLine(speaker)}: ${words.join(' ')}`
  )
  return lines.join('').slice(1)
}
