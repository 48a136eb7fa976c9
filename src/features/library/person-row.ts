import type { Person } from '../../contract/person.ts'
import { throwNoPerson, throwNotFound } from '../../platform/core/api-error.ts'
import { and, eq, sql } from '../../platform/db/drizzle.ts'
import type { Db, Queryable } from '../../platform/db/open.ts'
import { people } from '../../platform/db/schema/index.ts'

/** The columns of a person `p`, with the names of the contract. */
export const PERSON_COLUMNS = sql`p.person_id as id, p.name, p.is_me, p.recording_count, p.last_heard_at`

/** The people `p` in lists, as the index `people_listed` has it. */
export const IS_LISTED = sql`p.merged_into is null and p.name_key is not null and (p.saved or p.is_me or p.recording_count > 0)`

/** The people `p` whose names came with conversations, and whom the user has neither named nor confirmed. */
export const IS_UNCONFIRMED = sql`not p.saved and not p.is_me`

/** Drops the microseconds of the database, which the contract's instants do not have. */
export function toPerson({ id, name, is_me, recording_count, last_heard_at }: Person): Person {
  return { id, name, is_me, recording_count, last_heard_at: last_heard_at && new Date(last_heard_at).toISOString() }
}

type PersonRow = Person & { merged_into: string | null; name_key: string | null }

/**
 * Returns the person with this id, or the user for `me`. Throws not_found; for a merged person the error names the remaining one. `field` is
 * the input that names the person, unless the path does.
 */
export async function requirePerson(db: Queryable, userId: string, idOrMe: string, field?: string) {
  return requireCurrent(await db.query<PersonRow>(selectPerson(userId, idOrMe)), idOrMe, field)
}

/** Like `requirePerson`, and locks the person until the transaction ends. */
export async function lockPerson(
  tx: Db,
  userId: string,
  idOrMe: string,
  { strength = 'update', field }: { strength?: 'update' | 'key share'; field?: string } = {}
) {
  tx.willLock('person')
  const { rows } = await tx.execute<PersonRow>(sql`${selectPerson(userId, idOrMe)} for ${sql.raw(strength)}`)
  return requireCurrent(rows, idOrMe, field)
}

function selectPerson(userId: string, idOrMe: string) {
  return sql`select ${PERSON_COLUMNS}, p.merged_into, p.name_key from people p
    where p.user_id = ${userId} and ${idOrMe === 'me' ? sql`p.is_me` : sql`p.person_id = ${idOrMe}`}`
}

function requireCurrent([row]: PersonRow[], idOrMe: string, field?: string) {
  if (!row) throwNoPerson(idOrMe, field)
  if (row.merged_into !== null) throwNotFound('Person', { mergedInto: row.merged_into, field })
  // The person is deleted, and a job has not reached all their sessions yet.
  if (row.name_key === null) throwNoPerson(idOrMe, field)
  return toPerson(row)
}

/** Returns the id of the user's person for `me`, if there is one, and other ids unread. */
export async function resolveMe(db: Db, userId: string, idOrMe: string) {
  if (idOrMe !== 'me') return idOrMe
  const [own] = await db
    .select({ personId: people.personId })
    .from(people)
    .where(and(eq(people.userId, userId), people.isMe))
  return own?.personId
}
