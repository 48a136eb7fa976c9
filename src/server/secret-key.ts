import { secretBox } from '../platform/core/secret-box.ts'
import { eq, sql } from '../platform/db/drizzle.ts'
import type { Db } from '../platform/db/open.ts'
import { secretKeyChecks } from '../platform/db/schema/index.ts'

const NAME = 'SECRET_KEY'
/** The encrypted text. It only matters whether it can be decrypted. */
const TEXT = 'canary'

/** The error for the operator if the database was used with another key. */
export const ANOTHER_KEY =
  'SECRET_KEY: the database was used with another one, without which secrets of webhooks cannot be decrypted and links to recordings end; set that one again (embedded: DATA_DIR/secret.key), or accept this one with: npm run -s parlance -- secret-key accept'

/** Returns whether the database is used with this key, or undefined before its first server. */
export async function isKnownKey(db: Db, secretKey: string): Promise<boolean | undefined> {
  const [check] = await db.select().from(secretKeyChecks).where(eq(secretKeyChecks.name, NAME))
  return check && secretBox(secretKey, 'secret key').decrypt(check.encrypted, [NAME]) !== undefined
}

/** Returns whether the server may use the key. The database notes the first key, even if several servers start at once. */
export async function claimKey(db: Db, secretKey: string, now: Date): Promise<boolean> {
  if ((await isKnownKey(db, secretKey)) === false) return false
  await db.insert(secretKeyChecks).values(checkOf(secretKey, now)).onConflictDoNothing()
  return (await isKnownKey(db, secretKey)) === true
}

/** Notes the key in place of any earlier one. */
export async function replaceKey(tx: Db, secretKey: string, now: Date) {
  await tx
    .insert(secretKeyChecks)
    .values(checkOf(secretKey, now))
    .onConflictDoUpdate({
      target: secretKeyChecks.name,
      set: { encrypted: sql`excluded.encrypted`, createdAt: sql`excluded.created_at` }
    })
}

function checkOf(secretKey: string, createdAt: Date) {
  return { name: NAME, encrypted: secretBox(secretKey, 'secret key').encrypt(TEXT, [NAME]), createdAt }
}
