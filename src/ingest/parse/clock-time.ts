import { LIMITS } from '../../contract/limits.ts'

/** The pattern of a time such as 1:02:03.5 or 02:03,500. */
export const CLOCK_TIME = String.raw`(?:\d+:)?\d+:\d{2}(?:[.,]\d+)?`

/** A pattern that also accepts single digits of seconds. */
export const LOOSE_CLOCK_TIME = String.raw`(?:\d+:)?\d+:\d{1,2}(?:[.,]\d+)?`

/** Returns seconds, exact to the millisecond; infinite beyond the longest recording. */
export function parseClockTime(clockTime: string) {
  const [whole = '', fraction = ''] = clockTime.split(/[.,]/)
  const seconds = whole.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
  if (seconds > LIMITS.recordingSeconds) return Number.POSITIVE_INFINITY
  return (seconds * 1000 + Math.round(Number(`0.${fraction || 0}`) * 1000)) / 1000
}
