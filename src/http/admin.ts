import { createServer } from 'node:http'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { errorBody } from './errors.ts'

export interface AdminDeps {
  /** Whether requests may be sent here: not while starting or stopping. */
  isServing(): boolean
  /** Rejects when the database does not answer within a second. */
  ping(): Promise<void>
  /** What Prometheus is told, and of which content type that is. */
  metrics(): Promise<{ type: string; text: string }>
  /** Who answers below /app; nobody while starting or stopping. */
  appApi(): FastifyInstance | undefined
}

const STARTING = JSON.stringify(errorBody({ code: 'service_unavailable', message: 'The server is starting or stopping; try again' }))

/**
 * The private application of the admin port. `/livez` asks nothing of anyone; `/readyz` asks the database, `/metrics` too,
 * but does without it. The app API is an application of its own, for it needs what is opened after this port.
 */
export function buildAdmin({ isServing, ping, metrics, appApi }: AdminDeps, logger?: FastifyBaseLogger) {
  const admin = Fastify({
    ...(logger && { loggerInstance: logger }),
    logController: new LogController({ disableRequestLogging: true }),
    return503OnClosing: false,
    serverFactory: handler =>
      // As long as a large recording takes to come in.
      createServer({ requestTimeout: 3_600_000 }, (request, response) => {
        if (!/^\/app(?:[/?]|$)/.test(request.url ?? '')) return handler(request, response)
        const app = appApi()
        if (app) return app.routing(request, response)
        response.writeHead(503, { 'content-type': 'application/json; charset=utf-8', 'retry-after': '2' }).end(STARTING)
      })
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
  admin.get('/metrics', async (_request, reply) => {
    const { type, text } = await metrics()
    return reply.header('cache-control', 'no-store').type(type).send(text)
  })
  return admin
}
