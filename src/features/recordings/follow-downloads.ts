import type { ServerResponse } from 'node:http'
import { within } from '../../platform/core/within.ts'

/** The time that a stopping server gives downloads to end. Clients resume the others with a range. */
const GRACE_MS = 3_000

/** Tracks downloads, which may take hours, so that a stopping server need not wait for them. */
export function trackDownloads() {
  const open = new Set<ServerResponse>()
  let stopped = false
  return {
    /** A download that starts after the stop is aborted. */
    follow(answer: ServerResponse) {
      if (stopped) answer.destroy()
      open.add(answer)
      answer.once('close', () => open.delete(answer))
    },
    /** Aborts the downloads that do not end within the grace period. */
    async stop() {
      const ended = [...open].map(answer => new Promise(resolve => answer.once('close', resolve)))
      await within(GRACE_MS, Promise.all(ended)).catch(() => {})
      stopped = true
      for (const answer of open) answer.destroy()
    }
  }
}
