import { totalmem } from 'node:os'

/** Returns the bytes of memory that this process may take with those that it starts: the limit of its container, or all of the machine. */
export function memoryLimit() {
  // Without a limit Node returns 0 or a number that no machine has.
  return Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem())
}
