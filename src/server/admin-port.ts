import { createServer, type IncomingMessage } from 'node:http'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, LogController } from 'fastify'
import { answerHeaders, requestId, sendAnswerHeaders } from '../interfaces/http/base.ts'
import { answerErrors, answerFrameworkError, errorBody } from '../interfaces/http/errors.ts'
import { closeUnused, countInFlight } from '../interfaces/http/transport/in-flight.ts'
import { answerRawErrors } from '../interfaces/http/transport/raw-errors.ts'
import { isPrivateName, nameOfHost } from '../platform/net/host-name.ts'

interface AdminPortDeps {
  /** Returns false while the server starts or stops. A load balancer then sends it no requests. */
  isServing(): boolean
  /** Rejects when the database does not answer within a second. */
  ping(): Promise<void>
  /** The Prometheus text and its content type. */
  metrics(): Promise<{ type: string; text: string }>
  /** The names with a dot by which this port is known. */
  names: readonly string[]
  /** The handler of paths below /app. Undefined while the server starts or stops. */
  adminApi(): FastifyInstance | undefined
}

const STARTING = JSON.stringify(
  errorBody({ code: 'service_unavailable', problem: 'The server is starting or stopping; try again' })
)

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' }
const UNKNOWN_HOST = JSON.stringify(
  errorBody({
    code: 'no_access',
    problem: 'The admin port is not known by this Host; use its address, or name it in ADMIN_HOST_NAMES'
  })
)

/** Returns whether no page of a stranger made its own name lead here. Probes may have any name: their answers say nothing. */
function isKnownHost({ url = '/', headers: { host } }: IncomingMessage, names: readonly string[]) {
  if (host === undefined || /^\/(?:livez|readyz)(?:\?|$)/.test(url)) return true
  const name = nameOfHost(host)
  return isPrivateName(name) || names.includes(name)
}

/** The time that the body of a large recording takes; headers have less. The admin API itself answers requests without a Host. */
const SERVER = {
  requestTimeout: 3_600_000,
  headersTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16_384,
  requireHostHeader: false
}

/**
 * The private application of the admin port. `/livez` needs nothing; `/readyz` asks the database; `/metrics` asks it too,
 * but works without it. The admin API is a separate application, because it needs parts that open after this port.
 */
export function buildAdmin({ isServing, ping, metrics, names, adminApi }: AdminPortDeps, logger?: FastifyBaseLogger) {
  let refuseRaw: ReturnType<typeof answerRawErrors> = (_error, socket) => void socket.destroy()
  const admin = Fastify({
    ...(logger && { loggerInstance: logger }),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    return503OnClosing: false,
    frameworkErrors: (error, request, reply: FastifyReply) =>
      answerFrameworkError(error, request, reply, answerHeaders(request.id)),
    clientErrorHandler: (error, socket) => refuseRaw(error, socket),
    serverFactory: handler =>
      createServer(SERVER, (request, response) => {
        if (!isKnownHost(request, names)) return void response.writeHead(403, JSON_TYPE).end(UNKNOWN_HOST)
        if (!/^\/app(?:[/?]|$)/.test(request.url ?? '')) return handler(request, response)
        const app = adminApi()
        if (app) return app.routing(request, response)
        response.writeHead(503, { ...JSON_TYPE, 'retry-after': '2' }).end(STARTING)
      })
  })
  refuseRaw = answerRawErrors(admin.server, () => ({}))
  closeUnused(admin, countInFlight(admin.server))
  answerErrors(admin)
  sendAnswerHeaders(admin)
  admin.get('/livez', async () => ({ status: 'ok' }))
  admin.get('/readyz', async (_request, reply) => {
    if (!isServing()) return reply.code(503).header('retry-after', '2').send({ status: 'stopping' })
    try {
      await ping()
      return { status: 'ok' }
    } catch {
      return reply.code(503).header('retry-after', '2').send({ status: 'database unavailable' })
    }
  })
  admin.get('/metrics', async (_request, reply) => {
    const { type, text } = await metrics()
    return reply.type(type).send(text)
  })
  return admin
}
