import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { serializerCompiler } from 'fastify-type-provider-zod'
import type { z } from 'zod'
import { FIELD_LIMITS, LIMITS } from '../../contract/limits.ts'
import type { Meter } from '../../features/access/meter.ts'
import type { Services } from '../../features/services.ts'
import { answerInTime } from './answer-time.ts'
import { answerErrors } from './errors.ts'
import { logRequests } from './log.ts'
import { readJsonBodies } from './transport/body.ts'
import { compileValidator, refuseUnstorableText } from './validation.ts'

/** The Fastify options that both applications have. */
export function baseOptions(logger: FastifyBaseLogger | undefined) {
  return {
    ...(logger && { loggerInstance: logger }),
    // logRequests writes its own line, since the default one holds the whole URL.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: LIMITS.bodyBytes,
    routerOptions: { maxParamLength: FIELD_LIMITS.pathPart, ignoreTrailingSlash: false },
    genReqId: requestId,
    // A server that stops answers the requests it has; readiness tells the load balancer to send no more.
    return503OnClosing: false
  }
}

/**
 * The base of both applications: zod validation and serialization, JSON bodies, the error shape, a log line and the headers of every
 * answer.
 */
export function installBase(
  app: FastifyInstance,
  services: Pick<Services, 'reader' | 'uploadFolder' | 'diskReserve'>,
  meter?: Meter,
  { answerTimeoutMs = 30_000, ...kind }: { hasPages?: boolean; answerTimeoutMs?: number } = {}
) {
  app.setValidatorCompiler<z.ZodType>(compileValidator)
  app.setSerializerCompiler(serializerCompiler)
  readJsonBodies(app, services)
  refuseUnstorableText(app)
  answerErrors(app, kind)
  answerInTime(app, answerTimeoutMs)
  logRequests(app, meter)
  sendAnswerHeaders(app)
}

export function sendAnswerHeaders(app: FastifyInstance) {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(answerHeaders(request.id))
    done()
  })
}

export function answerHeaders(requestId: string) {
  return { 'x-request-id': requestId, 'cache-control': 'private, no-store', 'x-content-type-options': 'nosniff' }
}

/** Returns the client's own request id if it is harmless, so that its logs and ours can be matched; else a new one. */
export function requestId({ headers }: IncomingMessage) {
  const given = headers['x-request-id']
  return typeof given === 'string' && /^[A-Za-z0-9._-]{8,64}$/.test(given) ? given : randomUUID()
}
