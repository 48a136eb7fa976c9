import { ApiError, invalid, notFound } from '../core/api-error.ts'
import { nameKey } from '../core/fold.ts'
import { newId } from '../core/ids.ts'
import { and, eq, ne } from '../db/drizzle.ts'
import { violates } from '../db/faults.ts'
import type { Db } from '../db/open.ts'
import { people } from '../db/schema/index.ts'
import { outdateSessionsOf } from '../terms/queries.ts'

export type PersonRow = typeof people.$inferSelect

/**
 * Adds a person, or finds the one of that name, who then stays without recordings too. `created` says which it was. Throws
 * conflict where somebody else is the owner already.
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
      if (made) return { personId: made.personId, created: true }
      const personId = await keepPerson(tx, userId, key, { isMe, now })
      return { personId, created: false }
    })
  } catch (fault) {
    if (!violates(fault, 'people_me')) throw fault
    throw new ApiError('conflict', 'is_me: somebody else is the owner already; merge the two')
  }
}

/** Makes the person of that name one whom a user has named. */
async function keepPerson(tx: Db, userId: string, key: string, { isMe, now }: { isMe: boolean; now: Date }) {
  const [named] = await tx
    .select()
    .from(people)
    .where(and(eq(people.userId, userId), eq(people.nameKey, key)))
  // The insert met it, and nobody is removed while they are looked at.
  if (!named) throw notFound('Person')
  const personId = named.mergedInto ?? named.personId
  await tx
    .update(people)
    .set({ saved: true, ...(isMe && { isMe }), updatedAt: now })
    .where(and(eq(people.userId, userId), eq(people.personId, personId)))
  return personId
}

/**
 * Gives a person another name, by which speakers are recognised from then on. Undefined without the person; throws not_found
 * that names who they were merged into, and invalid_request for a name that is somebody else's.
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
      // The name of somebody who was merged is free for whoever is given it.
      if (holder) await tx.update(people).set({ nameKey: null }).where(isNamedSo)
      await tx
        .update(people)
        .set({ name, nameKey: key, saved: true, updatedAt: now })
        .where(and(eq(people.userId, userId), eq(people.personId, person.personId)))
      return person.personId
    })
    if (renamed !== undefined) await outdateSessionsOf(db, userId, renamed)
    return renamed
  } catch (fault) {
    throw violates(fault, 'people_name_key') ? taken() : fault
  }
}

function taken() {
  return invalid('name: somebody else has this name; send another, or merge the two')
}

/** The person of that id, or the owner for `me`, locked until the transaction ends. Throws not_found for one who was merged. */
export async function lockPerson(tx: Db, userId: string, idOrMe: string, strength: 'update' | 'key share' = 'update') {
  const [person] = await tx
    .select()
    .from(people)
    .where(and(eq(people.userId, userId), idOrMe === 'me' ? people.isMe : eq(people.personId, idOrMe)))
    .for(strength)
  if (person && person.mergedInto !== null) throw new ApiError('not_found', 'Person not found', { mergedInto: person.mergedInto })
  return person
}
