import { isDeepStrictEqual } from 'node:util'
import type { SummaryOptions, SummaryRequest } from '../../contract/summary-request.ts'
import type { Ai } from '../../platform/ai/ai.ts'
import { ApiError, invalid, throwNotFound } from '../../platform/core/api-error.ts'
import { newId } from '../../platform/core/ids.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/open.ts'
import { summaryRequests } from '../../platform/db/schema/index.ts'
import { primaryLanguage } from '../../platform/text/language-code.ts'
import { operation } from '../access/operation.ts'
import { FAILURES } from '../library/failure-reason.ts'
import { lockSession } from '../library/session-row.ts'
import type { Needs } from '../services.ts'
import { findDefaultTemplate, requireTemplate } from '../templates/choose.ts'
import { hasSegments } from './queries.ts'

type RequestRow = typeof summaryRequests.$inferSelect

/**
 * Has a job summarize a session again. While that is running, returns the running request; throws conflict if it has other options. Throws
 * conflict for a session that is not completed or has no transcript.
 */
export const summarizeSession = operation(
  'summarizeSession',
  async (
    { db, clock, jobs, ai }: Needs<'db' | 'clock' | 'jobs'> & { ai: Pick<Ai, 'translates'> },
    actor,
    sessionId: string,
    { language: wanted, template: named, action_items: actionItems }: SummaryOptions
  ): Promise<SummaryRequest> => {
    const { userId } = actor
    const language = wanted ?? null
    return await db.transaction(async tx => {
      const session = (await lockSession(tx, userId, sessionId)) ?? throwNotFound('Session')
      if (session.state !== 'completed') throw new ApiError('conflict', 'The session is not completed')
      const isOwn = (code: string | null) => code === null || code === primaryLanguage(session.language)
      if (!isOwn(language) && !ai.translates) throw refuseTranslation('language', 'the language of the conversation')
      const template = await chooseTemplate(tx, userId, sessionId, named)
      const isNamed = named !== undefined && language === null
      if (isNamed && !isOwn(template?.language ?? null) && !ai.translates)
        throw refuseTranslation('template', 'a template in the language of the conversation')
      const known = await findRequest(tx, userId, sessionId)
      const isSame =
        known?.language === language && known.actionItems === actionItems && isDeepStrictEqual(known.template, template)
      if (known?.status === 'running' && !isSame)
        throw new ApiError('conflict', 'The session is being summarized; try again when that is completed')
      if (!(await hasSegments(tx, userId, sessionId))) throw new ApiError('conflict', FAILURES.noSpeech)
      const request =
        known?.status === 'running'
          ? known
          : await saveRequest(tx, userId, sessionId, { language, template, actionItems, now: clock.now() })
      // Once more for a running request, whose job may have been lost. The second job finds it completed.
      await jobs.enqueue(tx, 'summarize-session', { userId, sessionId, requestId: request.requestId })
      return toRequest(request)
    })
  }
)

async function chooseTemplate(tx: Db, userId: string, sessionId: string, named: string | null | undefined) {
  if (named === null) return null
  return named === undefined
    ? await findDefaultTemplate(tx, userId, sessionId)
    : await requireTemplate(tx, userId, named)
}

function refuseTranslation(field: string, what: string) {
  return invalid({ field, problem: 'the offline summarizer does not translate', expected: `${what}, or nothing` })
}

/** Returns the last request to summarize a session again. */
export const getSummaryRequest = operation(
  'getSummaryRequest',
  async ({ db }: Needs<'db'>, actor, sessionId: string): Promise<SummaryRequest> => {
    return toRequest((await findRequest(db, actor.userId, sessionId)) ?? throwNotFound('Summary request'))
  }
)

export async function findRequest(db: Db, userId: string, sessionId: string) {
  const [row] = await db.select().from(summaryRequests).where(matches(summaryRequests, { userId, sessionId }))
  return row
}

async function saveRequest(
  tx: Db,
  userId: string,
  sessionId: string,
  { now, ...options }: Pick<RequestRow, 'language' | 'template' | 'actionItems'> & { now: Date }
) {
  const started = { requestId: newId('sum'), status: 'running' as const, error: null, startedAt: now, finishedAt: null }
  const row = { ...started, ...options }
  await tx
    .insert(summaryRequests)
    .values({ userId, sessionId, ...row })
    .onConflictDoUpdate({ target: [summaryRequests.userId, summaryRequests.sessionId], set: row })
  return { userId, sessionId, ...row }
}

/** Ends a running request. Returns whether it was running. */
export async function endRequest(
  tx: Db,
  userId: string,
  { sessionId, requestId }: Pick<RequestRow, 'sessionId' | 'requestId'>,
  change: Pick<RequestRow, 'status' | 'error' | 'finishedAt'>
) {
  const ended = await tx
    .update(summaryRequests)
    .set(change)
    .where(matches(summaryRequests, { userId, sessionId, requestId, status: 'running' }))
    .returning({ requestId: summaryRequests.requestId })
  return ended.length > 0
}

function toRequest(row: RequestRow): SummaryRequest {
  return {
    id: row.requestId,
    session_id: row.sessionId,
    status: row.status,
    language: row.language,
    template: row.template && { id: row.template.id, name: row.template.name },
    action_items: row.actionItems,
    error: row.error,
    started_at: row.startedAt.toISOString(),
    finished_at: row.finishedAt?.toISOString() ?? null
  }
}
