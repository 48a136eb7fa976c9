import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mediaKey } from '../../src/features/recordings/store.ts'
import type { MediaKind, MediaStore } from '../../src/platform/ports/media-store.ts'
import { NOW, type newUser, PUBLIC_URL, testMedia } from './server.ts'

type User = Awaited<ReturnType<typeof newUser>>

/** Stores bytes as the recording of a session, as the import does, and returns the key. */
export async function record(
  user: User,
  sessionId: string,
  kind: MediaKind,
  bytes: Buffer,
  store: MediaStore = testMedia()
) {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-test-recording-'))
  const source = join(folder, 'recording')
  await writeFile(source, bytes)
  const [extension, type] = kind === 'audio' ? ['mp3', 'audio/mpeg'] : ['mp4', 'video/mp4']
  const key = mediaKey({ userId: user.id, sessionId, kind }, extension!)
  await store.put(key, source, type!).finally(() => rm(folder, { recursive: true }))
  await user.db.execute(
    `insert into media (user_id, session_id, kind, key, content_type, bytes, created_at)
     values ('${user.id}', '${sessionId}', '${kind}', '${key}', '${type}', ${bytes.length}, '${NOW}')`
  )
  return key
}

export function pathOf(url: string) {
  return url.replace(PUBLIC_URL, '')
}

/** Sends a request without a token. */
export async function fetchBytes(
  { app }: Pick<User, 'app'>,
  url: string,
  headers: Record<string, string> = {},
  method: 'GET' | 'HEAD' = 'GET'
) {
  const reply = await app.inject({ method, url, headers })
  return { status: reply.statusCode, headers: reply.headers, bytes: reply.rawPayload, body: reply.body }
}
