import type { ActionItem } from '../../contract/action-item.ts'
import type { SessionState } from '../../contract/admin/session.ts'
import { LIMITS } from '../../contract/limits.ts'
import type {
  SharedActionItem,
  SharedSessionDetail,
  SharedSessionListItem,
  SharedSessionListRow,
  ShareScope
} from '../../contract/sharing.ts'
import { within } from '../../platform/core/within.ts'
import type { Database } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/drizzle.ts'
import type { Queryable } from '../../platform/db/open.ts'
import { longSegments } from '../transcripts/queries.ts'
import { SHORT_SEGMENTS } from '../transcripts/stored-segments.ts'
import type { SharedPosition } from './cursor.ts'

/** Queries of recipients. The recipient comes first, because the owner is part of the key that the recipient sends. */

/** The shared parts as JSON. */
export const SCOPE = sql`json_build_object('summary', x.summary, 'transcript', x.transcript, 'audio', x.audio, 'action_items', x.action_items)`

interface Shared {
  sharedAt: string
  ownerName: string | null
  title: string
  scope: ShareScope
}

/** Returns the sessions shared with the user after a position, most recent first, up to one more than the limit. */
export async function selectSharedSessions(
  db: Queryable,
  recipientId: string,
  publicUrl: string,
  limit: number,
  before: SharedPosition = ['infinity', '', '']
): Promise<{ position: SharedPosition; item: SharedSessionListItem }[]> {
  const [sharedBefore, ownerBefore, idBefore] = before
  const places = await db.query<SharedPlace>(sql`
    select * from (
      select shared_at as "sharedAt", owner_id as "ownerId", session_id as id from shared_with where recipient_id = ${recipientId}
      order by shared_at desc, owner_id desc, session_id desc limit ${LIMITS.sharedSessions}
    ) w
    where ("sharedAt", "ownerId", id) < (${sharedBefore}, ${ownerBefore}, ${idBefore})
    order by "sharedAt" desc, "ownerId" desc, id desc`)
  const found: { position: SharedPosition; item: SharedSessionListItem }[] = []
  // Sessions that are not completed are left out, so that several slices may be needed.
  for (let at = 0; at < places.length && found.length <= limit; at += limit + 1) {
    const slice = places.slice(at, at + limit + 1)
    const shown = await findShown(db, slice)
    for (const { sharedAt, ownerId, id } of slice) {
      const session = shown.get(`${ownerId} ${id}`)
      if (!session) continue
      const { ownerName, title, scope } = session
      const session_url = sessionUrl(publicUrl, ownerId, id)
      found.push({
        position: [sharedAt, ownerId, id],
        item: { id, owner: { id: ownerId, name: ownerName }, title, shared_at: sharedAt, scope, session_url }
      })
    }
  }
  return found.slice(0, limit + 1)
}

interface SharedPlace {
  sharedAt: string
  ownerId: string
  id: string
}

/** Returns the list fields of the completed sessions, by owner and id. Runs one statement for each owner. */
async function findShown(db: Queryable, places: SharedPlace[]) {
  const byOwner = await Promise.all(
    [...Map.groupBy(places, ({ ownerId }) => ownerId)].map(async ([ownerId, owned]) => {
      const rows = await db.query<Omit<Shared, 'sharedAt'> & { id: string }>(sql`
        select s.session_id as id, u.name as "ownerName", s.title, ${SCOPE} as scope
        from sessions s
        join session_shares x on x.user_id = ${ownerId} and x.session_id = s.session_id
        join users u on u.user_id = ${ownerId}
        where s.user_id = ${ownerId} and s.session_id = any(${sql.param(owned.map(({ id }) => id))}::text[]) and s.state = 'completed'`)
      return rows.map(row => [`${ownerId} ${row.id}`, row] as const)
    })
  )
  return new Map(byOwner.flat())
}

export function sessionUrl(publicUrl: string, ownerId: string, sessionId: string) {
  return `${publicUrl}/shared/${ownerId}/${sessionId}`
}

/** The FROM of the recipient's grant `g` for the owner's session `s` with its share `x`, while the grant is active. */
export function fromGrant(recipientId: string, ownerId: string, sessionId: string) {
  return sql`from share_grants g
    join session_shares x on x.user_id = ${ownerId} and x.session_id = ${sessionId}
    join sessions s on s.user_id = ${ownerId} and s.session_id = ${sessionId} and s.state <> 'deleted'
      and g.user_id = ${ownerId} and g.session_id = ${sessionId} and g.recipient_id = ${recipientId} and g.active`
}

interface SharedDetail extends Shared {
  timestamp: string | null
  seconds: number
  type: string
  platform: string | null
  state: SessionState
  summary: string | null
  items: ActionItem[] | null
}

export async function findSharedSession(
  db: Queryable,
  recipientId: string,
  ownerId: string,
  sessionId: string,
  publicUrl: string
): Promise<SharedSessionDetail | undefined> {
  const [row] = await db.query<SharedDetail>(sql`
    select g.shared_at as "sharedAt", u.name as "ownerName", s.title, ${SCOPE} as scope, s."timestamp", s.duration_seconds as seconds, s.type,
      s.platform, s.state, case when x.summary then s.summary end as summary,
      case when x.action_items then coalesce(s.action_items, '[]') end as items
    ${fromGrant(recipientId, ownerId, sessionId)} join users u on u.user_id = ${ownerId}`)
  if (!row) return undefined
  const { sharedAt, ownerName, title, scope, timestamp, seconds, type, platform, state, summary, items } = row
  return {
    id: sessionId,
    owner: { id: ownerId, name: ownerName },
    title,
    shared_at: sharedAt,
    scope,
    session_url: sessionUrl(publicUrl, ownerId, sessionId),
    timestamp,
    duration_seconds: seconds,
    type,
    platform,
    status: state,
    in_process: state === 'processing',
    ...(scope.summary && { summary }),
    ...(items && { action_items: items.map(item => sharedItem(item, scope)) })
  }
}

/** Omits authorship, and the time if the transcript is not shared. */
function sharedItem(
  { id, text, completed, assignee, due_date, source_start }: ActionItem,
  scope: ShareScope
): SharedActionItem {
  return { id, text, completed, assignee, due_date, ...(scope.transcript && { source_start }) }
}

/** Returns null if the action items are not shared, undefined without access. */
export async function findSharedActionItems(db: Queryable, recipientId: string, ownerId: string, sessionId: string) {
  const [row] = await db.query<{ scope: ShareScope; items: ActionItem[] | null }>(sql`
    select ${SCOPE} as scope, case when x.action_items then coalesce(s.action_items, '[]') end as items
    ${fromGrant(recipientId, ownerId, sessionId)}`)
  return row && { items: row.items?.map(item => sharedItem(item, row.scope)) ?? null }
}

/** Returns the segments with the title; null segments if the transcript is not shared, undefined without access. */
export async function findSharedTranscript(db: Database, recipientId: string, ownerId: string, sessionId: string) {
  const [row] = await db.query<{ title: string; shared: boolean; segments: string | null }>(sql`
    select s.title, x.transcript as shared, case when x.transcript then ${SHORT_SEGMENTS} end as segments
    ${fromGrant(recipientId, ownerId, sessionId)}
    left join transcripts t on t.user_id = ${ownerId} and t.session_id = ${sessionId}`)
  if (!row) return undefined
  const { title, shared, segments } = row
  return { title, segments: shared ? (segments ?? longSegments(db, ownerId, sessionId)) : null }
}

/** The time that the list of own sessions waits for shared ones. */
const BUDGET_MS = 2_000

interface SharedRows {
  rows: SharedSessionListRow[]
  error?: 'sharing_unavailable'
}

export const NO_SHARED_ROWS: SharedRows = { rows: [] }

interface ErrorLog {
  error(error: unknown, message: string): void
}

/** Returns the rows of `include=shared`. If they cannot be read in time, the list says so instead of failing. */
export async function loadSharedRows(
  db: Queryable,
  userId: string,
  publicUrl: string,
  log: ErrorLog
): Promise<SharedRows> {
  try {
    const rows = await within(BUDGET_MS, selectSharedSessions(db, userId, publicUrl, LIMITS.sharedSessions))
    return { rows: rows.map(({ item }) => ({ ...item, access: 'shared' as const })) }
  } catch (error) {
    log.error({ err: error }, 'shared sessions could not be loaded')
    return { rows: [], error: 'sharing_unavailable' }
  }
}
