import { LIMITS } from '../../contract/limits.ts'
import { and, eq, gt, sql } from '../../platform/db/drizzle.ts'
import type { Db } from '../../platform/db/open.ts'
import { idempotencyKeys } from '../../platform/db/schema/index.ts'

const HOUR_MS = 3_600_000

/** A key of an actor: of a token, or of the door where there is none. Actors do not share keys. */
interface ActorKey {
  actor: string
  key: string
}

/**
 * Locks a key until the transaction ends. Returns false if another transaction has it. The database releases the lock of a process that dies, so
 * nothing remains of a request that did not commit.
 */
export async function tryLockKey(tx: Db, userId: string, { actor, key }: ActorKey) {
  const name = JSON.stringify(['idempotency', userId, actor, key])
  const { rows } = await tx.execute<{ locked: boolean }>(sql`
    select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as locked from users where user_id = ${userId}`)
  return rows.every(({ locked }) => locked)
}

export async function findAnswer(tx: Db, userId: string, { actor, key }: ActorKey, now: Date) {
  const isKey = and(eq(idempotencyKeys.actor, actor), eq(idempotencyKeys.key, key))
  const [row] = await tx
    .select({ requestHash: idempotencyKeys.requestHash, answer: idempotencyKeys.answer })
    .from(idempotencyKeys)
    .where(and(eq(idempotencyKeys.userId, userId), isKey, gt(idempotencyKeys.createdAt, expiryOf(now))))
  return row
}

/** Saves the answer of a locked key, in place of an expired one. */
export async function saveAnswer(
  tx: Db,
  userId: string,
  key: ActorKey,
  saved: { requestHash: Buffer; answer: string; about: string | null; createdAt: Date }
) {
  await tx
    .insert(idempotencyKeys)
    .values({ userId, ...key, ...saved })
    .onConflictDoUpdate({ target: [idempotencyKeys.userId, idempotencyKeys.actor, idempotencyKeys.key], set: saved })
}

const ERASED = ''

/** Empties the answers that describe an object which is deleted or replaced. Their keys stay used, so that no repetition is carried out. */
export async function eraseKeyedAnswers(tx: Db, userId: string, about: string) {
  await tx
    .update(idempotencyKeys)
    .set({ answer: ERASED })
    .where(and(eq(idempotencyKeys.userId, userId), eq(idempotencyKeys.about, about)))
}

export function isErased({ answer }: { answer: string }) {
  return answer === ERASED
}

function expiryOf(now: Date) {
  return new Date(now.getTime() - LIMITS.idempotencyHours * HOUR_MS)
}
