import type { Person, PersonCreate, PersonPatch } from '../../contract/person.ts'
import { ApiError, invalid } from '../../platform/core/api-error.ts'
import { newId } from '../../platform/core/ids.ts'
import { and, isNull, ne } from '../../platform/db/drizzle.ts'
import { violates } from '../../platform/db/errors.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/open.ts'
import { people } from '../../platform/db/schema/index.ts'
import { nameKey } from '../../platform/text/fold.ts'
import { operation } from '../access/operation.ts'
import { limitsFor, type Taking, takeRoom } from '../access/room.ts'
import { lockPerson } from '../library/person-row.ts'
import type { Needs } from '../services.ts'
import { indexNewest } from './index-person.ts'
import { loadPerson } from './queries.ts'

/** Adds a person, or saves the existing one with this name: `created` says which. Throws conflict for a second person who is the user. */
export const createPerson = operation(
  'createPerson',
  async (
    services: Needs<'db' | 'clock' | 'quotas'>,
    actor,
    { name, is_me: isMe }: PersonCreate
  ): Promise<{ person: Person; created: boolean }> => {
    const taking = { limits: limitsFor(services, actor), now: services.clock.now(), field: 'name' }
    return await savePerson(services.db, actor.userId, { name, isMe }, taking)
  }
)

/** Inserts a person, or marks the existing one with this name as saved. */
export async function savePerson(
  db: Db,
  userId: string,
  { name, isMe }: { name: string; isMe: boolean },
  taking: Taking
) {
  const { now } = taking
  try {
    return await db.transaction(async tx => {
      const key = nameKey(name)
      // Repeats only if the person with this name is deleted or merged before they are saved.
      for (;;) {
        const times = { createdAt: now, updatedAt: now }
        const [made] = await tx
          .insert(people)
          .values({
            userId,
            personId: newId('per'),
            name,
            nameKey: key,
            isMe,
            saved: true,
            recordingCount: 0,
            ...times
          })
          .onConflictDoNothing({ target: [people.userId, people.nameKey] })
          .returning()
        if (made) takeRoom(tx, userId, 'people', 1, taking)
        const personId = made?.personId ?? (await saveExistingPerson(tx, userId, key, { isMe, now }))
        if (personId) return { person: await loadPerson(tx, userId, personId), created: made !== undefined }
      }
    })
  } catch (error) {
    throw violates(error, 'people_me') ? anotherIsMe() : error
  }
}

/** Marks the person with this name as saved by the user. Returns undefined if they are gone. */
async function saveExistingPerson(tx: Db, userId: string, key: string, { isMe, now }: { isMe: boolean; now: Date }) {
  const [named] = await tx
    .select()
    .from(people)
    .where(matches(people, { userId, nameKey: key }))
  if (!named) return undefined
  const [kept] = await tx
    .update(people)
    .set({ saved: true, ...(isMe && { isMe }), updatedAt: now })
    .where(and(matches(people, { userId, personId: named.mergedInto ?? named.personId }), isNull(people.mergedInto)))
    .returning({ personId: people.personId })
  return kept?.personId
}

/** Renames a person, and says whether they are the user; new speakers are matched by the new name. */
export const updatePerson = operation(
  'updatePerson',
  async (
    { db, clock, jobs }: Needs<'db' | 'clock' | 'jobs'>,
    actor,
    personId: string,
    { name, is_me: isMe }: PersonPatch
  ): Promise<Person> => {
    const { userId } = actor
    try {
      const changed = await db.transaction(async tx => {
        const person = await lockPerson(tx, userId, personId)
        if (name !== undefined) await freeName(tx, userId, person.id, nameKey(name))
        await tx
          .update(people)
          .set({ name, nameKey: name && nameKey(name), isMe, saved: true, updatedAt: clock.now() })
          .where(matches(people, { userId, personId: person.id }))
        if (name !== undefined) await jobs.enqueue(tx, 'index-person', { userId, personId: person.id })
        return await loadPerson(tx, userId, person.id)
      })
      if (name !== undefined) await indexNewest(db, userId, changed.id)
      return changed
    } catch (error) {
      if (violates(error, 'people_me')) throw anotherIsMe()
      throw violates(error, 'people_name_key') ? taken() : error
    }
  }
)

/** Takes the name from a merged person. Throws invalid_request if another person has it. */
async function freeName(tx: Db, userId: string, personId: string, key: string) {
  const isNamedSo = and(matches(people, { userId, nameKey: key }), ne(people.personId, personId))
  const [holder] = await tx.select().from(people).where(isNamedSo)
  if (holder && holder.mergedInto === null) throw taken()
  if (holder) await tx.update(people).set({ nameKey: null }).where(isNamedSo)
}

function anotherIsMe() {
  return new ApiError('conflict', 'another person is already the user; merge the two', { field: 'is_me' })
}

function taken() {
  return invalid({
    field: 'name',
    problem: 'another person has this name',
    expected: 'a different one, or merge the two'
  })
}
