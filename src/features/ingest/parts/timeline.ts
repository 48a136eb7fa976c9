import { LEVELS_PER_SECOND } from './mix.ts'

/** Pieces of a sound, from the first to before the last, by their index. */
export interface Span {
  from: number
  to: number
}

/** The silence between two spans of the sound that is sent, in pieces: long enough to be heard as a pause. */
export const JOINT = LEVELS_PER_SECOND
const JOINT_SECONDS = JOINT / LEVELS_PER_SECOND

const PIECE_MS = 1_000 / LEVELS_PER_SECOND

/** More spans would take too many files; then only the longest pauses are left out. */
const MAX_SPANS = 1_000

/** A gap in the time stamps that is a pause of the recorder. Smaller ones are jitter. */
const GAP_MS = 500

/** Cuts spans where the recorder paused, so that words around a pause are not joined. */
export function cutAtGaps(spans: readonly Span[], startsMs: readonly number[], shortestMs = GAP_MS): Span[] {
  const cut = spans.flatMap(({ from, to }) => {
    const places = [from]
    for (let at = from + 1; at < to; at++) if (gapBefore(startsMs, at) >= shortestMs) places.push(at)
    return places.map((place, index) => ({ from: place, to: places[index + 1] ?? to }))
  })
  return cut.length <= Math.max(MAX_SPANS, spans.length) ? cut : cutAtGaps(spans, startsMs, shortestMs * 2)
}

function gapBefore(startsMs: readonly number[], at: number) {
  return (startsMs[at] ?? 0) - (startsMs[at - 1] ?? 0) - PIECE_MS
}

/** The clock of the sound that is sent, and that of the recording's player. */
export interface Timeline {
  /** In milliseconds of the recording, for the start or the end of words. Within the silence between two spans these differ. */
  toRecorded(sentMs: number, side: 'start' | 'end'): number
  toSent(recordedMs: number): number
}

interface Placed extends Span {
  sentMs: number
  endMs: number
}

/** The spans follow each other with the silence of a joint between them. `startsMs` are the times of the sound's pieces, which end at `endMs`. */
export function openTimeline(spans: readonly Span[], startsMs: readonly number[], endMs: number): Timeline {
  const placed: Placed[] = []
  let sentMs = 0
  for (const span of spans) {
    const lengthMs = (span.to - span.from) * PIECE_MS
    placed.push({ ...span, sentMs, endMs: sentMs + lengthMs })
    sentMs += lengthMs + JOINT_SECONDS * 1_000
  }
  const startOf = (at: number) => startsMs[at] ?? endMs

  return {
    toRecorded(ms, side) {
      const next = placed.findIndex(span => (side === 'start' ? ms < span.endMs : ms <= span.endMs))
      const span = placed[next] ?? placed.at(-1)
      if (!span) return 0
      const before = placed[next - 1]
      // An end in the silence before a span is that of the span before it.
      if (side === 'end' && before && ms <= span.sentMs) return endOf(before)
      const within = Math.min(Math.max(0, ms - span.sentMs), span.endMs - span.sentMs)
      const at = Math.min(span.from + Math.floor(within / PIECE_MS), span.to - 1)
      return Math.min(endMs, startOf(at) + within - (at - span.from) * PIECE_MS)
    },
    toSent(ms) {
      const span = placed.findLast(({ from }) => startOf(from) <= ms) ?? placed[0]
      if (!span) return 0
      let at = span.from
      let end = span.to - 1
      while (at < end) {
        const middle = Math.ceil((at + end) / 2)
        if (startOf(middle) <= ms) at = middle
        else end = middle - 1
      }
      return span.sentMs + (at - span.from) * PIECE_MS + Math.min(PIECE_MS, Math.max(0, ms - startOf(at)))
    }
  }

  function endOf({ to }: Span) {
    return Math.min(endMs, startOf(to - 1) + PIECE_MS)
  }
}
