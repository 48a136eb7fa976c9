import type { ServerResponse } from 'node:http'

/** How long a stopping server goes on with downloads; most end by then, and clients resume the others with a range. */
const GRACE_MS = 3_000

/** Follows answers that may take hours, so that a stopping server need not wait for them. */
export function openDownloads() {
  const open = new Set<ServerResponse>()
  let stopped = false
  return {
    /** What begins after the stop is ended at once: it would be waited for as well. */
    follow(answer: ServerResponse) {
      if (stopped) answer.destroy()
      open.add(answer)
      answer.once('close', () => open.delete(answer))
    },
    /** Ends what has not ended by itself within the grace. */
    async stop() {
      const ended = [...open].map(answer => new Promise(resolve => answer.once('close', resolve)))
      let timer: NodeJS.Timeout | undefined
      const late = new Promise(resolve => {
        timer = setTimeout(resolve, GRACE_MS)
      })
      await Promise.race([Promise.all(ended), late])
      clearTimeout(timer)
      stopped = true
      for (const answer of open) answer.destroy()
    }
  }
}
