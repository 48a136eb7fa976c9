import type { TermApplication } from '../../contract/term.ts'
import { ApiError, throwNotFound } from '../../platform/core/api-error.ts'
import { newId } from '../../platform/core/ids.ts'
import { operation } from '../access/operation.ts'
import type { Needs, Services } from '../services.ts'
import { findTranscript } from '../transcripts/queries.ts'
import { type ApplicationRow, countSessions, findApplication, lockTerms, replaceApplication } from './queries.ts'
import { termSetOf } from './term-set.ts'

/**
 * Has a job apply a term to all transcripts. While it is running, returns the running application; throws conflict if that one is another,
 * such as a dry run.
 */
export const applyTerm = operation(
  'applyTerm',
  async (
    { db, clock, jobs }: Needs<'db' | 'clock' | 'jobs'>,
    actor,
    termId: string,
    { dryRun }: { dryRun: boolean }
  ): Promise<TermApplication> => {
    const { userId } = actor
    const started = await db.transaction(async tx => {
      const term = (await lockTerms(tx, userId)).find(one => one.termId === termId) ?? throwNotFound('Term')
      const { heard, meant } = term
      const running = await findApplication(tx, userId, termId)
      if (running?.status === 'running') {
        const same = requireSame(running, { heard, meant, dryRun })
        // Its job may have been lost. One beside it finds everything done.
        await jobs.enqueue(tx, 'apply-term', { userId, termId, applicationId: same.applicationId })
        return same
      }
      const { total, last } = await countSessions(tx, userId)
      const applicationId = newId('apl')
      tx.willLock('term')
      const row = await replaceApplication(tx, userId, {
        termId,
        applicationId,
        status: 'running',
        dryRun,
        heard,
        meant,
        position: '',
        lastSession: last,
        sessionsTotal: total,
        startedAt: clock.now()
      })
      await jobs.enqueue(tx, 'apply-term', { userId, termId, applicationId })
      return row
    })
    return toApplication(started, [])
  }
)

function requireSame(running: ApplicationRow, wanted: Pick<ApplicationRow, 'heard' | 'meant' | 'dryRun'>) {
  const { heard, meant, dryRun } = running
  if (JSON.stringify({ heard, meant, dryRun }) === JSON.stringify(wanted)) return running
  const what = dryRun ? 'a dry run of the term' : 'the term'
  throw new ApiError('conflict', `${what} is being applied; try again when that is completed`)
}

const MAX_EXAMPLES = 5

/** Returns how far the last application of a term has come. */
export const getTermApplication = operation(
  'getTermApplication',
  async (services: Pick<Services, 'db' | 'writer'>, actor, termId: string): Promise<TermApplication> => {
    const { userId, scopes } = actor
    const row = (await findApplication(services.db, userId, termId)) ?? throwNotFound('Application of the term')
    // Examples are lines of transcripts, which a token may have to correct and not to read.
    const mayRead = row.dryRun && scopes.has('transcripts:read')
    return toApplication(row, mayRead ? await findExamples(services, userId, row) : [])
  }
)

/** Reads the first lines that would change, as they are now, so that nothing of a deleted session stays with the application. */
async function findExamples({ db, writer }: Pick<Services, 'db' | 'writer'>, userId: string, row: ApplicationRow) {
  const found: TermApplication['examples'] = []
  const termSet = await termSetOf(db, userId, row)
  for (const sessionId of row.examples) {
    const transcript = await findTranscript(db, userId, sessionId)
    if (!transcript || found.length >= MAX_EXAMPLES) continue
    const { first } = await writer.countLines({ ...termSet, segments: transcript.segments }, userId)
    found.push(...first.map(line => ({ session_id: sessionId, ...line })))
  }
  return found.slice(0, MAX_EXAMPLES)
}

function toApplication(row: ApplicationRow, examples: TermApplication['examples']): TermApplication {
  return {
    id: row.applicationId,
    term_id: row.termId,
    status: row.status,
    dry_run: row.dryRun,
    heard: row.heard,
    meant: row.meant,
    sessions_total: row.sessionsTotal,
    sessions_done: row.sessionsDone,
    sessions_changed: row.sessionsChanged,
    lines_changed: row.linesChanged,
    sessions_left_out: row.sessionsLeftOut,
    examples,
    error: row.error,
    started_at: row.startedAt.toISOString(),
    finished_at: row.finishedAt?.toISOString() ?? null
  }
}
