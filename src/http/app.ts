import { createServer } from 'node:http'
import Fastify, { type FastifyBaseLogger, type FastifyPluginCallback, type FastifyReply, LogController } from 'fastify'
import { accountRoutes } from '../accounts/routes.ts'
import { LIMITS } from '../contract/limits.ts'
import type { Deps } from '../deps.ts'
import { deliveryRoutes } from '../dispatch/routes.ts'
import { eventRoutes } from '../events/routes.ts'
import { folderRoutes } from '../folders/routes.ts'
import type { Meter } from '../metrics/meter.ts'
import { peopleRoutes } from '../people/routes.ts'
import { searchRoutes } from '../search/routes.ts'
import { sessionChangeRoutes } from '../sessions/change-routes.ts'
import { mediaRoutes } from '../sessions/media-routes.ts'
import { sessionReportRoutes } from '../sessions/report-routes.ts'
import { sessionRoutes } from '../sessions/routes.ts'
import { sharingRoutes } from '../sharing/owner-routes.ts'
import { sharedSessionRoutes } from '../sharing/recipient-routes.ts'
import { referenceRoutes } from '../web/reference.ts'
import { sharePages } from '../web/share-routes.ts'
import { webhookRoutes } from '../webhooks/routes.ts'
import { answerFrameworkError } from './errors.ts'
import { answerHeaders, layFloor, requestId } from './floor.ts'
import { guard } from './guard.ts'
import { describeApi, openapiRoute } from './openapi.ts'
import { publicApi } from './public-api.ts'
import { answerRawErrors } from './raw-errors.ts'
import { refuseUnstorableText } from './text.ts'

export interface AppOptions {
  logger?: FastifyBaseLogger
  /** How many proxies are in front, or their addresses and networks; X-Forwarded-For counts as far as they wrote it. */
  trustProxy?: false | number | string[]
  meter?: Meter
  /** Registered before all else, for it to see every route. */
  tracing?: FastifyPluginCallback | undefined
  /** How long a request may take to arrive, in milliseconds; its headers get a third of it. */
  requestTimeoutMs?: number
  /** How long a connection may neither bring nor take a byte, in milliseconds: more than an answer takes to begin. */
  stallTimeoutMs?: number
  /** How long a request may take to be answered, in milliseconds, unless its route has another limit. */
  answerTimeoutMs?: number
}

/** Beyond these a connection is closed at once; each takes a file of the process, and memory. */
const MOST_CONNECTIONS = 10_000

/** The public application: every path starts with /v1, but for the pages that links of sharing lead to. It does not listen yet. */
export async function buildApp(deps: Deps, options: AppOptions = {}) {
  const { logger, trustProxy = false, meter, requestTimeoutMs = 30_000, answerTimeoutMs = 30_000, stallTimeoutMs = 60_000 } = options
  let refuseRaw: ReturnType<typeof answerRawErrors> = (_fault, socket) => void socket.destroy()
  const app = Fastify({
    ...(logger && { loggerInstance: logger }),
    trustProxy: typeof trustProxy === 'number' ? (_address, hop) => hop < trustProxy : trustProxy,
    // logRequests writes its own line: the default one has the whole URL.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: LIMITS.bodyBytes,
    routerOptions: { maxParamLength: 16_384, ignoreTrailingSlash: false },
    genReqId: requestId,
    // A connection that is closing finishes what it has begun; new work is turned away by readiness, not by refusals.
    return503OnClosing: false,
    handlerTimeout: answerTimeoutMs,
    keepAliveTimeout: 72_000,
    clientErrorHandler: (fault, socket) => refuseRaw(fault, socket),
    frameworkErrors: async (fault, request, reply: FastifyReply) =>
      answerFrameworkError(fault, request, reply, { ...answerHeaders(request.id), ...(await limits.headersFor(request)) }),
    serverFactory: handler => {
      const server = createServer(
        {
          // Node swaps the two when the whole request has less time than its headers, and looks every 30 s unless told.
          requestTimeout: requestTimeoutMs,
          headersTimeout: Math.ceil(requestTimeoutMs / 3),
          connectionsCheckingInterval: Math.min(1_000, requestTimeoutMs / 3),
          keepAliveTimeout: 72_000,
          maxHeaderSize: 16_384,
          // Node's own refusal of a request without Host has no body; the guard answers in our shape.
          requireHostHeader: false
        },
        handler
      )
      // Who asks and does not read would keep the answer in memory for ever.
      server.timeout = stallTimeoutMs
      server.maxConnections = MOST_CONNECTIONS
      return server
    }
  })
  if (options.tracing) await app.register(options.tracing)
  layFloor(app, meter)
  const limits = guard(app, deps, meter)
  refuseRaw = answerRawErrors(app.server, limits.headersForAddress)
  refuseUnstorableText(app)

  await describeApi(app, publicApi(deps.publicUrl))
  await app.register(
    async v1 => {
      await v1.register(sessionRoutes, deps)
      await v1.register(sessionChangeRoutes, deps)
      await v1.register(sessionReportRoutes, deps)
      await v1.register(mediaRoutes, deps)
      await v1.register(searchRoutes, deps)
      await v1.register(eventRoutes, deps)
      await v1.register(webhookRoutes, deps)
      await v1.register(deliveryRoutes, deps)
      await v1.register(folderRoutes, deps)
      await v1.register(peopleRoutes, deps)
      await v1.register(sharedSessionRoutes, deps)
      await v1.register(sharingRoutes, deps)
      await v1.register(accountRoutes, deps)
      await v1.register(openapiRoute)
      await v1.register(referenceRoutes)
    },
    { prefix: '/v1' }
  )
  await app.register(sharePages, deps)
  return app
}
