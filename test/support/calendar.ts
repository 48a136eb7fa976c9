/** The Gregorian calendar without Date and time zones. A day is a number, counted from 1970-01-01. */

const MONTH_LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

export function monthLength(year: number, month: number): number {
  return month === 2 && isLeap(year) ? 29 : (MONTH_LENGTHS[month - 1] ?? 0)
}

/** Returns the number of a day. Null if the month has no such day. */
export function dayOf(year: number, month: number, date: number): number | null {
  if (month < 1 || month > 12 || date < 1 || date > monthLength(year, month)) return null
  const months = MONTH_LENGTHS.slice(0, month - 1).reduce((sum, length) => sum + length, 0)
  return daysBefore(year) - daysBefore(1970) + months + (month > 2 && isLeap(year) ? 1 : 0) + date - 1
}

export function fieldsOf(day: number): { year: number; month: number; date: number } {
  let year = 1970
  let left = day
  while (left >= yearLength(year)) left -= yearLength(year++)
  while (left < 0) left += yearLength(--year)
  let month = 1
  while (left >= monthLength(year, month)) left -= monthLength(year, month++)
  return { year, month, date: left + 1 }
}

/** 0 is Sunday; January 1, 1970 was a Thursday. */
export function weekdayOf(day: number): number {
  return (((day + 4) % 7) + 7) % 7
}

export function written(day: number): string {
  const { year, month, date } = fieldsOf(day)
  return [String(year).padStart(4, '0'), twoDigits(month), twoDigits(date)].join('-')
}

export function twoDigits(number: number): string {
  return String(number).padStart(2, '0')
}

function isLeap(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
}

function yearLength(year: number): number {
  return isLeap(year) ? 366 : 365
}

function daysBefore(year: number): number {
  const past = year - 1
  return past * 365 + Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400)
}
