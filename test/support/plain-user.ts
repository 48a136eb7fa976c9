import { createUser } from '../../src/features/access/queries.ts'
import type { Db } from '../../src/platform/db/open.ts'

type Profile = Parameters<typeof createUser>[2]

/** Inserts a user of whom nothing is known but what is named. There is no token. */
export async function addPlainUser(db: Db, userId: string, profile: Pick<Profile, 'createdAt'> & Partial<Profile>) {
  const unknown = { name: null, email: null, emailVerifiedAt: null, timeZone: 'UTC', subscriptionActive: true }
  await createUser(db, userId, { ...unknown, ...profile })
}
