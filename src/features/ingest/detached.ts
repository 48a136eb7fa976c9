import { PassThrough, type Readable } from 'node:stream'
import { finished } from 'node:stream/promises'

/**
 * A stream of the bytes of a request. If it fails or is destroyed, the rest of the request is discarded: the client gets the answer, and the
 * connection takes its next request. A pipeline that destroys a request itself leaves the rest, and what follows it, unread.
 */
export function detached(request: Readable): Readable {
  const copy = new PassThrough()
  // The request may break off before the bytes are read, and their reader still finds the error then.
  copy.on('error', () => {})
  finished(request).catch((error: Error) => copy.destroy(error))
  copy.once('close', () => request.unpipe(copy).resume())
  return request.pipe(copy)
}
