import { writeFileSync } from 'node:fs'

/** Answers the requests of a process pool, inside one of its processes. */
export function servePool<Request, Answer>(answer: (request: Request) => Answer | Promise<Answer>) {
  // Linux should end this process where memory is short, and not the server.
  if (process.platform === 'linux') writeFileSync('/proc/self/oom_score_adj', '1000')
  // A terminal sends these to the server's processes, too; the server ends this one when it has finished its requests.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  process.on('disconnect', () => process.exit())
  process.on('message', async (request: Request) => process.send?.(await answer(request)))
}
