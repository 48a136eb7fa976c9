import type { ParsedResult } from 'chrono-node'
import { existingDay } from './calendar-day.ts'
import { parseDates } from './due-date-parser.ts'

const MAX_CHARACTERS = 100
/** The advice for a text that names no day, or more than one. */
export const DUE_DATE_REMEDY =
  'one date, best as YYYY-MM-DD, or words that name one day: Friday, March 6, the 15th, in 2 weeks, end of the month'

const END_OF_DAY = /(?<!\bat (?:the )?)\b(?:eod|cob|end of (?:the )?day|close of business)\b/i
const CLOCK = String.raw`(?:2[0-3]|[01]?\d)(?=:| ?[ap]\.?m\b)(?::[0-5]\d[\d.,:]*)?(?: ?[ap]\.?m\b\.?)?`
const ZONE = String.raw`(?: ?(?:z|utc|gmt|[ecmp][sd]?t|ce?s?t|[bij]st|a[ew]s?d?t|nz[sd]t))?(?:[+-]\d\d?(?::?[0-5]\d)?)?`
const DAYTIME = `${CLOCK}${ZONE}|${END_OF_DAY.source}|noon|midnight|morning|afternoon|evening|night`
/** A time of day, which does not change the day: Friday night at 1 am is Friday. */
const TIME = new RegExp(
  String.raw`(?:(?<=\d)T|,? ?\b(?:(?:at|by|before|in(?: the)?) )?)(?:${DAYTIME})(?=[ ,]|$)| at \d\d?$`,
  'gi'
)

/** Days counted from today. chrono also reads "next 3 days", "several weeks" and "half a year". */
const SPAN = new RegExp(
  String.raw`^(?:in |within |\+)?(?:a couple(?: of)? |(?!few|half|last|next|past|several|the|this)\w+? ?)(?:d|w|days?|weeks?|months?|years?)` +
    String.raw`(?:,?(?: and)? \w+ days?)?(?: from now| later| ago)?$|^(?:dans|en|dentro de|in \S+ (?=tag|woche|monat|jahr)) ?`,
  'i'
)
/** Other words that chrono takes for one day. */
const NO_DAY = [
  /^(?:last|past) (?!day)|week(?:end|day)|end of \w+ quarter/i,
  // An hour to chrono, and a day of the month to others: "Monday 12".
  /(?:mon|tue|wed|thu|fri|sat|sun)\w* (?:the )?\d\d?$/i,
  // The year 2013 in "March 12, 13".
  /^(?!(?:(?:mon|tue|wed|thu|fri|sat|sun)\w*,? )?\d+\/\d+$)\D*\d{1,2}(?!\d).*[ ,/.-]\d\d?$/i,
  // 3/4/2026 is March 4 to some and April 3 to others.
  /(?<![\d./-])0?(\d|1[0-2])[./-](?!0?\1(?!\d))(?:0?[1-9]|1[0-2])(?![\d:])/
]
/** Dates in a sentence, marked by < and >, that do not set a deadline. */
const NO_DEADLINE = [
  // "Every Friday", "two weeks ago", and words that are no day alone.
  /\b(?:every|each|last|past|since|after|from|over|of|for the) <|<(?:last|past|previous)\b|\b(?:ago|yesterday)>/i,
  /<(?:now|sun|sat|mon|tue|wed|thu|fri|mar|may|jan)>/i,
  // Deadlines only after a preposition: "3/4 of us", "two weeks of work"; "the 15th floor".
  /(?<!\b(?:by|before|until|till|on|due|for) )<(?:[\d/.-]+[dw]?|(?:the )?\w+(?:st|nd|rd|th)|(?!in |within |end |last )\w+ (?:\w+ )*(?:day|week|month|year)s?)>/i,
  /(?:st|nd|rd|th)> (?!and|at|but|if|or|please|so)/i,
  // These give "Morgen", "mañana" and "demain" another meaning.
  /(?:[\p{L}-]|\bguten |\bla )</iu
]

/**
 * Returns the one calendar day that the words name, as YYYY-MM-DD. Null if they name none, several, or anything besides a date.
 * `today` is the user's calendar day. Words look forward: a weekday is today or in the coming week.
 */
export function normalizeDueDate(input: string, today: string): string | null {
  const sent = input.trim()
  if ([...sent].length > MAX_CHARACTERS) return null
  const words = sent.replace(/\s+/g, ' ')
  const phrase = words
    .replace(/^(?:[ (]|[,.;:)!-](?!\d))*/, '')
    .replace(/(?:[ ,.;:!)]|\( ?\))+$/, '')
    .replace(TIME, '')
    .replace(/^ ?(?:(?:due|by|on|before|at|of)\b[ :,]*)*/i, '')
    .replace(/\bthe |(?<=[a-z]{3})\.(?!\d)|(?<=\b(?:tue|wed))s\b/gi, '')
    .replace(/from today$/i, 'from now')
    .replace(/^now$/i, 'today')
  if (phrase === '') return END_OF_DAY.test(words) ? today : null
  // chrono reads 2026-13-01 as January 13.
  if (/^\d{4}-\d/.test(phrase)) return existingDay(phrase)
  const [date, ...others] = parseDates(phrase, today)
  return date?.text.length === phrase.length && others.length === 0 ? readDay(date, today) : null
}

/** Finds the one future day that a sentence sets as a deadline, with the words that name it. Null for none or several. */
export function findDueWords(sentence: string, today: string, language = 'en'): { day: string; words: string } | null {
  const dates = parseDates(sentence, today, language).filter(({ index, text }) => {
    const marked = `${sentence.slice(0, index)}<${text}>${sentence.slice(index + text.length)}`
    return !NO_DEADLINE.some(context => context.test(marked))
  })
  const deadlines = dates
    .map(date => ({ day: readDay(date, today) ?? '', words: date.text }))
    .filter(({ day }) => day >= today)
  const [endOfDay] = END_OF_DAY.exec(sentence) ?? []
  if (dates.length === 0 && endOfDay !== undefined) return { day: today, words: endOfDay }
  const [deadline, ...others] = deadlines
  return deadline && others.length === 0 ? deadline : null
}

/** Returns the day of a date that names only one. */
function readDay(date: ParsedResult, today: string): string | null {
  const { text, start, end } = date
  const isCounted = date.tags().has('result/relativeDate') && !date.tags().has('refiner/ENEndOfPeriodRefiner')
  const isDay = isCounted ? SPAN.test(text) : start.isCertain('day') || start.isCertain('weekday')
  const day = existingDay([start.get('year'), start.get('month'), start.get('day')].join('-'))
  if (!isDay || day === null || end || NO_DAY.some(words => words.test(text))) return null
  if (start.isCertain('weekday') && start.get('weekday') !== new Date(day).getUTCDay()) return null
  // On a Tuesday, chrono takes "Monday this week" for the coming one; on January 31, "in a month" for March 3.
  if (/this week$/i.test(text) && day > (normalizeDueDate('Sunday', today) ?? '')) return null
  const isTooFar = isCounted && !start.isCertain('day') && day.slice(8) < today.slice(8)
  return isTooFar ? new Date(Date.parse(`${day.slice(0, 7)}-01`) - 86_400_000).toISOString().slice(0, 10) : day
}
