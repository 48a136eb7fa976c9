import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { serializerCompiler } from 'fastify-type-provider-zod'
import type { z } from 'zod'
import type { Meter } from '../metrics/meter.ts'
import { readJsonBodies } from './body.ts'
import { answerErrors } from './errors.ts'
import { logRequests } from './log.ts'
import { compileValidator } from './validation.ts'

/** What both applications stand on: shapes in and out by zod, JSON, refusals in the one shape, a log line and headers for every answer. */
export function layFloor(app: FastifyInstance, meter?: Meter) {
  app.setValidatorCompiler<z.ZodType>(compileValidator)
  app.setSerializerCompiler(serializerCompiler)
  readJsonBodies(app)
  answerErrors(app)
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

/** The client's own id, where it is harmless, so that its logs and ours meet. */
export function requestId({ headers }: IncomingMessage) {
  const given = headers['x-request-id']
  return typeof given === 'string' && /^[A-Za-z0-9._-]{8,64}$/.test(given) ? given : randomUUID()
}
