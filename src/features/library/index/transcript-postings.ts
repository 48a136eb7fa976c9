import { LIMITS } from '../../../contract/limits.ts'
import type { Db } from '../../../platform/db/open.ts'
import { countValues } from '../../../platform/text/frequency.ts'
import { isCharacter } from '../../../platform/text/words.ts'
import { openPauses } from '../../../platform/work/pauses.ts'
import { packPassage, packPostings } from './postings.ts'
import { indexWordsOf, stemmerOf, stemWords } from './terms.ts'
import { type PartIndex, termWeight } from './write-terms.ts'

/** More than 200 hours of speech. */
const MAX_PASSAGES = 10_000
/** More different words than speech of days has. Beyond it the rarest are forgotten, which bounds the memory that hostile text takes. */
const MAX_COUNTED_WORDS = 100_000

/** Computes the postings of a transcript's passages, before the transaction that writes them. Other work goes on meanwhile. */
export async function computeTranscriptPostings(
  db: Pick<Db, 'execute'>,
  language: string | null,
  passages: readonly string[]
): Promise<PartIndex> {
  const stemmer = stemmerOf(language)
  const pause = openPauses()
  const words = await listFrequentWords(passages, pause)
  await pause()
  const termsOf = await stemWords(db, stemmer, words)
  await pause()
  const terms = [...new Set([...termsOf.values()].flat())].sort()
  const numbers = new Map(terms.map((term, number) => [term, number]))
  const numbersOf = new Map([...termsOf].map(([word, found]) => [word, found.flatMap(term => numbers.get(term) ?? [])]))
  // Pairs of characters already make the length of a text without spaces.
  const lengths = terms.map(term => (isCharacter(term) ? 0 : 1))

  const packed = []
  for (const text of passages.slice(0, MAX_PASSAGES)) {
    await pause()
    const counts = [...countValues(indexWordsOf(text).flatMap(word => numbersOf.get(word) ?? []))]
    const length = counts.reduce((sum, [term, count]) => sum + count * (lengths[term] ?? 0), 0)
    packed.push(packPassage(counts.map(([term, count]) => [term, termWeight(count, length)])))
  }
  const postings = await packPostings(terms, packed, pause)
  return { stemmer, passages: passages.length, postings, words: null }
}

/** The most frequent words of the passages, as many as are indexed. */
async function listFrequentWords(passages: readonly string[], pause: ReturnType<typeof openPauses>) {
  const counts = new Map<string, number>()
  for (const text of passages) {
    await pause()
    for (const word of indexWordsOf(text)) counts.set(word, (counts.get(word) ?? 0) + 1)
    if (counts.size > MAX_COUNTED_WORDS) removeRarest(counts, MAX_COUNTED_WORDS / 2)
  }
  await pause()
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, LIMITS.indexedWords.said)
    .map(([word]) => word)
}

function removeRarest(counts: Map<string, number>, size: number) {
  for (let most = 1; counts.size > size; most++)
    for (const [word, count] of counts) if (count <= most && counts.size > size) counts.delete(word)
}
