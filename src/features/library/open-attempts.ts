import { setTimeout as wait } from 'node:timers/promises'
import { and, eq, ne, sql } from '../../platform/db/drizzle.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Database, Db } from '../../platform/db/open.ts'
import { sessions, transcripts } from '../../platform/db/schema/index.ts'
import { ProcessFailure } from '../../platform/work/process-failure.ts'
import { openSharedLock } from '../../platform/work/shared-lock.ts'

/** The attempts at a session that may end the process. No other follows by itself. */
export const MAX_DEATHS = 3

const CLOSE_AGAIN_MS = 1_000

/** A transcript that takes more bytes in the database has more than about eight hours of speech, and is processed without another such beside it. */
const LONG_BYTES = 256 * 1024

interface Work {
  /** The state in which the session needs this work. */
  state: 'processing' | 'completed'
  signal: AbortSignal
  run: () => Promise<void>
  /** Called instead of `run` when the attempts have ended the process too often. */
  giveUp: () => Promise<void>
}

/** Counts the attempts at a session in its row, so that no session can end the server again and again. */
export interface OpenAttempts {
  /**
   * Does the work as an attempt that is counted before it starts and uncounted when it ends, in whatever way. So the count is the number of
   * attempts whose process died. After the first, the next attempt runs without another beside it, which shows whether it is the cause.
   * Long transcripts take turns, so that the memory for one is enough.
   */
  attempt(userId: string, sessionId: string, work: Work): Promise<void>
}

export function openAttempts(
  db: Database,
  onInterrupted: (sessionId: string, times: number) => void = () => {}
): OpenAttempts {
  const lock = openSharedLock()
  const turns = openSharedLock()
  /** The attempts that ended while the database was away, by session. They still count there. */
  const unclosed = new Set<string>()

  /** Returns whether the session needs no further attempt now. */
  async function tryOnce(userId: string, sessionId: string, { state, signal, run, giveUp }: Work) {
    if (unclosed.has(sessionId)) await close(userId, sessionId)
    const found = await findOpen(db, userId, sessionId, state)
    if (!found) return true
    const { open, bytes } = found
    if (open >= MAX_DEATHS) {
      await giveUp()
      return true
    }
    using _ = await lock.acquire(open > 0 ? 'exclusive' : 'shared', signal)
    using _turn = bytes > LONG_BYTES ? await turns.acquire('exclusive', signal) : undefined
    if (!(await addOpen(db, userId, sessionId, { state, open }))) return false
    if (open > 0) onInterrupted(sessionId, open)
    try {
      await run()
    } finally {
      // The process may be ending because of this very work.
      if (!(signal.reason instanceof ProcessFailure))
        await close(userId, sessionId).catch(() => void closeLater(userId, sessionId, signal))
    }
    return true
  }

  async function close(userId: string, sessionId: string) {
    await clearOpen(db, userId, sessionId)
    unclosed.delete(sessionId)
  }

  async function closeLater(userId: string, sessionId: string, signal: AbortSignal) {
    if (unclosed.has(sessionId)) return
    unclosed.add(sessionId)
    while (unclosed.has(sessionId) && !signal.aborted) {
      await wait(CLOSE_AGAIN_MS, undefined, { ref: false })
      if (unclosed.has(sessionId)) await close(userId, sessionId).catch(() => {})
    }
  }

  return {
    async attempt(userId, sessionId, work) {
      // Another process may begin an attempt between the two statements.
      while (!(await tryOnce(userId, sessionId, work)));
    }
  }
}

async function findOpen(db: Db, userId: string, sessionId: string, state: Work['state']) {
  const [row] = await db
    .select({
      open: sessions.openAttempts,
      bytes: sql<number>`coalesce(pg_column_size(${transcripts.segments}), 0)`.mapWith(Number)
    })
    .from(sessions)
    .leftJoin(transcripts, and(eq(transcripts.userId, userId), eq(transcripts.sessionId, sessions.sessionId)))
    .where(matches(sessions, { userId, sessionId, state }))
  return row
}

/** Returns false, and counts nothing, if the count is not what it was. */
async function addOpen(
  db: Db,
  userId: string,
  sessionId: string,
  { state, open }: Pick<Work, 'state'> & { open: number }
) {
  const counted = await db
    .update(sessions)
    .set({ openAttempts: open + 1 })
    .where(and(matches(sessions, { userId, sessionId, state }), eq(sessions.openAttempts, open)))
    .returning({ sessionId: sessions.sessionId })
  return counted.length > 0
}

async function clearOpen(db: Db, userId: string, sessionId: string) {
  await db
    .update(sessions)
    .set({ openAttempts: 0 })
    .where(and(matches(sessions, { userId, sessionId }), ne(sessions.openAttempts, 0)))
}
