import { LIMITS } from '../contract/limits.ts'
import type { Scope } from '../contract/scopes.ts'
import { newId } from '../core/ids.ts'
import type { Db } from '../db/open.ts'
import { createToken } from './queries.ts'
import { hashToken, makeToken } from './token.ts'

/** Issues a token for a user, good for a year unless told otherwise. The token itself is in the answer and nowhere else: only its hash is kept. */
export async function issueToken(
  db: Db,
  userId: string,
  name: string,
  scopes: Scope[],
  now: Date,
  lifetimeSeconds: number = LIMITS.tokenSeconds.max
) {
  const token = makeToken()
  const tokenId = newId('tok')
  const expiresAt = new Date(now.getTime() + lifetimeSeconds * 1_000)
  await createToken(db, userId, hashToken(token), { tokenId, name, scopes, hint: token.slice(0, 8), createdAt: now, expiresAt })
  return { id: tokenId, token, expiresAt }
}
