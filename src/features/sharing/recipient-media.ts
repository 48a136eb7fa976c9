import type { SharedMediaResponse } from '../../contract/sharing.ts'
import { sql } from '../../platform/db/drizzle.ts'
import type { Queryable } from '../../platform/db/open.ts'
import type { MediaKind, StoredMedia } from '../../platform/ports/media-store.ts'
import { linkEnd, type MediaLinks } from '../library/media-links.ts'
import { fromGrant } from './recipient-queries.ts'

const READABLE = sql`x.audio and s.audio_deleted_at is null`

interface Recording {
  sharedAt: string
  audioKey: string | null
  videoKey: string | null
  audioUrl: string | null
  videoUrl: string | null
}

/**
 * Returns the link to the audio, or else the video. No other function gives recipients the URL of a recording. Media is null if none is
 * shared; the result is undefined without access.
 */
export async function findSharedMedia(
  db: Queryable,
  recipientId: string,
  ownerId: string,
  sessionId: string,
  { links, now }: { links: MediaLinks; now: Date }
): Promise<{ media: SharedMediaResponse | null } | undefined> {
  const [row] = await db.query<Recording>(sql`
    select g.shared_at as "sharedAt", a.key as "audioKey", v.key as "videoKey",
      case when ${READABLE} then s.audio_url end as "audioUrl", case when ${READABLE} then s.video_url end as "videoUrl"
    ${fromGrant(recipientId, ownerId, sessionId)}
    left join media a on a.user_id = ${ownerId} and a.session_id = ${sessionId} and a.kind = 'audio' and ${READABLE}
    left join media v on v.user_id = ${ownerId} and v.session_id = ${sessionId} and v.kind = 'video' and ${READABLE}`)
  if (!row) return undefined
  const { sharedAt, audioKey, videoKey, audioUrl, videoUrl } = row
  const kind: MediaKind = audioKey !== null || audioUrl !== null ? 'audio' : 'video'
  const [key, elsewhere] = kind === 'audio' ? [audioKey, audioUrl] : [videoKey, videoUrl]
  if (key === null)
    return { media: elsewhere === null ? null : { kind, url: elsewhere, expires_at: null, external: true } }
  const expiresAt = linkEnd(now)
  const url = links.urlOf({ userId: ownerId, sessionId, kind, grant: writeGrant(recipientId, sharedAt) }, expiresAt)
  return { media: { kind, url, expires_at: expiresAt.toISOString(), external: false } }
}

/** Returns the recording of a recipient's link while its grant is active. */
export async function findGrantedMedia(db: Queryable, ownerId: string, sessionId: string, kind: string, grant: string) {
  const [recipientId, sharedAt] = readGrant(grant) ?? []
  if (recipientId === undefined) return undefined
  const [stored] = await db.query<StoredMedia>(sql`
    select m.key, m.content_type as "contentType", m.bytes
    ${fromGrant(recipientId, ownerId, sessionId)}
    join media m on m.user_id = ${ownerId} and m.session_id = ${sessionId}
    where m.kind = ${kind} and g.shared_at = ${sharedAt} and ${READABLE}`)
  return stored
}

/** Identifies a grant: its instant distinguishes it from earlier grants. */
function writeGrant(recipientId: string, sharedAt: string) {
  return `${recipientId}.${Date.parse(sharedAt)}`
}

function readGrant(grant: string): [recipientId: string, sharedAt: Date] | undefined {
  const [, recipientId, sharedAt] = /^(\w+)\.(\d{1,15})$/.exec(grant) ?? []
  return recipientId === undefined ? undefined : [recipientId, new Date(Number(sharedAt))]
}
