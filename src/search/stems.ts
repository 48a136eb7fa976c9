import type { Db } from '../db/open.ts'
import { stemsOf } from '../terms/stem.ts'

/** Enough for what is said in the passages of many answers; then it begins anew. */
const REMEMBERED = 50_000

export interface Stems {
  /** The stems of the words of texts, and of others, by word; those that tell nothing have none. */
  find(stemmer: string, texts: Iterable<readonly string[]>): Promise<ReadonlyMap<string, string | undefined>>
}

/** Asks the database for the stems of words that were not asked for before. */
export function openStems(db: Db): Stems {
  const byStemmer = new Map<string, Map<string, string | undefined>>()

  return {
    async find(stemmer, texts) {
      let known = byStemmer.get(stemmer) ?? new Map<string, string | undefined>()
      if (known.size > REMEMBERED) known = new Map()
      byStemmer.set(stemmer, known)
      const unknown = new Set<string>()
      for (const words of texts) for (const word of words) if (!known.has(word)) unknown.add(word)
      const stems = await stemsOf(db, stemmer, unknown)
      for (const word of unknown) known.set(word, stems.get(word))
      return known
    }
  }
}
