import { sql } from '../../platform/db/drizzle.ts'
import type { Queryable } from '../../platform/db/open.ts'
import type { StoredMedia } from '../../platform/ports/media-store.ts'

interface Recordings {
  deletedAt: string | null
  /** The addresses of recordings on other servers. */
  audioUrl: string | null
  videoUrl: string | null
  /** The keys of stored ones. */
  audioKey: string | null
  videoKey: string | null
}

/** Returns where the recordings of a session are. Undefined if there is no such session. */
export async function findRecordings(db: Queryable, userId: string, sessionId: string) {
  const [row] = await db.query<Recordings>(sql`
    select s.audio_deleted_at as "deletedAt", s.audio_url as "audioUrl", s.video_url as "videoUrl",
      (select key from media m where m.user_id = ${userId} and m.session_id = s.session_id and kind = 'audio') as "audioKey",
      (select key from media m where m.user_id = ${userId} and m.session_id = s.session_id and kind = 'video') as "videoKey"
    from sessions s where s.user_id = ${userId} and s.session_id = ${sessionId} and s.state <> 'deleted'`)
  return row
}

/** Returns a stored recording while it may be read. */
export async function findStoredMedia(db: Queryable, userId: string, sessionId: string, kind: string) {
  const [stored] = await db.query<StoredMedia>(sql`
    select m.key, m.content_type as "contentType", m.bytes from media m
    join sessions s on s.user_id = ${userId} and s.session_id = ${sessionId}
    where m.user_id = ${userId} and m.session_id = ${sessionId} and m.kind = ${kind} and s.audio_deleted_at is null and s.state <> 'deleted'`)
  return stored
}
