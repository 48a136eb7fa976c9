import { isDeepStrictEqual } from 'node:util'
import type { Precondition } from '../../contract/if-match.ts'
import { toDate } from '../../contract/instant.ts'
import { SESSION_TYPES, type SessionType } from '../../contract/session.ts'
import { CHANGEABLE, type SessionChangeRequest } from '../../contract/session-change.ts'
import { invalid } from '../../platform/core/api-error.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Database, Db } from '../../platform/db/open.ts'
import { sessionTags, transcripts } from '../../platform/db/schema/index.ts'
import { localDay } from '../../platform/text/calendar-day.ts'
import {
  addItem,
  changeItem,
  type ItemChange,
  type ItemToAdd,
  readItemChange,
  readItemToAdd,
  readSentItems,
  replaceItems
} from '../library/action-items.ts'
import { indexChange } from '../library/index/index-fields.ts'
import { moveDueDates } from '../library/move-due-dates.ts'
import { movePosition } from '../library/position.ts'
import { findTimeZone } from '../library/queries.ts'
import { newItems, recordChange } from '../library/record-change.ts'
import { lockSession, type SessionRow } from '../library/session-row.ts'
import { forgetOutline } from '../library/summaries.ts'
import { readSessionTag, requireCurrent } from './precondition.ts'
import { retag, type Tagging } from './retag.ts'

/** `item`, `added` and `removed` are about one action item of the list, where `action_items` replaces the list, as `tagging` is about single tags. */
type SentChange = SessionChangeRequest & { item?: ItemChange; added?: ItemToAdd; removed?: string; tagging?: Tagging }

interface ChangeOptions {
  precondition?: Precondition | undefined
  /** True if the tags are those of the user and the operator. */
  whole?: boolean
  now: Date
}

/**
 * Writes the changed fields, and a list of action items whenever it is sent, and records events. Without a change, nothing is written or recorded.
 * With a `precondition`, throws unless the session is still in one of its states; if that names tags, `tag` is the one after the change.
 * Returns undefined without the session, or without the `item`.
 */
export async function changeSession(
  db: Database,
  userId: string,
  sessionId: string,
  sent: SentChange,
  { precondition, whole = false, now }: ChangeOptions
) {
  const needsTimeZone = sent.action_items || sent.item || sent.added || sent.timestamp !== undefined
  const timeZone = needsTimeZone ? await findTimeZone(db, userId) : 'UTC'
  const list = sent.action_items && readSentItems(sent.action_items, localDay(now, timeZone))
  const item = sent.item && readItemChange(sent.item, localDay(now, timeZone))
  const added = sent.added && readItemToAdd(sent.added, localDay(now, timeZone))
  const findTag = async (tx: Db) =>
    precondition?.tags.length ? await readSessionTag(tx, userId, sessionId, whole) : undefined
  return await db.transaction(async tx => {
    const before = await lockSession(tx, userId, sessionId)
    const current = before?.actionItems ?? []
    const known = sent.removed ?? item?.id
    if (!before || (known !== undefined && !current.some(({ id }) => id === known))) return undefined
    if (precondition) await requireCurrent(before, precondition, () => readSessionTag(tx, userId, sessionId, whole))
    const fields = changedFields(sent, before)
    const timestamp = sent.timestamp === undefined ? undefined : toDate(sent.timestamp)
    const isMoved = timestamp && timestamp.getTime() !== before.timestamp?.getTime()
    const type = readType(sent.type, before)
    // A sent list always counts, because its version counts writes.
    const items = list
      ? replaceItems(current, list, now)
      : item
        ? changeItem(current, item, now)
        : added
          ? addItem(current, added, now)
          : sent.removed && current.filter(({ id }) => id !== sent.removed)
    const updatedFields = [
      ...CHANGEABLE.filter(field => (field === 'action_items' ? items : fields[field] !== undefined)),
      ...(fields.summary === undefined ? [] : ['summary']),
      ...(isMoved ? ['timestamp'] : []),
      ...(type ? ['type'] : [])
    ]
    const change = {
      ...fields,
      ...((isMoved || type) &&
        (await move(tx, before, { to: isMoved ? timestamp : undefined, type }, { timeZone, now }))),
      ...(items && newItems(before, items, now))
    }
    if (Object.keys(change).length === 0) {
      return { updatedFields, session: before, tag: await findTag(tx) }
    }
    const after = { ...before, ...change, updatedAt: now }
    if (fields.tags) await replaceTags(tx, userId, after)
    if (fields.summary !== undefined) await forgetOutline(tx, userId, sessionId)
    if (after.state === 'completed' && isFindable(fields)) await indexChange(tx, userId, before, after)
    await recordChange(tx, userId, before, { ...change, updatedAt: now })
    return { updatedFields, session: after, tag: await findTag(tx) }
  })
}

type Fields = Partial<Pick<SessionRow, 'title' | 'summary' | 'notes' | 'tags' | 'favorite' | 'keep'>>

/** Returns the fields that differ from the session. */
function changedFields({ title, summary, notes, favorite, keep, ...sent }: SentChange, before: SessionRow): Fields {
  const tags = sent.tagging ? retag(before.tags, sent.tagging) : sent.tags
  return {
    ...(title !== undefined && title !== before.title && { title }),
    ...(summary !== undefined && summary !== before.summary && { summary }),
    ...(notes !== undefined && notes !== before.notes && { notes }),
    ...(tags !== undefined && !isDeepStrictEqual(tags, before.tags) && { tags }),
    ...(favorite !== undefined && favorite !== before.favorite && { favorite }),
    ...(keep !== undefined && keep !== before.keep && { keep })
  }
}

function isFindable({ title, summary, notes, tags }: Fields) {
  return title !== undefined || summary !== undefined || notes !== undefined || tags !== undefined
}

/** Returns the type that the session gets; undefined if it keeps its own. A call keeps it, because a call has fields that nothing else has. */
function readType(type: SessionType | undefined, before: SessionRow) {
  if (type === undefined || type === before.type) return undefined
  if (before.type === 'phone')
    throw invalid({ field: 'type', problem: 'a call stays one', expected: 'phone, or no type' })
  if (type === 'phone') throw invalid({ field: 'type', problem: 'only a call is one', expected: NOT_CALLS })
  return type
}

const NOT_CALLS = `one of ${SESSION_TYPES.filter(type => type !== 'phone').join(', ')}`

interface Move {
  to: Date | undefined
  type: SessionType | undefined
}

/** Moves the session in lists, with the due dates that depend on its day. */
async function move(tx: Db, before: SessionRow, to: Move, { timeZone, now }: { timeZone: string; now: Date }) {
  const { userId, sessionId, actionItems } = before
  const moved = await movePosition(tx, userId, before, to)
  const timestamp = to.to
  if (!timestamp) return moved
  const days = { from: localDay(before.timestamp ?? before.createdAt, timeZone), to: localDay(timestamp, timeZone) }
  if (days.from === days.to || !actionItems?.some(({ due_date }) => due_date)) return { ...moved, timestamp }
  const redated = moveDueDates(actionItems, await findSegments(tx, userId, sessionId), days, now)
  return { ...moved, timestamp, ...(!isDeepStrictEqual(actionItems, redated) && newItems(before, redated, now)) }
}

async function findSegments(tx: Db, userId: string, sessionId: string) {
  const [row] = await tx
    .select({ segments: transcripts.segments })
    .from(transcripts)
    .where(matches(transcripts, { userId, sessionId }))
  return row?.segments ?? []
}

async function replaceTags(tx: Db, userId: string, { sessionId, tags, sortAt, type }: SessionRow) {
  await tx.delete(sessionTags).where(matches(sessionTags, { userId, sessionId }))
  if (tags.length > 0) await tx.insert(sessionTags).values(tags.map(tag => ({ userId, sessionId, tag, sortAt, type })))
}
