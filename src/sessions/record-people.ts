import { nameKey } from '../core/fold.ts'
import { newId } from '../core/ids.ts'
import { and, eq, inArray, sql } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'
import { people, sessionPeople, type sessions, unknownSpeakers, users } from '../db/schema/index.ts'
import { type Heard, together } from './heard.ts'

/**
 * Notes who is heard in a session: whom the source names, made known where they are not yet, and whose label is the name of
 * someone known; the others are kept for `matchPeople`. Call it with the session's row locked, before the session is counted.
 */
export async function recordPeople(
  tx: Db,
  userId: string,
  session: Pick<typeof sessions.$inferSelect, 'sessionId' | 'sortAt' | 'type'>,
  heard: Heard[],
  now: Date
) {
  const me = await findOrMakeMe(tx, userId, heard, now)
  await makeKnown(tx, userId, named(heard), now)
  const known = await findByNames(
    tx,
    userId,
    heard.map(one => one.nameKey)
  )
  const current = await lockPeople(tx, userId, [...known.values(), ...(me === undefined ? [] : [me])])
  const byPerson = new Map<string, Heard>()
  for (const one of heard) {
    const personId = current.get((one.isMe ? me : known.get(one.nameKey)) ?? '')
    const before = personId && byPerson.get(personId)
    if (personId) byPerson.set(personId, before ? together(before, one) : one)
  }
  await insertHeard(tx, userId, session, byPerson)
  const unknown = heard.filter(one => !one.isMe && !known.has(one.nameKey)).slice(0, MAX_UNKNOWN)
  if (unknown.length > 0) {
    const { sessionId } = session
    await tx
      .insert(unknownSpeakers)
      .values(unknown.map(({ nameKey }) => ({ userId, sessionId, nameKey })))
      .onConflictDoNothing()
  }
}

/** Of a session. More names than people can take part make no people later. */
const MAX_UNKNOWN = 200

/** Notes how each of these people, who are locked against being merged away, is heard in a session. */
export async function insertHeard(
  tx: Db,
  userId: string,
  { sessionId, sortAt, type }: Pick<typeof sessions.$inferSelect, 'sessionId' | 'sortAt' | 'type'>,
  byPerson: ReadonlyMap<string, Heard>
) {
  if (byPerson.size === 0) return
  await tx.insert(sessionPeople).values(
    [...byPerson].map(([personId, { talkSeconds, nameInSession, nameKeys, matchedBy, topLines }]) => ({
      ...{ userId, sessionId, personId, sortAt, type },
      ...{ talkSeconds, nameInSession, nameKeys, matchedBy, topLines }
    }))
  )
}

function named(heard: Heard[]) {
  return heard.flatMap(({ isMe, person }) => (isMe || person === null ? [] : [person]))
}

/** The owner's own person, whatever they are called here; made where a source says for the first time who it is. */
async function findOrMakeMe(tx: Db, userId: string, heard: Heard[], now: Date) {
  const speaker = heard.find(({ isMe }) => isMe)
  if (!speaker) return undefined
  const existing = await findMe(tx, userId)
  if (existing) return existing
  const [owner] = await tx.select({ name: users.name }).from(users).where(eq(users.userId, userId))
  const name = speaker.person ?? owner?.name ?? speaker.nameInSession
  await makeKnown(tx, userId, [name], now)
  const personId = (await findByNames(tx, userId, [nameKey(name)])).get(nameKey(name))
  if (personId) {
    await tx
      .update(people)
      .set({ isMe: true, updatedAt: now })
      .where(and(eq(people.userId, userId), eq(people.personId, personId)))
  }
  return personId
}

/** The owner's own person. */
export async function findMe(tx: Db, userId: string) {
  const isMe = and(eq(people.userId, userId), people.isMe)
  const [existing] = await tx.select({ personId: people.personId }).from(people).where(isMe)
  return existing?.personId
}

/**
 * Who these people are by now, each locked against being merged away until the transaction ends. In the order of their ids, as
 * everywhere.
 */
export async function lockPeople(tx: Db, userId: string, personIds: readonly string[]) {
  const current = new Map(personIds.map(id => [id, id]))
  while (current.size > 0) {
    const rows = await tx
      .select({ personId: people.personId, mergedInto: people.mergedInto })
      .from(people)
      .where(and(eq(people.userId, userId), inArray(people.personId, [...new Set(current.values())])))
      .orderBy(people.personId)
      .for('key share')
    const moved = new Map(rows.flatMap(({ personId, mergedInto }) => (mergedInto === null ? [] : [[personId, mergedInto] as const])))
    if (moved.size === 0) break
    for (const [id, at] of current) current.set(id, moved.get(at) ?? at)
  }
  return current
}

/** In one order everywhere, so that two sessions that name the same people cannot wait for each other. */
async function makeKnown(tx: Db, userId: string, names: string[], now: Date) {
  // Of several ways to write one name, the first stays.
  const byKey = new Map(names.map((name): [string, string] => [nameKey(name), name]).reverse())
  for (const [key, name] of [...byKey].sort(([a], [b]) => (a < b ? -1 : 1))) {
    await tx
      .insert(people)
      .values({
        ...{ userId, personId: newId('per'), name, nameKey: key, isMe: false, saved: false },
        ...{ recordingCount: 0, createdAt: now, updatedAt: now }
      })
      .onConflictDoNothing()
  }
}

/** Who is called so, by the name's key; of someone merged, who they turned out to be. */
async function findByNames(tx: Db, userId: string, keys: string[]) {
  if (keys.length === 0) return new Map<string, string>()
  const rows = await tx
    .select({ key: people.nameKey, personId: sql<string>`coalesce(${people.mergedInto}, ${people.personId})` })
    .from(people)
    .where(and(eq(people.userId, userId), inArray(people.nameKey, keys)))
  return new Map(rows.map(({ key, personId }) => [key ?? '', personId]))
}

/** Forgets people who were only known from a session that is gone. Nobody whom a user has named, or the owner. */
export async function forgetUnheard(tx: Db, userId: string, personIds: string[]) {
  if (personIds.length === 0) return
  // Whom another transaction has locked is about to be heard: waiting for it, this would stand in its way.
  await tx.execute(sql`
    delete from people where user_id = ${userId} and person_id in (
      select person_id from people p
      where user_id = ${userId} and person_id = any(${sql.param(personIds)}::text[])
        and not saved and not is_me and merged_into is null and recording_count = 0
        and not exists (select from session_people m where m.user_id = p.user_id and m.person_id = p.person_id)
        and not exists (select from people o where o.user_id = p.user_id and o.merged_into = p.person_id)
      for update skip locked
    )`)
}

export async function listHeard(tx: Db, userId: string, sessionId: string) {
  const rows = await tx
    .select({ personId: sessionPeople.personId })
    .from(sessionPeople)
    .where(and(eq(sessionPeople.userId, userId), eq(sessionPeople.sessionId, sessionId)))
  return rows.map(({ personId }) => personId)
}
