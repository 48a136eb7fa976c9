import { secretBox } from '../../platform/core/secret-box.ts'
import { asc, sql } from '../../platform/db/drizzle.ts'
import { matches } from '../../platform/db/matches.ts'
import type { Db } from '../../platform/db/open.ts'
import { webhooks } from '../../platform/db/schema/index.ts'
import { headersContext, SECRETS } from './signature.ts'

const BATCH_SIZE = 500

interface Reencrypted {
  /** Webhooks whose secret is now encrypted with the new key. */
  webhooks: number
  /** Webhooks whose secret neither key decrypts: they need a new secret. */
  unreadable: number
  /** Webhooks whose headers neither key decrypts: their owners set them again. */
  unreadable_headers: number
}

/** Encrypts the secrets and the headers of all webhooks with the new key. */
export async function reencryptSecrets(tx: Db, secretKey: string, formerKey: string | undefined): Promise<Reencrypted> {
  const box = secretBox(secretKey, SECRETS)
  const former = formerKey === undefined ? undefined : secretBox(formerKey, SECRETS)
  /** Undefined if the former key does not decrypt the text. */
  const encryptAgain = (encrypted: string, context: string[]) => {
    const text = former?.decrypt(encrypted, context)
    return text === undefined ? undefined : box.encrypt(text, context)
  }
  const counts = { webhooks: 0, unreadable: 0, unreadable_headers: 0 }
  // Secrets and headers that were replaced meanwhile stay.
  for await (const { userId, webhookId, secret, previousSecret, headers } of webhooksIn(tx)) {
    const context = [userId, webhookId]
    if (headers !== null && !isReadable(box, headers, headersContext(context))) {
      const again = encryptAgain(headers, headersContext(context))
      if (again === undefined) counts.unreadable_headers++
      else await tx.update(webhooks).set({ headers: again }).where(matches(webhooks, { userId, webhookId, headers }))
    }
    if (isReadable(box, secret, context)) continue
    const again = encryptAgain(secret, context)
    if (again === undefined) {
      counts.unreadable++
      continue
    }
    const previous = previousSecret === null ? undefined : encryptAgain(previousSecret, context)
    await tx
      .update(webhooks)
      .set({ secret: again, previousSecret: previous ?? null })
      .where(matches(webhooks, { userId, webhookId, secret }))
    counts.webhooks++
  }
  return counts
}

/** Counts the webhooks whose secret, and those whose headers, the key does not decrypt. */
export async function countUnreadable(db: Db, secretKey: string) {
  const box = secretBox(secretKey, SECRETS)
  const unreadable = { secrets: 0, headers: 0 }
  for await (const { userId, webhookId, secret, headers } of webhooksIn(db)) {
    const context = [userId, webhookId]
    if (!isReadable(box, secret, context)) unreadable.secrets++
    if (headers !== null && !isReadable(box, headers, headersContext(context))) unreadable.headers++
  }
  return unreadable
}

function isReadable(box: ReturnType<typeof secretBox>, encrypted: string, context: string[]) {
  return box.decrypt(encrypted, context) !== undefined
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
