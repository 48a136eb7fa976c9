import type { FastifyInstance, FastifyRequest } from 'fastify'
import { LIMITS } from '../../../contract/limits.ts'
import { clientAddress } from '../../../platform/net/client-address.ts'
import { holdUntilRead } from '../../../platform/net/hold-until-read.ts'
import { openBudget } from '../../../platform/work/budget.ts'
import { memoryLimit } from '../../../platform/work/memory-limit.ts'

/** Requests that change nothing, so that their answer can be refused after the work. */
const SAFE = ['GET', 'HEAD', 'OPTIONS']

/**
 * Bounds the large answers that clients have not read yet, because each is in memory until then. Beyond the budget, a read is answered with
 * 503, and another request is refused before it changes anything. An answer that is larger than the budget of a user is sent if it is the only one.
 * Streams are not counted: they wait for their reader.
 */
export function limitUnreadAnswers(app: FastifyInstance, memoryBytes = memoryLimit()) {
  const { above } = LIMITS.openAnswers
  const take = openBudget(answerBudget(memoryBytes), 'Large answers are waiting to be read; read them, and try again')
  const isSafe = ({ method }: FastifyRequest) => SAFE.includes(method)

  // These run for every request, so they make no promise. What they throw is answered as an error.
  app.addHook('preHandler', (request, _reply, done) => {
    if (!isSafe(request)) take(ownerOf(request), above)[Symbol.dispose]()
    done()
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? Buffer.byteLength(payload) : 0
    if (bytes <= above) return done(null, payload)
    holdUntilRead(reply.raw, take(ownerOf(request), bytes, { evenBeyond: !isSafe(request), evenAlone: true }))
    // For a string, Node would allocate three bytes for each character until the answer is read.
    done(null, typeof payload === 'string' ? Buffer.from(payload) : payload)
  })
}

/** The bytes of unread answers, in total and of one user, for a server with so much memory. */
export function answerBudget(memoryBytes: number) {
  const { total, perOwner, ofMemory } = LIMITS.openAnswers
  const most = memoryBytes * ofMemory
  return { total: Math.min(total, most), perOwner: Math.min(perOwner, most / 2) }
}

function ownerOf(request: FastifyRequest) {
  return request.actor?.userId ?? clientAddress(request)
}
