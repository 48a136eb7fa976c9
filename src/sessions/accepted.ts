import type { Actor } from '../accounts/actor.ts'
import type { AdminSession } from '../contract/admin/session.ts'
import type { SessionAccepted } from '../contract/session-accepted.ts'
import { ApiError, throwNotFound } from '../core/api-error.ts'

/** Maps a session to the answer of an import, a retry and a restoration. Throws conflict for a session in the trash. */
export function toAccepted(session: AdminSession | undefined): SessionAccepted {
  if (!session) throwNotFound('Session')
  const { id, state: status, external_id } = session
  if (status === 'deleted')
    throw new ApiError('conflict', `The session ${id} is in the trash; restore it, or delete it permanently`)
  return { id, status, external_id }
}

/** The path of a session at the door whose plugins have this prefix. */
export function sessionPath(prefix: string, { userId }: Actor, id: string) {
  return `${prefix.replace(':user_id', userId)}/sessions/${id}`
}
