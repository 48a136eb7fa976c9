import type { Db } from '../db/open.ts'
import { stemsOf } from '../search-index/stem.ts'

/** Enough for the passages of many searches; the cache is emptied beyond it. */
const MAX_CACHED = 50_000

export interface Stems {
  /** The stems of words, by word. Stop words have none. */
  find(stemmer: string, texts: Iterable<readonly string[]>): Promise<ReadonlyMap<string, string | undefined>>
}

/** Looks words up in the database and caches their stems. */
export function openStems(db: Db): Stems {
  const byStemmer = new Map<string, Map<string, string | undefined>>()

  return {
    async find(stemmer, texts) {
      let known = byStemmer.get(stemmer) ?? new Map<string, string | undefined>()
      if (known.size > MAX_CACHED) known = new Map()
      byStemmer.set(stemmer, known)
      const unknown = new Set<string>()
      for (const words of texts) for (const word of words) if (!known.has(word)) unknown.add(word)
      const stems = await stemsOf(db, stemmer, unknown)
      for (const word of unknown) known.set(word, stems.get(word))
      return known
    }
  }
}
