import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { loggable } from '../db/errors.ts'
import { type Meter, NO_METER } from '../telemetry/meter.ts'

/** The log of the server: ids and numbers, never users' text. Errors of the driver are logged without the values they name. */
export function openLog(level: string) {
  return pino({
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: loggable, req: () => undefined, res: () => undefined }
  })
}

export type Log = ReturnType<typeof openLog>

/** Writes one line and one measurement for each request. The line holds the route's template, but never the path, query, headers or body. */
export function logRequests(app: FastifyInstance, meter: Meter = NO_METER) {
  // If the client goes away first, `onResponse` never runs; the connection's close ends the measurement.
  app.server.on('request', (_request, response) => {
    meter.began()
    response.once('close', meter.ended)
  })
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.is404 ? undefined : request.routeOptions.url
    meter.answered(request.method, route, reply.statusCode, reply.elapsedTime)
    request.log.info(
      {
        method: request.method,
        route: route ?? null,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        token: request.actor?.tokenId,
        user: request.actor?.userId
      },
      'request'
    )
    done()
  })
}
