import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Collects garbage at once, so that only what is still held counts. */
export function collectGarbage() {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}
