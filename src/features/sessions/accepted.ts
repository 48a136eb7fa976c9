import type { AdminSession } from '../../contract/admin/session.ts'
import type { SessionAccepted } from '../../contract/session-accepted.ts'
import { ApiError, throwNotFound } from '../../platform/core/api-error.ts'
import type { Actor } from '../../platform/ports/actor.ts'

/** The conversation was imported before, and its session is in the trash. */
export class InTrash extends ApiError {
  readonly sessionId: string

  constructor(sessionId: string) {
    super('conflict', `The session ${sessionId} is in the trash; restore it, or delete it permanently`)
    this.sessionId = sessionId
  }
}

/** Maps a session to the answer of an import, a retry and a restoration. Throws InTrash for a session in the trash. */
export function toAccepted(session: AdminSession | undefined): SessionAccepted {
  if (!session) throwNotFound('Session')
  const { id, state: status, external_id } = session
  if (status === 'deleted') throw new InTrash(id)
  return { id, status, external_id }
}

/** The path of a session at the door whose plugins have this prefix. */
export function sessionPath(prefix: string, { userId }: Actor, id: string) {
  return `${prefix.replace(':user_id', userId)}/sessions/${id}`
}
