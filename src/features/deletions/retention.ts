import type { Retention } from '../../contract/retention.ts'
import { sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { effectiveRetention } from '../accounts/retention.ts'
import type { SessionRow } from '../library/session-row.ts'
import { deleteFromSession } from '../recordings/delete.ts'
import type { Needs } from '../services.ts'
import { purgeSession } from './delete.ts'

const DAY_MS = 86_400_000
const USERS = 100
/** The maximum number of sessions that one statement finds. */
const BATCH = 200

/** A session, or the recording of one that stays, which is older than the period of its user. */
export interface Expired {
  user: string
  session: string
  what: 'session' | 'recording'
  /** When the server received it. */
  since: string
}

type Finding = Needs<'db' | 'clock' | 'retention'>

/**
 * Deletes what is older than the retention of its user, each session in a transaction of its own, and yields it batch by batch. Several processes
 * may do it at once. An error with one session is thrown after all others.
 */
export async function* deleteExpired(
  services: Finding & Needs<'jobs'>,
  signal?: AbortSignal
): AsyncGenerator<Expired[], void> {
  const errors: unknown[] = []
  for await (const batch of findExpired(services, signal)) {
    const deleted: Expired[] = []
    for (const one of batch) {
      if (signal?.aborted) break
      const isDeleted = await deleteOne(services, one).catch((error: unknown) => void errors.push(error))
      if (isDeleted) deleted.push(one)
    }
    yield deleted
  }
  if (errors.length > 0) throw errors[0]
}

async function deleteOne(services: Needs<'db' | 'jobs' | 'clock'>, { user, session, what }: Expired) {
  const by = 'retention'
  if (what === 'session') return await purgeSession(services, user, session, { by, inTrash: true, onlyIf: mayExpire })
  const hasRecording = async (tx: Db, row: SessionRow) => row.audioDeletedAt === null && (await mayExpire(tx, row))
  return (await deleteFromSession(services, user, session, { by, onlyIf: hasRecording })) !== undefined
}

/** Decides about a locked session again: its state, or what is kept, may have changed since. */
async function mayExpire(tx: Db, { userId, sessionId }: SessionRow) {
  const { rows } = await tx.execute(sql`
    select from sessions s where s.user_id = ${userId} and s.session_id = ${sessionId} and ${mayExpireOf(userId)}`)
  return rows.length > 0
}

/** Yields what is older than the retention of its user, the oldest of each user first. Changes nothing. */
export async function* findExpired(
  { db, clock, retention }: Finding,
  signal?: AbortSignal
): AsyncGenerator<Expired[], void> {
  for await (const { userId, periods } of usersWithPeriods(db, retention)) {
    const [audio, session] = [periods.audio_days, periods.session_days].map(days => before(clock.now(), days))
    if (session) yield* inBatches(place => selectSessions(db, userId, session, place), signal)
    // Recordings of sessions that go are not named twice.
    const from = session ?? new Date(0)
    if (audio) yield* inBatches(place => selectStored(db, userId, { from, before: audio }, place), signal)
    if (audio) yield* inBatches(place => selectLinked(db, userId, { from, before: audio }, place), signal)
    if (signal?.aborted) return
  }
}

function before(now: Date, days: number | null | undefined) {
  return typeof days === 'number' ? new Date(now.getTime() - days * DAY_MS) : undefined
}

interface UserPeriods extends Retention {
  user_id: string
}

/** Yields the users with a period, each with those that apply. */
async function* usersWithPeriods(db: Db, server: Retention) {
  const isForAll = server.audio_days !== null || server.session_days !== null
  for (let after = ''; ; ) {
    const { rows } = await db.execute<UserPeriods & Record<string, unknown>>(sql`
      select user_id, retention_audio_days as audio_days, retention_session_days as session_days from users
      where user_id > ${after} and deleted_at is null
        and (${isForAll}::boolean or retention_audio_days is not null or retention_session_days is not null)
      order by user_id limit ${USERS}`)
    for (const { user_id: userId, ...own } of rows) yield { userId, periods: effectiveRetention(server, own) }
    const last = rows.at(-1)
    if (!last) return
    after = last.user_id
  }
}

/** The last row of a batch, from which the next one goes on, whatever became of its rows. */
interface Place {
  at: string
  id: string
}

const BEGINNING: Place = { at: '-infinity', id: '' }

async function* inBatches(select: (place: Place) => Promise<Expired[]>, signal: AbortSignal | undefined) {
  for (let place = BEGINNING; !signal?.aborted; ) {
    const found = await select(place)
    if (found.length > 0) yield found
    const last = found.at(-1)
    if (!last || found.length < BATCH) return
    place = { at: last.since, id: last.session }
  }
}

/** Selects sessions that were created before an instant, those in the trash too. */
async function selectSessions(db: Db, userId: string, instant: Date, { at, id }: Place) {
  const { rows } = await db.execute<Row>(sql`
    select s.session_id as id, s.created_at as since from sessions s
    where s.user_id = ${userId} and s.created_at < ${instant} and (s.created_at, s.session_id) > (${at}::timestamptz, ${id})
      and ${mayExpireOf(userId)}
    order by s.created_at, s.session_id limit ${BATCH}`)
  return rows.map(toExpired(userId, 'session'))
}

interface Period {
  /** Sessions that were created earlier go with their recordings. */
  from: Date
  before: Date
}

/** Selects sessions with a recording that the server stored before an instant. One with audio and video counts by the first of them. */
async function selectStored(db: Db, userId: string, { from, before: instant }: Period, { at, id }: Place) {
  const { rows } = await db.execute<Row>(sql`
    select m.session_id as id, m.created_at as since from media m
    join sessions s on s.user_id = ${userId} and s.session_id = m.session_id
    where m.user_id = ${userId} and m.created_at < ${instant} and (m.created_at, m.session_id) > (${at}::timestamptz, ${id})
      and s.created_at >= ${from} and ${mayExpireOf(userId)}
      and not exists (
        select from media o where o.user_id = ${userId} and o.session_id = m.session_id and (o.created_at, o.kind) < (m.created_at, m.kind))
    order by m.created_at, m.session_id limit ${BATCH}`)
  return rows.map(toExpired(userId, 'recording'))
}

/** Selects sessions that were created before an instant and have recordings on other servers only. Their addresses are deleted. */
async function selectLinked(db: Db, userId: string, { from, before: instant }: Period, { at, id }: Place) {
  const { rows } = await db.execute<Row>(sql`
    select s.session_id as id, s.created_at as since from sessions s
    where s.user_id = ${userId} and s.created_at < ${instant} and (s.created_at, s.session_id) > (${at}::timestamptz, ${id})
      and (s.audio_url is not null or s.video_url is not null) and s.created_at >= ${from} and ${mayExpireOf(userId)}
      and not exists (select from media m where m.user_id = ${userId} and m.session_id = s.session_id)
    order by s.created_at, s.session_id limit ${BATCH}`)
  return rows.map(toExpired(userId, 'recording'))
}

/** The condition of a session `s`. One that failed or is in process needs its recording, in the trash too. */
function mayExpireOf(userId: string) {
  return sql`not s.keep and case s.state when 'deleted' then s.state_before_deletion else s.state end = 'completed'
      and not exists (
        select from folder_sessions fs join folders f on f.user_id = ${userId} and f.folder_id = fs.folder_id and f.keep
        where fs.user_id = ${userId} and fs.session_id = s.session_id)`
}

type Row = { id: string; since: string | Date } & Record<string, unknown>

function toExpired(user: string, what: Expired['what']) {
  return ({ id, since }: Row): Expired => ({ user, session: id, what, since: new Date(since).toISOString() })
}
