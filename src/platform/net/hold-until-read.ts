import type { ServerResponse } from 'node:http'

/**
 * Holds what an answer takes until its client has read it, or is gone. An answer of which the client has read nothing for `stallMs` is ended, so that
 * nobody keeps it by not reading.
 */
export function holdUntilRead(response: ServerResponse, held: Disposable, stallMs?: number) {
  // The client may have left before its answer was made, and that is never said again.
  if (response.closed || response.destroyed) return held[Symbol.dispose]()
  response.once('close', () => held[Symbol.dispose]())
  // Without anything to read, the client waits for the server.
  if (stallMs !== undefined)
    response.setTimeout(stallMs, () => {
      if (response.writableLength > 0) response.destroy()
    })
}
