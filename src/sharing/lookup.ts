import type { ShareScope } from '../contract/sharing.ts'
import { inArray } from '../db/drizzle.ts'
import type { Db, Reader } from '../db/open.ts'
import { type ShareSource, shareInvites } from '../db/schema/index.ts'
import { hashSecret, isSecret } from './secret.ts'

/** What is asked without knowing the owner. */

export interface SecretPlace {
  ownerId: string
  sessionId: string
  kind: ShareSource
  hash: Buffer
}

const FIND = { name: 'find_share_secret', text: 'select user_id, session_id, kind from share_secrets where hash = $1' }

/** Which session a secret was made for, expired or not. */
export async function findSecretPlace(db: Reader, secret: string): Promise<SecretPlace | undefined> {
  if (!isSecret(secret)) return undefined
  const hash = hashSecret(secret)
  const [row] = await db.run<[string, string, ShareSource]>(FIND, [hash])
  return row && { ownerId: row[0], sessionId: row[1], kind: row[2], hash }
}

/** Those of the invites that have not been deleted. */
export async function findKnownInvites(db: Db, inviteIds: string[]): Promise<Set<string>> {
  const rows = await db.select({ inviteId: shareInvites.inviteId }).from(shareInvites).where(inArray(shareInvites.inviteId, inviteIds))
  return new Set(rows.map(({ inviteId }) => inviteId))
}

/** What somebody who has the secret may claim with it. */
export interface Offer {
  ownerName: string | null
  title: string
  scope: ShareScope
  hasRecording: boolean
  kind: ShareSource
  expiresAt: Date
}

const OFFER = {
  name: 'find_share_offer',
  text: `select u.name, s.title, x.summary, x.transcript, x.audio, x.action_items, k.kind, o.expires_at,
      s.audio_deleted_at is null and (coalesce(s.audio_url, s.video_url) is not null
        or exists (select from media m where m.user_id = s.user_id and m.session_id = s.session_id))
    from share_secrets k
    join (
      select user_id, session_id, hash, expires_at from share_links
      union all
      select user_id, session_id, hash, expires_at from share_invites where claimed_by is null
    ) o on o.user_id = k.user_id and o.session_id = k.session_id and o.hash = k.hash
    join session_shares x on x.user_id = k.user_id and x.session_id = k.session_id
    join sessions s on s.user_id = k.user_id and s.session_id = k.session_id
    join users u on u.user_id = k.user_id
    where k.hash = $1 and o.expires_at > $2 and s.state <> 'deleted'`
}

type OfferRow = [string | null, string, boolean, boolean, boolean, boolean, ShareSource, string, boolean]

/** Nothing where the secret is unknown, expired, reset, cancelled or used up. */
export async function findOffer(db: Reader, secret: string, now: Date): Promise<Offer | undefined> {
  if (!isSecret(secret)) return undefined
  const [row] = await db.run<OfferRow>(OFFER, [hashSecret(secret), now])
  if (!row) return undefined
  const [ownerName, title, summary, transcript, audio, actionItems, kind, expiresAt, hasRecording] = row
  const scope = { summary, transcript, audio, action_items: actionItems }
  return { ownerName, title, scope, hasRecording, kind, expiresAt: new Date(expiresAt) }
}
