import { Readable } from 'node:stream'
import { errorCodes, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'

/**
 * Answers a request with an error where its handler has not begun to answer in time. Fastify's own limit stops when a body ends, as if the client had
 * gone, and cuts an answer that is still being read.
 */
export function answerInTime(app: FastifyInstance, usualMs: number) {
  const timers = new WeakMap<FastifyRequest, NodeJS.Timeout>()
  const stop = (request: FastifyRequest) => clearTimeout(timers.get(request))

  function start(request: FastifyRequest, reply: FastifyReply) {
    const { answerTimeoutMs = usualMs } = request.routeOptions.config
    const timer = setTimeout(() => {
      if (!reply.raw.headersSent) reply.send(new errorCodes.FST_ERR_HANDLER_TIMEOUT())
    }, answerTimeoutMs)
    timers.set(request, timer.unref())
  }

  app.addHook('onRequest', (request, reply, done) => {
    start(request, reply)
    done()
  })
  // The body has a limit of its own.
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    stop(request)
    done()
  })
  app.addHook('preHandler', (request, reply, done) => {
    start(request, reply)
    done()
  })
  app.addHook('onSend', (request, _reply, payload, done) => {
    stop(request)
    done(null, payload)
  })
  app.addHook('onError', (_request, reply, { code }, done) => {
    // Every handler of errors answers at once, so that this comes after its answer.
    if (code === 'FST_ERR_HANDLER_TIMEOUT') queueMicrotask(() => dropLaterAnswers(reply))
    done()
  })
}

/** Fastify would send the answer of the handler as well, or log its URL, which may hold a secret. */
function dropLaterAnswers(reply: FastifyReply) {
  reply.hijack()
  reply.send = payload => {
    if (payload instanceof Readable) payload.destroy()
    return reply
  }
}
