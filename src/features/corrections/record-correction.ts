import type { Db } from '../../platform/db/open.ts'
import type { Jobs } from '../../platform/jobs/jobs.ts'
import type { CorrectedTranscript } from '../../platform/ports/corrected-transcript.ts'
import { nameKey } from '../../platform/text/fold.ts'
import { giveRoomBack, type Taking, takeRoom } from '../access/room.ts'
import { indexFields } from '../library/index/index-fields.ts'
import { indexTranscript } from '../library/index/index-session.ts'
import { replacePassages } from '../library/index/replace-passages.ts'
import type { PartIndex } from '../library/index/write-terms.ts'
import { recordChange } from '../library/record-change.ts'
import { findPeopleByNames, lockPeople } from '../library/record-people.ts'
import type { SessionRow } from '../library/session-row.ts'
import { moveSources } from '../library/summaries.ts'
import { selectSessionNames } from '../people/queries.ts'
import { reassignSpeakers } from '../people/reassign-speakers.ts'
import { findSpeakers, replaceUnknown, saveCorrection, saveSpeakers } from './queries.ts'

interface Correction {
  corrected: CorrectedTranscript
  /** The postings of its passages. */
  said: PartIndex
}

/** Writes a correction of a locked session: transcript, people, search index and the event that says so. A job embeds the changed passages. */
export async function recordCorrection(
  tx: Db,
  userId: string,
  session: SessionRow,
  { corrected, said }: Correction,
  { jobs, taking }: { jobs: Pick<Jobs, 'enqueue'>; taking: Taking }
) {
  const { sessionId, state } = session
  const grownBy = await saveCorrection(tx, userId, sessionId, corrected)
  takeRoom(tx, userId, 'bytes_stored', grownBy, taking)
  giveRoomBack(tx, userId, 'bytes_stored', Math.max(0, -grownBy))
  // In the order of locks: people, the totals of the index, the counters of people.
  const known = await lockSpeakers(tx, userId, sessionId, corrected.added)
  if (state === 'completed') {
    const isEmbedded = await replacePassages(tx, userId, sessionId, corrected.passages)
    await indexTranscript(tx, userId, sessionId, said)
    if (!isEmbedded) await jobs.enqueue(tx, 'index-session', { userId, sessionId })
  }
  await recordSpeakers(tx, userId, session, corrected, known)
  await followLines(tx, userId, sessionId, corrected)
  // The former transcript ended the server, if any did.
  await recordChange(tx, userId, session, { openAttempts: 0, updatedAt: taking.now })
}

/** Moves the sources of the summary with their lines. */
async function followLines(tx: Db, userId: string, sessionId: string, { moved, lines }: CorrectedTranscript) {
  const changed = new Map(lines.map(line => [line.index, line]))
  await moveSources(tx, userId, sessionId, ({ segment, start, end }) => {
    const index = moved ? moved[segment] : segment
    if (index === undefined || index === null) return undefined
    const line = changed.get(index)
    return { segment: index, start: line?.start ?? start, end: line?.end ?? end }
  })
}

/** Locks the people of the session and those whose name is a new label. Returns the ids of the latter by name. */
async function lockSpeakers(tx: Db, userId: string, sessionId: string, added: string[]) {
  const names = await selectSessionNames(tx, userId, sessionId)
  const known = await findPeopleByNames(tx, userId, added)
  const current = await lockPeople(tx, userId, [...names.map(({ personId }) => personId), ...known.values()])
  return new Map([...known].map(([key, personId]) => [key, current.get(personId) ?? personId]))
}

/** Computes who speaks in the session again: for how long, and what. A new label is a person if one has that name. */
async function recordSpeakers(
  tx: Db,
  userId: string,
  session: SessionRow,
  { heard, gone, added }: CorrectedTranscript,
  known: ReadonlyMap<string, string>
) {
  const { sessionId } = session
  const settled = await findSpeakers(tx, userId, sessionId)
  const left = settled.filter(({ person, label }) => !gone.includes(nameKey(person ?? label)))
  if (left.length < settled.length) await saveSpeakers(tx, userId, sessionId, left)
  const matched = [...known].map(([key, personId]) => ({ key, who: { personId, matchedBy: 'manual' as const } }))
  await reassignSpeakers(tx, userId, session, heard, [...gone.map(key => ({ key, who: null })), ...matched])
  const unknown = added.filter(key => !known.has(key))
  await replaceUnknown(tx, userId, sessionId, gone, unknown)
  if (gone.length + added.length > 0 && session.state === 'completed') await indexFields(tx, userId, session)
}
