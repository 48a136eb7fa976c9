import { secretBox } from '../core/secret-box.ts'
import { asc, sql } from '../db/drizzle.ts'
import { matches } from '../db/matches.ts'
import type { Db } from '../db/open.ts'
import { webhooks } from '../db/schema/index.ts'
import { SECRETS } from './signature.ts'

const BATCH_SIZE = 500

interface Reencrypted {
  /** Webhooks whose secret is now encrypted with the new key. */
  webhooks: number
  /** Webhooks whose secret neither key decrypts: they need a new secret. */
  unreadable: number
}

/** Encrypts the secrets of all webhooks with the new key. */
export async function reencryptSecrets(tx: Db, secretKey: string, formerKey: string | undefined): Promise<Reencrypted> {
  const box = secretBox(secretKey, SECRETS)
  const former = formerKey === undefined ? undefined : secretBox(formerKey, SECRETS)
  const counts = { webhooks: 0, unreadable: 0 }
  for await (const { userId, webhookId, secret, previousSecret } of webhooksIn(tx)) {
    const context = [userId, webhookId]
    if (box.decrypt(secret, context) !== undefined) continue
    const text = former?.decrypt(secret, context)
    if (text === undefined) {
      counts.unreadable++
      continue
    }
    const previous = previousSecret === null ? undefined : former?.decrypt(previousSecret, context)
    await tx
      .update(webhooks)
      .set({
        secret: box.encrypt(text, context),
        previousSecret: previous === undefined ? null : box.encrypt(previous, context)
      })
      // A secret that was rotated meanwhile stays.
      .where(matches(webhooks, { userId, webhookId, secret }))
    counts.webhooks++
  }
  return counts
}

/** Counts the webhooks whose secret the key does not decrypt. */
export async function countUnreadable(db: Db, secretKey: string) {
  const box = secretBox(secretKey, SECRETS)
  let unreadable = 0
  for await (const { userId, webhookId, secret } of webhooksIn(db))
    if (box.decrypt(secret, [userId, webhookId]) === undefined) unreadable++
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
      .limit(BATCH_SIZE)
    yield* rows
    const last = rows.at(-1)
    if (!last) return
    after = last
  }
}
