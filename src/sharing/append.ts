import { LIMITS } from '../contract/limits.ts'
import type { SharedSessionListRow } from '../contract/sharing.ts'
import { within } from '../core/within.ts'
import type { Reader } from '../db/open.ts'
import { listShared } from './shared.ts'

/** How long the list of own sessions waits for what others share. */
const BUDGET_MS = 2_000

export interface Appended {
  rows: SharedSessionListRow[]
  error?: 'sharing_unavailable'
}

export const NOTHING: Appended = { rows: [] }

interface Log {
  error(fault: unknown, message: string): void
}

/**
 * The rows that `include=shared` appends: all that the pages of shared sessions cover. Where they cannot be read in time
 * the caller's own sessions are worth more than an error, so the answer says that they are missing.
 */
export async function loadShared(db: Reader, userId: string, publicUrl: string, log: Log): Promise<Appended> {
  try {
    const rows = await within(BUDGET_MS, listShared(db, userId, publicUrl, LIMITS.sharedSessions))
    return { rows: rows.map(({ item }) => ({ ...item, access: 'shared' as const })) }
  } catch (fault) {
    log.error({ err: fault }, 'shared sessions are missing from a list')
    return { rows: [], error: 'sharing_unavailable' }
  }
}
