import type { Clock } from '../core/clock.ts'
import { sql } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'
import { deletions } from '../db/schema/index.ts'
import type { Deps } from '../deps.ts'
import { deleteSession } from '../sessions/delete.ts'
import { deleteAudio } from '../sessions/purge.ts'
import { type Deletion, readDeletions } from './file.ts'
import { deleteUser } from './user.ts'

export interface Reapplied {
  /** Deletions that the ledger has and the database did not know of: it is older than the ledger. */
  missed: number
  /** How many sessions, and recordings of others, had come back and were deleted again. */
  sessions: number
  recordings: number
  /** How many users had. */
  users: number
}

type Tools = Pick<Deps, 'db' | 'jobs'> & { clock: Clock }

/** Deletes again what a ledger names and a restored database has once more. Done again, it finds nothing to do. */
export async function reapplyDeletions(tools: Tools, path: string): Promise<Reapplied> {
  const done: Reapplied = { missed: 0, sessions: 0, recordings: 0, users: 0 }
  for await (const some of readDeletions(path)) {
    for (const deletion of await unknownOf(tools.db, some)) {
      done.missed++
      const { userId, sessionId, what } = deletion
      if (what === 'session' && (await deleteSession(tools, userId, sessionId, { deleted: true }))) done.sessions++
      if (what === 'user' && (await deleteUser(tools, userId))) done.users++
      if (what === 'recording' && (await hasRecording(tools.db, userId, sessionId))) {
        await deleteAudio(tools, userId, sessionId)
        done.recordings++
      }
      // Also what never came back: the next start need not look for it again. Noted as of now, so that every server's own
      // ledger takes it over, which looks at what is new.
      await tools.db
        .insert(deletions)
        .values({ ...deletion, deletedAt: tools.clock.now() })
        .onConflictDoNothing()
    }
  }
  return done
}

/** Those of them that the database does not know of, each once. */
async function unknownOf(db: Db, some: Deletion[]): Promise<Deletion[]> {
  const { rows } = await db.execute<{ turn: number }>(sql`
    select min(l.turn)::int as turn
    from unnest(${sql.param(some.map(one => one.userId))}::text[], ${sql.param(some.map(one => one.sessionId))}::text[],
      ${sql.param(some.map(one => one.what))}::text[]) with ordinality as l(user_id, session_id, what, turn)
    where not exists (
      select from deletions d where d.user_id = l.user_id and d.session_id = l.session_id and d.what = l.what)
    group by l.user_id, l.session_id, l.what order by 1`)
  return rows.flatMap(({ turn }) => some[turn - 1] ?? [])
}

async function hasRecording(db: Db, userId: string, sessionId: string) {
  const { rows } = await db.execute(sql`
    select from sessions where user_id = ${userId} and session_id = ${sessionId} and audio_deleted_at is null`)
  return rows.length > 0
}
