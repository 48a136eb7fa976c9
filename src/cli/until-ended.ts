import { setTimeout } from 'node:timers/promises'

const POLL_MS = 300

/** Reads work that is done in the background until it has ended. */
export async function untilEnded<T extends { status: string }>(started: T, read: () => Promise<T>): Promise<T> {
  let found = started
  while (found.status === 'running') {
    await setTimeout(POLL_MS)
    found = await read()
  }
  return found
}
