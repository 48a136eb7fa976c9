import { setImmediate } from 'node:timers/promises'
import { and, sql } from '../../platform/db/drizzle.ts'
import { isAnyOf, matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/open.ts'
import { transcripts, unknownSpeakers } from '../../platform/db/schema/index.ts'
import type { Jobs } from '../../platform/jobs/jobs.ts'
import type { Speaker } from '../../platform/ports/corrected-transcript.ts'
import { nameKey } from '../../platform/text/fold.ts'
import { mapOutline, type Outline } from '../../platform/text/outline.ts'
import type { Segment } from '../../platform/text/segment.ts'
import { indexFields } from '../library/index/index-fields.ts'
import { markTranscriptForIndexing } from '../library/index/index-session.ts'
import { newItems, recordChange } from '../library/record-change.ts'
import { type SessionRow, updateSessionRow } from '../library/session-row.ts'
import { keysIn, listSpeakers } from '../library/speakers.ts'
import { changeOutline } from '../library/summaries.ts'
import { type Reassignment, reassignSpeakers } from './reassign-speakers.ts'
import { listRenames, type Relabel, relabelItems, relabelSegments, renameInText } from './relabel.ts'
import { mergeRepeatedNames, withoutRepeatedNames } from './repeated-names.ts'

export interface Transcript {
  segments: Segment[]
  speakers: Speaker[]
  /** The segments before their texts were corrected. Null if none was. */
  original: Segment[] | null
}

interface Correction {
  relabels: readonly Relabel[]
  /** Whom the corrected labels belong to. */
  reassigned: readonly Reassignment[]
  /** Statements about the new labels, in place of those of the source. */
  speakers: readonly Speaker[]
}

/**
 * Writes a correction of the speakers of a session: the transcript, its people, action items and summary, and the event that says so. The
 * session and its people must be locked. Returns the segments and the version of the transcript.
 */
export async function applyCorrection(
  tx: Db,
  userId: string,
  session: SessionRow,
  transcript: Transcript,
  { relabels, reassigned, speakers: settled }: Correction,
  { jobs, now }: { jobs: Pick<Jobs, 'enqueue'>; now: Date }
) {
  const { sessionId, state } = session
  // Others are served between the steps, each of which takes a while for a long transcript.
  const segments = relabelSegments(transcript.segments, relabels)
  await setImmediate()
  const left = keysIn(segments)
  const gone = relabels.map(({ key }) => key).filter(key => !left.has(key))
  const replaced = new Set([...gone, ...settled.map(({ label }) => nameKey(label))])
  const others = transcript.speakers.filter(one => !replaced.has(nameKey(one.person ?? one.label)))
  const speakers = [...others, ...settled]
  await setImmediate()
  const json = JSON.stringify(segments)
  await setImmediate()
  // A correction of some lines is none of the original, which may have others.
  const whole = relabels.filter(({ chosen }) => !chosen)
  const original = transcript.original && JSON.stringify(relabelSegments(transcript.original, whole))
  await setImmediate()
  const [written] = await tx
    .update(transcripts)
    .set({
      segments: sql`${json}::jsonb`,
      original: sql`${original}::jsonb`,
      version: sql`${transcripts.version} + 1`,
      strip: null,
      speakers
    })
    .where(matches(transcripts, { userId, sessionId }))
    .returning({ version: transcripts.version })
  const heard = listSpeakers(segments, speakers)
  await setImmediate()
  await reassignSpeakers(tx, userId, session, heard, [...gone.map(key => ({ key, who: null })), ...reassigned])
  // A later person with such a name does not match the label.
  await tx
    .delete(unknownSpeakers)
    .where(and(matches(unknownSpeakers, { userId, sessionId }), isAnyOf(unknownSpeakers.nameKey, replaced)))

  const items = relabelItems(session.actionItems ?? [], { segments: transcript.segments, relabels, now })
  const renames = listRenames(transcript.segments, relabels)
  const summary = session.summary && renameSummary(session.summary, renames, segments)
  if (renames.size > 0) await changeOutline(tx, userId, sessionId, outline => renameOutline(outline, renames, segments))
  const isChanged =
    items || summary !== session.summary || segments.some((said, index) => said !== transcript.segments[index])
  if (state === 'completed') await indexFields(tx, userId, { ...session, summary })
  await markTranscriptForIndexing(tx, userId, sessionId)
  if (state === 'completed') await jobs.enqueue(tx, 'index-session', { userId, sessionId })
  if (isChanged) {
    // The former transcript ended the server, if any did.
    const change = { ...(items && newItems(session, items, now)), summary, openAttempts: 0, updatedAt: now }
    // Readers of events know nothing of the trash.
    if (state === 'deleted') await updateSessionRow(tx, userId, sessionId, change)
    else await recordChange(tx, userId, session, change)
  }
  return { segments, version: written?.version ?? 0 }
}

function renameOutline(outline: Outline, renames: ReadonlyMap<string, string>, segments: readonly Segment[]) {
  const renamed = mapOutline(outline, said => ({
    ...said,
    text: renameInText(said.text, renames),
    speaker: said.speaker && renameInText(said.speaker, renames)
  }))
  return mergeRepeatedNames(renamed, new Set(segments.map(({ speaker }) => speaker)))
}

/** Names that are equal now are listed once. */
function renameSummary(summary: string, renames: ReadonlyMap<string, string>, segments: readonly Segment[]) {
  const renamed = renameInText(summary, renames)
  return renamed === summary ? summary : withoutRepeatedNames(renamed, new Set(segments.map(({ speaker }) => speaker)))
}
