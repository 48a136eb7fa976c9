import { and, eq, sql } from '../../platform/db/drizzle.ts'
import { isAnyOf, matches } from '../../platform/db/matches.ts'
import type { Database, Db } from '../../platform/db/open.ts'
import { people, transcripts, unknownSpeakers } from '../../platform/db/schema/index.ts'
import { indexFields } from '../library/index/index-fields.ts'
import { MAX_DEATHS, type OpenAttempts } from '../library/open-attempts.ts'
import { listSessionPeopleIds, lockPeople } from '../library/record-people.ts'
import { lockSession } from '../library/session-row.ts'
import { listSpeakers } from '../library/speakers.ts'
import { reassignSpeakers } from './reassign-speakers.ts'

const SESSIONS_AT_ONCE = 500

/**
 * Matches labels of completed sessions with people who became known later, so that the order of imports does not matter. Leaves out
 * sessions that ended the process too often. Safe to interrupt and to repeat.
 */
export async function matchPeople({ db, attempts }: { db: Database; attempts: OpenAttempts }, signal: AbortSignal) {
  for (let found = SESSIONS_AT_ONCE; found === SESSIONS_AT_ONCE && !signal.aborted; ) {
    const { rows } = await db.execute<{ user_id: string; session_id: string }>(sql`
      select distinct u.user_id, u.session_id from unknown_speakers u
      join people p on p.user_id = u.user_id and p.name_key = u.name_key
      join sessions s on s.user_id = u.user_id and s.session_id = u.session_id and s.state = 'completed' and s.open_attempts < ${MAX_DEATHS}
      limit ${SESSIONS_AT_ONCE}`)
    for (const { user_id: userId, session_id: sessionId } of rows) {
      if (signal.aborted) return
      const run = () => matchSession(db, userId, sessionId)
      await attempts.attempt(userId, sessionId, { state: 'completed', signal, run, giveUp: async () => {} })
    }
    found = rows.length
  }
}

async function matchSession(db: Db, userId: string, sessionId: string) {
  await db.transaction(async tx => {
    const session = await lockSession(tx, userId, sessionId)
    if (session?.state !== 'completed') return
    const known = await listKnown(tx, userId, sessionId)
    if (known.length === 0) return
    const current = await lockPeople(tx, userId, [
      ...(await listSessionPeopleIds(tx, userId, sessionId)),
      ...known.map(({ personId }) => personId)
    ])
    const [transcript] = await tx
      .select({ segments: transcripts.segments, speakers: transcripts.speakers })
      .from(transcripts)
      .where(matches(transcripts, { userId, sessionId }))
    const changes = known.map(({ key, personId }) => ({
      key,
      who: { personId: current.get(personId) ?? personId, matchedBy: 'name' as const }
    }))
    await reassignSpeakers(
      tx,
      userId,
      session,
      listSpeakers(transcript?.segments ?? [], transcript?.speakers ?? []),
      changes
    )
    const keys = known.map(({ key }) => key)
    await tx
      .delete(unknownSpeakers)
      .where(and(matches(unknownSpeakers, { userId, sessionId }), isAnyOf(unknownSpeakers.nameKey, keys)))
    await indexFields(tx, userId, session)
  })
}

/** Returns labels that are now the name of a person, following merges. */
async function listKnown(tx: Db, userId: string, sessionId: string) {
  return await tx
    .select({ key: unknownSpeakers.nameKey, personId: sql<string>`coalesce(${people.mergedInto}, ${people.personId})` })
    .from(unknownSpeakers)
    .innerJoin(people, and(eq(people.userId, userId), eq(people.nameKey, unknownSpeakers.nameKey)))
    .where(matches(unknownSpeakers, { userId, sessionId }))
}
