import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { requireToken } from '../accounts/actor.ts'
import { findAnswer, saveAnswer, tryLockKey } from '../accounts/idempotency-keys.ts'
import { ApiError } from '../core/api-error.ts'
import { basePathOf } from '../core/links.ts'
import { secretBox } from '../core/secret-box.ts'
import type { Db } from '../db/open.ts'
import type { Services } from '../services.ts'

/** The answer of an operation. */
interface KeyedAnswer<T> {
  status: number
  body: T
  /** The Location header, below the public URL. */
  location?: string
}

declare module 'fastify' {
  interface FastifyReply {
    /**
     * Runs an operation and returns the body of its answer. With an Idempotency-Key it runs in one transaction with the record of its
     * answer; the same request again returns that answer. Path, query and `sent` have to be the same.
     */
    answerOnce<T>(sent: unknown, run: (db: Db) => Promise<KeyedAnswer<T>>): Promise<T>
  }
}

export function answerRequestsOnce(
  app: FastifyInstance,
  { db, clock, secretKey, publicUrl }: Pick<Services, 'db' | 'clock' | 'secretKey' | 'publicUrl'>
) {
  const basePath = basePathOf(publicUrl)
  const box = secretBox(secretKey, 'answers by idempotency key')

  app.decorateReply('answerOnce', async function <
    T
  >(this: FastifyReply, sent: unknown, run: (db: Db) => Promise<KeyedAnswer<T>>) {
    const key = this.request.headers['idempotency-key']
    const answer = typeof key === 'string' ? await answerByKey(this.request, key, sent, run) : await run(db)
    this.code(answer.status)
    if (answer.location !== undefined) this.header('location', `${basePath}${answer.location}`)
    if ('replayed' in answer) this.header('idempotent-replayed', 'true')
    return answer.body
  })

  async function answerByKey<T>(
    request: FastifyRequest,
    key: string,
    sent: unknown,
    run: (db: Db) => Promise<KeyedAnswer<T>>
  ) {
    const { userId, tokenId } = requireToken(request.actor)
    const requestHash = hashRequest(request, sent)
    const context = [userId, tokenId, key]
    return await db.transaction(async (tx): Promise<KeyedAnswer<T> & { replayed?: true }> => {
      if (!(await tryLockKey(tx, userId, { tokenId, key }))) throw new ApiError('conflict', RUNNING, { field: KEY })
      const now = clock.now()
      const known = await findAnswer(tx, userId, { tokenId, key }, now)
      if (known) {
        if (!requestHash.equals(known.requestHash))
          throw new ApiError('invalid_request', REUSED, { field: KEY, status: 422 })
        const answer = box.decrypt(known.answer, context)
        if (answer === undefined) throw new ApiError('conflict', UNREADABLE, { field: KEY })
        return { ...JSON.parse(answer), replayed: true }
      }
      const answer = await run(tx)
      await saveAnswer(
        tx,
        userId,
        { tokenId, key },
        { requestHash, answer: box.encrypt(JSON.stringify(answer), context), createdAt: now }
      )
      return answer
    })
  }
}

/** Hashes route, path, query and `sent`, all validated: the order and the unknown fields of a body do not count. */
function hashRequest({ method, routeOptions: { url }, params, query }: FastifyRequest, sent: unknown) {
  return hash('sha256', JSON.stringify([method, url, params, query, sent ?? null]), 'buffer')
}

const KEY = 'Idempotency-Key'
const RUNNING = 'the first request with this key is still running; send the same request again to get its answer'
const REUSED = 'this key was sent before with another request; use a new key for each request'
const UNREADABLE =
  'the request was carried out, but the key of the server has changed since and its answer cannot be read'
