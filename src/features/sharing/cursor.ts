import { z } from 'zod'
import { instantOrDay } from '../../contract/day-or-instant.ts'
import { invalid } from '../../platform/core/api-error.ts'

const id = z.string().regex(/^\w{1,64}$/)
const Position = z.tuple([instantOrDay, id, id])

/** A place in the recipient's list: the instant of sharing, the owner, the session. */
export type SharedPosition = z.infer<typeof Position>

/** Writes a place as text that is opaque to clients. */
export function writePosition(position: SharedPosition) {
  return Buffer.from(JSON.stringify(position)).toString('base64url')
}

/** Throws invalid_request for text that `writePosition` never wrote. */
export function readPosition(cursor: string): SharedPosition {
  try {
    return Position.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
  } catch {
    throw invalid({ field: 'cursor', expected: 'the next_cursor of the previous page, unchanged' })
  }
}
