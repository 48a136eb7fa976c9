import { createServer } from 'node:http'
import Fastify, { type FastifyBaseLogger, type FastifyPluginCallback, type FastifyReply } from 'fastify'
import { FIELD_LIMITS, LIMITS } from '../../contract/limits.ts'
import type { Meter } from '../../features/access/meter.ts'
import { accountPlugin } from '../../features/accounts/plugin.ts'
import { correctionsPlugin } from '../../features/corrections/plugin.ts'
import { eventsPlugin } from '../../features/events/plugin.ts'
import { exportKeysPlugin, exportLinkPlugin, exportsPlugin } from '../../features/exports/plugin.ts'
import { foldersPlugin } from '../../features/folders/plugin.ts'
import { ingestPlugin } from '../../features/ingest/plugin.ts'
import { uploadPartsPlugin } from '../../features/ingest/uploads/plugin.ts'
import { peoplePlugin } from '../../features/people/plugin.ts'
import { mediaLinkPlugin, recordingsPlugin } from '../../features/recordings/plugin.ts'
import { searchPlugin } from '../../features/search/plugin.ts'
import type { Services } from '../../features/services.ts'
import { sessionsPlugin } from '../../features/sessions/plugin.ts'
import { sharingPlugin } from '../../features/sharing/plugin.ts'
import { summariesPlugin } from '../../features/summaries/plugin.ts'
import { templatesPlugin } from '../../features/templates/plugin.ts'
import { termsPlugin } from '../../features/terms/plugin.ts'
import { transcriptsPlugin } from '../../features/transcripts/plugin.ts'
import { webhooksPlugin } from '../../features/webhooks/plugin.ts'
import { basePathOf, linkBase } from '../../platform/net/links.ts'
import { consolePlugin } from '../console/plugin.ts'
import { mcpPlugin } from '../mcp/plugin.ts'
import { oauthPlugin } from '../oauth/plugin.ts'
import { agentPages } from '../site/agent-pages.ts'
import { apiCatalog } from '../site/api-catalog.ts'
import { tryOutRoutes } from '../site/try-out.ts'
import { assetRoutes } from '../web/assets.ts'
import { answerHeaders, baseOptions, installBase } from './base.ts'
import { openBoundedAnswers } from './bounded-answers.ts'
import { announceDeprecations } from './deprecations.ts'
import { describeApi, openapiRoute } from './document/openapi.ts'
import { publicApi } from './document/public-api.ts'
import { answerFrameworkError } from './errors.ts'
import { allowOrigins } from './guards/cross-origin.ts'
import { guardPublicRoutes } from './guards/public-guards.ts'
import { answerRequestsOnce } from './idempotency.ts'
import { addReadHeaders } from './reads.ts'
import { limitArrival } from './transport/arrival.ts'
import { limitConnections } from './transport/connections.ts'
import { closeUnused } from './transport/in-flight.ts'
import { serializeLongLists } from './transport/long-lists.ts'
import { meantMethod, meantUrl } from './transport/meant-url.ts'
import { answerRawErrors } from './transport/raw-errors.ts'
import { limitUnreadAnswers } from './transport/unread-answers.ts'
import { nameUnknownFields } from './unknown-fields.ts'
import { refuseUnknownParameters } from './validation.ts'

export interface AppOptions {
  logger?: FastifyBaseLogger
  /**
   * The number of proxies in front, or their addresses and networks. Entries of X-Forwarded-For count only where such a proxy wrote them.
   */
  trustProxy?: false | number | string[]
  /** The origins whose pages may call the API from a browser. */
  corsOrigins?: string[]
  meter?: Meter
  /** Registered first, so that it sees every route. */
  tracing?: FastifyPluginCallback | undefined
  /** The time for a request to arrive, in milliseconds; its headers get a third of it, and a route may give its body another. */
  requestTimeoutMs?: number
  /** The time that a connection may be idle while a request or an answer is incomplete, in milliseconds; longer than `answerTimeoutMs`. */
  stallTimeoutMs?: number
  /** The time that a connection may be idle between requests, in milliseconds. */
  keepAliveTimeoutMs?: number
  /** The time for a handler to begin its answer, in milliseconds; a route may have its own. */
  answerTimeoutMs?: number
  /** The connections at once, each of which takes a file descriptor and memory, and those of one client address. */
  maxConnections?: number
  maxAddressConnections?: number
}

/** The public application: every path starts with /v1, except the pages for people. It does not listen yet. */
export async function buildApp(services: Services, options: AppOptions = {}) {
  const {
    logger,
    trustProxy = false,
    meter,
    requestTimeoutMs = 30_000,
    answerTimeoutMs = 30_000,
    stallTimeoutMs = 60_000,
    keepAliveTimeoutMs = 72_000,
    maxConnections = LIMITS.connections.total,
    maxAddressConnections = LIMITS.connections.perAddress
  } = options
  let refuseRaw: ReturnType<typeof answerRawErrors> = (_error, socket) => void socket.destroy()
  const basePath = basePathOf(services.publicUrl)
  const boundedAnswers = openBoundedAnswers()
  const app = Fastify({
    ...baseOptions(logger),
    rewriteUrl: request => {
      const url = meantUrl(request.url ?? '/', basePath)
      request.method = meantMethod(request, url)
      return boundedAnswers.meantUrl(request, url)
    },
    trustProxy: typeof trustProxy === 'number' ? (_address, hop) => hop < trustProxy : trustProxy,
    keepAliveTimeout: keepAliveTimeoutMs,
    clientErrorHandler: (error, socket) => refuseRaw(error, socket),
    frameworkErrors: async (error, request, reply: FastifyReply) =>
      answerFrameworkError(error, request, reply, {
        ...answerHeaders(request.id),
        ...(await limits.headersFor(request))
      }),
    serverFactory: handler => {
      const server = createServer(
        {
          // The longest that any route allows; limitArrival has the others. By default Node checks every 30 s.
          requestTimeout: LIMITS.uploadMs,
          headersTimeout: Math.ceil(requestTimeoutMs / 3),
          connectionsCheckingInterval: Math.min(1_000, requestTimeoutMs / 3),
          keepAliveTimeout: keepAliveTimeoutMs,
          maxHeaderSize: FIELD_LIMITS.pathPart,
          // Node's own 400 for a missing Host has no body; the guard answers in our shape.
          requireHostHeader: false
        },
        // The request for which limitConnections closed its connection.
        (request, response) => {
          if (!request.socket.destroyed) handler(request, response)
        }
      )
      // A client that does not read its answer would otherwise keep it in memory for ever.
      server.timeout = stallTimeoutMs
      return server
    }
  })
  const inFlight = limitConnections(app.server, {
    total: maxConnections,
    perAddress: maxAddressConnections,
    requests: LIMITS.connections.requests,
    trustProxy
  })
  closeUnused(app, inFlight)
  app.decorate('basePath', basePath)
  if (options.tracing) await app.register(options.tracing)
  installBase(app, services, meter, { hasPages: true, answerTimeoutMs })
  // This precedes the guard, because a browser asks without a token whether it may send one.
  await allowOrigins(app, options.corsOrigins ?? [])
  const limits = guardPublicRoutes(app, services, meter)
  refuseRaw = answerRawErrors(app.server, limits.headersForAddress)
  const allowBodyTime = limitArrival(app.server, { usualMs: requestTimeoutMs, paceMs: Math.ceil(requestTimeoutMs / 3) })
  // This runs after the guards, so that only callers with the scope get more time.
  app.addHook('preParsing', ({ raw, routeOptions: { config } }, _reply, _payload, done) => {
    if (config.bodyTimeoutMs !== undefined) allowBodyTime(raw, config.bodyTimeoutMs)
    done()
  })
  boundedAnswers.install(app)
  limitUnreadAnswers(app)
  answerRequestsOnce(app, services, basePath)

  refuseUnknownParameters(app)
  addReadHeaders(app, services.publicUrl)
  announceDeprecations(app, request => linkBase(request, services.publicUrl))
  nameUnknownFields(app)
  serializeLongLists(app)
  await describeApi(app, publicApi(services.publicUrl))
  await app.register(
    async v1 => {
      await v1.register(sessionsPlugin, { services })
      await v1.register(ingestPlugin, { services })
      await v1.register(uploadPartsPlugin, { services })
      await v1.register(transcriptsPlugin, { services })
      await v1.register(correctionsPlugin, { services })
      await v1.register(summariesPlugin, { services })
      await v1.register(termsPlugin, { services })
      await v1.register(templatesPlugin, { services })
      await v1.register(recordingsPlugin, { services })
      await v1.register(mediaLinkPlugin, { services })
      await v1.register(searchPlugin, { services })
      await v1.register(eventsPlugin, { services })
      await v1.register(webhooksPlugin, { services })
      await v1.register(foldersPlugin, { services })
      await v1.register(peoplePlugin, { services })
      await v1.register(sharingPlugin, { services })
      await v1.register(exportsPlugin, { services })
      await v1.register(exportLinkPlugin, { services })
      await v1.register(accountPlugin, { services })
      await v1.register(openapiRoute, {
        serverUrlOf: request => linkBase(request, services.publicUrl) || '/',
        actionsUrl: services.publicUrl
      })
      await v1.register(tryOutRoutes)
    },
    { prefix: '/v1' }
  )
  await app.register(mcpPlugin, { services, origins: options.corsOrigins ?? [] })
  await app.register(agentPages, services)
  await app.register(apiCatalog, services)
  await app.register(exportKeysPlugin, { services })
  await app.register(assetRoutes)
  await app.register(oauthPlugin, services)
  await app.register(consolePlugin, services)
  return app
}
