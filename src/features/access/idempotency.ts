import { ApiError } from '../../platform/core/api-error.ts'
import { secretBox } from '../../platform/core/secret-box.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Actor } from '../../platform/ports/actor.ts'
import type { Needs } from '../services.ts'
import { findAnswer, isErased, saveAnswer, tryLockKey } from './idempotency-keys.ts'

interface Keyed {
  /** The actor's own key for this request. */
  key: string
  /** A hash of everything that the request depends on. */
  fingerprint: Buffer
  /** Returns the id of the object that a value describes. */
  aboutOf: (value: unknown) => string | null
  /** Those with the same turn run one after another. */
  turn?: string
}

/**
 * Runs an operation once for each key of an actor: in one transaction with the record of its value, which a repetition gets instead. The
 * value has to survive JSON. Throws conflict while the first request runs, and invalid_request (422) for a key that was used for another.
 */
export async function withIdempotency<T>(
  { db, clock, secretKey }: Needs<'db' | 'clock' | 'secretKey'>,
  { userId, tokenId, via }: Actor,
  { key, fingerprint, aboutOf, ...options }: Keyed,
  run: (tx: Db) => Promise<T>
): Promise<{ value: T; replayed: boolean }> {
  const owned = { actor: tokenId ?? via, key }
  const box = secretBox(secretKey, 'answers by idempotency key')
  const context = [userId, owned.actor, key]
  return await db.transaction(async tx => {
    if (!(await tryLockKey(tx, userId, owned))) throw new ApiError('conflict', RUNNING, { field: FIELD })
    const now = clock.now()
    const known = await findAnswer(tx, userId, owned, now)
    if (known) {
      if (!fingerprint.equals(known.requestHash))
        throw new ApiError('invalid_request', REUSED, { field: FIELD, status: 422 })
      if (isErased(known)) throw new ApiError('conflict', GONE, { field: FIELD })
      const answer = box.decrypt(known.answer, context)
      if (answer === undefined) throw new ApiError('conflict', UNREADABLE, { field: FIELD })
      return { value: JSON.parse(answer), replayed: true }
    }
    const value = await run(tx)
    const answer = box.encrypt(JSON.stringify(value), context)
    await saveAnswer(tx, userId, owned, { requestHash: fingerprint, answer, about: aboutOf(value), createdAt: now })
    return { value, replayed: false }
  }, options)
}

const FIELD = 'idempotency_key'
const RUNNING = 'the first request with this key is still running; repeat the same request to get its answer'
const REUSED = 'this key was used before for another request; use a new key for each request'
const GONE = 'the request was carried out, and its result has been deleted or replaced since'
const UNREADABLE =
  'the request was carried out, but the key of the server has changed since and its answer cannot be read'
