import type { FeedEventType } from '../../contract/event.ts'
import type { SessionDetail } from '../../contract/session.ts'
import type { Db } from '../../platform/db/open.ts'
import { findLastEventType } from '../events/queries.ts'
import { recordEvents } from '../events/record.ts'
import { countSession, touchFolders } from './counters.ts'
import { indexFields } from './index/index-fields.ts'
import { indexRestored, indexTranscript, removeFromIndex } from './index/index-session.ts'
import { indexActionItems } from './index-action-items.ts'
import { SETTLED } from './record-progress.ts'
import { type SessionRow, toSessionDetail } from './session-row.ts'

interface Entering {
  event: Extract<FeedEventType, 'session.completed' | 'session.updated'>
  folderIds: string[]
  /** The postings of the transcript. Without them, those of the stored passages are computed. */
  postings?: Parameters<typeof indexTranscript>[3]
  /** The time of a restoration, which changes the folders of the session. */
  restoredAt?: Date
}

/**
 * Lists a locked session whose row says that it is completed: in search, action items, folders and counters. Records the event. The people
 * of the session are recorded before, because they are counted here.
 */
export async function enterLibrary(tx: Db, session: SessionRow, { event, folderIds, postings, restoredAt }: Entering) {
  const { userId, sessionId } = session
  if (postings) {
    await indexTranscript(tx, userId, sessionId, postings)
    await indexFields(tx, userId, session)
  } else await indexRestored(tx, userId, session)
  await indexActionItems(tx, userId, session)
  if (restoredAt) await touchFolders(tx, userId, sessionId, restoredAt)
  await countSession(tx, userId, sessionId, 1)
  recordEvents(tx, userId, toSessionDetail(session, folderIds), [event])
}

/**
 * Removes a locked session from everything that lists it, in any state, and records `session.deleted` if readers of the feed know it. The row
 * itself is changed after this, because the counters read it.
 */
export async function leaveLibrary(tx: Db, session: SessionRow, now: Date) {
  const { userId, sessionId, state } = session
  if (await hasAppeared(tx, session)) recordEvents(tx, userId, withoutContent(session, now), ['session.deleted'])
  // In the trash it would displace other sessions among the candidates of a search.
  await removeFromIndex(tx, userId, sessionId)
  await indexActionItems(tx, userId, { ...session, state: 'deleted' })
  if (state !== 'deleted') await touchFolders(tx, userId, sessionId, now)
  if (state === 'completed') await countSession(tx, userId, sessionId, -1)
}

/** Returns whether readers of the feed know the session: it is completed, or its last event is not its deletion. */
async function hasAppeared(tx: Db, { userId, sessionId, state }: SessionRow) {
  if (state === 'completed') return true
  const last = await findLastEventType(tx, userId, sessionId)
  return last !== undefined && last !== 'session.deleted'
}

/** Removes the content of a session that is deleted at `updatedAt`; id, time, length and type remain. */
export function withoutContent(session: SessionRow, updatedAt: Date): SessionDetail {
  const {
    phone,
    keep: _,
    status: __,
    failure_reason: ___,
    ...detail
  } = toSessionDetail({ ...session, ...SETTLED, updatedAt }, [])
  return {
    ...detail,
    title: '',
    ...(phone && { phone: { ...phone, to_number: null, from_number: null, contact_name: null } }),
    language: null,
    summary: null,
    notes: null,
    tags: [],
    favorite: false,
    action_items: []
  }
}
