import type { MediaResponse } from '../contract/media.ts'
import type { Reader } from '../db/open.ts'
import { linkEnd, type MediaLinks } from '../media/links.ts'
import type { MediaKind } from '../media/media.ts'

const MEDIA = {
  name: 'find_media',
  text: `select s.audio_deleted_at, s.audio_url, s.video_url,
      (select key from media m where m.user_id = s.user_id and m.session_id = s.session_id and kind = 'audio'),
      (select key from media m where m.user_id = s.user_id and m.session_id = s.session_id and kind = 'video')
    from sessions s where s.user_id = $1 and s.session_id = $2 and s.state <> 'deleted'`
}

type MediaRow = [string | null, string | null, string | null, string | null, string | null]

/** Where the recordings of a session are read from now on. Undefined without the session. */
export async function findMedia(
  db: Reader,
  userId: string,
  sessionId: string,
  links: MediaLinks,
  now: Date
): Promise<MediaResponse | undefined> {
  const [row] = await db.run<MediaRow>(MEDIA, [userId, sessionId])
  if (!row) return undefined
  const [deletedAt, audioUrl, videoUrl, audioKey, videoKey] = row
  const expiresAt = linkEnd(now)
  const urlOf = (kind: MediaKind, key: string | null, elsewhere: string | null) => {
    if (deletedAt !== null) return null
    return key === null ? elsewhere : links.urlOf({ userId, sessionId, kind }, expiresAt)
  }
  return {
    id: sessionId,
    audio_url: urlOf('audio', audioKey, audioUrl),
    video_url: urlOf('video', videoKey, videoUrl),
    expires_at: expiresAt.toISOString(),
    audio_deleted_at: deletedAt
  }
}

const STORED = {
  name: 'find_stored_media',
  text: `select m.key, m.content_type, m.bytes from media m join sessions s using (user_id, session_id)
    where m.user_id = $1 and m.session_id = $2 and m.kind = $3 and s.audio_deleted_at is null and s.state <> 'deleted'`
}

/** The recording that a link names, as long as it may be read. */
export async function findStored(db: Reader, userId: string, sessionId: string, kind: string) {
  const [row] = await db.run<[string, string, number]>(STORED, [userId, sessionId, kind])
  return row && { key: row[0], contentType: row[1], bytes: row[2] }
}
