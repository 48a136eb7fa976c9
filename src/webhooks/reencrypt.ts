import { secretBox } from '../core/secret-box.ts'
import { and, asc, eq, sql } from '../db/drizzle.ts'
import type { Db } from '../db/open.ts'
import { webhooks } from '../db/schema/index.ts'
import { SECRETS } from './signature.ts'

const BATCH = 500

export interface Reencrypted {
  /** Secrets that the key before decrypts and the new one now does as well. */
  webhooks: number
  /** Webhooks whose secret neither key decrypts: they need a new one. */
  unreadable: number
}

/** Encrypts the secrets of all webhooks with the new key, as far as the former one or the new one decrypts them. */
export async function reencryptSecrets(tx: Db, secretKey: string, formerKey: string | undefined): Promise<Reencrypted> {
  const box = secretBox(secretKey, SECRETS)
  const former = formerKey === undefined ? undefined : secretBox(formerKey, SECRETS)
  const found = { webhooks: 0, unreadable: 0 }
  for await (const { userId, webhookId, secret, previousSecret } of webhooksIn(tx)) {
    const context = [userId, webhookId]
    if (box.read(secret, context) !== undefined) continue
    const text = former?.read(secret, context)
    if (text === undefined) {
      found.unreadable++
      continue
    }
    const previous = previousSecret === null ? undefined : former?.read(previousSecret, context)
    await tx
      .update(webhooks)
      .set({ secret: box.seal(text, context), previousSecret: previous === undefined ? null : box.seal(previous, context) })
      // Unless it was rotated meanwhile.
      .where(and(eq(webhooks.userId, userId), eq(webhooks.webhookId, webhookId), eq(webhooks.secret, secret)))
    found.webhooks++
  }
  return found
}

/** How many webhooks have a secret that the key does not decrypt. */
export async function countUnreadable(db: Db, secretKey: string) {
  const box = secretBox(secretKey, SECRETS)
  let unreadable = 0
  for await (const { userId, webhookId, secret } of webhooksIn(db)) if (box.read(secret, [userId, webhookId]) === undefined) unreadable++
  return unreadable
}

async function* webhooksIn(db: Db) {
  let after = { userId: '', webhookId: '' }
  for (;;) {
    const rows = await db
      .select()
      .from(webhooks)
      .where(sql`(${webhooks.userId}, ${webhooks.webhookId}) > (${after.userId}, ${after.webhookId})`)
      .orderBy(asc(webhooks.userId), asc(webhooks.webhookId))
      .limit(BATCH)
    yield* rows
    const last = rows.at(-1)
    if (!last) return
    after = last
  }
}
