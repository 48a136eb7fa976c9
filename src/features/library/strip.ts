import type { Strip } from '../../platform/ports/strip.ts'
import type { Segment } from '../../platform/text/segment.ts'

const SHORT = 32
const LONG = 230
/** The voices that have a digit of their own. */
const MAX_VOICES = 7
const OTHERS = 8

interface Stretch {
  speaker: string
  from: number
  to: number
}

/** Draws up the strip of a conversation of that length. Without times, its length is that of its text. Returns null if nobody speaks. */
export function toStrip(segments: readonly Segment[], durationSeconds: number): Strip | null {
  const stretches = stretchesOf(segments)
  const end = stretches.reduce((last, { to }) => Math.max(last, to), 0)
  if (end === 0) return null
  const isTimed = segments.some(({ start }) => start !== null)
  const length = isTimed ? Math.max(end, durationSeconds) : end
  const voices = listVoices(stretches)
  const digits = new Map(voices.map((label, at) => [label, at + 1]))
  const digitOf = (speaker: string) => digits.get(speaker) ?? OTHERS
  return { voices, short: cut(stretches, length, SHORT, digitOf), long: cut(stretches, length, LONG, digitOf) }
}

function stretchesOf(segments: readonly Segment[]): Stretch[] {
  if (segments.some(({ start }) => start !== null)) {
    return segments.map(({ speaker, start, end }) => ({ speaker, from: start ?? 0, to: end ?? start ?? 0 }))
  }
  let at = 0
  return segments.map(({ speaker, text }) => {
    const from = at
    at += text.length
    return { speaker, from, to: at }
  })
}

/** Those who speak the most, in that order; of equals, the one who speaks first. */
function listVoices(stretches: readonly Stretch[]) {
  const talk = new Map<string, number>()
  for (const { speaker, from, to } of stretches) talk.set(speaker, (talk.get(speaker) ?? 0) + to - from)
  return [...talk]
    .filter(([, amount]) => amount > 0)
    .sort(([, a], [, b]) => b - a)
    .slice(0, MAX_VOICES)
    .map(([speaker]) => speaker)
}

function cut(stretches: readonly Stretch[], length: number, parts: number, digitOf: (speaker: string) => number) {
  const talk = Array.from({ length: parts }, () => new Float64Array(OTHERS + 1))
  for (const { speaker, from, to } of stretches) {
    const digit = digitOf(speaker)
    const first = Math.floor((from / length) * parts)
    const last = Math.min(parts - 1, Math.ceil((to / length) * parts) - 1)
    for (let part = first; part <= last; part += 1) {
      const overlap = Math.min(to, ((part + 1) * length) / parts) - Math.max(from, (part * length) / parts)
      const amounts = talk[part]
      if (amounts && overlap > 0) amounts[digit] = (amounts[digit] ?? 0) + overlap
    }
  }
  return talk
    .map(amounts => amounts.reduce((most, amount, at) => (amount > (amounts[most] ?? 0) ? at : most), 0))
    .join('')
}
