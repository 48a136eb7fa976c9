import { LIMITS } from '../contract/limits.ts'
import type { Db } from '../db/open.ts'
import type { sessions } from '../db/schema/index.ts'
import { fieldPostings, type Posting, transcriptPostings } from './postings.ts'
import { listNames, writeTerms } from './queries.ts'
import { stemsOf } from './stem.ts'
import { stemmerOf } from './stemmers.ts'
import { mostFrequent, wordsOf } from './words.ts'

/** Raise it when words, stems, weights or passages change: sessions of other versions are then indexed again. */
export const INDEX_VERSION = 1

type About = Pick<typeof sessions.$inferSelect, 'sessionId' | 'language' | 'title' | 'tags' | 'notes' | 'summary'>

/** The postings of a transcript, computed before the transaction that writes them. */
export interface TranscriptPostings {
  stemmer: string
  passages: number
  postings: Posting[]
}

/** Computes the postings of a transcript's passages. */
export async function computeTranscriptPostings(db: Db, language: string | null, passages: readonly string[]): Promise<TranscriptPostings> {
  const stemmer = stemmerOf(language)
  const stems = await stemsOf(db, stemmer, mostFrequent(passages.flatMap(wordsOf), LIMITS.indexedWords.said))
  return { stemmer, passages: passages.length, postings: transcriptPostings(passages, stems) }
}

/** Writes the postings of a transcript. Call it with the session's row locked, in the transaction that completes the session. */
export async function indexTranscript(tx: Db, userId: string, sessionId: string, transcript: TranscriptPostings) {
  await writeTerms(tx, userId, sessionId, { part: 'said', version: INDEX_VERSION, ...transcript })
}

/** Indexes title, tags, people, notes and summary of a session. Call it with the session's row locked, after the change. */
export async function indexFields(tx: Db, userId: string, { sessionId, language, title, tags, notes, summary }: About) {
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
  const postings = fieldPostings(fields, stems)
  await writeTerms(tx, userId, sessionId, { part: 'about', stemmer, version: INDEX_VERSION, passages: 0, postings })
}
