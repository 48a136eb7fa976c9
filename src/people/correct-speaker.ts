import { ApiError, invalid, throwNotFound } from '../core/api-error.ts'
import { nameKey } from '../core/fold.ts'
import type { Segment } from '../core/segment.ts'
import { and, eq, ne } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'
import { type Speaker, sessions, transcripts, unknownSpeakers } from '../db/schema/index.ts'
import { indexFields, markTranscriptForIndexing } from '../search-index/index-session.ts'
import { findOwnPerson, listSessionPeopleIds, lockPeople } from '../sessions/record-people.ts'
import { lockSession } from '../sessions/session-row.ts'
import { listSpeakers } from '../sessions/speakers.ts'
import { addPerson, lockPerson } from './manage.ts'
import { listInSession } from './queries.ts'
import { reassignSpeakers } from './reassign-speakers.ts'

/** A speaker label and its person: an id or `me`, a name, or null for an unknown person. */
export interface Correction {
  speaker: string
  who: { id: string } | { name: string } | null
}

/**
 * Assigns a speaker of one session to a person; a new name creates a person. The transcript then shows the name of the person, and speaking
 * times and top lines are computed again. Returns the people in the session, or undefined without the session. Throws not_found without the person, invalid_request if no
 * speaker has the label, and conflict while the session is processing.
 */
export async function correctSpeaker(db: Db, userId: string, sessionId: string, { speaker, who }: Correction, now: Date) {
  const key = nameKey(speaker)
  // This check avoids creating a person in vain.
  if (!(await findTranscript(db, userId, sessionId, key))) return undefined
  const id = who && ('id' in who ? who.id : (await addPerson(db, userId, { name: who.name, isMe: false }, now)).person.id)
  return await db.transaction(async tx => {
    const session = await lockSession(tx, userId, sessionId)
    const transcript = session && (await findTranscript(tx, userId, sessionId, key))
    if (!transcript) return undefined
    const target = id === 'me' ? await findOwnPerson(tx, userId) : id
    // All locks are taken in order, as by a merge of two of them.
    await lockPeople(tx, userId, [...(await listSessionPeopleIds(tx, userId, sessionId)), ...(target ? [target] : [])])
    const person = id === null ? null : ((await lockPerson(tx, userId, id, 'key share')) ?? throwNotFound('Person'))
    const { segments, speakers } = corrected(transcript, key, person)
    await tx
      .update(transcripts)
      .set({ segments, speakers })
      .where(and(eq(transcripts.userId, userId), eq(transcripts.sessionId, sessionId)))
    const who = person && { personId: person.personId, matchedBy: 'manual' as const }
    await reassignSpeakers(tx, userId, session, listSpeakers(segments, speakers), [
      { key, who: null },
      ...(who && person ? [{ key: nameKey(person.name), who }] : [])
    ])
    await forgetUnknown(tx, userId, sessionId, key)
    if (session.state === 'completed') await indexFields(tx, userId, session)
    await markTranscriptForIndexing(tx, userId, sessionId)
    return await listInSession(tx, userId, sessionId)
  })
}

async function findTranscript(db: Db, userId: string, sessionId: string, key: string) {
  const [session] = await db
    .select({ state: sessions.state, segments: transcripts.segments, speakers: transcripts.speakers })
    .from(sessions)
    .leftJoin(transcripts, and(eq(transcripts.userId, userId), eq(transcripts.sessionId, sessions.sessionId)))
    .where(and(eq(sessions.userId, userId), eq(sessions.sessionId, sessionId), ne(sessions.state, 'deleted')))
  if (!session) return undefined
  const { state, segments, speakers } = session
  if (state === 'processing') throw new ApiError('conflict', 'The session is being processed; try again when it is completed')
  if (!segments?.some(said => nameKey(said.speaker) === key)) throw invalid('speaker: the transcript has no such speaker')
  return { segments, speakers: speakers ?? [] }
}

interface Known {
  personId: string
  name: string
  isMe: boolean
}

function corrected({ segments, speakers }: { segments: Segment[]; speakers: Speaker[] }, key: string, person: Known | null) {
  const named = person && nameKey(person.name)
  const others = speakers.filter(one => ![key, named].includes(nameKey(one.person ?? one.label)))
  if (!person) return { segments, speakers: others }
  const corrected: Speaker = { label: person.name, person: person.name, isMe: person.isMe, matchedBy: 'manual' }
  return {
    segments: segments.map(said => (nameKey(said.speaker) === key ? { ...said, speaker: person.name } : said)),
    speakers: [...others, corrected]
  }
}

/** The label is settled: a later person with this name does not match it. */
async function forgetUnknown(tx: Db, userId: string, sessionId: string, key: string) {
  const isUnknown = and(eq(unknownSpeakers.userId, userId), eq(unknownSpeakers.sessionId, sessionId), eq(unknownSpeakers.nameKey, key))
  await tx.delete(unknownSpeakers).where(isUnknown)
}
