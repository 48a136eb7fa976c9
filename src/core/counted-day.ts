import { addDays, addMonths, dateInMonth } from './calendar-day.ts'

const NUMBERS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')
const ORDINALS =
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third twenty-fourth twenty-fifth twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first'.split(
    ' '
  )

const SPOKEN_ORDINAL = ORDINALS.map(ordinal => ordinal.replace('-', '[ -]')).join('|')
const COUNT = String.raw`(?:an?|${NUMBERS.slice(1).join('|')}|a couple(?: of)?|\d{1,5})`
const UNIT = '(?:days?|weeks?|months?|years?)'
const OF_MONTH = '(?: of (?:the |this |next )?month)?'

const NUMBERED_DATE = String.raw`(?:the )?(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)${OF_MONTH}`
/** The day of a month without its name: "the 15th", "the first of next month". */
const DAY_OF_MONTH = `(?:${NUMBERED_DATE}|the (?:${SPOKEN_ORDINAL})${OF_MONTH})`
/** "the end of the month", "the last day of next year", "end of 2028". */
const END_OF_PERIOD = String.raw`(?:the )?(?:end|last day) of (?:(?:the |this |next )?(?:month|year)|\d{4})`
/** Spans of time from today. Hours are missing: they would need the time of day. */
const SPANS = [
  `(?:in |within )?${COUNT} weeks?,?(?: and)? ${COUNT} days?`,
  `(?:in|within) ${COUNT} ?(?:${UNIT}|d|w)`,
  `${COUNT} ${UNIT}(?: from now| from today| later| ago)?`,
  String.raw`\+\d{1,5} ?(?:${UNIT}|d|w)`
]

/** The source of a regular expression for every phrase that countedDay reads. */
export const COUNTED_DAY = [END_OF_PERIOD, ...SPANS, DAY_OF_MONTH].join('|')
const DEADLINE = String.raw`(?<=\b(?:by|before|until|till|on|due|for) )(?:${END_OF_PERIOD}|${NUMBERED_DATE})|\b(?:in|within) ${COUNT} (?:months?|years?)`
/** The source of one for those that set a deadline in running text and that chrono misses. "On the second slide" sets none. */
export const COUNTED_DEADLINE = String.raw`(?:${DEADLINE})(?=\s*(?:[,.;:!?]|$)|\s(?:and|at|but|if|or|please|so)\b)`

const SPAN = new RegExp(`^(?:in |within |\\+)?(${COUNT}) ?([dwmy])[a-z]*(?:,?(?: and)? (${COUNT}) days?)?( ago)?`, 'i')
const END = /^(?:the )?(?:end|last day) of (?:(?:the |this )?(next )?(month|year)|(\d{4}))$/i
const DATE = /^(?:the )?(?:(\d{1,2})[a-z]{2}|([a-z]+(?:[ -][a-z]+)?))(?: of (?:the )?((?:this |next )?)month)?$/i

/** The day that a phrase names, counted from today; null when the calendar has no such day. */
export function countedDay(words: string, today: string): string | null {
  return endOfPeriod(words, today) ?? spanFrom(words, today) ?? dateOf(words, today)
}

function spanFrom(words: string, today: string) {
  const [, count, unit, days, ago] = SPAN.exec(words) ?? []
  if (count === undefined || unit === undefined) return null
  const number = numberOf(count) * (ago ? -1 : 1)
  const kind = unit.toLowerCase()
  if (kind === 'm' || kind === 'y') return addMonths(today, kind === 'y' ? 12 * number : number)
  return addDays(today, (kind === 'w' ? 7 * number : number) + (days === undefined ? 0 : numberOf(days)))
}

function endOfPeriod(words: string, today: string) {
  const [, next, period, year] = END.exec(words) ?? []
  if (year !== undefined) return dateInMonth(`${year}-12-01`, 0, 31)
  if (period === undefined) return null
  const months = next ? 1 : 0
  if (period.toLowerCase() === 'year') return dateInMonth(`${today.slice(0, 4)}-12-01`, 12 * months, 31)
  return [31, 30, 29, 28].map(date => dateInMonth(today, months, date)).find(day => day !== null) ?? null
}

/** Without a month, the next day with this date: today, in this month, or in the first later month that has it. */
function dateOf(words: string, today: string) {
  const [, digits, spoken = '', which] = DATE.exec(words) ?? []
  const date = digits === undefined ? ORDINALS.indexOf(spoken.toLowerCase().replace(' ', '-')) + 1 : Number(digits)
  if (which?.toLowerCase() === 'next ') return dateInMonth(today, 1, date)
  const months = which === undefined ? [0, 1, 2] : [0]
  return months.map(month => dateInMonth(today, month, date)).find(day => day !== null && day >= today) ?? null
}

function numberOf(count: string) {
  const words = count.toLowerCase()
  if (/^\d/.test(words)) return Number(words)
  if (words.startsWith('a couple')) return 2
  return Math.max(NUMBERS.indexOf(words), 1)
}
