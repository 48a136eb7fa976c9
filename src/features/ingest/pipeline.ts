import type { Quotas } from '../../contract/quotas.ts'
import { type Ai, AiError } from '../../platform/ai/ai.ts'
import type { Clock } from '../../platform/core/clock.ts'
import { violates } from '../../platform/db/errors.ts'
import type { Database } from '../../platform/db/open.ts'
import type { JobAttempt, Jobs } from '../../platform/jobs/jobs.ts'
import type { JobData } from '../../platform/jobs/queues.ts'
import type { MediaStore } from '../../platform/ports/media-store.ts'
import type { SoundTools } from '../../platform/ports/sound-tools.ts'
import type { TranscriptWriter } from '../../platform/ports/transcript-writer.ts'
import { enterLibrary } from '../library/enter-and-leave.ts'
import { FAILURES, WAITS } from '../library/failure-reason.ts'
import { cutPassages } from '../library/index/passages.ts'
import { computeTranscriptPostings } from '../library/index/transcript-postings.ts'
import type { OpenAttempts } from '../library/open-attempts.ts'
import { recordFailure } from '../library/record-change.ts'
import { recordPeople } from '../library/record-people.ts'
import { recordProgress, SETTLED } from '../library/record-progress.ts'
import { type SessionKey, updateSessionRow } from '../library/session-row.ts'
import { listSpeakers } from '../library/speakers.ts'
import { toStrip } from '../library/strip.ts'
import { saveStrip } from '../library/strips.ts'
import { saveSummary } from '../library/summaries.ts'
import { MediaError } from '../recordings/store.ts'
import { findDefaultTemplate } from '../templates/choose.ts'
import { findNewTerms } from '../terms/term-set.ts'
import { correctByTerms } from './correct-by-terms.ts'
import { contentOf, toKept, toMade } from './made-content.ts'
import { Unfinished } from './parts/transcribe-parts.ts'
import { type ForProcessing, findForProcessing, lockProcessing, savePassages } from './queries.ts'
import { summarizeSession } from './summarize.ts'
import { transcribeSession } from './transcribe.ts'

export interface Pipeline {
  db: Database
  media: MediaStore
  ai: Ai
  clock: Clock
  quotas: Quotas
  jobs: Pick<Jobs, 'enqueue'>
  sound: SoundTools
  writer: TranscriptWriter
  onFailure: (sessionId: string, reason: string) => void
  /** Called when an attempt is to be repeated because the provider of AI did not answer. */
  onWait: (sessionId: string, reason: string) => void
}

/** After this attempt has ended, or else it would count as one whose process died. */
const GO_ON_AFTER_SECONDS = { atOnce: 1, away: 5 }

/** Processes a session as one of its counted attempts, and fails it after those that ended the server. */
export async function attemptSession(
  pipeline: Pipeline & { attempts: OpenAttempts },
  { userId, sessionId }: JobData['process-session'],
  job: JobAttempt
) {
  await pipeline.attempts.attempt(userId, sessionId, {
    state: 'processing',
    signal: job.signal,
    run: () => processSession(pipeline, { userId, sessionId }, job),
    giveUp: () => fail(pipeline, { userId, sessionId }, { reason: FAILURES.endedServer })
  })
}

/**
 * Completes a session: transcribes its recording if needed, creates missing summary and action items, stores passages and embeddings, and
 * commits the rest with its event. Safe to repeat: a second run finds nothing to do.
 */
export async function processSession(
  pipeline: Pipeline,
  { userId, sessionId }: JobData['process-session'],
  { last, signal }: JobAttempt
) {
  try {
    // A loop, because a round that called the next one would keep its transcript until the last one has ended.
    while (!(await processAsFound(pipeline, { userId, sessionId }, signal))) signal.throwIfAborted()
  } catch (error) {
    // The session was deleted concurrently.
    if (violates(error, 'passages_session_fk') || violates(error, 'transcript_parts_session_fk')) return
    if (signal.aborted) throw error
    if (!last && !(error instanceof AiError && error.final)) {
      if (error instanceof AiError) await wait(pipeline, { userId, sessionId }, error)
      throw error
    }
    const reason = error instanceof Error ? error.message : 'unknown'
    const known = error instanceof AiError || error instanceof MediaError
    await fail(
      pipeline,
      { userId, sessionId },
      {
        reason: known ? reason : 'An internal error; see the log',
        shown: error instanceof AiError ? shownOf(error) : undefined
      }
    )
    if (!known) throw error
  }
}

/** Processes a session as it is now. Returns false if it moved to another day, or its text or a term was changed, before it was completed. */
async function processAsFound(pipeline: Pipeline, key: SessionKey, signal: AbortSignal) {
  const content = await computeContent(pipeline, key, signal)
  if (content === 'changed') return false
  if (content instanceof Unfinished) await goOn(pipeline, key, content)
  return !content || content instanceof Unfinished || (await complete(pipeline, content))
}

/** Computes everything slow outside of any transaction. Returns undefined if the session needs no processing. */
async function computeContent(pipeline: Pipeline, key: SessionKey, signal: AbortSignal) {
  const read = await readTranscript(pipeline, key, signal)
  if (!read || read === 'changed' || read instanceof Unfinished) return read
  const { texts, ...content } = read
  const language = content.session.language ?? content.summary?.language ?? null
  return { ...content, postings: await computeTranscriptPostings(pipeline.db, language, texts) }
}

/**
 * Summarises the transcript of a session, and stores its passages before the session is listed, which keeps the transaction short. A function
 * of its own, so that the transcript is not kept while the texts of the passages are indexed.
 */
async function readTranscript(pipeline: Pipeline, { userId, sessionId }: SessionKey, signal: AbortSignal) {
  const { db, ai } = pipeline
  const accepted = await findForProcessing(db, userId, sessionId)
  if (accepted?.session.state !== 'processing') return undefined
  const transcribed = await transcribeSession(pipeline, accepted, signal)
  if (transcribed instanceof Unfinished) return transcribed
  const found = await correctByTerms(pipeline, transcribed)
  if (!found) return 'changed'
  const { session, segments, speakers, version, termsVersion } = found
  const summary = await summarize(pipeline, found, signal)
  const passages = await cutPassages(segments)
  const texts = passages.map(({ text }) => text)
  const vectors = texts.length > 0 ? await ai.embed(texts, signal) : []
  await savePassages(db, userId, sessionId, passages, { model: ai.embedder?.model, vectors })
  const strip = { strip: toStrip(segments, session.durationSeconds), version }
  return { session, summary, texts, speakers: listSpeakers(segments, speakers), strip, termsVersion }
}

/** Returns undefined if the session has a summary and action items, or no speech. */
async function summarize(pipeline: Pipeline, found: ForProcessing, signal: AbortSignal) {
  const { session, segments } = found
  const isUsed = session.summary === null
  // A completed session has a summary; without speech none can be made.
  if (segments.length === 0 && isUsed) throw new AiError(FAILURES.noSpeech, { final: true })
  if (segments.length === 0 || (!isUsed && session.actionItems !== null)) return undefined
  const template = isUsed ? await findDefaultTemplate(pipeline.db, session.userId, session.sessionId) : null
  return await summarizeSession(pipeline, found, { template, isUsed }, signal)
}

type Content = Exclude<Awaited<ReturnType<typeof computeContent>>, Unfinished | 'changed' | undefined>

/**
 * Returns false, and changes nothing, if the session moved to another day, which changes its due dates, or if a term was changed: its application
 * waits for the lock of this session, and finds it completed.
 */
async function complete({ db, clock, quotas }: Pipeline, content: Content) {
  const { userId, sessionId, timestamp } = content.session
  return await db.transaction(async tx => {
    const session = await lockProcessing(tx, userId, sessionId)
    if (!session) return true
    if (session.timestamp?.getTime() !== timestamp?.getTime()) return false
    if ((await findNewTerms(tx, userId)).version !== content.termsVersion) return false
    const now = clock.now()
    const made = content.summary && toMade(content.summary, now)
    const change = {
      ...contentOf(session, made, now),
      state: 'completed' as const,
      openAttempts: 0,
      ...SETTLED,
      updatedAt: now
    }
    const folderIds = await updateSessionRow(tx, userId, sessionId, change)
    if (made) await saveSummary(tx, userId, sessionId, toKept(session, made, now))
    await saveStrip(tx, userId, sessionId, content.strip.strip, content.strip.version)
    const finished = { ...session, ...change }
    await recordPeople(tx, userId, finished, content.speakers, { limits: quotas, now })
    await enterLibrary(tx, finished, { event: 'session.completed', folderIds, postings: content.postings })
    return true
  })
}

/** Goes on in a new job: this one would expire, or has too few attempts left for a provider that fails now and then. */
async function goOn(pipeline: Pipeline, key: SessionKey, { error }: Unfinished) {
  if (error) await wait(pipeline, key, error)
  await pipeline.db.transaction(tx =>
    pipeline.jobs.enqueue(tx, 'process-session', key, GO_ON_AFTER_SECONDS[error ? 'away' : 'atOnce'])
  )
}

/** Says that processing waits for the provider. */
async function wait({ db, onWait }: Pipeline, key: SessionKey, { message }: AiError) {
  await db.transaction(tx => recordProgress(tx, key.userId, key.sessionId, { waiting: WAITS.provider }))
  onWait(key.sessionId, message)
}

function shownOf({ final, shown }: AiError) {
  return shown ?? (final ? undefined : FAILURES.providerAway)
}

async function fail(
  { db, clock, onFailure }: Pipeline,
  { userId, sessionId }: SessionKey,
  { reason, shown }: { reason: string; shown?: string | undefined }
) {
  await db.transaction(async tx => {
    const session = await lockProcessing(tx, userId, sessionId)
    if (!session) return
    const failure = { failure: reason, shownFailure: shown ?? null, updatedAt: clock.now() }
    await recordFailure(tx, userId, session, failure)
  })
  onFailure(sessionId, reason)
}
