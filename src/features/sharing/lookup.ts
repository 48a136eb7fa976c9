import type { ShareScope } from '../../contract/sharing.ts'
import { inArray, sql } from '../../platform/db/drizzle.ts'
import type { Db, Queryable } from '../../platform/db/open.ts'
import { type ShareSource, shareInvites } from '../../platform/db/schema/index.ts'
import { SCOPE } from './recipient-queries.ts'
import { hashSecret, isSecret } from './secret.ts'

/** Lookups without the owner: a secret or an invite id identifies the share. */

export interface SecretPlace {
  ownerId: string
  sessionId: string
  kind: ShareSource
  hash: Buffer
}

/** Returns the session of a secret, expired or not. */
export async function findSecretPlace(db: Queryable, secret: string): Promise<SecretPlace | undefined> {
  if (!isSecret(secret)) return undefined
  const [place] = await db.query<SecretPlace>(sql`
    select user_id as "ownerId", session_id as "sessionId", kind, hash from share_secrets where hash = ${hashSecret(secret)}`)
  return place
}

/** Returns the invites that still exist. */
export async function findKnownInvites(db: Db, inviteIds: string[]): Promise<Set<string>> {
  const rows = await db
    .select({ inviteId: shareInvites.inviteId })
    .from(shareInvites)
    .where(inArray(shareInvites.inviteId, inviteIds))
  return new Set(rows.map(({ inviteId }) => inviteId))
}

/** The offer that the holder of a secret may claim. */
export interface Offer {
  ownerName: string | null
  title: string
  scope: ShareScope
  hasRecording: boolean
  kind: ShareSource
  expiresAt: Date
}

/** Returns undefined if the secret is unknown, expired, reset, cancelled or used. */
export async function findOffer(db: Queryable, secret: string, now: Date): Promise<Offer | undefined> {
  const place = await findSecretPlace(db, secret)
  if (!place) return undefined
  const { ownerId, sessionId, kind, hash } = place
  const [row] = await db.query<Omit<Offer, 'kind' | 'expiresAt'> & { expiresAt: string }>(sql`
    select u.name as "ownerName", s.title, ${SCOPE} as scope, o.expires_at as "expiresAt",
      s.audio_deleted_at is null and (coalesce(s.audio_url, s.video_url) is not null
        or exists (select from media m where m.user_id = ${ownerId} and m.session_id = ${sessionId})) as "hasRecording"
    from (
      select expires_at from share_links where user_id = ${ownerId} and session_id = ${sessionId} and hash = ${hash}
      union all
      select expires_at from share_invites where user_id = ${ownerId} and session_id = ${sessionId} and hash = ${hash} and claimed_by is null
    ) o
    join session_shares x on x.user_id = ${ownerId} and x.session_id = ${sessionId}
    join sessions s on s.user_id = ${ownerId} and s.session_id = ${sessionId}
    join users u on u.user_id = ${ownerId}
    where o.expires_at > ${now} and s.state <> 'deleted'`)
  return row && { ...row, kind, expiresAt: new Date(row.expiresAt) }
}
