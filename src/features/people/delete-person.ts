import { and, isNull } from '../../platform/db/drizzle.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/open.ts'
import { people, sessionPeople, transcripts } from '../../platform/db/schema/index.ts'
import type { JobData } from '../../platform/jobs/queues.ts'
import { operation } from '../access/operation.ts'
import { giveRoomBack } from '../access/room.ts'
import { lockPerson } from '../library/person-row.ts'
import { lockPeople } from '../library/record-people.ts'
import { lockSession } from '../library/session-row.ts'
import type { Needs } from '../services.ts'
import { applyCorrection } from './apply-correction.ts'
import { forget } from './correct-speaker.ts'
import { selectSessionNames } from './queries.ts'

type Forgetting = Needs<'db' | 'clock' | 'jobs'>

/** The sessions that a request changes itself; a job changes the others. */
const SESSIONS_AT_ONCE = 20

/** Deletes a person. Nobody is known any more to have said their words, in any session. */
export const deletePerson = operation(
  'deletePerson',
  async (services: Forgetting, actor, idOrMe: string): Promise<void> => {
    const { userId } = actor
    const { db, clock, jobs } = services
    const personId = await db.transaction(async tx => {
      const { id } = await lockPerson(tx, userId, idOrMe)
      await tx.delete(people).where(matches(people, { userId, mergedInto: id }))
      await tx
        .update(people)
        .set({ nameKey: null, isMe: false, saved: false, updatedAt: clock.now() })
        .where(matches(people, { userId, personId: id }))
      giveRoomBack(tx, userId, 'people', 1)
      await jobs.enqueue(tx, 'forget-person', { userId, personId: id })
      return id
    })
    // The person is gone and a job follows, so an error here must not fail the request. The job reports one that lasts.
    await forgetPerson(services, { userId, personId }, { atMost: SESSIONS_AT_ONCE }).catch(() => {})
  }
)

/** Takes the words of a deleted person from them, session by session, and removes the row at the end. Safe to interrupt and to repeat. */
export async function forgetPerson(
  services: Forgetting,
  { userId, personId }: JobData['forget-person'],
  { atMost = Number.POSITIVE_INFINITY, signal }: { atMost?: number; signal?: AbortSignal } = {}
) {
  const { db } = services
  for (let count = 0; count < atMost && !signal?.aborted; count++) {
    const isTheirs = matches(sessionPeople, { userId, personId })
    const [next] = await db.select({ sessionId: sessionPeople.sessionId }).from(sessionPeople).where(isTheirs).limit(1)
    if (!next) return await removeRow(db, userId, personId)
    await forgetInSession(services, userId, next.sessionId, personId)
  }
}

async function forgetInSession({ db, clock, jobs }: Forgetting, userId: string, sessionId: string, personId: string) {
  await db.transaction(async tx => {
    const session = await lockSession(tx, userId, sessionId, { deleted: true })
    if (!session) return
    const names = await selectSessionNames(tx, userId, sessionId)
    const theirs = names.filter(one => one.personId === personId)
    if (theirs.length === 0) return
    await lockPeople(
      tx,
      userId,
      names.map(one => one.personId)
    )
    const [found] = await tx
      .select({ segments: transcripts.segments, speakers: transcripts.speakers, original: transcripts.original })
      .from(transcripts)
      .where(matches(transcripts, { userId, sessionId }))
    const transcript = found ?? { segments: [], speakers: [], original: null }
    const others = names.filter(one => one.personId !== personId)
    const each = theirs.map(({ key }) => forget(transcript, others, { from: key }))
    await applyCorrection(
      tx,
      userId,
      session,
      transcript,
      {
        relabels: each.flatMap(({ relabels }) => relabels),
        reassigned: [...theirs.map(({ key }) => ({ key, who: null })), ...each.flatMap(({ reassigned }) => reassigned)],
        speakers: each.flatMap(({ speakers }) => speakers)
      },
      { jobs, now: clock.now() }
    )
  })
}

async function removeRow(db: Db, userId: string, personId: string) {
  await db
    .delete(people)
    .where(and(matches(people, { userId, personId }), isNull(people.nameKey), isNull(people.mergedInto)))
}
