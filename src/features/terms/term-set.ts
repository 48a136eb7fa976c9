import type { Db } from '../../platform/db/open.ts'
import type { TermSet } from '../../platform/ports/corrected-transcript.ts'
import { type ApplicationRow, selectTerms } from './queries.ts'

/** Returns the term of an application, and the meanings of the other terms, which stay where they are written. */
export async function termSetOf(
  db: Db,
  userId: string,
  { termId, heard, meant }: Pick<ApplicationRow, 'termId' | 'heard' | 'meant'>
): Promise<TermSet> {
  const others = (await selectTerms(db, userId)).filter(other => other.termId !== termId)
  return { terms: [{ heard, meant }], kept: others.map(other => other.meant) }
}

/** All terms of a user, for transcripts that are new. */
export interface NewTerms extends TermSet {
  /** Differs after each change of a term. */
  version: string
}

/** Returns all terms of a user. */
export async function findNewTerms(db: Db, userId: string): Promise<NewTerms> {
  const rows = await selectTerms(db, userId)
  return {
    terms: rows.map(({ heard, meant }) => ({ heard, meant })),
    kept: [],
    version: rows.map(({ termId, updatedAt }) => `${termId} ${updatedAt.getTime()}`).join('\n')
  }
}
