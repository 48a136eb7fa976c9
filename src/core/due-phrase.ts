import { COUNTED_DAY } from './counted-day.ts'

const WEEKDAY = String.raw`(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun)\b\.?`
const MONTH = String.raw`(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?`
const UP_TO_NINTH = 'first|second|third|fourth|fifth|sixth|seventh|eighth|ninth'
const ORDINAL = String.raw`(?:${UP_TO_NINTH}|tenth|eleventh|twelfth|(?:thir|four|fif|six|seven|eigh|nine)teenth|twentieth|twenty[ -](?:${UP_TO_NINTH})|thirtieth|thirty[ -]first|(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?)`

/** Dates. A year has four digits: two could also be a day or an hour. */
const DATES = [
  String.raw`(?:the )?${ORDINAL}[ /-]?(?:of )?${MONTH}(?:(?:,? ?|[/-])(?<year>\d{4}))?`,
  String.raw`${MONTH}(?: ?|[/-])(?:the )?${ORDINAL}(?:(?: ?, ?| |[/-])(?<year>\d{4}))?`,
  String.raw`(?:the )?(?:end|last day) of ${MONTH}(?:,? (?<year>\d{4}))?`,
  String.raw`\d{1,2}\/\d{1,2}(?:\/(?<year>\d{4}))?`,
  String.raw`\d{1,2}(?<mark>[.-])\d{1,2}\k<mark>(?<year>\d{4})`,
  String.raw`(?<year>\d{4})[ ./-]${MONTH}[ ./-]\d{1,2}`,
  // chrono takes a month above twelve for the day.
  String.raw`(?<year>\d{4})[./](?:1[0-2]|0?[1-9])[./]\d{1,2}`
]
/** Days relative to today. */
const DAYS = [
  'today|tonight|tomorrow|tmrw?|yesterday|now|(?:the )?day after tomorrow',
  `(?:(?:the|this|next) )?${WEEKDAY}`,
  `${WEEKDAY} (?:of )?(?:this|next) week`,
  String.raw`\d{4}-\d{1,2}-\d{1,2}`
]

const CLOCK = String.raw`(?:(?:1[0-2]|0?[1-9])(?::[0-5]\d(?::[0-5]\d)?)? ?[ap]\.?m\b\.?|(?:2[0-3]|[01]?\d):[0-5]\d(?::[0-5]\d)?)`
const ZONE = String.raw`(?:utc|gmt|[ecmp][sd]?t|ce?s?t|bst|ist|jst|a[ew]s?d?t|nz[sd]t)(?:[+-]\d{1,2}(?::?\d{2})?)?`
const TIME = `(?:${CLOCK}(?: ?${ZONE})?|noon|midnight|eod|cob|end of (?:the )?day|close of business)`
/** What may stand before and after a day without changing it. */
const BEFORE = `(?:due:? )?(?:(?:by|on|before|at) )?(?:${TIME}(?: ?, ?| )(?:(?:on|by|of) )?)?`
const AFTER = String.raw`(?: ?,? ?(?:in the )?\b(?:morning|afternoon|evening|night))?(?: ?,? ?(?:(?:at|by|before) )?${TIME}| at (?:2[0-3]|[01]?\d))?`

// With the flag u, a few letters of other alphabets would match a to z.
const PHRASE = new RegExp(
  `^${BEFORE}(?:(?:(?<weekday>${WEEKDAY}) ?,? ?)?(?<date>${DATES.join('|')})|(?<counted>${COUNTED_DAY})|(?<day>${DAYS.join('|')}))(?![a-z0-9])${AFTER}$`,
  'i'
)
/** "Friday night at 1 am" is Saturday to some. */
const SMALL_HOURS = /\d ?a\.?m\b|\b0?[0-4](?::[0-5]\d)+(?! ?p|:)|\bat 0?[0-4]$/i

export interface DayPhrase {
  /** The words that name the day, for countedDay if `counted`, else for chrono. */
  words: string
  /** The first three letters of a weekday beside the date. */
  weekday: string | undefined
  yearless: boolean
  counted: boolean
}

/**
 * Reads a phrase that names exactly one day; null for any other. chrono alone finds a day in nearly everything, such as "10",
 * "this month" or "March 10, 11", so it only gets words that are known to name one.
 */
export function dayPhrase(input: string): DayPhrase | null {
  const phrase = input
    .replace(/\s+/g, ' ')
    .replace(/^(?:[ (]|[,.;:)!-](?!\d))*/, '')
    .replace(/(?:[ ,.;:!)]|\( ?\))+$/, '')
  const groups = PHRASE.exec(phrase)?.groups
  if (!groups || (/night\b/i.test(phrase) && SMALL_HOURS.test(phrase))) return null
  if (groups.counted !== undefined) return { words: groups.counted, weekday: undefined, yearless: false, counted: true }
  const words = (groups.date ?? groups.day?.replace('.', '') ?? '')
    .replace(/\bthe /gi, '')
    .replace(/^last day of/i, 'end of')
    .replace(/^day after tomorrow/i, 'in 2 days')
    .replace(/\b(tue|wed)s\b/i, '$1')
    // chrono knows May as a whole name only, which takes no full stop.
    .replace(/\bmay\./i, 'may')
    .replace(/\.$/, '')
  const weekday = groups.weekday?.slice(0, 3).toLowerCase()
  return { words, weekday, yearless: groups.date !== undefined && groups.year === undefined, counted: false }
}
