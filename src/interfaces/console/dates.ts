import { showDate } from '../../platform/text/show-date.ts'
import { hoursOf } from './numbers.ts'

/** The day of an instant in a time zone, in words. */
export function onDay(at: Date, timeZone = 'UTC') {
  return showDate(at, 'en-GB', { dateStyle: 'long', timeZone })
}

/** Day and time of an instant in a time zone. */
export function atTime(at: Date, timeZone = 'UTC') {
  return showDate(at, 'en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone })
}

/** The time of day of an instant in a time zone. */
export function clockOf(at: Date, timeZone = 'UTC') {
  return showDate(at, 'en-GB', { timeStyle: 'short', timeZone })
}

/** A month YYYY-MM in words. */
export function monthOf(month: string) {
  return showDate(new Date(month), 'en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })
}

/** A length of time in words, such as `1 h 5 min`. */
export function lengthOf(seconds: number) {
  if (seconds < 59.5) return `${Math.max(1, Math.round(seconds))} s`
  const minutes = Math.round(seconds / 60)
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  return [hours > 0 ? `${hours} h` : '', rest > 0 ? `${rest} min` : ''].filter(part => part !== '').join(' ')
}

/** A speaking time in words: below an hour like any length, from then on in hours. */
export function talkTime(seconds: number) {
  return seconds < 3_600 ? lengthOf(seconds) : hoursOf(seconds)
}

/** The time since an instant in its largest unit, such as `3 days`. */
export function ageOf(at: Date, now: Date) {
  const seconds = Math.max(0, Math.round((now.getTime() - at.getTime()) / 1_000))
  const [count, unit] =
    seconds < 60
      ? [seconds, 'second']
      : seconds < 3_600
        ? [Math.floor(seconds / 60), 'minute']
        : seconds < 86_400
          ? [Math.floor(seconds / 3_600), 'hour']
          : [Math.floor(seconds / 86_400), 'day']
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
