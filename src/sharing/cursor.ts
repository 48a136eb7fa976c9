import { z } from 'zod'
import { isInstant } from '../contract/instant.ts'
import { invalid } from '../core/api-error.ts'
import type { SharedPosition } from './shared.ts'

const id = z.string().regex(/^\w{1,64}$/)
const Position = z.tuple([z.string().refine(isInstant), id, id])

/** A place in the list as text that means nothing to clients. */
export function writeCursor(position: SharedPosition) {
  return Buffer.from(JSON.stringify(position)).toString('base64url')
}

/** The place that a cursor was written for. Throws for what never was one. */
export function readCursor(cursor: string): SharedPosition {
  try {
    return Position.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
  } catch {
    throw invalid('cursor: send the next_cursor of the page before, unchanged')
  }
}
