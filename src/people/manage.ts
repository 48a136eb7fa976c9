import { ApiError, invalid, throwNotFound } from '../core/api-error.ts'
import { nameKey } from '../core/fold.ts'
import { newId } from '../core/ids.ts'
import { and, eq, ne } from '../db/drizzle.ts'
import { violates } from '../db/errors.ts'
import type { Db } from '../db/open.ts'
import { people } from '../db/schema/index.ts'
import { markPersonForIndexing } from '../search-index/index-session.ts'
import { loadPerson } from './queries.ts'

/**
 * Adds a person, or saves the existing one with this name. `created` says which. Throws conflict if `isMe` and another person is the user.
 */
export async function addPerson(db: Db, userId: string, { name, isMe }: { name: string; isMe: boolean }, now: Date) {
  try {
    return await db.transaction(async tx => {
      const key = nameKey(name)
      const [made] = await tx
        .insert(people)
        .values({
          ...{ userId, personId: newId('per'), name, nameKey: key, isMe, saved: true },
          ...{ recordingCount: 0, createdAt: now, updatedAt: now }
        })
        .onConflictDoNothing({ target: [people.userId, people.nameKey] })
        .returning()
      const personId = made?.personId ?? (await saveExistingPerson(tx, userId, key, { isMe, now }))
      return { person: await loadPerson(tx, userId, personId), created: made !== undefined }
    })
  } catch (error) {
    if (!violates(error, 'people_me')) throw error
    throw new ApiError('conflict', 'is_me: another person is already the user; merge the two')
  }
}

/** Marks the person with this name as saved by the user. */
async function saveExistingPerson(tx: Db, userId: string, key: string, { isMe, now }: { isMe: boolean; now: Date }) {
  const [named] = await tx
    .select()
    .from(people)
    .where(and(eq(people.userId, userId), eq(people.nameKey, key)))
  // The insert conflicted with this row, so it exists.
  if (!named) throwNotFound('Person')
  const personId = named.mergedInto ?? named.personId
  await tx
    .update(people)
    .set({ saved: true, ...(isMe && { isMe }), updatedAt: now })
    .where(and(eq(people.userId, userId), eq(people.personId, personId)))
  return personId
}

/**
 * Renames a person; new speakers are matched by the new name. Returns undefined without the person. Throws not_found for a merged person,
 * and invalid_request for the name of another person.
 */
export async function renamePerson(db: Db, userId: string, personId: string, name: string, now: Date) {
  const key = nameKey(name)
  try {
    const renamed = await db.transaction(async tx => {
      const person = await lockPerson(tx, userId, personId)
      if (!person) return undefined
      const isNamedSo = and(eq(people.userId, userId), eq(people.nameKey, key), ne(people.personId, person.personId))
      const [holder] = await tx.select().from(people).where(isNamedSo)
      if (holder && holder.mergedInto === null) throw taken()
      // A merged person gives up their name.
      if (holder) await tx.update(people).set({ nameKey: null }).where(isNamedSo)
      await tx
        .update(people)
        .set({ name, nameKey: key, saved: true, updatedAt: now })
        .where(and(eq(people.userId, userId), eq(people.personId, person.personId)))
      return await loadPerson(tx, userId, person.personId)
    })
    if (renamed) await markPersonForIndexing(db, userId, renamed.id)
    return renamed
  } catch (error) {
    throw violates(error, 'people_name_key') ? taken() : error
  }
}

function taken() {
  return invalid('name: another person has this name; send a different one, or merge the two')
}

/** Locks the person with this id, or the user for `me`, until the transaction ends. Throws not_found for a merged person. */
export async function lockPerson(tx: Db, userId: string, idOrMe: string, strength: 'update' | 'key share' = 'update') {
  const [person] = await tx
    .select()
    .from(people)
    .where(and(eq(people.userId, userId), idOrMe === 'me' ? people.isMe : eq(people.personId, idOrMe)))
    .for(strength)
  if (person && person.mergedInto !== null) throwNotFound('Person', person.mergedInto)
  return person
}
