import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { loggable } from '../db/faults.ts'
import { type Meter, NO_METER } from '../metrics/meter.ts'

/**
 * The log of the program: ids and numbers. Faults lose what a driver adds of the data they were about. Of several
 * processes that share the public port, each says which one it is.
 */
export function openLog(level: string, worker?: number) {
  return pino({
    level,
    base: worker === undefined ? undefined : { worker },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: loggable, req: () => undefined, res: () => undefined }
  })
}

/** One line and one measurement for each request: the template of its route, never its path, query, headers or body. */
export function logRequests(app: FastifyInstance, meter: Meter = NO_METER) {
  // An answer that the client does not wait for is never done; that it is over is told by the connection.
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
        token: request.caller?.tokenId,
        user: request.caller?.userId ?? request.forUser
      },
      'request'
    )
    done()
  })
}
