/** Answers the requests of a process pool, inside one of its processes. */
export function servePool<Request, Answer>(answer: (request: Request) => Answer | Promise<Answer>) {
  // A terminal sends these to the server's processes, too; the server ends this one when it has finished its requests.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  process.on('disconnect', () => process.exit())
  process.on('message', async (request: Request) => process.send?.(await answer(request)))
}
