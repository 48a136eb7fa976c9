import { ApiError, invalid, notFound } from '../core/api-error.ts'
import { nameKey } from '../core/fold.ts'
import type { Segment } from '../core/segment.ts'
import { and, eq, ne } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'
import { type Speaker, sessions, transcripts, unknownSpeakers } from '../db/schema/index.ts'
import { lockSession } from '../sessions/detail.ts'
import { heardIn } from '../sessions/heard.ts'
import { findMe, listHeard, lockPeople } from '../sessions/record-people.ts'
import { indexAbout } from '../terms/index-session.ts'
import { outdateSaid } from '../terms/queries.ts'
import { hearAnew } from './hear-anew.ts'
import { addPerson, lockPerson } from './manage.ts'

/** Who a speaker of a session is: a person by id or `me`, by name, or null for nobody who is known. */
export interface Correction {
  speaker: string
  who: { id: string } | { name: string } | null
}

/**
 * Says who a speaker of one session is; a name that nobody has makes a person. The transcript then has that person's name, and
 * everybody's talk seconds and lines are found anew. False without the session. Throws not_found without the person,
 * invalid_request where nobody in the transcript is called so, and conflict while the session is being processed.
 */
export async function correctSpeaker(db: Db, userId: string, sessionId: string, { speaker, who }: Correction, now: Date) {
  const key = nameKey(speaker)
  // Asked before as well, so that nobody is made in vain.
  if (!(await findTranscript(db, userId, sessionId, key))) return false
  const id = who && ('id' in who ? who.id : (await addPerson(db, userId, { name: who.name, isMe: false }, now)).personId)
  return await db.transaction(async tx => {
    const session = await lockSession(tx, userId, sessionId)
    const transcript = session && (await findTranscript(tx, userId, sessionId, key))
    if (!transcript) return false
    const target = id === 'me' ? await findMe(tx, userId) : id
    // All at once and in order, for two who are merged meanwhile are locked in that order too.
    await lockPeople(tx, userId, [...(await listHeard(tx, userId, sessionId)), ...(target ? [target] : [])])
    const person = id === null ? null : ((await lockPerson(tx, userId, id, 'key share')) ?? noPerson())
    const { segments, speakers } = corrected(transcript, key, person)
    await tx
      .update(transcripts)
      .set({ segments, speakers })
      .where(and(eq(transcripts.userId, userId), eq(transcripts.sessionId, sessionId)))
    const who = person && { personId: person.personId, matchedBy: 'manual' as const }
    await hearAnew(tx, userId, session, heardIn(segments, speakers), [
      { key, who: null },
      ...(who && person ? [{ key: nameKey(person.name), who }] : [])
    ])
    await forgetUnknown(tx, userId, sessionId, key)
    if (session.state === 'completed') await indexAbout(tx, userId, session)
    await outdateSaid(tx, userId, sessionId)
    return true
  })
}

async function findTranscript(db: Db, userId: string, sessionId: string, key: string) {
  const [session] = await db
    .select({ state: sessions.state, segments: transcripts.segments, speakers: transcripts.speakers })
    .from(sessions)
    .leftJoin(transcripts, and(eq(transcripts.userId, sessions.userId), eq(transcripts.sessionId, sessions.sessionId)))
    .where(and(eq(sessions.userId, userId), eq(sessions.sessionId, sessionId), ne(sessions.state, 'deleted')))
  if (!session) return undefined
  const { state, segments, speakers } = session
  if (state === 'processing') throw new ApiError('conflict', 'The session is being processed; correct it when that is done')
  if (!segments?.some(said => nameKey(said.speaker) === key)) throw invalid('speaker: nobody in the transcript is called so')
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

/** Whoever is given that name later is not found here: a user has said who this is. */
async function forgetUnknown(tx: Db, userId: string, sessionId: string, key: string) {
  const { userId: owner, sessionId: session, nameKey: name } = unknownSpeakers
  await tx.delete(unknownSpeakers).where(and(eq(owner, userId), eq(session, sessionId), eq(name, key)))
}

function noPerson(): never {
  throw notFound('Person')
}
