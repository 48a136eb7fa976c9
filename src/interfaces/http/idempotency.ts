import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { withIdempotency } from '../../features/access/idempotency.ts'
import type { Needs, Services } from '../../features/services.ts'

/** The answer of an operation. */
interface KeyedAnswer<T> {
  status: number
  body: T
  /** The Location header, without the base path of the application. */
  location?: string
}

/** The services, with a transaction in place of the database where the request has a key. */
type Within = Needs<keyof Services>

declare module 'fastify' {
  interface FastifyReply {
    /**
     * Runs an operation and returns the body of its answer. With an Idempotency-Key it runs in one transaction with the record of its
     * answer; the same request again returns that answer. Path, query and `sent` have to be the same. Transactions with the same `turn` run one after
     * another.
     */
    answerOnce<T>(
      sent: unknown,
      run: (services: Within) => Promise<KeyedAnswer<T>>,
      options?: { turn?: string }
    ): Promise<T>
  }
}

/** `basePath` is what a proxy in front removes from paths. */
export function answerRequestsOnce(app: FastifyInstance, services: Services, basePath: string) {
  app.decorateReply('answerOnce', async function <
    T
  >(this: FastifyReply, sent: unknown, run: (services: Within) => Promise<KeyedAnswer<T>>, options: { turn?: string } = {}) {
    const key = this.request.headers['idempotency-key']
    const { value, replayed } =
      typeof key === 'string'
        ? await withIdempotency(
            services,
            this.request.actor,
            {
              key,
              fingerprint: hashRequest(this.request, sent),
              aboutOf: answer => aboutOf(this.request, answer),
              ...options
            },
            tx => run({ ...services, db: tx })
          )
        : { value: await run(services), replayed: false }
    this.code(value.status)
    if (value.location !== undefined) this.header('location', `${basePath}${value.location}`)
    if (replayed) this.header('idempotent-replayed', 'true')
    return value.body
  })
}

const IDENTIFIED = z.object({ id: z.string() })
const ANSWER = z.object({ body: IDENTIFIED })

/** The id of the object of the path, or of the one that was made. */
function aboutOf({ params }: FastifyRequest, answer: unknown) {
  return IDENTIFIED.safeParse(params).data?.id ?? ANSWER.safeParse(answer).data?.body.id ?? null
}

/** Hashes route, path, query and `sent`, all validated: the order and the unknown fields of a body do not count. */
function hashRequest({ method, routeOptions: { url }, params, query }: FastifyRequest, sent: unknown) {
  return hash('sha256', JSON.stringify([method, url, params, query, sent ?? null]), 'buffer')
}
