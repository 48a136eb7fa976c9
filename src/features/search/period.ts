import type { ParsedComponents, ParsedResult } from 'chrono-node'
import * as de from 'chrono-node/de'
import * as en from 'chrono-node/en'
import * as es from 'chrono-node/es'
import * as fr from 'chrono-node/fr'
import { existingDay } from '../../platform/text/calendar-day.ts'

/** Calendar days from `since` until before `until`; either may be open. The words that name them are those from `start` to before `end`. */
export interface Period {
  since: string | null
  until: string | null
  start: number
  end: number
}

type BoundedPeriod = Period & { since: string; until: string }
type Unit = 'day' | 'weekend' | 'week' | 'month' | 'quarter' | 'year'

const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'ja', 'zh']
/** "Today", "last week" and so on, by their names. Of a name with a number chrono knows more; "hier" means here in German and Dutch. */
const RELATIVE = new Map(
  LANGUAGES.flatMap(language => {
    const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
    const units = ['day', 'week', 'month', 'quarter', 'year'] as const
    return units.flatMap(unit =>
      [0, -1, -2].map(later => [plain(format.format(later, unit)), { unit, later }] as const)
    )
  }).filter(([name]) => !/\d|^hier$/.test(name))
)
const MONTHS = new Map(
  LANGUAGES.flatMap(language => {
    const format = new Intl.DateTimeFormat(language, { month: 'long', timeZone: 'UTC' })
    return Array.from({ length: 12 }, (_, month) => [plain(format.format(Date.UTC(2026, month))), month + 1] as const)
  }).filter(([name]) => /^\p{Script=Latin}+$/u.test(name))
)
const [SPACED, DENSE] = [true, false].map(spaced =>
  [...RELATIVE.keys()].filter(name => /\p{Script=Latin}/u.test(name) === spaced).join('|')
)
const NAMED = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:(?<relative>${SPACED})|(?<month>${[...MONTHS.keys()].join('|')})(?:,? (?:of |del? )?(?<year>(?:19|20)\d\d))?|(?<only>(?:19|20)\d\d))(?![\p{L}\p{N}])|(?<dense>${DENSE})`,
  'gu'
)

const wordBefore = (words: string) =>
  new RegExp(String.raw`(?<!\p{L})(?:${words}) (?:(?:the|den|dem|der|die|das|le|la|el) )?$`, 'u')
/** A month or a year is a period after one of these: "in May", but not "may I" or "the March budget". */
const PREPOSITION = wordBefore(
  'in|during|of|since|after|before|until|till|last|this|early|late|im|jahr|seit|vor|nach|bis|en|depuis|avant|après|de|desde|hasta|em'
)
/** Words before a period that make it a subject, or one of several periods. */
const NOT_CLEAR = wordBefore('about|regarding|über|sur|sobre|and|or|und|oder|et|ou|y|o')
const SINCE = wordBefore('since|seit|depuis|desde')
const AFTER = wordBefore('after|nach|après|después de')
const BEFORE = wordBefore('before|avant|antes de')
const UNTIL = wordBefore("until|till|bis|jusqu'à|hasta")

/** The languages that chrono reads, by frequent words of a query. */
const PARSERS = [
  { parser: en.casual, words: /(?:)/ },
  {
    parser: de.casual,
    words: /(?<!\p{L})(?:der|die|das|was|hat|am|vor|von|vom|und|über|wir|ist|letzten|zwischen)(?!\p{L})/u
  },
  { parser: fr.casual, words: /(?<!\p{L})(?:le|la|les|des|du|qu|que|qui|est|il|nous|entre)(?!\p{L})/u },
  { parser: es.casual, words: /(?<!\p{L})(?:el|la|los|las|que|qué|del|hace|por|entre)(?!\p{L})/u }
]
/** chrono reads a range in all of them by a hyphen after a number, and by a dash. */
const RANGE = /(?<!\p{L})(?:between|zwischen|entre) .{1,30}? (?:and|und|et|y) /gu

/** A longer text is not a question that names a person or a period, and chrono reads it slowly. */
export const MAX_QUESTION = 300

/** The one period that a query names, begun by the calendar day `today`; null where it names none or several. */
export function findPeriod(query: string, today: string): Period | null {
  const text = plain(query)
  if (text.length > MAX_QUESTION) return null
  const dates = listDates(text, today)
  const rest = dates.reduce(
    (left, { start, end }) => left.slice(0, start) + '#'.repeat(end - start) + left.slice(end),
    text
  )
  const [found, ...others] = [...dates, ...listNamed(rest, today)]
  const before = text.slice(0, found?.start)
  if (!found || others.length > 0 || found.since > today || found.since >= found.until || NOT_CLEAR.test(before))
    return null
  if (SINCE.test(before)) return { ...found, until: null }
  if (AFTER.test(before)) return { ...found, since: found.until, until: null }
  if (BEFORE.test(before)) return { ...found, since: null, until: found.since }
  return UNTIL.test(before) ? { ...found, since: null } : found
}

/** Periods whose names are those of `Intl`: "last month", "in March 2025". */
function listNamed(text: string, today: string): BoundedPeriod[] {
  return [...text.matchAll(NAMED)].flatMap(({ 0: name, index, groups = {} }) => {
    const { month, year = groups.only } = groups
    const relative = RELATIVE.get(name)
    if (!relative && !(month && year) && !PREPOSITION.test(text.slice(0, index))) return []
    const { unit, later } = relative ?? { unit: month ? ('month' as const) : ('year' as const), later: 0 }
    const first = `${year ?? today.slice(0, 4)}-${String(MONTHS.get(month ?? '') ?? 1).padStart(2, '0')}-01`
    const day = relative ? today : !year && first > today ? startOf('month', first, -12) : first
    return day === null
      ? []
      : daysOf(unit, { first: day, last: day, later }, { start: index, end: index + name.length })
  })
}

/** Periods that chrono reads: "3 days ago", "last Monday", "on May 3", "from March 1 to 5". */
function listDates(text: string, today: string): BoundedPeriod[] {
  const [year = 0, month = 1, date = 1] = today.split('-').map(Number)
  const ranges = text.replace(RANGE, range =>
    range.replace(/\S+ $/, and => (/\d\S* \S+ $/.test(range) ? '-' : '–').padEnd(and.length))
  )
  for (const { parser, words } of PARSERS) {
    if (!words.test(text)) continue
    const results = parser.parse(ranges, new Date(year, month - 1, date))
    const found = results.flatMap(result => {
      const unit = unitOf(result, text)
      const [first, last] = [result.start, result.end ?? result.start].map(part => pastDay(part, today))
      const span = { start: result.index, end: result.index + result.text.length }
      if (unit === undefined || !first || !last) return []
      // "The last two weeks" end today, but "two weeks ago" names one week.
      const isUntilNow = /^(?:past |(?:last|letzten) \S+ )/.test(result.text)
      return isUntilNow
        ? daysOf('day', { first, last: today, later: 0 }, span)
        : daysOf(unit, { first, last, later: 0 }, span)
    })
    if (found.length > 0) return found
  }
  return []
}

/** The unit that chrono has read. Undefined if the words have other meanings as often. */
function unitOf(result: ParsedResult, text: string): Unit | undefined {
  const { index, text: words, start, end } = result
  const tags = result.tags()
  const isRelative = tags.has('result/relativeDate')
  // "Is it fixed now" asks about the present, and the newest answer may be from last week.
  if (tags.has('casualReference/now')) return undefined
  // "3/4" and "version 3.4" may be anything, and an hour is shorter than a conversation.
  if (tags.has('result/relativeDateAndTime') || /^(?!\d{4}-)[\d/.-]+(?<!\.\d{4})$/.test(words)) return undefined
  if (isRelative && start.get('weekday') !== null && !start.isCertain('weekday')) return 'week'
  if (start.isCertain('day') || tags.has('casualReference/morning') || tags.has('casualReference/afternoon'))
    return 'day'
  if (start.isCertain('weekday')) {
    // chrono reads "Tuesday last week" as this week's. "Sat" is a verb, too, and "the Sunday Times" is a paper.
    const isClear = words.includes(' ') || (words.length > 5 && /^\P{L}*$/u.test(text.slice(index + words.length)))
    return isClear && !/ week$/.test(words) ? (/ weekend$/.test(words) ? 'weekend' : 'day') : undefined
  }
  if (start.isCertain('month')) return isRelative || end ? 'month' : undefined
  return isRelative && start.isCertain('year') ? 'year' : undefined
}

/** The day that chrono has read: without its year, the last one up to today. */
function pastDay(part: ParsedComponents, today: string): string | null {
  const dayIn = (year: number) => existingDay([year, part.get('month'), part.get('day')].join('-'))
  const year = part.get('year') ?? 0
  const day = dayIn(year)
  if (part.isCertain('year') || (day !== null && day <= today)) return day
  return part.isCertain('weekday') ? startOf('day', day ?? today, -7) : dayIn(year - 1)
}

function daysOf(
  unit: Unit,
  { first, last, later }: { first: string; last: string; later: number },
  span: Pick<Period, 'start' | 'end'>
) {
  const [since, until] = [startOf(unit, first, later), startOf(unit, last, later + 1)]
  return since === null || until === null ? [] : [{ since, until, ...span }]
}

/** Returns the first day of the unit that contains the day, or of the unit that many later. */
function startOf(unit: Unit, day: string, later: number): string | null {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  const months = { month: 1, quarter: 3, year: 12, day: 0, weekend: 0, week: 0 }[unit]
  const monday = date - ((new Date(day).getUTCDay() + 6) % 7)
  const days = {
    day: date + later,
    weekend: monday + (later === 0 ? 5 : 7),
    week: monday + 7 * later,
    month: 1,
    quarter: 1,
    year: 1
  }[unit]
  const first = months === 0 ? month - 1 : month - 1 - ((month - 1) % months) + months * later
  return existingDay(new Date(Date.UTC(year, first, days)).toISOString().slice(0, 10))
}

/** Converts to lower case, plain apostrophes and plain spaces, as in the names above. Offsets stay: only İ has a longer lower case. */
function plain(text: string) {
  return text.replaceAll('İ', 'I').toLowerCase().replaceAll('’', "'").replace(/\s/g, ' ')
}
