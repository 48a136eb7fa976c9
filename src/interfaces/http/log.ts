import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { type Meter, NO_METER } from '../../features/access/meter.ts'
import { loggable } from '../../platform/db/errors.ts'
import { openOutages } from './outages.ts'

/**
 * The log of the server: ids and numbers, never users' text. Errors of the driver are logged without the values they name. After `watchDatabase`, an
 * outage of the database, or of a node of its cluster, is one line at its start and one at its end.
 */
export function openLog(level: string) {
  const outages = openOutages({
    database: {
      unavailable: error => plain.error(error, 'the database is unavailable'),
      available: facts => plain.warn(facts, 'the database is available again')
    },
    node: {
      unavailable: error => plain.error(error, 'a node of the database is away; requests of its owners are refused'),
      available: facts => plain.warn(facts, 'every node of the database answers again')
    },
    more: facts => plain.warn(facts, 'others failed in the same moment')
  })
  const options = {
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: loggable, req: () => undefined, res: () => undefined }
  }
  const plain = pino(options)
  const log = pino({
    ...options,
    hooks: {
      logMethod(args, method) {
        const write = () => method.apply(this, args)
        const [logged] = args as unknown[]
        if (!outages.holds(errorOf(logged), write)) write()
      }
    }
  })
  return Object.assign(log, { watchDatabase: outages.watch })
}

/** The error of a line: the line's object itself, or its `err`. */
function errorOf(logged: unknown) {
  return typeof logged === 'object' && logged !== null && 'err' in logged ? logged.err : logged
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
