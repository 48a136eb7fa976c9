import { isInstant } from '../../contract/instant.ts'
import { ApiError } from '../../platform/core/api-error.ts'
import { type SQL, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import type { JobData } from '../../platform/jobs/queues.ts'
import { everyScope } from '../access/actor.ts'
import { lockSession } from '../library/session-row.ts'
import type { Needs } from '../services.ts'
import { retrySession } from './retry.ts'

/** A session that failed, as an operator sees it: its ids, its owner and why, and nothing of what was said. */
export interface FailedSession {
  user_id: string
  session_id: string
  owner: string | null
  /** With the settings, folders and providers that only operators know. */
  reason: string | null
  failed_at: string
}

interface FailedSessionList {
  sessions: FailedSession[]
  next_cursor: string | null
}

interface Position {
  userId: string
  sortAt: string
}

const START: Position = { userId: '', sortAt: '-infinity' }

/** A cursor is the last owner of a page, and the instant by which their sessions are ordered. */
export function isFailedCursor(text: string) {
  const [userId = '', sortAt = '', ...more] = text.split(' ')
  return userId.startsWith('usr_') && isInstant(sortAt) && more.length === 0
}

/** Lists the failed sessions of all users, one user after the other. */
export async function listFailedSessions(
  { db }: Needs<'db'>,
  { cursor, limit }: { cursor?: string; limit: number }
): Promise<FailedSessionList> {
  const rows = await selectFailed(db, toPosition(cursor), { limit: limit + 1 })
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    sessions: page.map(({ sort_at: _, ...session }) => session),
    next_cursor: rows.length > limit && last ? `${last.user_id} ${last.sort_at}` : null
  }
}

function toPosition(cursor = ''): Position {
  const [userId = '', sortAt = ''] = cursor.split(' ')
  return sortAt === '' ? START : { userId, sortAt }
}

type FailedRow = FailedSession & { sort_at: string }

interface Range {
  limit: number
  /** Those that failed at this instant or before. */
  until?: Date
  /** Those that failed at this instant or later. */
  since?: Date | undefined
}

/** In the order of the index of failed sessions. */
async function selectFailed(db: Db, { userId, sortAt }: Position, { limit, ...period }: Range): Promise<FailedRow[]> {
  const { rows } = await db.execute<FailedRow & Record<string, unknown>>(sql`
    select s.user_id, s.session_id, u.email as owner, s.failure as reason, ${inUtc(sql`s.sort_at`)} as sort_at,
      ${inUtc(sql`s.updated_at`)} as failed_at
    from sessions s join users u on u.user_id = s.user_id and u.deleted_at is null
    where s.state = 'failed' and (s.user_id, s.sort_at) > (${userId}, ${sortAt}::timestamptz) and ${inPeriod(period)}
    order by s.user_id, s.sort_at limit ${limit}`)
  return rows
}

function inUtc(instant: SQL) {
  return sql`to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
}

function inPeriod({ until, since }: Omit<Range, 'limit'>): SQL {
  const isBefore = until ? sql`s.updated_at <= ${until}` : sql`true`
  return since ? sql`${isBefore} and s.updated_at >= ${since}` : isBefore
}

/**
 * Has a job retry all sessions that have failed until now. Returns how many they are. Safe to repeat: another job finds those of the first one
 * processing, and leaves them.
 */
export async function retryFailed(
  { db, jobs, clock }: Needs<'db' | 'jobs' | 'clock'>,
  { since }: { since?: Date } = {}
): Promise<{ queued: number }> {
  const until = clock.now()
  return await db.transaction(async tx => {
    const { rows } = await tx.execute<{ count: number }>(
      sql`select count(*)::int as count from sessions s join users u on u.user_id = s.user_id and u.deleted_at is null
        where s.state = 'failed' and ${inPeriod({ until, since })}`
    )
    const queued = rows[0]?.count ?? 0
    const data = { until: until.toISOString(), since: since?.toISOString() ?? null }
    if (queued > 0) await jobs.enqueue(tx, 'retry-failed', data)
    return { queued }
  })
}

const PAGE = 100

/** Retries the sessions of a job, each in a transaction of its own. Returns how many it retried, and how many have nothing to process. */
export async function retryEachFailed(
  services: Needs<'jobs' | 'clock'> & { db: Db },
  { until, since }: JobData['retry-failed'],
  signal: AbortSignal
) {
  const range = { limit: PAGE, until: new Date(until), since: since === null ? undefined : new Date(since) }
  const done = { retried: 0, left: 0 }
  let after: Position | undefined = START
  while (after && !signal.aborted) {
    const page: FailedRow[] = await selectFailed(services.db, after, range)
    for (const { user_id: userId, session_id: sessionId } of page) {
      if (signal.aborted) break
      if (await retryOne(services, { userId, sessionId, until: range.until })) done.retried++
      else done.left++
    }
    const last = page.at(-1)
    after = last && page.length === PAGE ? { userId: last.user_id, sortAt: last.sort_at } : undefined
  }
  return done
}

interface Failed {
  userId: string
  sessionId: string
  until: Date
}

/** Checks again under the lock: another job may have retried the session, which has then failed again since. */
async function retryOne(
  { db, ...services }: Needs<'jobs' | 'clock'> & { db: Db },
  { userId, sessionId, until }: Failed
): Promise<boolean> {
  return await db
    .transaction(async tx => {
      const session = await lockSession(tx, userId, sessionId)
      if (session?.state !== 'failed' || session.updatedAt > until) return false
      await retrySession({ ...services, db: tx }, everyScope(userId, 'admin'), sessionId)
      return true
    })
    .catch((error: unknown) => {
      // It has nothing to process, or is gone.
      if (error instanceof ApiError) return false
      throw error
    })
}
