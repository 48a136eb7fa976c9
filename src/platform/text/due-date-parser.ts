import type { ParsedResult } from 'chrono-node'
import * as de from 'chrono-node/de'
import { casual } from 'chrono-node/en'
import * as es from 'chrono-node/es'
import * as fr from 'chrono-node/fr'

/** The English parser of chrono, with days that it misses. */
const english = casual.clone()
const PARSERS: Record<string, Pick<typeof english, 'parse'>> = {
  en: english,
  de: de.casual,
  es: es.casual,
  fr: fr.casual
}

/**
 * Finds the dates in a text, looking forward. The reference is midnight in the machine's zone, in which chrono calculates: another zone puts
 * some days off by one, and a later hour moves "Friday" said on a Friday by a week.
 */
export function parseDates(text: string, today: string, language = 'en'): ParsedResult[] {
  return PARSERS[language]?.parse(text, new Date(`${today}T00:00`), { forwardDate: true }) ?? []
}

addDay(/\bday after tomorrow\b/i, () => ['in 2 days'])

// chrono knows the end of "this month" and "next year".
addDay(
  /\b(?:end|last day) of (?:the )?(?=(?:[a-z]{3,9}|\d{4})\b)(?<month>[a-z]{3,9}\b)?,? ?(?<year>\d{4}\b)?/i,
  ({ month = 'year', year }, today) => {
    const years = year === undefined ? [today.getFullYear(), today.getFullYear() + 1] : [year]
    return years.flatMap(each =>
      [31, 30, 29, 28].map(date => `${month.replace(/^year$/i, 'December')} ${date}, ${each}`)
    )
  }
)

// A week ends on Sunday, as a month ends on its last day.
addDay(/\b(?:end|last day) of (?:the |this )?(?<next>next )?week\b/i, ({ next }, today) => {
  const days = ((7 - today.getDay()) % 7) + (next === undefined ? 0 : 7)
  const sunday = new Date(today.getFullYear(), today.getMonth(), today.getDate() + days)
  return [sunday.toLocaleDateString('en', { month: 'long', day: 'numeric', year: 'numeric' })]
})

const ORDINAL = String.raw`\d{1,2}(?:st|nd|rd|th)|(?:(?:twen|thir)ty[ -])?(?:first|second|third|\w{0,8}(?:f|n|v|x|ie|gh|lf|ur)th)`
const DAY_OF_MONTH = new RegExp(String.raw`\b(?:the )?(?<date>${ORDINAL})\b(?: of (?<of>the |this |next )?month)?`, 'i')
// "The 15th" is the next one, today included.
addDay(DAY_OF_MONTH, ({ date, of }, today) => {
  const months = of === undefined ? [0, 1, 2] : [/next/i.test(of) ? 1 : 0]
  const firsts = months.map(count => new Date(today.getFullYear(), today.getMonth() + count))
  return firsts.map(first => `${date} of ${first.toLocaleDateString('en', { month: 'long', year: 'numeric' })}`)
})

/** Teaches chrono words for a day. The first of the known wordings whose day is to come counts. */
function addDay(pattern: RegExp, wordingsOf: (groups: Partial<Record<string, string>>, today: Date) => string[]) {
  english.parsers.push({
    pattern: () => pattern,
    extract({ refDate }, { groups = {} }) {
      const readings = wordingsOf(groups, refDate).flatMap(words =>
        casual.parse(words, refDate).filter(({ text }) => text === words)
      )
      const day = readings.map(reading => reading.date()).find(each => each >= refDate)
      return day ? { year: day.getFullYear(), month: day.getMonth() + 1, day: day.getDate() } : null
    }
  })
}
