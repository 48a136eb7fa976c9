import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { loggable } from '../db/faults.ts'

/** The log of the program: ids and numbers. Faults lose what a driver adds of the data they were about. */
export function openLog(level: string) {
  return pino({
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: loggable, req: () => undefined, res: () => undefined }
  })
}

/** One line for each request: the template of its route, never its path, query, headers or body. */
export function logRequests(app: FastifyInstance) {
  app.addHook('onResponse', (request, reply, done) => {
    request.log.info(
      {
        method: request.method,
        route: request.is404 ? null : request.routeOptions.url,
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
