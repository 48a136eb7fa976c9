import { casual, type ParsedResult } from 'chrono-node/en'
import { existingDay, weekdayOf } from './calendar-day.ts'
import { COUNTED_DEADLINE, countedDay } from './counted-day.ts'
import { dayPhrase } from './due-phrase.ts'

const MAX_CODE_POINTS = 100
const ISO_INSTANT =
  /^(\d{4}-\d{1,2}-\d{1,2})(?:[T ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?\s?(?:Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?)?$/i
/** What to send instead of a text that names no day, or more than one. */
export const DUE_DATE_REMEDY =
  'send one date, best as YYYY-MM-DD, or words that name one day: Friday, March 6, the 15th, in 2 weeks, end of the month'
const TODAY_ENDS = /^(?:by |before |at )?(?:the )?(?:eod|cob|end of (?:the )?day|close of business)\.?$/i
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
/** Dates in running text that chrono misses or misreads. */
const NOT_FOR_CHRONO = new RegExp(String.raw`\b\d{4}-\d{2}-\d{2}\b|${COUNTED_DEADLINE}`, 'gi')
const END_OF_DAY = /\b(?:by |before )?(?:the )?end of (?:the )?day(?: today)?\b/i

/**
 * The one calendar day that the words name, as YYYY-MM-DD; null when they name none, several, or anything besides a date.
 * `today` is the user's calendar day. Words look forward: a weekday is today or in the coming week.
 */
export function normalizeDueDate(input: string, today: string): string | null {
  const words = input.trim()
  if (words.length > 2 * MAX_CODE_POINTS || [...words].length > MAX_CODE_POINTS) return null
  const iso = ISO_INSTANT.exec(words)?.[1]
  if (iso) return isoDay(iso)
  if (TODAY_ENDS.test(words)) return today
  const phrase = dayPhrase(words)
  if (!phrase) return null
  if (phrase.counted) return countedDay(phrase.words, today)
  const day = phrase.yearless ? comingDay(phrase.words, today) : readDay(phrase.words, today)
  return day !== null && phrase.weekday !== undefined && WEEKDAYS[weekdayOf(day)] !== phrase.weekday ? null : day
}

/** The one day to come that a sentence sets for what it is about, with the words that name it; null when there is none or several. */
export function findDueWords(sentence: string, today: string): { day: string; words: string } | null {
  const rest = sentence
    .replace(NOT_FOR_CHRONO, ' ')
    .replace(END_OF_DAY, ' ')
    .replace(/(?<!\bthe )\bday after tomorrow/gi, 'the day after tomorrow')
  const dates = readDates(rest, today).filter(result => isDeadline(result, rest))
  const [words, ...others] = [...(sentence.match(NOT_FOR_CHRONO) ?? []), ...dates.map(({ text }) => text)]
  const [endOfDay] = /\bat the end of the day\b/i.test(sentence) ? [] : (END_OF_DAY.exec(sentence) ?? [])
  if (words === undefined) return endOfDay === undefined ? null : { day: today, words: endOfDay }
  const day = others.length > 0 ? null : normalizeDueDate(words, today)
  return day !== null && day >= today ? { day, words } : null
}

/** The user's calendar day at an instant. */
export function localDay(instant: Date, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en', { timeZone, calendar: 'gregory', year: 'numeric', month: '2-digit', day: '2-digit' })
    .formatToParts(instant)
    .map(({ type, value }): [string, string] => [type, value])
  const { year = '', month = '', day = '' } = Object.fromEntries(parts)
  return `${year.padStart(4, '0')}-${month}-${day}`
}

/** The first such day from today on. chrono prefers the nearest one and moves a past one by a year, which fails for February 29. */
function comingDay(words: string, today: string): string | null {
  const year = Number(today.slice(0, 4))
  const separator = words.includes('/') && !/\p{L}/u.test(words) ? '/' : ' '
  return [year, year + 1].map(each => readDay(words + separator + each, today)).find(day => day !== null && day >= today) ?? null
}

/** The day that chrono reads in all of the words. */
function readDay(words: string, today: string): string | null {
  // chrono 2.10 reads 2026-13-01 as January 13.
  if (/^\d{4}-\d/.test(words)) return isoDay(words)
  const [result] = readDates(words, today)
  if (result?.text.length !== words.length || isDayOrMonthFirst(words)) return null
  const fields = [result.start.get('year'), result.start.get('month'), result.start.get('day')]
  const day = isoDay(fields.map((field, at) => String(field).padStart(at === 0 ? 4 : 2, '0')).join('-'))
  // On a Tuesday, chrono takes "Monday this week" for the coming one.
  const isPast = day !== null && /this week$/i.test(words) && (weekdayOf(day) + 6) % 7 < (weekdayOf(today) + 6) % 7
  return isPast ? null : day
}

/**
 * The reference is midnight in the machine's zone, in which chrono calculates: another zone puts some days off by one, and a later
 * hour moves "Friday" said on a Friday by a week.
 */
function readDates(words: string, today: string): ParsedResult[] {
  const [year = 0, month = 1, date = 1] = today.split('-').map(Number)
  return casual.parse(words, new Date(year, month - 1, date), { forwardDate: true })
}

/** 3/4/2026 and 3.4 are March 4 to some and April 3 to others. */
function isDayOrMonthFirst(text: string): boolean {
  const [, first, second] = /^(\d{1,2})[./-](\d{1,2})(?![\d:])/.exec(text) ?? []
  return first !== undefined && Number(first) <= 12 && Number(second) <= 12 && Number(first) !== Number(second)
}

/** As existingDay, for a day that may lack leading zeros. */
function isoDay(words: string): string | null {
  return existingDay(words.replace(/-(?=\d(?!\d))/g, '-0'))
}

/** In running text, most of what chrono reads is no deadline: "two weeks of work", "we sat down", "3/4", "every Friday". */
function isDeadline(result: ParsedResult, words: string): boolean {
  const { text, index, start } = result
  const [before, after] = [words.slice(0, index).trimEnd(), words.slice(index + text.length)]
  const isExplicit = /\b(?:by|before|until|till|on|due|for)$/i.test(before)
  if (!start.isCertain('weekday') && !start.isCertain('day')) return false
  const isTime = result.tags().has('result/relativeDateAndTime') || /^(?:now|sun|sat|mon|tues?|wed|thu|fri|mar|may|jan)$/i.test(text)
  const isPast = /\b(?:last|past|ago|yesterday|previous)\b/i.test(text)
  const isOtherwiseRelated =
    /\b(?:every|each|last|past|since|after|from|over|of|for the)$/i.test(before) || /\bweek after next\b/i.test(words)
  const isNumber = /^[\d/.-]+$/.test(text)
  const isSpan = /^(?:an?|the|one|two|three|four|five|six|few|couple|several|\d+)\b.*\b(?:day|week|month|year)s?$/i.test(text)
  // Of "Friday the 13th" chrono reads the Friday alone.
  const isCutShort = /^,? (?:the )?\d{1,2}(?:st|nd|rd|th)\b/.test(after)
  return !(isTime || isPast || isOtherwiseRelated || isCutShort) && (isExplicit || !(isNumber || isSpan))
}
