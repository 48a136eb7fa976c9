import Fastify, { type FastifyBaseLogger, LogController } from 'fastify'

export interface AdminDeps {
  /** Whether requests may be sent here: not while starting or stopping. */
  isServing(): boolean
  /** Rejects when the database does not answer within a second. */
  ping(): Promise<void>
}

/** The private application of the admin port. `/livez` asks nothing of anyone; `/readyz` asks the database. */
export function buildAdmin({ isServing, ping }: AdminDeps, logger?: FastifyBaseLogger) {
  const admin = Fastify({
    ...(logger && { loggerInstance: logger }),
    logController: new LogController({ disableRequestLogging: true }),
    return503OnClosing: false
  })
  admin.get('/livez', async () => ({ status: 'ok' }))
  admin.get('/readyz', async (_request, reply) => {
    if (!isServing()) return reply.code(503).send({ status: 'stopping' })
    try {
      await ping()
      return { status: 'ok' }
    } catch {
      return reply.code(503).send({ status: 'database unavailable' })
    }
  })
  return admin
}
