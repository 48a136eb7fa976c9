import type { ActionItem } from '../../contract/action-item.ts'
import type { FeedEventType } from '../../contract/event.ts'
import type { Db } from '../../platform/db/open.ts'
import { recordEvents, recordFailureEvent, recordWebhookEvent } from '../events/record.ts'
import { findWithFolders, toAdminSession } from './admin-sessions.ts'
import { indexActionItems } from './index-action-items.ts'
import { SETTLED } from './record-progress.ts'
import { type SessionRow, toSessionDetail, updateSessionRow } from './session-row.ts'

/** The fields of a session that a new list of action items changes. */
export function newItems({ actionItemsVersion }: SessionRow, actionItems: ActionItem[], now: Date) {
  return { actionItems, actionItemsVersion: actionItemsVersion + 1, actionItemsUpdatedAt: now }
}

/** Records that a session was created, and returns it. */
export async function recordCreation(tx: Db, userId: string, sessionId: string) {
  const created = await findWithFolders(tx, userId, sessionId)
  if (!created) return undefined
  const { session, folderIds } = created
  recordWebhookEvent(tx, userId, 'session.created', toSessionDetail(session, folderIds))
  return toAdminSession(session, folderIds)
}

/** Writes the change of a locked session, records its events, and returns the ids of its folders. */
export async function recordChange(
  tx: Db,
  userId: string,
  before: SessionRow,
  change: Partial<SessionRow> & { updatedAt: Date }
) {
  const folderIds = await updateSessionRow(tx, userId, before.sessionId, change)
  const after = { ...before, ...change }
  if (change.actionItems) await indexActionItems(tx, userId, after)
  const types: FeedEventType[] = change.actionItems
    ? ['session.updated', 'session.action_items.updated']
    : ['session.updated']
  recordEvents(tx, userId, toSessionDetail(after, folderIds), types)
  return folderIds
}

/** Writes that processing of a locked session has failed, and records it. */
export async function recordFailure(
  tx: Db,
  userId: string,
  before: SessionRow,
  change: Partial<SessionRow> & { failure: string; updatedAt: Date }
) {
  const failed = { shownFailure: null, ...change, ...SETTLED, state: 'failed' as const }
  const folderIds = await updateSessionRow(tx, userId, before.sessionId, failed)
  recordFailureEvent(tx, userId, toSessionDetail({ ...before, ...failed }, folderIds))
}
