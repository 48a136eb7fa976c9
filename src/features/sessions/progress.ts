import type { SessionState } from '../../contract/admin/session.ts'
import { throwNotFound } from '../../platform/core/api-error.ts'
import { operation } from '../access/operation.ts'
import { findEventCount } from '../events/queries.ts'
import { findStates, type Processing } from '../library/queries.ts'
import type { Services } from '../services.ts'

interface Settled {
  id: string
  state: Exclude<SessionState, 'processing'>
}

const NOTHING = 'null null'

/** A session that is still processing, and how far. */
interface Progress {
  id: string
  progress: number | null
  waiting_reason: string | null
}

/**
 * Yields the progress of each session when it changes, and the state of each session once it is no longer processing, and a beat whenever nothing has happened for `beatMs`. Ends with the last session, with
 * the signal, or when the server stops. Reads the sessions again only after an event of their user. Throws not_found, before the first beat,
 * unless the user has all of them.
 */
export const followSessions = operation(
  'followSessions',
  async (
    { db, arrivals }: Pick<Services, 'db' | 'arrivals'>,
    actor,
    sessionIds: readonly string[],
    { beatMs, signal }: { beatMs: number; signal: AbortSignal }
  ): Promise<AsyncGenerator<Settled | Progress | 'beat'>> => {
    const { userId } = actor
    // Read before the states: an event that is recorded in between ends the wait.
    const head = await findEventCount(db, userId)
    const states = await findStates(db, userId, sessionIds)
    if (sessionIds.some(id => !states.has(id))) throwNotFound('Session')
    return follow(head, states)

    async function* follow(first: number, found: ReadonlyMap<string, Processing>) {
      const left = new Set(sessionIds)
      const shown = new Map<string, string>()
      for (let [known, current] = [first, found]; ; ) {
        for (const id of left) {
          const { state = 'deleted', progress = null, waiting = null } = current.get(id) ?? {}
          if (state !== 'processing') {
            left.delete(id)
            yield { id, state }
          } else if ((shown.get(id) ?? NOTHING) !== `${progress} ${waiting}`) {
            shown.set(id, `${progress} ${waiting}`)
            yield { id, progress, waiting_reason: waiting }
          }
        }
        if (left.size === 0) return
        const arrival = await arrivals.wait(userId, known, beatMs, signal, 'all')
        if (arrival === 'ended') return
        if (arrival === 'elapsed') yield 'beat' as const
        else [known, current] = [await findEventCount(db, userId), await findStates(db, userId, [...left])]
      }
    }
  }
)
