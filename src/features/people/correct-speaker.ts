import { setImmediate } from 'node:timers/promises'
import { DEFAULT_SPEAKER } from '../../contract/import-document.ts'
import type { Person, SpeakerChange } from '../../contract/person.ts'
import type { TranscriptResponse } from '../../contract/transcript.ts'
import { ApiError, invalid, throwNotFound } from '../../platform/core/api-error.ts'
import { and, ne, sql } from '../../platform/db/drizzle.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/open.ts'
import { sessions, transcripts } from '../../platform/db/schema/index.ts'
import { nameKey } from '../../platform/text/fold.ts'
import { readSegments } from '../../platform/text/segment.ts'
import { isPersonName } from '../../platform/text/speaker-name.ts'
import { operation } from '../access/operation.ts'
import { limitsFor } from '../access/room.ts'
import { lockPerson, resolveMe } from '../library/person-row.ts'
import { lockPeople } from '../library/record-people.ts'
import { lockSession } from '../library/session-row.ts'
import { keysIn } from '../library/speakers.ts'
import type { Needs } from '../services.ts'
import { isHeavyTranscript } from '../transcripts/queries.ts'
import { toTranscript } from '../transcripts/transcript-file.ts'
import { applyCorrection, type Transcript } from './apply-correction.ts'
import { savePerson } from './change-person.ts'
import { type SessionName, selectSessionNames } from './queries.ts'

/**
 * Assigns the words of a speaker in one session to a person, where a new name creates one, or to nobody; or exchanges two speakers. Throws
 * conflict while the session is processing.
 */
export const correctSpeaker = operation(
  'correctSpeaker',
  async (
    { db, clock, jobs, quotas }: Needs<'db' | 'clock' | 'jobs' | 'quotas'>,
    actor,
    sessionId: string,
    change: SpeakerChange
  ): Promise<TranscriptResponse> => {
    const { userId } = actor
    const now = clock.now()
    const { name } = change
    const taking = { limits: limitsFor({ quotas }, actor), now, field: 'name' }
    const correct = async (tx: Db) => {
      const session = (await lockSession(tx, userId, sessionId)) ?? throwNotFound('Session')
      const transcript = await requireCorrectable(tx, userId, sessionId, change)
      // A person is created for a correction that can be made only.
      const named = typeof name === 'string' ? await savePerson(tx, userId, { name, isMe: false }, taking) : undefined
      const assigned = named?.person.id ?? change.person_id
      const names = await selectSessionNames(tx, userId, sessionId)
      const person = await lockAssigned(tx, userId, names, assigned, named !== undefined)
      const correction = change.swap
        ? exchange(transcript, names, change.swap)
        : person
          ? assign(names, change, person)
          : forget(transcript, names, change)
      return await applyCorrection(tx, userId, session, transcript, correction, { jobs, now })
    }
    const isHeavy = await isHeavyTranscript(db, userId, sessionId)
    const { segments, version } = await db.transaction(correct, { turn: isHeavy ? HEAVY : sessionId })
    // Others wait for the session no longer. Those who wait for the server come first, because a long transcript takes it for a while.
    await setImmediate()
    return { id: sessionId, ...toTranscript(segments), version }
  }
)

/**
 * Locks the people of the session and the person to whom the words are assigned, in the order in which a merge of two people locks them. With
 * `isNamed`, the person may have been merged since; then the remaining one is returned. Returns null without an id.
 */
async function lockAssigned(
  tx: Db,
  userId: string,
  names: readonly SessionName[],
  idOrMe: string | undefined,
  isNamed: boolean
) {
  const personId = idOrMe && (await resolveMe(tx, userId, idOrMe))
  const speakerIds = names.map(one => one.personId)
  const current = await lockPeople(tx, userId, [...speakerIds, ...(personId ? [personId] : [])])
  if (idOrMe === undefined) return null
  const assigned = isNamed ? (current.get(idOrMe) ?? idOrMe) : idOrMe
  return await lockPerson(tx, userId, assigned, { strength: 'key share', field: 'person_id' })
}

/** Gives the words to a person. Whatever else they are called in this transcript becomes the same name. */
function assign(names: readonly SessionName[], { from = '', segments }: SpeakerChange, person: Person) {
  const { id, name: label, is_me: isMe } = person
  const theirs = names.filter(({ personId }) => personId === id).map(({ key }) => key)
  const others = [nameKey(label), ...theirs].map(key => ({ key, label, isKnown: true }))
  return {
    relabels: [{ key: nameKey(from), label, isKnown: true, chosen: segments && new Set(segments) }, ...others],
    reassigned: [{ key: nameKey(label), who: { personId: id, matchedBy: 'manual' as const } }],
    speakers: [{ label, person: label, isMe, matchedBy: 'manual' as const }]
  }
}

/** One long transcript is corrected at a time, because it is in memory several times until it is written. */
const HEAVY = 'correction of a long transcript'

/** The label of words that were taken from a person. The second is for a session in which the first is somebody. */
const NOBODY = [DEFAULT_SPEAKER, 'Unknown speaker'] as const

/** Gives the words to nobody. A label that names no person, such as "Speaker 2", stays, because it tells two voices apart. */
export function forget(
  { segments: said }: Pick<Transcript, 'segments'>,
  names: readonly SessionName[],
  { from = '', segments }: Pick<SpeakerChange, 'from' | 'segments'>
) {
  const key = nameKey(from)
  const current = said.find(({ speaker }) => nameKey(speaker) === key)?.speaker ?? from
  const isFree = (label: string) => !names.some(one => one.key === nameKey(label))
  const label = isPersonName(current) ? (NOBODY.find(isFree) ?? NOBODY[1]) : current
  return {
    relabels: [{ key, label, isKnown: false, chosen: segments && new Set(segments) }],
    reassigned: [{ key: nameKey(label), who: null }],
    speakers: [{ label, person: null, isMe: false, matchedBy: 'manual' as const }]
  }
}

/** Exchanges two speakers: each label keeps its person, and gets what the other one says. */
function exchange({ segments }: Transcript, names: readonly SessionName[], swap: readonly string[]) {
  const keys = swap.map(nameKey)
  const labels = keys.map(key => segments.find(({ speaker }) => nameKey(speaker) === key)?.speaker ?? key)
  return {
    relabels: keys.map((key, at) => ({ key, label: labels[1 - at] ?? key, isKnown: true })),
    reassigned: names
      .filter(({ key }) => keys.includes(key))
      .map(({ key, personId }) => ({ key, who: { personId, matchedBy: 'manual' as const } })),
    speakers: []
  }
}

/** Returns the transcript if it has the speakers and segments of the correction. */
async function requireCorrectable(
  db: Db,
  userId: string,
  sessionId: string,
  { from = '', segments: chosen, swap }: SpeakerChange
): Promise<Transcript> {
  const [session] = await db
    .select({
      state: sessions.state,
      json: sql<string | null>`${transcripts.segments}::text`,
      original: sql<string | null>`${transcripts.original}::text`,
      speakers: transcripts.speakers
    })
    .from(sessions)
    .leftJoin(transcripts, matches(transcripts, { userId, sessionId }))
    .where(and(matches(sessions, { userId, sessionId }), ne(sessions.state, 'deleted')))
  if (!session) throwNotFound('Session')
  if (session.state === 'processing')
    throw new ApiError('conflict', 'The session is being processed; try again when it is completed')
  // Others are served between the steps, each of which takes a while for a long transcript.
  await setImmediate()
  const segments = readSegments(session.json ?? '[]')
  const original = session.original === null ? null : readSegments(session.original)
  await setImmediate()
  const keys = keysIn(segments)
  const missing = (swap ?? [from]).findIndex(label => !keys.has(nameKey(label)))
  if (missing >= 0)
    throw invalid({
      field: swap ? `swap.${missing}` : 'from',
      problem: 'the transcript has no such speaker',
      expected: 'one as the transcript names them'
    })
  if (swap && new Set(swap.map(nameKey)).size < 2)
    throw invalid({ field: 'swap', problem: 'the two are one speaker', expected: 'two different speakers' })
  const other = chosen?.find(index => nameKey(segments[index]?.speaker ?? '') !== nameKey(from))
  if (other !== undefined)
    throw invalid({
      field: 'segments',
      problem: `the speaker does not say segment ${other}`,
      expected: 'indexes of what they say'
    })
  return { segments, speakers: session.speakers ?? [], original }
}
