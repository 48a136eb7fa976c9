import type { Actor } from './actor.ts'

/** Takes a place among the long texts that are being read, until it is disposed of. Throws service_unavailable if there is none. */
export type LongReads = (reader: Actor) => Disposable
