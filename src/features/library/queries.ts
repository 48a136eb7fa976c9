import type { ActionItemsResponse } from '../../contract/action-item.ts'
import type { SessionState } from '../../contract/admin/session.ts'
import type { PhoneMetadata, SessionDetail } from '../../contract/session.ts'
import { eq, sql } from '../../platform/db/drizzle.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db, Queryable } from '../../platform/db/open.ts'
import { users } from '../../platform/db/schema/index.ts'
import { toFailureReason } from './failure-reason.ts'
import { FAILURE_REASON, LIST_COLUMNS, type ListRow, toListItem } from './list.ts'
import { selectFolderIds, toProgress } from './session-row.ts'

export async function findSession(
  db: Queryable,
  userId: string,
  sessionId: string
): Promise<SessionDetail | undefined> {
  const [row] = await db.query<
    Omit<SessionDetail, 'phone' | 'failure_reason' | 'progress' | 'waiting_reason' | 'warnings'> &
      ListRow & { keep: boolean } & Unsettled
  >(sql`
    select ${LIST_COLUMNS}, s.created_at, s.updated_at, s.language, s.summary, s.notes, s.tags, s.favorite, s.keep,
      ${selectFolderIds(userId, sql`s.session_id`)} as folder_ids,
      coalesce(s.action_items, '[]') as action_items, s.action_items_version, s.state as status,
      ${FAILURE_REASON} as failure_reason, s.progress, s.waiting, s.warnings
    from sessions s where s.user_id = ${userId} and s.session_id = ${sessionId} and s.state <> 'deleted'`)
  if (!row) return undefined
  const { keep, progress, waiting, warnings, ...detail } = toListItem(row)
  return {
    ...detail,
    ...(keep && { keep }),
    failure_reason: toFailureReason(row.failure_reason),
    ...toProgress({ state: row.status, progress, waiting }),
    ...(warnings && { warnings })
  }
}

interface Unsettled {
  status: NonNullable<SessionDetail['status']>
  failure_reason: string | null
  progress: number | null
  waiting: string | null
  warnings: string[] | null
}

export async function findActionItems(db: Queryable, userId: string, sessionId: string) {
  const [found] = await db.query<ActionItemsResponse>(sql`
    select session_id, coalesce(action_items, '[]') as action_items, action_items_version as version, action_items_updated_at as updated_at
    from sessions where user_id = ${userId} and session_id = ${sessionId} and state <> 'deleted'`)
  return found
}

type Exported = Pick<
  SessionDetail,
  'id' | 'title' | 'timestamp' | 'duration_seconds' | 'type' | 'platform' | 'language'
>

interface ExportRow extends Exported {
  phone: PhoneMetadata | null
  summary: string | null
}

/** Returns sessions for an export, in no order. */
export async function listExported(db: Queryable, userId: string, sessionIds: string[]) {
  const rows = await db.query<ExportRow>(sql`
    select s.session_id as id, s.title, s."timestamp", s.duration_seconds, s.type, s.platform, s.language, s.phone, s.summary
    from sessions s where s.user_id = ${userId} and s.session_id = any(${sql.param(sessionIds)}::text[]) and s.state <> 'deleted'`)
  return rows.map(({ phone, summary, ...session }) => ({ session, phone, summary }))
}

/** Returns the IANA time zone of the user. */
export async function findTimeZone(db: Db, userId: string) {
  const [user] = await db.select({ timeZone: users.timeZone }).from(users).where(matches(users, { userId }))
  return user?.timeZone ?? 'UTC'
}

/** Returns the states of those of the sessions that exist. */
export async function findStates(db: Queryable, userId: string, sessionIds: readonly string[]) {
  const rows = await db.query<Processing & { id: string }>(sql`
    select session_id as id, state, progress, waiting from sessions where user_id = ${userId} and session_id = any(${sql.param([...sessionIds])}::text[])`)
  return new Map<string, Processing>(rows.map(({ id, ...processing }) => [id, processing]))
}

export interface Processing {
  state: SessionState
  progress: number | null
  waiting: string | null
}

/** Locks the user's row until the transaction ends. It does not block imports, which only refer to the user. */
export async function lockUser(tx: Db, userId: string) {
  tx.willLock('user')
  await tx.select({ userId: users.userId }).from(users).where(eq(users.userId, userId)).for('no key update')
}
