import { LIMITS } from '../../contract/limits.ts'

/** The pattern of a time such as 1:02:03.5 or 02:03,500. */
export const CLOCK_TIME = String.raw`(?:\d+:)?\d+:\d{2}(?:[.,]\d+)?`

/** Returns seconds, exact to the millisecond; infinite beyond the longest recording. */
export function parseClockTime(clockTime: string) {
  const [whole = '', fraction = ''] = clockTime.split(/[.,]/)
  return toSeconds(whole.split(':'), Number(`0.${fraction || 0}`))
}

const WHOLE_TIME = new RegExp(`^${CLOCK_TIME}$`)
const SPOKEN_LENGTH =
  /^(?=\d)(?:(\d{1,3})\s?h\p{L}{0,5})?[\s,]*(?:(\d{1,4})\s?m\p{L}{0,7})?[\s,]*(?:(\d{1,5})\s?s\p{L}{0,7})?$/u

/** Parses a length such as `9:41`, `9m 41s` or `1 hour 2 minutes` in seconds. Returns null for other texts. */
export function parseLength(length: string) {
  const [found, hours = '0', minutes = '0', seconds = '0'] = SPOKEN_LENGTH.exec(length) ?? []
  if (found !== undefined) return Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)
  const time = WHOLE_TIME.test(length) ? parseClockTime(length) : Number.NaN
  return Number.isFinite(time) ? time : null
}

/**
 * The pattern of a time in a caption file, where each program has a dialect: seconds alone, spaces beside separators, frames, and negative
 * times of a shifted file.
 */
export const CUE_TIME = String.raw`-?\d+(?:-\d+)?(?:[ \t]{0,2}[:;.,][ \t]{0,2}-?\d+){0,4}`
const FRAMES_A_SECOND = 25

/** Returns seconds like `parseClockTime`; 0 for a negative time, and NaN for numbers that are no time. */
export function parseCueTime(cueTime: string) {
  if (cueTime.includes('-')) return 0
  const numbers = cueTime.split(/[:;.,]/).map(number => number.trim())
  const separators = cueTime.match(/[:;.,]/g) ?? []
  const isFraction = /[.,]/.test(separators.at(-1) ?? ':')
  // The last of four numbers counts frames, or milliseconds if it has three digits.
  const last = isFraction || numbers.length === 4 ? numbers.pop() : undefined
  if (numbers.length > 3) return Number.NaN
  if (last === undefined) return toSeconds(numbers, 0)
  const frames = Math.min(Number(last) / FRAMES_A_SECOND, 0.999)
  return toSeconds(numbers, isFraction || last.length === 3 ? Number(`0.${last}`) : frames)
}

function toSeconds(units: string[], fraction: number) {
  const seconds = units.reduce((sum, part) => sum * 60 + Number(part), 0)
  if (seconds > LIMITS.recordingSeconds) return Number.POSITIVE_INFINITY
  return (seconds * 1000 + Math.round(fraction * 1000)) / 1000
}
