const WEEKDAY = String.raw`(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tues?|weds?|thu(?:rs?)?|fri|sat|sun)\b\.?`
const MONTH = String.raw`(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?`
const UP_TO_NINTH = 'first|second|third|fourth|fifth|sixth|seventh|eighth|ninth'
const SPOKEN = `(?:${UP_TO_NINTH}|tenth|eleventh|twelfth|(?:thir|four|fif|six|seven|eigh|nine)teenth|twentieth|twenty[ -](?:${UP_TO_NINTH})|thirtieth|thirty[ -]first)`
const NUMBER = String.raw`(?:3[01]|[12]\d|0?[1-9])`
const DATE = `(?:${SPOKEN}|${NUMBER}(?:st|nd|rd|th)?)`
const COUNT = String.raw`(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|a couple(?: of)?|\d{1,5})`
const UNIT = '(?:days?|weeks?|months?|years?)'
const NUMBERED = `(?:the )?${NUMBER}(?:st|nd|rd|th)`
const OF_MONTH = '(?<of> of (?:the |this |next )?month)?'
const END_OF_PERIOD = String.raw`(?:the )?(?:end|last day) of (?:(?:the |this |next )?(?:month|year)|\d{4})`

/** A year has four digits: two could also be a day or an hour. */
const DATES = [
  String.raw`(?:the )?${DATE}[ /-]?(?:of )?${MONTH}(?:(?:,? ?|[/-])(?<year>\d{4}))?`,
  String.raw`${MONTH}(?: ?|[/-])(?:the )?${DATE}(?:(?: ?, ?| |[/-])(?<year>\d{4}))?`,
  String.raw`(?:the )?(?:end|last day) of ${MONTH}(?:,? (?<year>\d{4}))?`,
  String.raw`\d{1,2}\/\d{1,2}(?:\/(?<year>\d{4}))?`,
  String.raw`\d{1,2}(?<mark>[.-])\d{1,2}\k<mark>(?<year>\d{4})`,
  String.raw`(?<year>\d{4})[ ./-]${MONTH}[ ./-]\d{1,2}`,
  // chrono takes a month above twelve for the day.
  String.raw`(?<year>\d{4})[./](?:1[0-2]|0?[1-9])[./]\d{1,2}`
].join('|')
/** Days relative to today. Hours are missing: they would need the time of day. */
const DAYS = [
  'today|tonight|tomorrow|tmrw?|yesterday|now|(?:the )?day after tomorrow',
  String.raw`(?:(?:the|this|next) )?${WEEKDAY}|${WEEKDAY} (?:of )?(?:this|next) week|\d{4}-\d{1,2}-\d{1,2}|${END_OF_PERIOD}`,
  `(?:in |within )?${COUNT} weeks?,?(?: and)? ${COUNT} days?|${COUNT} ${UNIT}(?: from now| from today| later| ago)?`,
  String.raw`(?:(?:in|within) ${COUNT}|\+\d{1,5}) ?(?:${UNIT}|d|w)`
].join('|')
const CLOCK = String.raw`(?:(?:1[0-2]|0?[1-9])(?::[0-5]\d(?::[0-5]\d)?)? ?[ap]\.?m\b\.?|(?:2[0-3]|[01]?\d):[0-5]\d(?::[0-5]\d)?)`
const ZONE = String.raw`(?:utc|gmt|[ecmp][sd]?t|ce?s?t|bst|ist|jst|a[ew]s?d?t|nz[sd]t)(?:[+-]\d{1,2}(?::?\d{2})?)?`
const TIME = `(?:${CLOCK}(?: ?${ZONE})?|noon|midnight|eod|cob|end of (?:the )?day|close of business)`
/** What may stand before and after a day without changing it. */
const BEFORE = `(?:due:? )?(?:(?:by|on|before|at) )?(?:${TIME}(?: ?, ?| )(?:(?:on|by|of) )?)?`
const AFTER = String.raw`(?: ?,? ?(?:in the )?\b(?:morning|afternoon|evening|night))?(?: ?,? ?(?:(?:at|by|before) )?${TIME}| at (?:2[0-3]|[01]?\d))?`

// With the flag u, a few letters of other alphabets would match a to z.
const PHRASE = new RegExp(
  `^${BEFORE}(?:(?:(?<weekday>${WEEKDAY}) ?,? ?)?(?<date>${DATES})|(?<number>${NUMBERED}|the ${SPOKEN})${OF_MONTH}|(?<day>${DAYS}))(?![a-z0-9])${AFTER}$`,
  'i'
)
/** "Friday night at 1 am" is Saturday to some. */
const SMALL_HOURS = /\d ?a\.?m\b|\b0?[0-4](?::[0-5]\d)+(?! ?p|:)|\bat 0?[0-4]$/i

/** The source of an expression for deadlines in running text that chrono misses or misreads. "On the second slide" sets none. */
export const MISREAD_DEADLINE = String.raw`(?:(?<=\b(?:by|before|until|till|on|due|for) )(?:${END_OF_PERIOD}|${NUMBERED}${OF_MONTH})|\b(?:in|within) ${COUNT} (?:months?|years?))(?=\s*(?:[,.;:!?]|$)|\s(?:and|at|but|if|or|please|so)\b)`

/**
 * The readings of a phrase that names exactly one day, in words that chrono knows, the nearest first: words without a year or month have
 * several, of which the first one that is to come counts. Beside a date, `weekday` has the first three letters of its weekday. Null for any
 * other phrase. chrono alone finds a day in nearly everything, such as "10", "this month" or "March 10, 11".
 */
export function readPhrase(input: string, today: string) {
  const phrase = input
    .replace(/\s+/g, ' ')
    .replace(/^(?:[ (]|[,.;:)!-](?!\d))*/, '')
    .replace(/(?:[ ,.;:!)]|\( ?\))+$/, '')
  const groups = PHRASE.exec(phrase)?.groups
  if (!groups || (/night\b/i.test(phrase) && SMALL_HOURS.test(phrase))) return null
  const { date, number, day = '', of } = groups
  const words = wordedForChrono(date ?? number ?? day)
  const weekday = groups.weekday?.slice(0, 3).toLowerCase()
  const [year = 0, month = 1] = today.split('-').map(Number)
  if (number !== undefined) {
    const months = (of === undefined ? [0, 1, 2] : [/next/i.test(of) ? 1 : 0]).map(count => new Date(year, month - 1 + count))
    const readings = months.map(each => `${words} of ${each.toLocaleDateString('en', { month: 'long', year: 'numeric' })}`)
    return { readings, isToCome: true, weekday }
  }
  if (date === undefined || groups.year !== undefined) return { readings: [words], isToCome: false, weekday }
  const separator = words.includes('/') && !/\p{L}/u.test(words) ? '/' : ' '
  return { readings: [year, year + 1].map(each => words + separator + each), isToCome: true, weekday }
}

function wordedForChrono(words: string) {
  return (
    words
      .replace(/\bthe | from today$/gi, '')
      .replace(/^last day of/i, 'end of')
      .replace(/^(end of) year/i, '$1 this year')
      .replace(/^(end of) (\d{4})$/i, '$1 December $2')
      .replace(/^day after tomorrow/i, 'in 2 days')
      .replace(/\b(tue|wed)s\b/i, '$1')
      // chrono knows May as a whole name only, which takes no full stop.
      .replace(/\bmay\.|\.$/gi, dot => dot.slice(0, -1))
  )
}
