import { everyScope } from '../../src/features/access/actor.ts'
import type { Needs } from '../../src/features/services.ts'
import { deleteSession, restoreSession } from '../../src/features/sessions/operations.ts'
import type { Clock } from '../../src/platform/core/clock.ts'
import { clock, NO_QUEUE } from './server.ts'

interface Tools extends Pick<Needs<'db'>, 'db'> {
  jobs?: Needs<'jobs'>['jobs']
  clock?: Clock
}

/** Moves a session to the trash, as its user does. */
export async function trash({ db, jobs = NO_QUEUE, clock: now = clock }: Tools, userId: string, sessionId: string) {
  return await deleteSession({ db, jobs, clock: now }, everyScope(userId, 'command'), sessionId, 'trash')
}

/** Restores a session from the trash, as its user does. */
export async function restore({ db, jobs = NO_QUEUE, clock: now = clock }: Tools, userId: string, sessionId: string) {
  return await restoreSession({ db, jobs, clock: now }, everyScope(userId, 'command'), sessionId)
}
