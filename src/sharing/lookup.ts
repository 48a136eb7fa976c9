import type { ShareScope } from '../contract/sharing.ts'
import { inArray, sql } from '../db/drizzle.ts'
import type { Db, Queryable } from '../db/open.ts'
import { type ShareSource, shareInvites } from '../db/schema/index.ts'
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
  const rows = await db.select({ inviteId: shareInvites.inviteId }).from(shareInvites).where(inArray(shareInvites.inviteId, inviteIds))
  return new Set(rows.map(({ inviteId }) => inviteId))
}

/** What a holder of the secret may claim. */
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
  if (!isSecret(secret)) return undefined
  const [row] = await db.query<Omit<Offer, 'expiresAt'> & { expiresAt: string }>(sql`
    select u.name as "ownerName", s.title, ${SCOPE} as scope, k.kind, o.expires_at as "expiresAt",
      s.audio_deleted_at is null and (coalesce(s.audio_url, s.video_url) is not null
        or exists (select from media m where m.user_id = s.user_id and m.session_id = s.session_id)) as "hasRecording"
    from share_secrets k
    join (
      select user_id, session_id, hash, expires_at from share_links
      union all
      select user_id, session_id, hash, expires_at from share_invites where claimed_by is null
    ) o on o.user_id = k.user_id and o.session_id = k.session_id and o.hash = k.hash
    join session_shares x on x.user_id = k.user_id and x.session_id = k.session_id
    join sessions s on s.user_id = k.user_id and s.session_id = k.session_id
    join users u on u.user_id = k.user_id
    where k.hash = ${hashSecret(secret)} and o.expires_at > ${now} and s.state <> 'deleted'`)
  return row && { ...row, expiresAt: new Date(row.expiresAt) }
}
