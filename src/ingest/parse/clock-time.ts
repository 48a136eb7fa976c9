/** A time of a recording as the source of a regular expression: 1:02:03.5, 02:03,500. */
export const CLOCK_TIME = String.raw`(?:\d+:)?\d+:\d{2}(?:[.,]\d+)?`

/** The same where nothing but a time can stand, so that a lone digit of seconds is one, too. */
export const LOOSE_CLOCK_TIME = String.raw`(?:\d+:)?\d+:\d{1,2}(?:[.,]\d+)?`

/** Seconds of a text that matches one of these, exact to the millisecond; infinite where the digits go beyond numbers. */
export function secondsOf(clockTime: string) {
  const [whole = '', fraction = ''] = clockTime.split(/[.,]/)
  const seconds = whole.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
  return (seconds * 1000 + Math.round(Number(`0.${fraction || 0}`) * 1000)) / 1000
}
