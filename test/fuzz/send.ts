import type { InjectOptions } from 'fastify'
import type { Served } from '../support/server.ts'

/** A made-up request has its answer by then, however busy the machine is. */
const PATIENCE_MS = 60_000
/** Of this process, the embedded database included: an answer may wait for a busy machine, never for an endless computation. */
const MOST_PROCESSOR_MS = 2_000

/** Sends a request. Throws if the answer takes too long, or too much of the processor. */
export async function sendWithin(app: Pick<Served['app'], 'inject'>, request: InjectOptions) {
  const named = `${request.method ?? 'GET'} ${String(request.url).slice(0, 500)}`
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${PATIENCE_MS / 1_000} s to ${named}`)), PATIENCE_MS)
  })
  const before = process.cpuUsage()
  const reply = await Promise.race([app.inject(request), late]).finally(() => clearTimeout(timer))
  const { user, system } = process.cpuUsage(before)
  if (user + system > MOST_PROCESSOR_MS * 1_000)
    throw new Error(`More than ${MOST_PROCESSOR_MS} ms of work for ${named}`)
  return reply
}
