import { isDeepStrictEqual } from 'node:util'
import type { ActionItem } from '../contract/action-item.ts'
import type { Person } from '../contract/person.ts'
import { ApiError, invalid } from '../core/api-error.ts'
import { nameKey } from '../core/fold.ts'
import type { Segment } from '../core/segment.ts'
import { and, ne } from '../db/drizzle.ts'
import { matches } from '../db/matches.ts'
import type { Db } from '../db/open.ts'
import { type Speaker, sessions, transcripts, unknownSpeakers } from '../db/schema/index.ts'
import { indexFields, markTranscriptForIndexing } from '../search-index/index-session.ts'
import { newItems, recordChange } from '../sessions/record-change.ts'
import { lockSession } from '../sessions/session-row.ts'
import { addPerson } from './change-person.ts'
import { lockPerson, resolveMe } from './person-row.ts'
import { listInSession } from './queries.ts'
import { reassignSpeakers } from './reassign-speakers.ts'
import { listSessionPeopleIds, lockPeople } from './record-people.ts'
import { listSpeakers } from './speakers.ts'

/** A correction: the words of one speaker in a transcript belong to another person. */
interface Correction {
  /** The speaker's name in the transcript, in any case. */
  speaker: string
  /** The field of the request that names the speaker. */
  field: 'from' | 'speaker'
  /** Indexes of the segments to correct; undefined for all that the speaker says. */
  chosen?: number[] | undefined
  /** A person by id or `me`, a name, or null for an unknown person. */
  who: { id: string } | { name: string } | null
}

/**
 * Assigns the words of a speaker in one session to a person; a new name creates a person. Transcript and action items then name the person,
 * speaking times and top lines are computed again, and an event is recorded where that changes the transcript. Returns the people in the
 * session and its segments, or undefined without the session. Throws not_found without the person, invalid_request if no speaker has the
 * label or a chosen segment is not theirs, and conflict while the session is processing.
 */
export async function correctSpeaker(db: Db, userId: string, sessionId: string, correction: Correction, now: Date) {
  const { who, chosen } = correction
  const key = nameKey(correction.speaker)
  // This check avoids creating a person in vain.
  if (!(await findCorrectable(db, userId, sessionId, correction))) return undefined
  const isNamed = who !== null && 'name' in who
  const idOrMe = isNamed ? (await addPerson(db, userId, { name: who.name, isMe: false }, now)).person.id : who?.id
  return await db.transaction(async tx => {
    const session = await lockSession(tx, userId, sessionId)
    const transcript = session && (await findCorrectable(tx, userId, sessionId, correction))
    if (!transcript) return undefined
    const person = await lockAssigned(tx, userId, sessionId, idOrMe, isNamed)
    const { segments, speakers, isSettled } = correctTranscript(transcript, key, chosen, person)
    await tx.update(transcripts).set({ segments, speakers }).where(matches(transcripts, { userId, sessionId }))
    await reassignSpeakers(tx, userId, session, listSpeakers(segments, speakers), [
      ...(isSettled ? [{ key, who: null }] : []),
      ...(person ? [{ key: nameKey(person.name), who: { personId: person.id, matchedBy: 'manual' as const } }] : [])
    ])
    // A later person with this name does not match the label.
    if (isSettled) await tx.delete(unknownSpeakers).where(matches(unknownSpeakers, { userId, sessionId, nameKey: key }))
    if (session.state === 'completed') await indexFields(tx, userId, session)
    await markTranscriptForIndexing(tx, userId, sessionId)
    const people = await listInSession(tx, userId, sessionId)
    if (!isDeepStrictEqual(segments, transcript.segments)) {
      const starts = chosen?.map(index => segments[index]?.start ?? null)
      const items = renameAssignee(session.actionItems ?? [], { key, starts, name: person?.name ?? null, now })
      await recordChange(tx, userId, session, { ...(items && newItems(session, items, now)), updatedAt: now })
    }
    return { people, segments }
  })
}

/**
 * Locks the people of the session and the person to whom the words are assigned, in the order in which a merge of two people locks them. With
 * `isNamed`, the person may have been merged since; then the remaining one is returned. Returns null without an id.
 */
async function lockAssigned(tx: Db, userId: string, sessionId: string, idOrMe: string | undefined, isNamed: boolean) {
  const personId = idOrMe && (await resolveMe(tx, userId, idOrMe))
  const current = await lockPeople(tx, userId, [
    ...(await listSessionPeopleIds(tx, userId, sessionId)),
    ...(personId ? [personId] : [])
  ])
  if (idOrMe === undefined) return null
  const assigned = isNamed ? (current.get(idOrMe) ?? idOrMe) : idOrMe
  return await lockPerson(tx, userId, assigned, { strength: 'key share', field: 'person_id' })
}

async function findCorrectable(db: Db, userId: string, sessionId: string, { speaker, field, chosen }: Correction) {
  const key = nameKey(speaker)
  const [session] = await db
    .select({ state: sessions.state, segments: transcripts.segments, speakers: transcripts.speakers })
    .from(sessions)
    .leftJoin(transcripts, matches(transcripts, { userId, sessionId }))
    .where(and(matches(sessions, { userId, sessionId }), ne(sessions.state, 'deleted')))
  if (!session) return undefined
  const { state, segments, speakers } = session
  if (state === 'processing')
    throw new ApiError('conflict', 'The session is being processed; try again when it is completed')
  if (!segments?.some(said => nameKey(said.speaker) === key))
    throw invalid({
      field,
      problem: 'the transcript has no such speaker',
      expected: 'one as the transcript names them'
    })
  const other = chosen?.find(index => nameKey(segments[index]?.speaker ?? '') !== key)
  if (other !== undefined)
    throw invalid({
      field: 'segments',
      problem: `the speaker does not say segment ${other}`,
      expected: 'indexes of what they say'
    })
  return { segments, speakers: speakers ?? [] }
}

/** Returns the transcript with the corrected speaker. `isSettled` means that no segment has the former name of a person any more. */
function correctTranscript(
  { segments, speakers }: { segments: Segment[]; speakers: Speaker[] },
  key: string,
  chosen: number[] | undefined,
  person: Person | null
) {
  const indexes = chosen && new Set(chosen)
  const isCorrected = ({ speaker }: Segment, index: number) => indexes?.has(index) ?? nameKey(speaker) === key
  const corrected = person
    ? segments.map((said, index) => (isCorrected(said, index) ? { ...said, speaker: person.name } : said))
    : segments
  const label = person?.name ?? segments.find(said => nameKey(said.speaker) === key)?.speaker ?? key
  const isSettled = nameKey(label) === key || !corrected.some(said => nameKey(said.speaker) === key)
  const replaced = isSettled ? [key, nameKey(label)] : [nameKey(label)]
  const others = speakers.filter(one => !replaced.includes(nameKey(one.person ?? one.label)))
  const speaker = { label, person: person?.name ?? null, isMe: person?.is_me ?? false, matchedBy: 'manual' as const }
  return { segments: corrected, speakers: [...others, speaker], isSettled }
}

interface Renaming {
  /** The key of the assignee's name. */
  key: string
  /** Only items from segments that start at these times; undefined for all. */
  starts: (number | null)[] | undefined
  name: string | null
  now: Date
}

/** Returns the items with the new name of their assignee; undefined if there are none. */
function renameAssignee(items: readonly ActionItem[], { key, starts, name, now }: Renaming): ActionItem[] | undefined {
  const isTheirs = ({ assignee, source_start: start = null }: ActionItem) =>
    assignee != null && nameKey(assignee) === key && (!starts || (start !== null && starts.includes(start)))
  if (name === null || !items.some(isTheirs)) return undefined
  return items.map(item => (isTheirs(item) ? { ...item, assignee: name, updated_at: now.getTime() } : item))
}
