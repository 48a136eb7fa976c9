import type { AdminSession, AdminSessionList } from '../../contract/admin/session.ts'
import type { BulkRequest } from '../../contract/bulk.ts'
import type { Precondition } from '../../contract/if-match.ts'
import type { SessionDetail, SessionList, SessionListRequest } from '../../contract/session.ts'
import { SESSION_STATUSES, type SessionAccepted } from '../../contract/session-accepted.ts'
import type { SessionChanged, SessionChangeRequest, SessionDeleted } from '../../contract/session-change.ts'
import type { StatsQuery, StatsResponse } from '../../contract/stats.ts'
import { invalid, throwNotFound } from '../../platform/core/api-error.ts'
import { cutPage } from '../../platform/core/page.ts'
import { deleterOf, isFirstParty, requireFieldScope } from '../access/actor.ts'
import { operation } from '../access/operation.ts'
import { purgeSession, trashSession } from '../deletions/delete.ts'
import { restoreFromTrash } from '../deletions/restore.ts'
import { findAdminSession } from '../library/admin-sessions.ts'
import { requireFolderId, selectSessions } from '../library/list.ts'
import { listChanged } from '../library/list-changed.ts'
import { requirePerson } from '../library/person-row.ts'
import { findSession } from '../library/queries.ts'
import { findTitled } from '../library/titled.ts'
import type { Needs, Services } from '../services.ts'
import { loadSharedRows, NO_SHARED_ROWS } from '../sharing/recipient-queries.ts'
import { toAccepted } from './accepted.ts'
import { selectBriefs } from './briefs.ts'
import { changeSession } from './change.ts'
import { exportPieces } from './export.ts'
import type { Tagging } from './retag.ts'
import { findStats } from './stats.ts'

type ErrorLog = Parameters<typeof loadSharedRows>[3]

/**
 * Lists sessions, newest first, or by their last change. Integrations get completed sessions unless they name a status; the user and the
 * operator get those of every state. `log` gets the error if sessions that others share cannot be loaded.
 */
export const listSessions = operation(
  'listSessions',
  async (
    { db, clock, publicUrl, log }: Pick<Services, 'db' | 'clock' | 'publicUrl'> & { log: ErrorLog },
    actor,
    query: SessionListRequest
  ): Promise<SessionList | AdminSessionList> => {
    const { userId } = actor
    if (query.order === 'updated') return await listChanged(db, userId, query, clock.now())
    const { limit, cursor, since, until, title, type, folder, person, favorite, tag, tag_mode: mode, include } = query
    const whole = isFirstParty(actor)
    if (query.status === 'deleted' && !whole)
      throw invalid({ field: 'status', expected: `one of ${[...SESSION_STATUSES, 'all'].join(', ')}` })
    const status = query.status ?? (whole ? 'any' : undefined)
    const folderId = folder === undefined ? undefined : await requireFolderId(db, userId, folder)
    const personId = person === undefined ? undefined : (await requirePerson(db, userId, person, 'person')).id
    const everyState = status !== undefined && status !== 'completed'
    const titled = title === undefined ? undefined : await findTitled(db, userId, title, { everyState })
    const tags = tag && { mode, names: mode === 'any' ? [...new Set([...tag.names, ...tag.values])] : tag.names }
    // Shared sessions have no people of this user.
    const withShared = include === 'shared' && cursor === undefined && personId === undefined
    const [rows, shared] = await Promise.all([
      selectSessions(db, userId, {
        limit,
        before: cursor,
        since,
        until,
        type,
        titled,
        folderId,
        personId,
        isFavorite: favorite !== undefined,
        tags,
        status,
        whole
      }),
      withShared ? loadSharedRows(db, userId, publicUrl, log) : NO_SHARED_ROWS
    ])
    const { page, next } = cutPage(rows, limit, row => row.cursor)
    const own = page.map(({ item }) => (include ? { ...item, access: 'owner' as const } : item))
    return {
      sessions: shared.rows.length > 0 ? [...own, ...shared.rows] : own,
      ...next,
      ...(shared.error && { shared_error: shared.error })
    }
  }
)

/** Returns a session. The user and the operator also see one in the trash, and why processing failed. */
export const getSession = operation(
  'getSession',
  async ({ db }: Pick<Services, 'db'>, actor, sessionId: string): Promise<SessionDetail | AdminSession> => {
    const find = isFirstParty(actor) ? findAdminSession : findSession
    return (await find(db, actor.userId, sessionId)) ?? throwNotFound('Session')
  }
)

/**
 * Changes fields of a session. With a `precondition`, throws unless the session is in a state that it names. `tag` is the one after the
 * change if the precondition named tags, and else the version of the action items.
 */
export const updateSession = operation(
  'updateSession',
  async (
    { db, clock }: Pick<Services, 'db' | 'clock'>,
    actor,
    sessionId: string,
    { summary, timestamp, type, ...change }: SessionChangeRequest,
    { precondition }: { precondition?: Precondition | undefined } = {}
  ): Promise<{ response: SessionChanged; tag: string }> => {
    const whole = isFirstParty(actor)
    const sent = whole ? { ...change, summary, timestamp, type } : change
    const options = { precondition, whole, now: clock.now() }
    const changed = (await changeSession(db, actor.userId, sessionId, sent, options)) ?? throwNotFound('Session')
    const { updatedFields, session, tag } = changed
    const { updatedAt, actionItemsVersion: version } = session
    const response = {
      id: sessionId,
      updated_fields: updatedFields,
      updated_at: updatedAt.toISOString(),
      ...(change.action_items && { action_items_version: version })
    }
    return { response, tag: tag ?? String(version) }
  }
)

/** Adds and removes single tags of a session, and returns those that it has. Repeating it changes nothing. */
export const changeTags = operation(
  'updateSession',
  async (
    { db, clock }: Pick<Services, 'db' | 'clock'>,
    actor,
    sessionId: string,
    tagging: Tagging
  ): Promise<readonly string[]> => {
    const changed = await changeSession(db, actor.userId, sessionId, { tagging }, { now: clock.now() })
    return (changed ?? throwNotFound('Session')).session.tags
  }
)

/**
 * Moves a session to the trash, or deletes it for good. A session that is in the trash is deleted only with `inTrash`; moving it there again
 * changes nothing.
 */
export const deleteSession = operation(
  'deleteSession',
  async (
    services: Needs<'db' | 'jobs' | 'clock'>,
    actor,
    sessionId: string,
    to: 'trash' | 'gone',
    { inTrash = false } = {}
  ): Promise<SessionDeleted> => {
    const { db, clock } = services
    const deleted =
      to === 'trash'
        ? await trashSession(db, actor.userId, sessionId, clock.now())
        : await purgeSession(services, actor.userId, sessionId, { by: deleterOf(actor), inTrash })
    if (!deleted) throwNotFound('Session')
    return { deleted: true, id: sessionId }
  }
)

/** Restores a session from the trash. Repeating it changes nothing. */
export const restoreSession = operation(
  'restoreSession',
  async ({ db, jobs, clock }: Needs<'db' | 'jobs' | 'clock'>, actor, sessionId: string): Promise<SessionAccepted> => {
    return toAccepted(await restoreFromTrash({ db, jobs }, actor.userId, sessionId, clock.now()))
  }
)

const USUAL_PERIOD_MS = 30 * 86_400_000

/** Counts the completed sessions of a period, by default the last 30 days. */
export const getStats = operation(
  'getStats',
  async ({ db, clock }: Pick<Services, 'db' | 'clock'>, actor, query: StatsQuery): Promise<StatsResponse> => {
    const now = clock.now()
    const { since = new Date(now.getTime() - USUAL_PERIOD_MS).toISOString(), until = now.toISOString() } = query
    if (Date.parse(since) > Date.parse(until))
      throw invalid({ field: 'since', expected: `an instant that is not after until, which is ${until}` })
    return await findStats(db, actor.userId, { since, until })
  }
)

/** The text of an export in pieces, of which the first was read. It takes a place of the user's long reads until it is disposed of. */
interface ExportText extends AsyncIterable<string | Uint8Array>, Disposable {}

/** Exports sessions as the text of a `BulkResponse` in pieces, because fifty long transcripts would need too much memory. */
export const exportSessions = operation(
  'exportSessions',
  async (
    services: Pick<Services, 'slow' | 'writer' | 'longReads'>,
    actor,
    { session_ids: ids, include_transcript: transcript, include_summary: summary }: BulkRequest
  ): Promise<ExportText> => {
    if (transcript) requireFieldScope(actor, 'transcripts:read', 'include_transcript')
    using taken = new DisposableStack()
    taken.use(services.longReads(actor))
    const pieces = exportPieces(services, actor.userId, ids, { summary, transcript })
    // An error before the first piece is still answered as one.
    const first = await pieces.next()
    const place = taken.move()
    return {
      async *[Symbol.asyncIterator]() {
        if (!first.done) yield first.value
        yield* pieces
      },
      [Symbol.dispose]: () => place.dispose()
    }
  }
)

/** Returns the beginnings of the summaries of sessions, for lists. Sessions without a summary have none. */
export const listBriefs = operation(
  'exportSessions',
  async ({ slow }: Pick<Services, 'slow'>, actor, sessionIds: string[]): Promise<ReadonlyMap<string, string>> => {
    return new Map(await selectBriefs(slow, actor.userId, sessionIds))
  }
)
