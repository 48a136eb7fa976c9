import { findUser } from '../accounts/queries.ts'
import { type Ai, AiError, type Summary } from '../ai/ai.ts'
import { isBlank } from '../contract/text.ts'
import type { Clock } from '../core/clock.ts'
import { localDay } from '../core/due-date.ts'
import { violates } from '../db/faults.ts'
import type { Database } from '../db/open.ts'
import { recordEvents } from '../events/record.ts'
import type { Attempt, JobData } from '../jobs/jobs.ts'
import { MediaError, type MediaStore } from '../media/media.ts'
import { detailOf, listFolderIds, type SessionRow } from '../sessions/detail.ts'
import { heardIn } from '../sessions/heard.ts'
import { recordPeople } from '../sessions/record-people.ts'
import { tallySession } from '../sessions/tally.ts'
import { indexAbout, indexSaid, readSaid } from '../terms/index-session.ts'
import { agentItem } from './agent-item.ts'
import { cutChunks } from './chunks.ts'
import { type ForProcessing, findForProcessing, lockProcessing, saveChunks, updateSession } from './queries.ts'
import { transcribed } from './transcribe.ts'

export interface Pipeline {
  db: Database
  media: MediaStore
  ai: Ai
  clock: Clock
  onFailure: (sessionId: string, reason: string) => void
}

/**
 * Completes a session: the transcript where it came as a recording, summary and action items, unless the source brought them, then
 * passages with their vectors and words, then
 * everything at once with its event. Safe to repeat: whoever comes second finds nothing left to do.
 */
export async function processSession(pipeline: Pipeline, { userId, sessionId }: JobData['process-session'], { last, signal }: Attempt) {
  try {
    const accepted = await findForProcessing(pipeline.db, userId, sessionId)
    if (accepted?.session.state !== 'processing') return
    const found = await transcribed(pipeline, accepted, signal)
    const made = await make(pipeline, found, signal)
    // Before the session is shown: nobody looks for passages of one that is not, and the transaction stays short.
    await saveChunks(pipeline.db, userId, sessionId, made.chunks, made.embedded)
    if (!(await complete(pipeline, found.session, made))) await processSession(pipeline, { userId, sessionId }, { last, signal })
  } catch (fault) {
    // The session was deleted meanwhile.
    if (violates(fault, 'chunks_session_fk')) return
    if (signal.aborted || !(last || (fault instanceof AiError && fault.final))) throw fault
    const reason = fault instanceof Error ? fault.message : 'unknown'
    const known = fault instanceof AiError || fault instanceof MediaError
    await fail(pipeline, userId, sessionId, known ? reason : 'An internal fault; see the log')
    if (!known) throw fault
    pipeline.onFailure(sessionId, reason)
  }
}

/** Everything that takes long or asks a provider, outside of any transaction. */
async function make({ db, ai, clock }: Pipeline, { session, segments, speakers }: ForProcessing, signal: AbortSignal) {
  // Only sessions that have a summary are completed: of nothing said, none can be made.
  if (segments.length === 0 && session.summary === null) throw new AiError(NO_SPEECH, { final: true })
  const complete = segments.length === 0 || (session.summary !== null && session.actionItems !== null)
  const summary = complete ? undefined : await summarize()
  const chunks = cutChunks(segments)
  const texts = chunks.map(({ text }) => text)
  const vectors = texts.length > 0 ? await ai.embed(texts, signal) : []
  const said = await readSaid(db, session.language ?? summary?.language ?? null, texts)
  return { summary, chunks, said, embedded: { model: ai.embedder.model, vectors }, heard: heardIn(segments, speakers) }

  async function summarize() {
    const user = await findUser(db, session.userId)
    const day = localDay(session.timestamp ?? clock.now(), user?.timeZone ?? 'UTC')
    const { title, type, language } = session
    const made = await ai.summarize({ title, type, language, segments, day }, signal)
    if (session.summary === null && isBlank(made.summary))
      throw new AiError('The AI provider answered with an empty summary', { final: false })
    return made
  }
}

const NO_SPEECH = 'There is no speech to summarize: write a summary and retry the session, or import it again with a transcript'

/** Returns false, and changes nothing, where the session has been moved to another day meanwhile: its due dates count from there. */
async function complete({ db, clock }: Pipeline, { userId, sessionId, timestamp }: SessionRow, made: Awaited<ReturnType<typeof make>>) {
  return await db.transaction(async tx => {
    const session = await lockProcessing(tx, userId, sessionId)
    if (!session) return true
    if (session.timestamp?.getTime() !== timestamp?.getTime()) return false
    const now = clock.now()
    const finished = { ...session, ...contentOf(session, made.summary, now), state: 'completed' as const, updatedAt: now }
    await updateSession(tx, userId, sessionId, finished)
    const folderIds = await listFolderIds(tx, userId, sessionId)
    await recordPeople(tx, userId, finished, made.heard, now)
    await indexSaid(tx, userId, sessionId, made.said)
    await indexAbout(tx, userId, finished)
    await tallySession(tx, userId, sessionId, 1)
    await recordEvents(tx, userId, [{ type: 'session.completed', session: detailOf(finished, folderIds) }])
    return true
  })
}

/** What the source brought stays; the rest comes from the provider. */
function contentOf(session: SessionRow, made: Summary | undefined, now: Date) {
  return {
    language: session.language ?? made?.language ?? null,
    summary: session.summary ?? made?.summary ?? null,
    actionItems: session.actionItems ?? madeItems(made, now),
    actionItemsVersion: session.actionItems ? session.actionItemsVersion : 1,
    actionItemsUpdatedAt: session.actionItemsUpdatedAt ?? now
  }
}

function madeItems(made: Summary | undefined, now: Date) {
  return (made?.actionItems ?? []).map(item => agentItem(item, false, now))
}

async function fail({ db, clock }: Pipeline, userId: string, sessionId: string, reason: string) {
  await db.transaction(async tx => {
    if (!(await lockProcessing(tx, userId, sessionId))) return
    await updateSession(tx, userId, sessionId, { state: 'failed', failure: reason, updatedAt: clock.now() })
  })
}
