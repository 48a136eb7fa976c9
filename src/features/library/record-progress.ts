import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/open.ts'
import { sessions } from '../../platform/db/schema/index.ts'
import { wakePages } from '../events/record.ts'
import type { SessionRow } from './session-row.ts'

/** Fields of a session that is no longer processing. */
export const SETTLED = { progress: null, waiting: null } as const

/**
 * Writes how far processing is, or why it waits, unless it has ended, and shows it on the pages that wait. This is no change of the session, so
 * it records no event.
 */
export async function recordProgress(
  tx: Db,
  userId: string,
  sessionId: string,
  progress: Partial<Pick<SessionRow, 'progress' | 'waiting'>>
) {
  await tx
    .update(sessions)
    .set(progress)
    .where(matches(sessions, { userId, sessionId, state: 'processing' }))
  wakePages(tx, userId)
}
