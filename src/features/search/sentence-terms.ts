import { foldLetters } from '../../platform/text/fold-letters.ts'
import { indexWordsOfLines } from '../library/index/terms.ts'
import { idfOf, type TermIdf } from './candidates.ts'

/** A word that only begins with a term counts less than the term, or the word of the query, itself. */
const BEGINNING_WEIGHT = 0.5
/** "Airport" does not stand for "AI", but "cats" does for "cat". */
const SHORT_TERM = 4
const MAX_ENDING = 2

/**
 * The query terms of each line with their IDF. A word begins with its stem, but for a last letter as in `compani` and in `price` of
 * "pricing". Only the database knows the stems.
 */
export function idfsIn(lines: readonly string[], idfs: readonly TermIdf[]): [term: string, idf: number][][] {
  const wanted = idfs.map(idf => ({
    term: idf.term,
    idf: idfOf(idf),
    forms: [idf.term, ...(idf.forms ?? [])].map(form => ` ${form} `),
    beginning: ` ${idf.term.replace(/(?<=...)[ei]$/, '')}`,
    maxEnding: idf.term.length < SHORT_TERM ? MAX_ENDING : Number.POSITIVE_INFINITY
  }))
  // Letters of all lines are folded at once, which takes a fifth of the time.
  return indexWordsOfLines(foldLetters(lines.join('\n')).split('\n')).map(found => {
    const words = ` ${found.join(' ')} `
    return wanted.flatMap(({ term, idf, forms, beginning, maxEnding }): [string, number][] => {
      if (forms.some(form => words.includes(form))) return [[term, idf]]
      return beginsWord(words, beginning, maxEnding) ? [[term, BEGINNING_WEIGHT * idf]] : []
    })
  })
}

function beginsWord(words: string, beginning: string, maxEnding: number) {
  for (let at = words.indexOf(beginning); at >= 0; at = words.indexOf(beginning, at + 1)) {
    if (words.indexOf(' ', at + 1) - at - beginning.length <= maxEnding) return true
  }
  return false
}
