import { casual, type ParsedResult } from 'chrono-node/en'

const MAX_CODE_POINTS = 100
const ISO_LIKE = /^\d{4}-\d{1,2}-\d{1,2}/
const ISO_WITHIN = /\d{4}-\d{2}-\d{2}/
const ISO_INSTANT = /^(\d{4}-\d{2}-\d{2})(?:[T ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?\s?(?:Z|[+-]\d{2}(?::?\d{2})?)?)?$/i

const TIME = String.raw`(?:\d{1,2}:\d{2}(?::\d{2})?\s*(?:[ap]\.?m\.?)?|\d{1,2}\s*[ap]\.?m\.?|noon|midnight|eod|cob|end of (?:the )?day|close of business)`
/** What may stand beside a date without changing it. */
const BESIDE = new RegExp(String.raw`^(?:[\s,.;:()!-]|\b(?:by|on|due|before|at|the)\b|\b${TIME}(?![\p{L}\p{N}]))*$`, 'iu')
const ENDS_TODAY = /^(?:by |before |at )?(?:the )?(?:eod|cob|end of (?:the )?day|close of business)\.?$/i

/**
 * The one calendar day that the words name, as YYYY-MM-DD; null when they name none, several, or anything besides a date.
 * `today` is the user's calendar day. Words look forward: a weekday is today or in the coming week.
 */
export function normalizeDueDate(input: string, today: string): string | null {
  const words = input.trim()
  if ([...words].length > MAX_CODE_POINTS) return null
  // chrono 2.10 reads 2026-13-01 as January 13: what looks like ISO is never left to it.
  if (ISO_LIKE.test(words)) return existingDay(ISO_INSTANT.exec(words.replace(/-(?=\d(?!\d))/g, '-0'))?.[1])
  if (ISO_WITHIN.test(words)) return null
  if (ENDS_TODAY.test(words)) return today
  const result = onlyDate(words, today)
  if (!result) return null
  const beside = `${result.words.slice(0, result.index)} ${result.words.slice(result.index + result.text.length)}`
  return BESIDE.test(beside) ? result.day : null
}

/** The day a sentence sets for what it is about, as YYYY-MM-DD; null when it names none or several. */
export function findDueDate(sentence: string, today: string): string | null {
  return findDueWords(sentence, today)?.day ?? null
}

/** As findDueDate, with the words that named the day. */
export function findDueWords(sentence: string, today: string): { day: string; words: string } | null {
  const iso = sentence.match(/\b\d{4}-\d{2}-\d{2}\b/g)
  if (iso) return iso.length === 1 ? found(existingDay(iso[0]), iso[0]) : null
  const ends = /\b(?:by |before )?(?:the )?end of (?:the )?day(?: today)?\b/i.exec(sentence)?.[0]
  const result = onlyDate(ends ? sentence.replace(ends, ' ') : sentence, today, isDeadline)
  if (result) return found(result.day, result.text)
  return ends && !/\b(?:at the end of the day)\b/i.test(sentence) ? found(today, ends) : null

  function found(day: string | null, words: string) {
    return day !== null && day >= today ? { day, words } : null
  }
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
  // With the current time as reference, "Friday" said on a Friday afternoon is a week later; and chrono ignores IANA zones.
  const reference = { instant: new Date(`${today}T00:00:00Z`), timezone: 0 }
  const results = casual.parse(words, reference, { forwardDate: true }).filter(result => admits(result, words))
  const [result] = results
  if (results.length !== 1 || !result) return undefined
  const day = dayOf(result)
  return day === null ? undefined : { words, index: result.index, text: result.text, day }
}

/** The date's own fields, never its instant: that one depends on the zone of this machine. */
function dayOf({ text, start, end }: ParsedResult): string | null {
  const certain = start.isCertain('weekday') || start.isCertain('day') || start.isCertain('month')
  // Looking forward, chrono 2.10 reads "last Friday" as the coming one.
  if (!certain || /^(?:last|past)\b/i.test(text)) return null
  const day = fieldsOf(start)
  if (end && fieldsOf(end) !== day) return null
  const weekday = day === null ? undefined : new Date(`${day}T00:00:00Z`).getUTCDay()
  return start.isCertain('weekday') && start.get('weekday') !== weekday ? null : day
}

function fieldsOf(parts: ParsedResult['start']): string | null {
  const [year, month, day] = [parts.get('year') ?? 0, parts.get('month') ?? 0, parts.get('day') ?? 0]
  return existingDay(`${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`)
}

function existingDay(day: string | undefined): string | null {
  if (day === undefined || day.length !== 10 || day < '1970') return null
  const instant = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(day) ? day : null
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
