import { LIMITS } from '../contract/limits.ts'
import type { Db } from '../db/open.ts'
import type { sessions } from '../db/schema/index.ts'
import { aboutEntries, type Entry, saidEntries } from './entries.ts'
import { listNames, writeTerms } from './queries.ts'
import { stemsOf } from './stem.ts'
import { stemmerOf } from './stemmers.ts'
import { mostFrequent, wordsOf } from './words.ts'

/** Goes up when words, stems, weights or passages are made differently; what was made before is then made again. */
export const INDEX_VERSION = 1

type About = Pick<typeof sessions.$inferSelect, 'sessionId' | 'language' | 'title' | 'tags' | 'notes' | 'summary'>

/** What was said, ready to be written: the work is done before the transaction. */
export interface Said {
  stemmer: string
  passages: number
  entries: Entry[]
}

/** Cuts the passages into terms. */
export async function readSaid(db: Db, language: string | null, passages: readonly string[]): Promise<Said> {
  const stemmer = stemmerOf(language)
  const stems = await stemsOf(db, stemmer, mostFrequent(passages.flatMap(wordsOf), LIMITS.indexedWords.said))
  return { stemmer, passages: passages.length, entries: saidEntries(passages, stems) }
}

/** Makes what was said findable. Call it with the session's row locked, in the transaction that completes the session. */
export async function indexSaid(tx: Db, userId: string, sessionId: string, said: Said) {
  await writeTerms(tx, userId, sessionId, { part: 'said', version: INDEX_VERSION, ...said })
}

/** Makes what is written about a session findable, and who is in it. Call it with the session's row locked, after the change. */
export async function indexAbout(tx: Db, userId: string, { sessionId, language, title, tags, notes, summary }: About) {
  const stemmer = stemmerOf(language)
  const names = await listNames(tx, userId, sessionId)
  const fields = [
    { text: title, times: 3 },
    { text: tags.join('\n'), times: 3 },
    { text: names.join('\n'), times: 2 },
    { text: notes ?? '', times: 1 },
    { text: summary ?? '', times: 1 }
  ]
  const words = fields.flatMap(({ text }) => wordsOf(text))
  const stems = await stemsOf(tx, stemmer, mostFrequent(words, LIMITS.indexedWords.about))
  const entries = aboutEntries(fields, stems)
  await writeTerms(tx, userId, sessionId, { part: 'about', stemmer, version: INDEX_VERSION, passages: 0, entries })
}
