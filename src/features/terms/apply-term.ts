import { ApiError } from '../../platform/core/api-error.ts'
import type { JobAttempt } from '../../platform/jobs/jobs.ts'
import type { JobData } from '../../platform/jobs/queues.ts'
import type { TermSet } from '../../platform/ports/corrected-transcript.ts'
import { type Corrector, correctSession } from '../corrections/correct-session.ts'
import type { Services } from '../services.ts'
import { findTranscript } from '../transcripts/queries.ts'
import { type ApplicationRow, findApplication, saveProgress, selectSessionsAfter } from './queries.ts'
import { termSetOf } from './term-set.ts'

type Applier = Corrector & Pick<Services, 'quotas'>

/** The sessions after which progress is written although nothing has changed. */
const BATCH = 25
const MAX_EXAMPLES = 5

/**
 * Applies a term to the sessions that its application has not looked through yet. Each session is changed in one transaction with the
 * progress, so a process that is killed leaves the next one no session to change twice or to forget.
 */
export async function applyToSessions(
  services: Applier,
  { userId, termId, applicationId }: JobData['apply-term'],
  { last, signal }: JobAttempt
) {
  const { db, clock } = services
  const found = await findApplication(db, userId, termId)
  if (found?.applicationId !== applicationId || found.status !== 'running') return
  let row = found
  const end = async (change: Partial<ApplicationRow>) =>
    void (await saveProgress(db, userId, row, { ...countsOf(row), finishedAt: clock.now(), ...change }))
  try {
    for (;;) {
      const ids = await selectSessionsAfter(db, userId, row, BATCH)
      if (ids.length === 0) break
      const next = await applyToBatch(services, userId, row, ids, signal)
      if (!next) return
      row = next
    }
  } catch (error) {
    if (signal.aborted || !(error instanceof ApiError) || error.code === 'service_unavailable') {
      if (last && !signal.aborted) await end({ status: 'failed', error: 'An internal error; apply the term again' })
      throw error
    }
    // The quota is used up. What is done stays done.
    row = (await findApplication(db, userId, termId)) ?? row
    return await end({ status: 'failed', error: error.message })
  }
  await end({ status: 'completed' })
}

/** Returns the application after the sessions; undefined if it has ended or another process goes on with it. */
async function applyToBatch(
  services: Applier,
  userId: string,
  before: ApplicationRow,
  ids: readonly string[],
  signal: AbortSignal
): Promise<ApplicationRow | undefined> {
  const termSet = await termSetOf(services.db, userId, before)
  let saved = before
  let row = before
  for (const sessionId of ids) {
    signal.throwIfAborted()
    const done = { ...row, position: sessionId, sessionsDone: row.sessionsDone + 1 }
    try {
      const next = before.dryRun
        ? await countSession(services, userId, sessionId, { termSet, done })
        : await changeSession(services, userId, sessionId, { termSet, done, saved })
      row = next.row
      if (next.isSaved) saved = row
    } catch (error) {
      if (error instanceof Overtaken) return undefined
      if (!(error instanceof ApiError) || (error.code !== 'not_found' && error.code !== 'invalid_request')) throw error
      // Deleted meanwhile, or without room for the longer lines.
      row = error.code === 'not_found' ? done : { ...done, sessionsLeftOut: done.sessionsLeftOut + 1 }
    }
  }
  if (row === saved) return row
  return (await saveProgress(services.db, userId, saved, countsOf(row))) ? row : undefined
}

/** Another process goes on with the application, or it has ended. */
class Overtaken extends Error {}

interface Step {
  termSet: TermSet
  /** The application with this session done, if it stays as it is. */
  done: ApplicationRow
}

async function countSession({ db, writer }: Applier, userId: string, sessionId: string, { termSet, done }: Step) {
  const transcript = await findTranscript(db, userId, sessionId)
  const isReady = transcript && transcript.state !== 'processing'
  const { count } = isReady
    ? await writer.countLines({ ...termSet, segments: transcript.segments }, userId)
    : { count: 0 }
  if (count === 0) return { row: done, isSaved: false }
  const examples = done.linesChanged < MAX_EXAMPLES ? [...done.examples, sessionId] : done.examples
  return { row: { ...withLines(done, count), examples }, isSaved: false }
}

async function changeSession(
  services: Applier,
  userId: string,
  sessionId: string,
  { termSet, done, saved }: Step & { saved: ApplicationRow }
) {
  let changed: ApplicationRow | undefined
  await correctSession(services, userId, sessionId, {
    changes: termSet,
    limits: services.quotas,
    also: async (tx, lines) => {
      changed = withLines(done, lines.length)
      if (!(await saveProgress(tx, userId, saved, countsOf(changed)))) throw new Overtaken()
    }
  })
  return { row: changed ?? done, isSaved: changed !== undefined }
}

function withLines(row: ApplicationRow, lines: number): ApplicationRow {
  return { ...row, sessionsChanged: row.sessionsChanged + 1, linesChanged: row.linesChanged + lines }
}

function countsOf({
  position,
  sessionsDone,
  sessionsChanged,
  sessionsLeftOut,
  linesChanged,
  examples
}: ApplicationRow): Partial<ApplicationRow> {
  return { position, sessionsDone, sessionsChanged, sessionsLeftOut, linesChanged, examples }
}
