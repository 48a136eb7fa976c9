import type { Person, PersonMerge } from '../../contract/person.ts'
import { invalid, throwNoPerson, throwNotFound } from '../../platform/core/api-error.ts'
import { and, eq, inArray, type SQL, sql } from '../../platform/db/drizzle.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/open.ts'
import { people } from '../../platform/db/schema/index.ts'
import { operation } from '../access/operation.ts'
import { giveRoomBack } from '../access/room.ts'
import { resolveMe } from '../library/person-row.ts'
import { lockSessionsOf } from '../library/session-row.ts'
import type { Needs } from '../services.ts'
import { indexNewest } from './index-person.ts'
import { loadPerson } from './queries.ts'

/**
 * Merges the first person into the second: sessions, name and aliases move to the second, and the first id answers with the second. In a
 * session with both, their speaking times add up. Repeating it changes nothing. Returns the second. Throws not_found without either; for a
 * merged person the error names the remaining one. Each may be `me`.
 */
export const mergePeople = operation(
  'mergePerson',
  async (
    { db, clock, jobs }: Needs<'db' | 'clock' | 'jobs'>,
    actor,
    source: string,
    { into: target }: PersonMerge
  ): Promise<Person> => {
    const { userId } = actor
    const now = clock.now()
    const fromId = (await resolveMe(db, userId, source)) ?? throwNoPerson(source)
    const intoId = (await resolveMe(db, userId, target)) ?? throwNoPerson(target, 'into')
    if (fromId === intoId) throw invalid({ field: 'into', expected: 'the id of another person' })
    const merged = await db.transaction(async tx => {
      await lockSessionsOf(tx, userId, [fromId, intoId])
      tx.willLock('person')
      const found = await tx
        .select()
        .from(people)
        .where(and(eq(people.userId, userId), inArray(people.personId, [fromId, intoId])))
        .orderBy(people.personId)
        .for('update')
      const from = found.find(({ personId }) => personId === fromId) ?? throwNotFound('Person')
      const into = found.find(({ personId }) => personId === intoId) ?? throwNotFound('Person', { field: 'into' })
      if (isDeleted(from)) throwNotFound('Person')
      if (isDeleted(into)) throwNotFound('Person', { field: 'into' })
      if (into.mergedInto !== null) throwNotFound('Person', { mergedInto: into.mergedInto, field: 'into' })
      if (from.mergedInto === intoId) return await loadPerson(tx, userId, intoId)
      if (from.mergedInto !== null) throwNotFound('Person', { mergedInto: from.mergedInto })
      await mergeSessions(tx, userId, fromId, intoId)
      await tx
        .update(people)
        .set({ mergedInto: intoId, isMe: false, recordingCount: 0, talkSeconds: 0, lastHeardAt: null, updatedAt: now })
        .where(matches(people, { userId, personId: fromId }))
      await tx
        .update(people)
        .set({ mergedInto: intoId })
        .where(matches(people, { userId, mergedInto: fromId }))
      await tx
        .update(people)
        .set({ isMe: into.isMe || from.isMe, saved: true, updatedAt: now })
        .where(matches(people, { userId, personId: intoId }))
      giveRoomBack(tx, userId, 'people', 1)
      await recount(tx, userId, intoId)
      await jobs.enqueue(tx, 'index-person', { userId, personId: intoId })
      return await loadPerson(tx, userId, intoId)
    })
    await indexNewest(db, userId, intoId)
    return merged
  }
)

/** Returns whether the person is deleted, and in the sessions that a job has not reached yet. */
function isDeleted({ nameKey, mergedInto }: typeof people.$inferSelect) {
  return nameKey === null && mergedInto === null
}

async function mergeSessions(tx: Db, userId: string, fromId: string, intoId: string) {
  // The name comes from the one who speaks more, as in `mergeSpeakers`.
  await tx.execute(sql`
    update session_people t set
      talk_seconds = round((t.talk_seconds + f.talk_seconds)::numeric, 3)::float8,
      name_in_session = case when f.talk_seconds > t.talk_seconds then f.name_in_session else t.name_in_session end,
      matched_by = case when f.talk_seconds > t.talk_seconds then f.matched_by else t.matched_by end,
      name_keys = array(select distinct key from unnest(t.name_keys || f.name_keys) as k(key) order by key),
      top_lines = array(
        select line from (select distinct line from unnest(t.top_lines || f.top_lines) as l(line)) lines
        order by char_length(line) desc, line limit 3
      )
    from session_people f
    where t.user_id = ${userId} and t.person_id = ${intoId}
      and f.user_id = ${userId} and f.person_id = ${fromId} and f.session_id = t.session_id
      and ${isSessionOf(userId, fromId, sql`t.session_id`)} and ${isSessionOf(userId, intoId, sql`f.session_id`)}`)
  await tx.execute(sql`
    delete from session_people
    where user_id = ${userId} and person_id = ${fromId} and ${isSessionOf(userId, intoId, sql`session_id`)}`)
  await tx.execute(
    sql`update session_people set person_id = ${intoId} where user_id = ${userId} and person_id = ${fromId}`
  )
}

/** As a value, for which the sessions are hashed. A condition would become a join, which compares all of one person with all of the other. */
function isSessionOf(userId: string, personId: string, sessionId: SQL) {
  return sql`(${sessionId} in (select p.session_id from session_people p where p.user_id = ${userId} and p.person_id = ${personId})) is true`
}

/** The sessions are asked for first. A join would compare each of the person with each of the owner if the planner does not know the owner. */
async function recount(tx: Db, userId: string, personId: string) {
  const { rows: theirs } = await tx.execute<{ session_id: string }>(sql`
    select session_id from session_people where user_id = ${userId} and person_id = ${personId}`)
  const { rows: completed } = await tx.execute<{ session_id: string }>(sql`
    select session_id from sessions where user_id = ${userId} and session_id = any(${idsOf(theirs)}::text[]) and state = 'completed'`)
  await tx.execute(sql`
    update people p set (recording_count, talk_seconds, last_heard_at) = (
      select count(*)::int, coalesce(sum(m.talk_seconds::numeric), 0), max(m.sort_at) from session_people m
      where m.user_id = ${userId} and m.person_id = p.person_id
        and (m.session_id in (select unnest(${idsOf(completed)}::text[]))) is true
    )
    where p.user_id = ${userId} and p.person_id = ${personId}`)
}

function idsOf(rows: { session_id: string }[]) {
  return sql.param(rows.map(row => row.session_id))
}
