import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Collects garbage at once, so that only what is still held counts. Buffers that one collection gives up are freed at the next one at the latest. */
export function collectGarbage() {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc')
  gc()
  gc()
}
