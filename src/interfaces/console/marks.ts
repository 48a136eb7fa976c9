import { foldLetters } from '../../platform/text/fold-letters.ts'
import { charactersOf, wordsOf, writtenWords } from '../../platform/text/words.ts'
import { type Html, html } from '../web/html.ts'

/** A word with at least this many letters matches another form of it, such as `offers` and `offer`. */
const MIN_STEM = 4
/** The letters by which two forms of a word may differ. */
const MAX_ENDING = 3
/** Shorter words are marked only if the query has no other: they are mostly those that every sentence has. */
const MIN_MARKED = 4
const MAX_WORDS = 64

/** The characters of an excerpt, and those of them before its first mark. */
const EXCERPT = 320
const BEFORE = 100

export interface Marks {
  /** Marks the words in a text, or in an excerpt of it around the first of them. */
  mark: (whole: string, length?: 'excerpt') => Html
  /** Whether a text has one of the words. */
  finds: (text: string) => boolean
}

/** Returns what marks the words of a query in texts. Search compares stems and meaning, so a text may have no mark. */
export function openMarks(query: string): Marks {
  const all = [...new Set(wordsOf(query).map(foldLetters))].slice(0, MAX_WORDS)
  const long = all.filter(word => word.length >= MIN_MARKED || charactersOf(word).length > 0)
  const words = long.length > 0 ? long : all
  const findAll = (text: string) => [...findWords(text, words), ...findDense(text, words)]
  const mark: Marks['mark'] = (whole, length) => {
    const text = length ? excerptOf(whole, findAll(whole)) : whole
    const found = findAll(text).sort((a, b) => a.start - b.start)
    const pieces: Html[] = []
    let at = 0
    for (const { start, end } of found) {
      if (start < at) continue
      pieces.push(html`${text.slice(at, start)}<mark>${text.slice(start, end)}</mark>`)
      at = end
    }
    return html`${pieces}${text.slice(at)}`
  }
  return { mark, finds: text => findAll(text).length > 0 }
}

/** A text without sentences far from its first mark. It begins and ends at a space. */
function excerptOf(text: string, found: readonly Place[]) {
  if (text.length <= EXCERPT) return text
  const first = Math.min(...found.map(({ start }) => start), text.length)
  const from = first === text.length || first <= BEFORE ? 0 : text.lastIndexOf(' ', first - BEFORE) + 1
  const end = text.lastIndexOf(' ', from + EXCERPT)
  const to = from + EXCERPT >= text.length ? text.length : end > from ? end : from + EXCERPT
  return `${from > 0 ? '… ' : ''}${text.slice(from, to).toWellFormed()}${to < text.length ? ' …' : ''}`
}

interface Place {
  start: number
  end: number
}

function findWords(text: string, words: readonly string[]): Place[] {
  return writtenWords(text).filter(({ word }) => {
    const folded = foldLetters(word.toLowerCase())
    return words.some(other => isForm(folded, other))
  })
}

/** Scripts without spaces have no words; there the pairs of characters of the query are marked. */
function findDense(text: string, words: readonly string[]): Place[] {
  return words
    .filter(word => charactersOf(word).length > 0)
    .flatMap(word => {
      const places: Place[] = []
      for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length))
        places.push({ start: at, end: at + word.length })
      return places
    })
}

function isForm(a: string, b: string) {
  if (a === b) return true
  const shorter = Math.min(a.length, b.length)
  if (shorter < MIN_STEM || Math.abs(a.length - b.length) > MAX_ENDING) return false
  let shared = 0
  while (shared < shorter && a[shared] === b[shared]) shared++
  return shared >= Math.max(MIN_STEM, shorter - 1)
}
