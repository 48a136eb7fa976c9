import type { Clock } from '../../platform/core/clock.ts'
import { sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { deletions } from '../../platform/db/schema/index.ts'
import { deleteFromSession } from '../recordings/delete.ts'
import type { Services } from '../services.ts'
import { purgeSession } from './delete.ts'
import { endAccount } from './delete-user.ts'
import { type Deletion, deletionKey, readDeletions } from './ledger-file.ts'

interface Reapplied {
  /** Deletions of the ledger that the database lacked because it is older. */
  missed: number
  /** Sessions, and recordings of other sessions, that were deleted again. */
  sessions: number
  recordings: number
  users: number
}

type Reapplier = Pick<Services, 'db' | 'jobs'> & { clock: Clock }

/** Repeats the deletions of ledgers in a restored database. Repeating it changes nothing. */
export async function reapplyDeletions(tools: Reapplier, ...paths: string[]): Promise<Reapplied> {
  const done: Reapplied = { missed: 0, sessions: 0, recordings: 0, users: 0 }
  for (const path of paths) {
    for await (const batch of readDeletions(path)) {
      for (const deletion of await findUnknown(tools.db, batch)) await reapply(tools, deletion, done)
    }
  }
  return done
}

async function reapply(tools: Reapplier, { userId, sessionId, what, by }: Deletion, done: Reapplied) {
  done.missed++
  if (what === 'session' && (await purgeSession(tools, userId, sessionId, { by, inTrash: true }))) done.sessions++
  if (what === 'user' && (await endAccount(tools, userId, by))) done.users++
  if (what === 'recording' && (await hasRecording(tools.db, userId, sessionId))) {
    await deleteFromSession(tools, userId, sessionId, { by })
    done.recordings++
  }
  // Deletions without anything left to delete are recorded too, so that the next start skips them. They get the current time, so that
  // the ledger of every server copies them.
  await tools.db
    .insert(deletions)
    .values({ userId, sessionId, what, deletedAt: tools.clock.now(), by })
    .onConflictDoNothing()
}

/** Returns the deletions that the database lacks, each once. */
async function findUnknown(db: Db, batch: Deletion[]): Promise<Deletion[]> {
  const userIds = sql.param([...new Set(batch.map(one => one.userId))])
  const { rows } = await db.execute<{ key: string }>(sql`
    select concat_ws(' ', user_id, session_id, what) as key from deletions
    where user_id = any(${userIds}::text[]) and session_id = any(${sql.param(batch.map(one => one.sessionId))}::text[])`)
  const known = new Set(rows.map(({ key }) => key))
  const byKey = new Map(batch.map(one => [deletionKey(one), one]))
  return [...byKey.values()].filter(one => !known.has(deletionKey(one)))
}

async function hasRecording(db: Db, userId: string, sessionId: string) {
  const { rows } = await db.execute(sql`
    select from sessions where user_id = ${userId} and session_id = ${sessionId} and audio_deleted_at is null`)
  return rows.length > 0
}
