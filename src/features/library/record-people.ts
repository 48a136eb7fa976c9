import { newId } from '../../platform/core/ids.ts'
import { and, eq, sql } from '../../platform/db/drizzle.ts'
import { isAnyOf, matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/open.ts'
import { people, sessionPeople, unknownSpeakers, users } from '../../platform/db/schema/index.ts'
import type { TranscriptSpeaker } from '../../platform/ports/corrected-transcript.ts'
import { nameKey } from '../../platform/text/fold.ts'
import { withoutSuffix } from '../../platform/text/speaker-name.ts'
import { findRoom, giveRoomBack, type Taking, takeRoom } from '../access/room.ts'
import { resolveMe } from './person-row.ts'
import type { SessionRow } from './session-row.ts'
import { groupByPerson } from './speakers.ts'

/**
 * Records the people in a session: those named by the source, created if unknown, and those whose label is the name of a known person.
 * Other labels are kept for `matchPeople`, as are names for which the quota of people has no room. Call it with the session locked, before
 * `countSession`.
 */
export async function recordPeople(
  tx: Db,
  userId: string,
  session: Pick<SessionRow, 'sessionId' | 'sortAt' | 'type'>,
  speakers: TranscriptSpeaker[],
  taking: Taking
) {
  const me = await findOrCreateOwnPerson(tx, userId, speakers, taking)
  await insertPeople(tx, userId, listNamedPeople(speakers), taking)
  const known = await findPeopleByNames(
    tx,
    userId,
    speakers.filter(speaker => !isSettledUnknown(speaker)).map(speaker => speaker.nameKey)
  )
  const current = await lockPeople(tx, userId, [...known.values(), ...(me === undefined ? [] : [me])])
  const byPerson = groupByPerson(speakers, ({ isMe, nameKey }) => current.get((isMe ? me : known.get(nameKey)) ?? ''))
  // The corrected speakers of a session that had failed.
  await tx.delete(sessionPeople).where(matches(sessionPeople, { userId, sessionId: session.sessionId }))
  await insertSessionPeople(tx, userId, session, byPerson)
  const unknown = speakers
    .filter(speaker => !speaker.isMe && !known.has(speaker.nameKey) && !isSettledUnknown(speaker))
    .slice(0, MAX_UNKNOWN)
  if (unknown.length > 0) {
    const { sessionId } = session
    await tx
      .insert(unknownSpeakers)
      .values(unknown.map(({ nameKey }) => ({ userId, sessionId, nameKey })))
      .onConflictDoNothing()
  }
}

/** The maximum of unknown labels that are kept per session. */
const MAX_UNKNOWN = 200

/** Inserts the people of a session. They must be locked against merges. */
export async function insertSessionPeople(
  tx: Db,
  userId: string,
  { sessionId, sortAt, type }: Pick<SessionRow, 'sessionId' | 'sortAt' | 'type'>,
  byPerson: ReadonlyMap<string, TranscriptSpeaker>
) {
  const heard = [...byPerson]
  for (let at = 0; at < heard.length; at += PEOPLE_AT_ONCE) {
    const slice = heard.slice(at, at + PEOPLE_AT_ONCE)
    await tx.insert(sessionPeople).values(
      slice.map(([personId, { talkSeconds, nameInSession, nameKeys, matchedBy, topLines }]) => ({
        userId,
        sessionId,
        personId,
        sortAt,
        type,
        talkSeconds,
        nameInSession,
        nameKeys,
        matchedBy,
        topLines
      }))
    )
  }
}

/** Each has ten parameters, of which a statement takes 65,535. */
const PEOPLE_AT_ONCE = 1_000

/** Returns whether a user said that the speaker is an unknown person. */
function isSettledUnknown({ person, isMe, matchedBy }: TranscriptSpeaker) {
  return person === null && !isMe && matchedBy === 'manual'
}

function listNamedPeople(speakers: TranscriptSpeaker[]) {
  return speakers.flatMap(({ isMe, person }) => (isMe || person === null ? [] : [person]))
}

/** Returns the id of the user's own person, created when a source first names the user. */
async function findOrCreateOwnPerson(tx: Db, userId: string, speakers: TranscriptSpeaker[], taking: Taking) {
  const speaker = speakers.find(({ isMe }) => isMe)
  if (!speaker) return undefined
  const existing = await resolveMe(tx, userId, 'me')
  if (existing) return existing
  const [owner] = await tx.select({ name: users.name }).from(users).where(eq(users.userId, userId))
  const name = speaker.person ?? owner?.name ?? speaker.nameInSession
  await insertPeople(tx, userId, [name], taking)
  const personId = (await findPeopleByNames(tx, userId, [nameKey(name)])).get(nameKey(name))
  if (personId) {
    await tx.update(people).set({ isMe: true, updatedAt: taking.now }).where(matches(people, { userId, personId }))
  }
  return personId
}

/**
 * Returns the current id of each person, following merges, and locks those against merges until the transaction ends. Locks are taken in
 * the order of ids.
 */
export async function lockPeople(tx: Db, userId: string, personIds: readonly string[]) {
  tx.willLock('person')
  const current = new Map(personIds.map(id => [id, id]))
  while (current.size > 0) {
    const rows = await tx
      .select({ personId: people.personId, mergedInto: people.mergedInto })
      .from(people)
      .where(and(eq(people.userId, userId), isAnyOf(people.personId, new Set(current.values()))))
      .orderBy(people.personId)
      .for('key share')
    const moved = new Map(
      rows.flatMap(({ personId, mergedInto }) => (mergedInto === null ? [] : [[personId, mergedInto] as const]))
    )
    if (moved.size === 0) break
    for (const [id, at] of current) current.set(id, moved.get(at) ?? at)
  }
  return current
}

/** Inserts those people whom the user does not have, as far as the quota has room. A concurrent insert of the same person counts once. */
async function insertPeople(tx: Db, userId: string, names: string[], taking: Taking) {
  // The first spelling of a name counts.
  const byKey = new Map(names.map((name): [string, string] => [nameKey(name), name]).reverse())
  const known = await findPeopleByNames(tx, userId, [...byKey.keys()])
  const missing = [...byKey].filter(([key]) => !known.has(key)).reverse()
  if (missing.length === 0) return
  const room = await findRoom(tx, userId, 'people', taking)
  // One order everywhere avoids deadlocks between sessions with the same people.
  const inserted = missing.slice(0, room).sort(([a], [b]) => (a < b ? -1 : 1))
  let count = 0
  for (const [key, name] of inserted) {
    const made = await tx
      .insert(people)
      .values({
        userId,
        personId: newId('per'),
        name: withoutSuffix(name),
        nameKey: key,
        isMe: false,
        saved: false,
        recordingCount: 0,
        createdAt: taking.now,
        updatedAt: taking.now
      })
      .onConflictDoNothing()
      .returning({ personId: people.personId })
    count += made.length
  }
  takeRoom(tx, userId, 'people', count, taking)
}

/** Returns the ids of people by name key, following merges. */
export async function findPeopleByNames(tx: Db, userId: string, keys: string[]) {
  if (keys.length === 0) return new Map<string, string>()
  const rows = await tx
    .select({ key: people.nameKey, personId: sql<string>`coalesce(${people.mergedInto}, ${people.personId})` })
    .from(people)
    .where(and(eq(people.userId, userId), isAnyOf(people.nameKey, keys)))
  return new Map(rows.map(({ key, personId }) => [key ?? '', personId]))
}

/** Deletes people who speak in no session any more, unless a user saved them or they are the user. */
export async function deleteUnheardPeople(tx: Db, userId: string, personIds: string[]) {
  if (personIds.length === 0) return
  // A locked person is about to get a session, so it is skipped.
  const { rows } = await tx.execute<{ is_counted: boolean }>(sql`
    delete from people where user_id = ${userId} and person_id in (
      select person_id from people p
      where user_id = ${userId} and person_id = any(${sql.param(personIds)}::text[])
        and not saved and not is_me and merged_into is null and recording_count = 0
        and not exists (select from session_people m where m.user_id = ${userId} and m.person_id = p.person_id)
        and not exists (select from people o where o.user_id = ${userId} and o.merged_into = p.person_id)
      for update skip locked
    ) returning name_key is not null as is_counted`)
  giveRoomBack(tx, userId, 'people', rows.filter(row => row.is_counted).length)
}

export async function listSessionPeopleIds(tx: Db, userId: string, sessionId: string) {
  const rows = await tx
    .select({ personId: sessionPeople.personId })
    .from(sessionPeople)
    .where(matches(sessionPeople, { userId, sessionId }))
  return rows.map(({ personId }) => personId)
}
