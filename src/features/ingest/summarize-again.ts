import { isDeepStrictEqual } from 'node:util'
import type { ActionItem } from '../../contract/action-item.ts'
import { type Ai, AiError } from '../../platform/ai/ai.ts'
import { violates } from '../../platform/db/errors.ts'
import type { JobAttempt } from '../../platform/jobs/jobs.ts'
import type { JobData } from '../../platform/jobs/queues.ts'
import { findVersion } from '../corrections/queries.ts'
import { FAILURES } from '../library/failure-reason.ts'
import { indexChange } from '../library/index/index-fields.ts'
import { newItems, recordChange } from '../library/record-change.ts'
import { lockSession } from '../library/session-row.ts'
import { findKeptItems, type KeptItems, saveSummary } from '../library/summaries.ts'
import type { Services } from '../services.ts'
import { type TemplatedSummary, toMade, toMaking } from './made-content.ts'
import { mergeItems, saysTheSame } from './merge-items.ts'
import { type ForProcessing, findForProcessing } from './queries.ts'
import { summarizeSession } from './summarize.ts'
import { endRequest, findRequest } from './summary-requests.ts'

type Summarizer = Pick<Services, 'db' | 'clock'> & {
  ai: Pick<Ai, 'summarize' | 'translates'>
  onFailure: (sessionId: string, reason: string) => void
}

type Request = NonNullable<Awaited<ReturnType<typeof findRequest>>>

const INTERNAL = 'An internal error; summarize the session again'
const CHANGED = 'The session is no longer completed, or has no transcript any more'

/** Summarizes a session again for a running request. After a failure the session has what it had before, and the request has the reason. */
export async function summarizeAgain(
  tools: Summarizer,
  { userId, sessionId, requestId }: JobData['summarize-session'],
  { last, signal }: JobAttempt
) {
  const { db, clock, onFailure } = tools
  const request = await findRequest(db, userId, sessionId)
  if (request?.requestId !== requestId || request.status !== 'running') return
  const fail = async (error: string, reason: string) => {
    await endRequest(db, userId, request, { status: 'failed', error, finishedAt: clock.now() })
    onFailure(sessionId, reason)
  }
  try {
    // Once more after each change of what is summarized.
    for (;;) {
      signal.throwIfAborted()
      const found = await findForProcessing(db, userId, sessionId)
      if (found?.session.state !== 'completed' || found.segments.length === 0) return await fail(CHANGED, CHANGED)
      const { template, language } = request
      const made = await summarizeSession(tools, found, { template, language, isUsed: true }, signal)
      if (await replaceSummary(tools, request, found, made)) return
    }
  } catch (error) {
    // The session was deleted for good.
    if (violates(error, 'summary_requests_session_fk')) return
    if (signal.aborted) throw error
    if (!(error instanceof AiError)) {
      if (last) await fail(INTERNAL, INTERNAL)
      throw error
    }
    if (!last && !error.final) throw error
    await fail(error.shown ?? (error.final ? REFUSED : FAILURES.providerAway), error.message)
  }
}

const REFUSED = 'The AI provider of this server refused the conversation; ask the operator of the server'

/** Returns false, and changes nothing, if the transcript or the day of the session has changed meanwhile. */
async function replaceSummary(
  { db, clock }: Summarizer,
  request: Request,
  { session: read, version }: ForProcessing,
  summary: TemplatedSummary
) {
  const { userId, sessionId } = read
  return await db.transaction(async tx => {
    const before = await lockSession(tx, userId, sessionId)
    const isCurrent =
      before?.state === 'completed' &&
      before.timestamp?.getTime() === read.timestamp?.getTime() &&
      (await findVersion(tx, userId, sessionId)) === version
    if (!isCurrent) return false
    const now = clock.now()
    // Read under the lock, so that an item that somebody has changed meanwhile is merged, too.
    const made = toMade(summary, now)
    const items = mergeItems(before.actionItems ?? [], made.actionItems, request.actionItems)
    const isSameItems = isDeepStrictEqual(items, before.actionItems ?? [])
    const change = { summary: made.summary, ...(!isSameItems && newItems(before, items, now)), updatedAt: now }
    const done = { status: 'completed', error: null, finishedAt: now } as const
    if (!(await endRequest(tx, userId, request, done))) return true
    const known = await findKeptItems(tx, userId, sessionId)
    const kept = { template: made.template, ...keepItems(items, known, made), ...toMaking(made), madeAt: now }
    await saveSummary(tx, userId, sessionId, { outline: made.outline ?? null, ...kept })
    if (isSameItems && made.summary === before.summary) return true
    await indexChange(tx, userId, before, { ...before, ...change })
    await recordChange(tx, userId, before, change)
    return true
  })
}

/** The lines and marks of the items: those that the new summary found for an item that says the same, or else those of before. */
function keepItems(items: readonly ActionItem[], known: KeptItems, made: KeptItems & { actionItems: ActionItem[] }) {
  const kept = items.map(item => {
    const again = made.actionItems.find(found => found.id === item.id || saysTheSame(item, found))
    const [{ itemSources, unsupportedItems }, id] = again ? [made, again.id] : [known, item.id]
    return { id: item.id, sources: itemSources[id], isUnsupported: unsupportedItems.includes(id) }
  })
  return {
    itemSources: Object.fromEntries(kept.flatMap(({ id, sources }) => (sources ? [[id, sources]] : []))),
    unsupportedItems: kept.filter(({ isUnsupported }) => isUnsupported).map(({ id }) => id)
  }
}
