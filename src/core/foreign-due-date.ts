import type { ParsedResult } from 'chrono-node'
import * as de from 'chrono-node/de'
import * as es from 'chrono-node/es'
import * as fr from 'chrono-node/fr'
import { dayOf } from './calendar-day.ts'

const PARSERS: Record<string, { parse(text: string, reference: Date, option: { forwardDate: boolean }): ParsedResult[] }> = {
  de: de.casual,
  es: es.casual,
  fr: fr.casual
}
/** Before "Morgen", "mañana" and "demain" these make another word of it. */
const OTHER_WORD = /(?:[\p{L}-]|\bguten |\bla )$/iu

/** The one future day that a sentence in German, Spanish or French names, as YYYY-MM-DD; null when it names none or several. */
export function findForeignDueDate(sentence: string, language: string, today: string): string | null {
  const [year = 0, month = 1, date = 1] = today.split('-').map(Number)
  const results = PARSERS[language]?.parse(sentence, new Date(year, month - 1, date), { forwardDate: true }) ?? []
  const [result] = results.filter(({ start }) => start.isCertain('weekday') || start.isCertain('day'))
  if (!result || results.length > 1 || result.end || OTHER_WORD.test(sentence.slice(0, result.index))) return null
  const day = dayOf(result)
  return day !== null && day > today ? day : null
}
