import { casual, type ParsedResult } from 'chrono-node/en'
import { dayBefore, dayOf, existingDay } from './calendar-day.ts'
import { MISREAD_DEADLINE, readPhrase } from './due-phrase.ts'

const MAX_CODE_POINTS = 100
const ISO_INSTANT =
  /^(\d{4}-\d{1,2}-\d{1,2})(?:[T ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?\s?(?:Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?)?$/i
/** What to send instead of a text that names no day, or more than one. */
export const DUE_DATE_REMEDY =
  'send one date, best as YYYY-MM-DD, or words that name one day: Friday, March 6, the 15th, in 2 weeks, end of the month'
const TODAY_ENDS = /^(?:by |before |at )?(?:the )?(?:eod|cob|end of (?:the )?day|close of business)\.?$/i
/** Dates in running text that chrono misses or misreads. */
const NOT_FOR_CHRONO = new RegExp(String.raw`\b\d{4}-\d{2}-\d{2}\b|${MISREAD_DEADLINE}`, 'gi')
const END_OF_DAY = /\b(?:by |before )?(?:the )?end of (?:the )?day(?: today)?\b/i
const NO_DEADLINE = {
  /** "Every Friday", "since Friday". */
  before: /\b(?:every|each|last|past|since|after|from|over|of|for the)$/i,
  /** "Two weeks ago"; words that are no day alone. */
  text: /\b(?:last|past|ago|yesterday|previous)\b|^(?:now|sun|sat|mon|tues?|wed|thu|fri|mar|may|jan)$/i,
  /** Of "Friday the 13th" chrono reads the Friday alone. */
  after: /^,? (?:the )?\d{1,2}(?:st|nd|rd|th)\b/
}
const DEADLINE_LEAD = /\b(?:by|before|until|till|on|due|for)$/i
/** These are deadlines only after a preposition: "3/4 of us", "two weeks of work". */
const MAYBE_DEADLINE = /^[\d/.-]+$|^(?:an?|the|one|two|three|four|five|six|few|couple|several|\d+)\b.*\b(?:day|week|month|year)s?$/i

/**
 * The one calendar day that the words name, as YYYY-MM-DD; null when they name none, several, or anything besides a date.
 * `today` is the user's calendar day. Words look forward: a weekday is today or in the coming week.
 */
export function normalizeDueDate(input: string, today: string): string | null {
  const words = input.trim()
  if (words.length > 2 * MAX_CODE_POINTS || [...words].length > MAX_CODE_POINTS) return null
  const iso = ISO_INSTANT.exec(words)?.[1]
  if (iso) return existingDay(iso)
  if (TODAY_ENDS.test(words)) return today
  const phrase = readPhrase(words, today)
  const day = phrase?.readings.map(reading => readDay(reading, today)).find(each => each !== null && !(phrase.isToCome && each < today))
  return day &&
    new Date(day)
      .toUTCString()
      .toLowerCase()
      .startsWith(phrase?.weekday ?? '')
    ? day
    : null
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

/** The user's calendar day at an instant. Swedes write dates as ISO 8601 does. */
export function localDay(instant: Date, timeZone: string): string {
  return instant.toLocaleDateString('sv', { timeZone }).padStart(10, '0')
}

/** The day that chrono reads in all of the words. */
function readDay(words: string, today: string): string | null {
  // chrono 2.10 reads 2026-13-01 as January 13.
  if (/^\d{4}-\d/.test(words)) return existingDay(words)
  const [result] = readDates(words, today)
  if (result?.text.length !== words.length || isDayOrMonthFirst(words)) return null
  const day = dayOf(result)
  if (day === null) return null
  // On a Tuesday, chrono takes "Monday this week" for the coming one; on January 31, "in a month" for March 3.
  if (/this week$/i.test(words) && day > (readDay('Sunday', today) ?? '')) return null
  const isTooFar = result.tags().has('result/relativeDate') && !result.start.isCertain('day') && day.slice(8) < today.slice(8)
  return isTooFar ? dayBefore(`${day.slice(0, 7)}-01`) : day
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
  return Number(first) !== Number(second) && Number(first) <= 12 && Number(second) <= 12
}

/** In running text, most of what chrono reads is no deadline. */
function isDeadline(result: ParsedResult, sentence: string): boolean {
  const { text, index, start } = result
  const before = sentence.slice(0, index).trimEnd()
  const isNone =
    NO_DEADLINE.before.test(before) || NO_DEADLINE.text.test(text) || NO_DEADLINE.after.test(sentence.slice(index + text.length))
  const isDay = (start.isCertain('weekday') || start.isCertain('day')) && !result.tags().has('result/relativeDateAndTime')
  return isDay && !isNone && !/\bweek after next\b/i.test(sentence) && (DEADLINE_LEAD.test(before) || !MAYBE_DEADLINE.test(text))
}
