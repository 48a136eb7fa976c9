import { casual, type ParsedResult } from 'chrono-node/en'
import { existingDay, weekdayOf } from './calendar-day.ts'
import { COUNTED_DEADLINE, countedDay } from './counted-day.ts'
import { dayPhrase } from './due-phrase.ts'

const MAX_CODE_POINTS = 100
const ISO_INSTANT =
  /^(\d{4}-\d{1,2}-\d{1,2})(?:[T ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?\s?(?:Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?)?$/i
/** What to say where a text names no day, or more than one. */
export const DUE_DATE_REMEDY =
  'send one date, best as YYYY-MM-DD, or words that name one day: Friday, March 6, the 15th, in 2 weeks, end of the month'
const ENDS_TODAY = /^(?:by |before |at )?(?:the )?(?:eod|cob|end of (?:the )?day|close of business)\.?$/i
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

/**
 * The one calendar day that the words name, as YYYY-MM-DD; null when they name none, several, or anything besides a date.
 * `today` is the user's calendar day. Words look forward: a weekday is today or in the coming week.
 */
export function normalizeDueDate(input: string, today: string): string | null {
  const words = input.trim()
  if (words.length > 2 * MAX_CODE_POINTS || [...words].length > MAX_CODE_POINTS) return null
  const iso = ISO_INSTANT.exec(words)?.[1]
  if (iso) return isoDay(iso)
  if (ENDS_TODAY.test(words)) return today
  const phrase = dayPhrase(words)
  if (!phrase) return null
  if (phrase.counted) return countedDay(phrase.words, today)
  const day = phrase.yearless ? comingDay(phrase.words, today) : wholeDay(phrase.words, today)
  return day !== null && phrase.weekday !== undefined && WEEKDAYS[weekdayOf(day)] !== phrase.weekday ? null : day
}

/** The first such day from today on: chrono prefers the nearest one, then moves a past one ahead by a year, where a February 29 is none. */
function comingDay(words: string, today: string): string | null {
  const year = Number(today.slice(0, 4))
  const days = [year, year + 1].map(each => wholeDay(`${words}${words.includes('/') && !/\p{L}/u.test(words) ? '/' : ' '}${each}`, today))
  return days.find(day => day !== null && day >= today) ?? null
}

function wholeDay(words: string, today: string): string | null {
  // chrono 2.10 reads 2026-13-01 as January 13: ISO is never left to it.
  if (/^\d{4}-\d/.test(words)) return isoDay(words)
  const result = onlyDate(words, today)
  if (!result || result.text.length !== result.words.length) return null
  // On a Tuesday, chrono takes "Monday this week" for the coming one.
  return /this week$/i.test(words) && (weekdayOf(result.day) + 6) % 7 < (weekdayOf(today) + 6) % 7 ? null : result.day
}

/** The day a sentence sets for what it is about, as YYYY-MM-DD; null when it names none or several. */
export function findDueDate(sentence: string, today: string): string | null {
  return findDueWords(sentence, today)?.day ?? null
}

/** As findDueDate, with the words that named the day. */
export function findDueWords(sentence: string, today: string): { day: string; words: string } | null {
  const iso = sentence.match(/\b\d{4}-\d{2}-\d{2}\b/g)
  if (iso) return iso.length === 1 ? found(existingDay(iso[0]), iso[0]) : null
  const counted = onlyCounted(sentence, today)
  if (counted !== undefined) return counted === null ? null : found(counted.day, counted.words)
  const ends = /\b(?:by |before )?(?:the )?end of (?:the )?day(?: today)?\b/i.exec(sentence)?.[0]
  const result = onlyDate(ends ? sentence.replace(ends, ' ') : sentence, today, isDeadline)
  if (result) return isFollowedByDate(result) ? null : found(normalizeDueDate(result.text, today), result.text)
  return ends && !/\b(?:at the end of the day)\b/i.test(sentence) ? found(today, ends) : null

  function found(day: string | null, words: string) {
    return day !== null && day >= today ? { day, words } : null
  }
}

const COUNTED = new RegExp(COUNTED_DEADLINE, 'gi')

/** "By the 15th", "before the end of the year"; undefined where the sentence says nothing of the kind, null where it names another day as well. */
function onlyCounted(sentence: string, today: string) {
  const [words, ...others] = sentence.match(COUNTED) ?? []
  if (words === undefined) return undefined
  const alone = others.length === 0 && !onlyDate(sentence.replaceAll(COUNTED, ' '), today, isDeadline)
  return alone ? { day: normalizeDueDate(words, today), words } : null
}

/** Of "Friday the 13th" chrono reads the Friday alone. */
function isFollowedByDate({ words, index, text }: FoundDate) {
  return /^,? (?:the )?\d{1,2}(?:st|nd|rd|th)\b/.test(words.slice(index + text.length))
}

/** The user's calendar day at an instant. */
export function localDay(instant: Date, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en', { timeZone, calendar: 'gregory', year: 'numeric', month: '2-digit', day: '2-digit' })
    .formatToParts(instant)
    .map(({ type, value }): [string, string] => [type, value])
  const { year = '', month = '', day = '' } = Object.fromEntries(parts)
  return `${year.padStart(4, '0')}-${month}-${day}`
}

interface FoundDate {
  /** What was read, in which the date stands at `index`. */
  words: string
  index: number
  text: string
  day: string
}

function onlyDate(input: string, today: string, admits: typeof isDeadline = () => true): FoundDate | undefined {
  const words = input.replace(/(^|[^e] |[^\s] {2,})day after tomorrow/gi, '$1the day after tomorrow')
  const results = casual.parse(words, midnightOf(today), { forwardDate: true }).filter(result => admits(result, words))
  const [result] = results
  if (results.length !== 1 || !result) return undefined
  const day = dayOf(result)
  return day === null ? undefined : { words, index: result.index, text: result.text, day }
}

/**
 * The first instant of a day where this machine is. chrono calculates in the machine's zone: a reference in another one, which it offers to take,
 * puts some days off by one unless the machine is at UTC. With a later hour, "Friday" said on a Friday would be a week away.
 */
function midnightOf(day: string) {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  return new Date(year, month - 1, date)
}

/** The date's own fields, never its instant: that one depends on the zone of this machine. */
function dayOf(result: ParsedResult): string | null {
  const { text, start, end } = result
  const certain = start.isCertain('weekday') || start.isCertain('day') || start.isCertain('month')
  // Looking forward, chrono 2.10 reads "last Friday" as the coming one, and counts "two days after Friday" from the past one.
  if (!certain || /^(?:last|past)\b/i.test(text) || /\b(?:before|after|from|since)\s+(?!now\b|tomorrow\b)\S/i.test(text)) return null
  if (isDayOrMonthFirst(text)) return null
  const day = fieldsOf(start)
  if (end && fieldsOf(end) !== day) return null
  if (day !== null && start.isCertain('weekday') && start.get('weekday') !== weekdayOf(day)) return null
  return day
}

/** 3/4/2026 and 3.4 are March 4 to some and April 3 to others. */
function isDayOrMonthFirst(text: string): boolean {
  const [, first, second] = /^(\d{1,2})[./-](\d{1,2})(?![\d:])/.exec(text) ?? []
  return first !== undefined && Number(first) <= 12 && Number(second) <= 12 && Number(first) !== Number(second)
}

function fieldsOf(parts: ParsedResult['start']): string | null {
  const [year, month, day] = [parts.get('year') ?? 0, parts.get('month') ?? 0, parts.get('day') ?? 0]
  return existingDay(`${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`)
}

/** As existingDay, of one that may leave out the zeros. */
function isoDay(words: string): string | null {
  return existingDay(words.replace(/-(?=\d(?!\d))/g, '-0'))
}

/** In running text most of what chrono reads as a date is none: "two weeks of work", "we sat down", "3/4", "every Friday". */
function isDeadline(result: ParsedResult, words: string): boolean {
  const { text, index, start } = result
  const before = words.slice(0, index).trimEnd()
  if (/\bweek after next\b/i.test(words)) return false
  const explicit = /\b(?:by|before|until|till|on|due|for)$/i.test(before)
  if (!start.isCertain('weekday') && !start.isCertain('day')) return false
  if (result.tags().has('result/relativeDateAndTime') || /^(?:now|sun|sat|mon|tues?|wed|thu|fri|mar|may|jan)$/i.test(text)) return false
  if (
    /\b(?:every|each|last|past|since|after|from|over|of|for the)$/i.test(before) ||
    /\b(?:last|past|ago|yesterday|previous)\b/i.test(text)
  )
    return false
  if (/^[\d/.-]+$/.test(text) && !explicit) return false
  return !/^(?:an?|the|one|two|three|four|five|six|few|couple|several|\d+)\b.*\b(?:day|week|month|year)s?$/i.test(text) || explicit
}
