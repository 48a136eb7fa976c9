import { sql } from '../../../platform/db/drizzle.ts'
import { matches } from '../../../platform/db/matches.ts'
import type { Db } from '../../../platform/db/open.ts'
import { searchDocuments, searchTotals } from '../../../platform/db/schema/index.ts'
import { type About, FIELD_PARTS, indexFields } from './index-fields.ts'
import { sortPostings } from './postings.ts'
import { computeTranscriptPostings } from './transcript-postings.ts'
import { type PartIndex, writeTerms } from './write-terms.ts'

/** Writes the postings of a transcript. Call it with the session's row locked, in the transaction that completes the session. */
export async function indexTranscript(tx: Db, userId: string, sessionId: string, transcript: PartIndex) {
  const before = await writeTerms(tx, userId, sessionId, 'said', transcript)
  if (before) await addToTotals(tx, userId, before.stemmer, -1, -before.passages)
  await addToTotals(tx, userId, transcript.stemmer, 1, transcript.passages)
}

/** Indexes a session that is restored from the trash. Call it with the session's row locked. */
export async function indexRestored(tx: Db, userId: string, session: About) {
  const { sessionId, language } = session
  const said = sql`select text from passages where user_id = ${userId} and session_id = ${sessionId} order by ordinal`
  const texts = (await tx.execute<{ text: string }>(said)).rows.map(({ text }) => text)
  await indexTranscript(tx, userId, sessionId, await computeTranscriptPostings(tx, language, texts))
  await indexFields(tx, userId, session)
}

const NO_POSTINGS: PartIndex = { stemmer: 'simple', passages: 0, postings: sortPostings([]), words: null }

/** Removes a session from the search index. Call it with the session's row locked. */
export async function removeFromIndex(tx: Db, userId: string, sessionId: string) {
  const said = await writeTerms(tx, userId, sessionId, 'said', NO_POSTINGS)
  for (const part of FIELD_PARTS) await writeTerms(tx, userId, sessionId, part, NO_POSTINGS)
  await tx.delete(searchDocuments).where(matches(searchDocuments, { userId, sessionId }))
  if (said) await addToTotals(tx, userId, said.stemmer, -1, -said.passages)
}

async function addToTotals(tx: Db, userId: string, stemmer: string, turn: 1 | -1, passages: number) {
  const set = {
    sessions: sql`search_totals.sessions + excluded.sessions`,
    passages: sql`search_totals.passages + excluded.passages`
  }
  tx.willLock('search totals')
  await tx
    .insert(searchTotals)
    .values({ userId, stemmer, sessions: turn, passages })
    .onConflictDoUpdate({ target: [searchTotals.userId, searchTotals.stemmer], set })
}

/** Marks a session whose transcript has changed to be indexed again. */
export async function markTranscriptForIndexing(tx: Db, userId: string, sessionId: string) {
  await tx.execute(sql`
    update search_documents set version = 0 where user_id = ${userId} and session_id = ${sessionId} and part = 'said'`)
}
