import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { serializerCompiler } from 'fastify-type-provider-zod'
import type { z } from 'zod'
import { ApiError } from '../core/api-error.ts'
import type { Meter } from '../telemetry/meter.ts'
import { readJsonBodies } from './body.ts'
import { answerErrors } from './errors.ts'
import { logRequests } from './log.ts'
import { compileValidator } from './validation.ts'

/**
 * The base of both applications: zod validation and serialization, JSON bodies, the error shape, a log line and the headers of every
 * answer.
 */
export function layFloor(app: FastifyInstance, meter?: Meter) {
  app.setValidatorCompiler<z.ZodType>(compileValidator)
  app.setSerializerCompiler(serializerCompiler)
  readJsonBodies(app)
  answerErrors(app)
  answerInTime(app)
  logRequests(app, meter)
  sendAnswerHeaders(app)
}

/** Fastify 5.12 stops its own timer where a body ends, as if the client had gone. */
function answerInTime(app: FastifyInstance) {
  app.addHook('preHandler', ({ raw, routeOptions: { handlerTimeout } }, reply, done) => {
    if (raw.method === 'GET' || raw.method === 'HEAD') return done()
    const timer = setTimeout(() => {
      if (reply.raw.headersSent) return
      reply.send(new ApiError('service_unavailable', 'The server cannot answer this now; try again'))
      // Fastify would log the URL of an answer that comes later.
      reply.hijack()
    }, handlerTimeout).unref()
    reply.raw.once('close', () => clearTimeout(timer))
    done()
  })
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

/** The client's own request id where it is harmless, so that its logs and ours can be matched; else a new one. */
export function requestId({ headers }: IncomingMessage) {
  const given = headers['x-request-id']
  return typeof given === 'string' && /^[A-Za-z0-9._-]{8,64}$/.test(given) ? given : randomUUID()
}
