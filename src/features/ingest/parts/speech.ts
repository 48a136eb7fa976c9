import { WINDOW_SAMPLES } from '../../../platform/ports/voice-detector.ts'
import { LEVELS_PER_SECOND, RATE } from './mix.ts'
import type { Span } from './timeline.ts'

/** A window with less is surely without a voice: soft and distant speech has more. */
const VOICE = 0.3 * 255

/** A shorter pause stays, because a model needs to hear where a sentence ends, and knows silence of this length. */
const PAUSE_SECONDS = 6
/** The part of a pause that stays on each side, for a word that begins or ends softly. */
const PADDING_SECONDS = 0.8
/** Speech shorter than this is sent with more of the silence around it, because models guess at single words. */
const MIN_SECONDS = 4
/** Sound below this level is silence. */
const SILENT = -60
/** Half a second. A hum or a click that begins is taken for a voice for a moment. */
const MIN_VOICE_WINDOWS = 16

/** Returns for each piece of a sound whether somebody speaks in it. */
export function voicedPieces(windows: Uint8Array, count: number): boolean[] {
  const pieces = Array<boolean>(count).fill(false)
  for (const [at, probability] of windows.entries()) {
    if (probability < VOICE) continue
    const from = Math.floor((at * WINDOW_SAMPLES * LEVELS_PER_SECOND) / RATE)
    const to = Math.floor((((at + 1) * WINDOW_SAMPLES - 1) * LEVELS_PER_SECOND) / RATE)
    for (let piece = from; piece <= Math.min(to, count - 1); piece++) pieces[piece] = true
  }
  return pieces
}

/** Returns whether anybody speaks at all. */
export function isVoiced(windows: Uint8Array) {
  let count = 0
  for (const probability of windows) if (probability >= VOICE) count++
  return count >= MIN_VOICE_WINDOWS
}

/** Pieces that are not silent, for a sound without a voice that the detector knows. */
export function audiblePieces(levels: readonly number[]): boolean[] {
  return levels.map(level => level > SILENT)
}

/** Returns what is sent of a sound: all but its long pauses. */
export function findSpeech(pieces: readonly boolean[]): Span[] {
  const padding = Math.round(PADDING_SECONDS * LEVELS_PER_SECOND)
  const spans: Span[] = []
  for (const [at, isSpeech] of pieces.entries()) {
    if (!isSpeech) continue
    const last = spans.at(-1)
    if (last && at - last.to < PAUSE_SECONDS * LEVELS_PER_SECOND) last.to = at + 1
    else spans.push({ from: at, to: at + 1 })
  }
  return mergeOverlaps(spans.map(({ from, to }) => widen(from - padding, to + padding, pieces.length)))
}

function widen(from: number, to: number, length: number): Span {
  const more = Math.max(0, MIN_SECONDS * LEVELS_PER_SECOND - (to - from))
  return { from: Math.max(0, from - Math.floor(more / 2)), to: Math.min(length, to + Math.ceil(more / 2)) }
}

function mergeOverlaps(spans: readonly Span[]): Span[] {
  const merged: Span[] = []
  for (const span of spans) {
    const last = merged.at(-1)
    if (last && span.from <= last.to) last.to = Math.max(last.to, span.to)
    else merged.push({ ...span })
  }
  return merged
}
