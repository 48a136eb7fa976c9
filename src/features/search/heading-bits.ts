import type { Compound, Terms } from '../library/index/terms.ts'

interface Bits {
  bits?: number
}

/** Longer queries are no titles, but for whole ones, which have a term of their own. */
const MAX_WORDS = 24

interface QueryParts {
  words: readonly string[]
  stems: readonly Terms[]
  compounds: readonly Compound[]
  /** Terms in place of words that the library does not have. */
  corrected: readonly { term: string; near: readonly string[] }[]
}

/**
 * Gives each term the bits of the words that it stands for, one bit a word, so that the terms of a title tell whether it has all words of the
 * query. Words that are stop words in a language of the library have no bit, because its titles don't have them. Without bits if the library
 * lacks a word.
 */
export function withHeadingBits<Term extends Bits & { term: string }>(
  terms: readonly Term[],
  { words, stems, compounds, corrected }: QueryParts
): Term[] {
  const termsOf = (word: string) => stems.flatMap(one => one.get(word) ?? [])
  const inAll = words.filter(word => stems.every(one => one.get(word)?.length))
  const wanted = inAll.length > 0 ? inAll : words.filter(word => termsOf(word).length > 0)
  if (wanted.length > MAX_WORDS) return [...terms]
  const near = new Map(corrected.map(({ term, near }) => [term, near]))
  const wordsOf = Map.groupBy(
    [
      ...wanted.flatMap(word => termsOf(word).map(term => ({ term, word }))),
      ...compounds.flatMap(({ joined, parts }) =>
        termsOf(joined).flatMap(term => parts.map(word => ({ term, word: word.toLowerCase() })))
      )
    ],
    ({ term }) => term
  )
  const bitOf = (word: string) => (wanted.includes(word) ? 2 ** wanted.indexOf(word) : 0)
  const withBits = terms.map(term => {
    const stoodFor = [...(wordsOf.get(term.term) ?? []).map(({ word }) => word), ...(near.get(term.term) ?? [])]
    return { ...term, bits: stoodFor.reduce((bits, word) => bits | bitOf(word), 0) }
  })
  const known = withBits.reduce((all, { bits }) => all | bits, 0)
  return known === 2 ** wanted.length - 1 ? withBits : [...terms]
}

/** The bits of all words that a title needs. 0 if the library lacks a word. */
export function allBits(terms: readonly Bits[]) {
  return terms.reduce((all, { bits = 0 }) => all | bits, 0)
}
