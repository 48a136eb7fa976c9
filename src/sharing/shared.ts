import type { ActionItem } from '../contract/action-item.ts'
import { LIMITS } from '../contract/limits.ts'
import type { SharedActionItem, SharedSessionDetail, SharedSessionListItem, ShareScope } from '../contract/sharing.ts'
import type { Segment } from '../core/segment.ts'
import type { Reader } from '../db/open.ts'
import type { SessionState } from '../db/schema/index.ts'

/** What a recipient reads. The recipient comes first here: the owner is one of the keys that it asks with. */

/** A place in the recipient's list: when it was shared, by whom, which session. */
export type SharedPosition = [string, string, string]

/** In SQL, what the recipient may see of `x`, as the contract has it. */
const SCOPE = `json_build_object('summary', x.summary, 'transcript', x.transcript, 'audio', x.audio, 'action_items', x.action_items)`

const LIST = {
  name: 'list_shared_sessions',
  text: `select w.shared_at, w.owner_id, w.session_id, u.name, s.title, ${SCOPE}
    from (
      select * from shared_with where recipient_id = $1 order by shared_at desc, owner_id desc, session_id desc limit ${LIMITS.sharedSessions}
    ) w
    join session_shares x on x.user_id = w.owner_id and x.session_id = w.session_id
    join sessions s on s.user_id = w.owner_id and s.session_id = w.session_id
    join users u on u.user_id = w.owner_id
    where s.state = 'completed' and (w.shared_at, w.owner_id, w.session_id) < ($2, $3, $4)
    order by w.shared_at desc, w.owner_id desc, w.session_id desc limit $5`
}

type ListRow = [string, string, string, string | null, string, ShareScope]

/** The newest of what is shared with the user, below a position where one is given; one row more than the limit where there are more. */
export async function listShared(
  db: Reader,
  recipientId: string,
  publicUrl: string,
  limit: number,
  before: SharedPosition = ['infinity', '', '']
): Promise<{ position: SharedPosition; item: SharedSessionListItem }[]> {
  const rows = await db.run<ListRow>(LIST, [recipientId, ...before, limit + 1])
  return rows.map(([sharedAt, ownerId, id, ownerName, title, scope]) => ({
    position: [sharedAt, ownerId, id],
    item: {
      id,
      owner: { id: ownerId, name: ownerName },
      title,
      shared_at: sharedAt,
      scope,
      session_url: sessionUrl(publicUrl, ownerId, id)
    }
  }))
}

export function sessionUrl(publicUrl: string, ownerId: string, sessionId: string) {
  return `${publicUrl}/shared/${ownerId}/${sessionId}`
}

/** Where the grant of `$1`, the recipient, for the session of owner `$2` and id `$3` is active. */
export const FROM_GRANT = `from share_grants g
    join session_shares x on x.user_id = g.user_id and x.session_id = g.session_id
    join sessions s on s.user_id = g.user_id and s.session_id = g.session_id`
export const TO_RECIPIENT = `where g.user_id = $2 and g.session_id = $3 and g.recipient_id = $1 and g.active and s.state <> 'deleted'`

const DETAIL = {
  name: 'find_shared_session',
  text: `select g.shared_at, u.name, s.title, ${SCOPE}, s."timestamp", s.duration_seconds, s.type, s.platform, s.state,
      case when x.summary then s.summary end, case when x.action_items then coalesce(s.action_items, '[]') end
    ${FROM_GRANT} join users u on u.user_id = g.user_id ${TO_RECIPIENT}`
}

type DetailRow = [
  ...[string, string | null, string, ShareScope, string | null, number, string, string | null],
  ...[SessionState, string | null, ActionItem[] | null]
]

export async function findShared(
  db: Reader,
  recipientId: string,
  ownerId: string,
  sessionId: string,
  publicUrl: string
): Promise<SharedSessionDetail | undefined> {
  const [row] = await db.run<DetailRow>(DETAIL, [recipientId, ownerId, sessionId])
  if (!row) return undefined
  const [sharedAt, ownerName, title, scope, timestamp, seconds, type, platform, state, summary, items] = row
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

/** What is told of an item: nothing of who made it when, and not where in a transcript that the recipient may not read. */
function sharedItem({ id, text, completed, assignee, due_date, source_start }: ActionItem, scope: ShareScope): SharedActionItem {
  return { id, text, completed, assignee, due_date, ...(scope.transcript && { source_start }) }
}

const ITEMS = {
  name: 'find_shared_action_items',
  text: `select ${SCOPE}, case when x.action_items then coalesce(s.action_items, '[]') end ${FROM_GRANT} ${TO_RECIPIENT}`
}

/** The action items, null where they are not shared; undefined without access. */
export async function findSharedItems(db: Reader, recipientId: string, ownerId: string, sessionId: string) {
  const [row] = await db.run<[ShareScope, ActionItem[] | null]>(ITEMS, [recipientId, ownerId, sessionId])
  return row && { items: row[1]?.map(item => sharedItem(item, row[0])) ?? null }
}

const TRANSCRIPT = {
  name: 'find_shared_transcript',
  text: `select x.transcript, case when x.transcript then t.segments end ${FROM_GRANT}
    left join transcripts t on t.user_id = s.user_id and t.session_id = s.session_id ${TO_RECIPIENT}`
}

/** The segments, none where there is no transcript yet and null where it is not shared; undefined without access. */
export async function findSharedSegments(db: Reader, recipientId: string, ownerId: string, sessionId: string) {
  const [row] = await db.run<[boolean, Segment[] | null]>(TRANSCRIPT, [recipientId, ownerId, sessionId])
  return row && { segments: row[0] ? (row[1] ?? []) : null }
}
