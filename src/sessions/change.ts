import { isDeepStrictEqual } from 'node:util'
import { CHANGEABLE, type SessionChange } from '../contract/session-change.ts'
import { ApiError } from '../core/api-error.ts'
import { localDay } from '../core/due-date.ts'
import { and, eq } from '../db/drizzle.ts'
import type { Database, Db } from '../db/open.ts'
import { sessions, sessionTags } from '../db/schema/index.ts'
import { together } from '../db/together.ts'
import { recordEvents } from '../events/record.ts'
import { indexAbout } from '../terms/index-session.ts'
import { readSentItems, replaceItems, type SentItem } from './action-items.ts'
import { detailOf, listFolderIds, lockSession, type SessionRow } from './detail.ts'
import { findTimeZone } from './queries.ts'

type Change = SessionChange & { summary?: string | undefined }

/**
 * Writes the fields whose value changes, and action items whenever they are sent, and records what happened, at once. Where
 * nothing changes, nothing is written or recorded. With `version`, nothing is written unless the action items still have it: the
 * session's row is locked before it is compared. Undefined without the session.
 */
export async function changeSession(
  db: Database,
  userId: string,
  sessionId: string,
  sent: Change,
  { version, now }: { version: number | undefined; now: Date }
) {
  const items = sent.action_items && readSentItems(sent.action_items, localDay(now, await findTimeZone(db, userId)))
  return await db.transaction(async tx => {
    const before = await lockSession(tx, userId, sessionId)
    if (!before) return undefined
    if (version !== undefined && version !== before.actionItemsVersion) {
      throw new ApiError('conflict', `The action items are at version ${before.actionItemsVersion}; read them again`)
    }
    const changed = changedBy(sent, before)
    const updatedFields = CHANGEABLE.filter(field => changed[field] !== undefined)
    if (Object.keys(changed).length === 0) return { updatedFields, updatedAt: before.updatedAt, version: before.actionItemsVersion }
    const change = written(before, changed, items, now)
    const after = { ...before, ...change }
    const folderIds = await together(
      listFolderIds(tx, userId, sessionId),
      tx
        .update(sessions)
        .set(change)
        .where(and(eq(sessions.userId, userId), eq(sessions.sessionId, sessionId))),
      changed.tags && replaceTags(tx, userId, after),
      after.state === 'completed' && isFindable(changed) && indexAbout(tx, userId, after)
    )
    const session = detailOf(after, folderIds)
    await recordEvents(tx, userId, [
      { type: 'session.updated', session },
      ...(items ? [{ type: 'session.action_items.updated' as const, session }] : [])
    ])
    return { updatedFields, updatedAt: now, version: after.actionItemsVersion }
  })
}

/** What of it makes the session another one. Action items do whenever they are sent: their version counts writes. */
function changedBy({ title, summary, notes, tags, favorite, action_items }: Change, before: SessionRow): Change {
  return {
    ...(title !== undefined && title !== before.title && { title }),
    ...(summary !== undefined && summary !== before.summary && { summary }),
    ...(notes !== undefined && notes !== before.notes && { notes }),
    ...(tags !== undefined && !isDeepStrictEqual(tags, before.tags) && { tags }),
    ...(favorite !== undefined && favorite !== before.favorite && { favorite }),
    ...(action_items && { action_items })
  }
}

function isFindable({ title, summary, notes, tags }: Change) {
  return title !== undefined || summary !== undefined || notes !== undefined || tags !== undefined
}

function written(before: SessionRow, { action_items: _, ...fields }: Change, items: SentItem[] | undefined, now: Date) {
  return {
    ...fields,
    ...(items && {
      actionItems: replaceItems(before.actionItems ?? [], items, now),
      actionItemsVersion: before.actionItemsVersion + 1,
      actionItemsUpdatedAt: now
    }),
    updatedAt: now
  }
}

async function replaceTags(tx: Db, userId: string, { sessionId, tags, sortAt, type }: SessionRow) {
  await tx.delete(sessionTags).where(and(eq(sessionTags.userId, userId), eq(sessionTags.sessionId, sessionId)))
  if (tags.length > 0) await tx.insert(sessionTags).values(tags.map(tag => ({ userId, sessionId, tag, sortAt, type })))
}
