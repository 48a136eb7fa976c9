import { BYTES_PER_SECOND } from './ffmpeg.ts'
import { LEVELS_PER_SECOND } from './mix.ts'

/** A stretch of a recording, in milliseconds. It overlaps the next one where no silence was found between them. */
export interface Stretch {
  startMs: number
  endMs: number
}

/** Short enough for models that answer with few words or take 25 minutes at most, and so that little is lost with one. */
const MAX_SECONDS = 480
export const MIN_SECONDS = 4
/** The part of a request that is no sound: its form and the voices of speakers. */
const FILLED = 0.9

/** The last part of a stretch in which its end is chosen. */
const CHOICE = 0.3
/** A silence is as long as this, and lies below the level of speech by these decibels. */
const SILENCE_SECONDS = 0.4
const BELOW_SPEECH = 20
const NEARLY_SILENT = -55

/** The length of an overlap, which holds some words, so that the two transcripts of it can be joined. */
const OVERLAP_SECONDS = 3

/** The longest stretch whose file the server takes. */
export function longestStretch(maxBytes: number) {
  return Math.max(MIN_SECONDS, Math.min(MAX_SECONDS, Math.floor((maxBytes * FILLED) / BYTES_PER_SECOND)))
}

/** Cuts a recording at silences, and where there is none at its quietest place, where the stretches overlap. */
export function planStretches(levels: readonly number[], maxSeconds: number, within?: Stretch): Stretch[] {
  const first = within ? toIndex(within.startMs) : 0
  const end = within ? toIndex(within.endMs) : levels.length
  const speech = percentile(levels, 0.75)
  const overlap = Math.min(OVERLAP_SECONDS, maxSeconds / 4)
  const longest = Math.floor((maxSeconds - overlap) * LEVELS_PER_SECOND)
  const stretches: Stretch[] = []
  let start = first
  let startsAt = within?.startMs ?? 0
  while (end - start > longest) {
    // A short rest is halved, so that no stretch is too short to be understood.
    const left = end - start
    const target = left < longest * 1.5 ? Math.ceil(left * 0.6) : longest
    const cut = quietest(levels, start + Math.floor(target * (1 - CHOICE)), start + target)
    const isSilent = cut.level <= Math.max(NEARLY_SILENT, speech - BELOW_SPEECH)
    const half = isSilent ? 0 : overlap / 2
    const at = toMs(cut.at)
    stretches.push({ startMs: startsAt, endMs: at + half * 1_000 })
    startsAt = at - half * 1_000
    start = cut.at
  }
  stretches.push({ startMs: startsAt, endMs: within?.endMs ?? toMs(end) })
  return stretches
}

/** The middle of the quietest window, the last one of several. Its level is that of its loudest piece. */
function quietest(levels: readonly number[], from: number, to: number) {
  const width = Math.round(SILENCE_SECONDS * LEVELS_PER_SECOND)
  let best = { at: to, level: Number.POSITIVE_INFINITY }
  for (let first = from; first + width <= to; first++) {
    const level = Math.max(...levels.slice(first, first + width))
    if (level <= best.level) best = { at: first + width / 2, level }
  }
  return best
}

function percentile(values: readonly number[], part: number) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? 0
}

function toMs(index: number) {
  return Math.round((index * 1_000) / LEVELS_PER_SECOND)
}

function toIndex(ms: number) {
  return Math.round((ms * LEVELS_PER_SECOND) / 1_000)
}
