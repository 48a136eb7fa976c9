import { isDeepStrictEqual } from 'node:util'
import { toDate } from '../contract/instant.ts'
import { CHANGEABLE, type SessionChange } from '../contract/session-change.ts'
import { ApiError } from '../core/api-error.ts'
import { localDay } from '../core/calendar-day.ts'
import { matches } from '../db/matches.ts'
import type { Database, Db } from '../db/open.ts'
import { sessionTags, transcripts } from '../db/schema/index.ts'
import { indexFields } from '../search-index/index-session.ts'
import { changeItem, type ItemChange, readItemChange, readSentItems, replaceItems, type SentItem } from './action-items.ts'
import { moveDueDates } from './move-due-dates.ts'
import { movePosition } from './position.ts'
import { findTimeZone } from './queries.ts'
import { newItems, recordChange } from './record-change.ts'
import { listFolderIds, lockSession, type SessionRow } from './session-row.ts'

/** `item` changes one action item of the list, where `action_items` replaces the list. */
type Change = SessionChange & { summary?: string | undefined; timestamp?: string | undefined; item?: ItemChange }
type Changed = Omit<Change, 'action_items' | 'item'> & { action_items?: SentItem[] }

/**
 * Writes the changed fields, and a list of action items whenever it is sent, and records events. Without a change, nothing is written or recorded.
 * With `version`, throws conflict unless the action items still have it. Returns undefined without the session, or without the `item`.
 */
export async function changeSession(
  db: Database,
  userId: string,
  sessionId: string,
  sent: Change,
  { version, now }: { version: number | undefined; now: Date }
) {
  const { action_items: list, item } = sent
  const timeZone = list || item || sent.timestamp !== undefined ? await findTimeZone(db, userId) : 'UTC'
  const sentItems = list && readSentItems(list, localDay(now, timeZone))
  const sentItem = item && readItemChange(item, localDay(now, timeZone))
  return await db.transaction(async tx => {
    const before = await lockSession(tx, userId, sessionId)
    if (!before) return undefined
    const items = sentItem ? changeItem(before.actionItems ?? [], sentItem) : sentItems
    if (sentItem && !items) return undefined
    if (version !== undefined && version !== before.actionItemsVersion) {
      throw new ApiError('conflict', `If-Match: the action items are at version ${before.actionItemsVersion}; read them again`)
    }
    const isKept = sentItem && items && isDeepStrictEqual(replaceItems(before.actionItems ?? [], items, now), before.actionItems)
    const changed = changedBy(sent, isKept ? undefined : items, before)
    const updatedFields = CHANGEABLE.filter(field => changed[field] !== undefined)
    if (Object.keys(changed).length === 0) {
      return { updatedFields, session: before, folderIds: await listFolderIds(tx, userId, sessionId) }
    }
    const moved = changed.timestamp === undefined ? {} : await move(tx, before, toDate(changed.timestamp), { timeZone, now })
    const change = { ...moved, ...toRowChange(before, changed, now) }
    const after = { ...before, ...change }
    if (changed.tags) await replaceTags(tx, userId, after)
    if (after.state === 'completed' && isFindable(changed)) await indexFields(tx, userId, after)
    const folderIds = await recordChange(tx, userId, before, change)
    return { updatedFields, session: after, folderIds }
  })
}

/** Returns the fields that differ from the session. A sent list of action items always counts, because its version counts writes. */
function changedBy(
  { title, summary, notes, tags, favorite, timestamp }: Change,
  items: SentItem[] | undefined,
  before: SessionRow
): Changed {
  return {
    ...(title !== undefined && title !== before.title && { title }),
    ...(summary !== undefined && summary !== before.summary && { summary }),
    ...(notes !== undefined && notes !== before.notes && { notes }),
    ...(tags !== undefined && !isDeepStrictEqual(tags, before.tags) && { tags }),
    ...(favorite !== undefined && favorite !== before.favorite && { favorite }),
    ...(timestamp !== undefined && toDate(timestamp).getTime() !== before.timestamp?.getTime() && { timestamp }),
    ...(items && { action_items: items })
  }
}

function isFindable({ title, summary, notes, tags }: Changed) {
  return title !== undefined || summary !== undefined || notes !== undefined || tags !== undefined
}

/** Moves the session in lists, with the due dates that depend on its day. */
async function move(tx: Db, before: SessionRow, timestamp: Date, { timeZone, now }: { timeZone: string; now: Date }) {
  const { userId, sessionId, actionItems } = before
  const sortAt = await movePosition(tx, userId, before, timestamp)
  const days = { from: localDay(before.timestamp ?? before.createdAt, timeZone), to: localDay(timestamp, timeZone) }
  if (days.from === days.to || !actionItems?.some(({ due_date }) => due_date)) return { timestamp, sortAt }
  const redated = moveDueDates(actionItems, await findSegments(tx, userId, sessionId), days, now)
  return { timestamp, sortAt, ...(!isDeepStrictEqual(actionItems, redated) && newItems(before, redated, now)) }
}

async function findSegments(tx: Db, userId: string, sessionId: string) {
  const [row] = await tx.select({ segments: transcripts.segments }).from(transcripts).where(matches(transcripts, { userId, sessionId }))
  return row?.segments ?? []
}

function toRowChange(before: SessionRow, { action_items: items, timestamp: _, ...fields }: Changed, now: Date) {
  return {
    ...fields,
    ...(items && newItems(before, replaceItems(before.actionItems ?? [], items, now), now)),
    updatedAt: now
  }
}

async function replaceTags(tx: Db, userId: string, { sessionId, tags, sortAt, type }: SessionRow) {
  await tx.delete(sessionTags).where(matches(sessionTags, { userId, sessionId }))
  if (tags.length > 0) await tx.insert(sessionTags).values(tags.map(tag => ({ userId, sessionId, tag, sortAt, type })))
}
