import type { SharedMediaResponse } from '../contract/sharing.ts'
import type { Reader } from '../db/open.ts'
import { linkEnd, type MediaLinks } from '../media/links.ts'
import type { MediaKind } from '../media/media.ts'
import { FROM_GRANT, TO_RECIPIENT } from './shared.ts'

const READABLE = 'x.audio and s.audio_deleted_at is null'

const RECORDING = {
  name: 'find_shared_recording',
  text: `select g.shared_at, a.key, v.key, case when ${READABLE} then s.audio_url end, case when ${READABLE} then s.video_url end
    ${FROM_GRANT}
    left join media a on a.user_id = s.user_id and a.session_id = s.session_id and a.kind = 'audio' and ${READABLE}
    left join media v on v.user_id = s.user_id and v.session_id = s.session_id and v.kind = 'video' and ${READABLE}
    ${TO_RECIPIENT}`
}

type RecordingRow = [string, string | null, string | null, string | null, string | null]

/**
 * Where a recipient reads the recording: the audio, or else the video. This is the one place that turns a recording into a
 * URL for recipients. Media is null where there is none, or none that is shared; undefined without access.
 */
export async function findSharedMedia(
  db: Reader,
  recipientId: string,
  ownerId: string,
  sessionId: string,
  { links, now }: { links: MediaLinks; now: Date }
): Promise<{ media: SharedMediaResponse | null } | undefined> {
  const [row] = await db.run<RecordingRow>(RECORDING, [recipientId, ownerId, sessionId])
  if (!row) return undefined
  const [sharedAt, audioKey, videoKey, audioUrl, videoUrl] = row
  const kind: MediaKind = audioKey !== null || audioUrl !== null ? 'audio' : 'video'
  const [key, elsewhere] = kind === 'audio' ? [audioKey, audioUrl] : [videoKey, videoUrl]
  if (key === null) return { media: elsewhere === null ? null : { kind, url: elsewhere, expires_at: null, external: true } }
  const expiresAt = linkEnd(now)
  const url = links.urlOf({ userId: ownerId, sessionId, kind, grant: writeGrant(recipientId, sharedAt) }, expiresAt)
  return { media: { kind, url, expires_at: expiresAt.toISOString(), external: false } }
}

const STORED = {
  name: 'find_stored_media_of_grant',
  text: `select m.key, m.content_type, m.bytes
    ${FROM_GRANT} join media m on m.user_id = s.user_id and m.session_id = s.session_id
    ${TO_RECIPIENT} and m.kind = $4 and g.shared_at = $5 and ${READABLE}`
}

/** The recording that a recipient's link names, as long as the access stands that the link was made under. */
export async function findStoredOfGrant(db: Reader, ownerId: string, sessionId: string, kind: string, grant: string) {
  const [recipientId, sharedAt] = readGrant(grant) ?? []
  if (recipientId === undefined) return undefined
  const [row] = await db.run<[string, string, number]>(STORED, [recipientId, ownerId, sessionId, kind, sharedAt])
  return row && { key: row[0], contentType: row[1], bytes: row[2] }
}

/** Names one access: when it was given tells it from one that was taken away before. */
function writeGrant(recipientId: string, sharedAt: string) {
  return `${recipientId}.${Date.parse(sharedAt)}`
}

function readGrant(grant: string): [recipientId: string, sharedAt: Date] | undefined {
  const [, recipientId, sharedAt] = /^(\w+)\.(\d{1,15})$/.exec(grant) ?? []
  return recipientId === undefined ? undefined : [recipientId, new Date(Number(sharedAt))]
}
