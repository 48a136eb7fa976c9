import type { SessionRow } from '../library/session-row.ts'

const SLUG_LENGTH = 60

/** The folder of a session in an archive: by month and day, with words of its title, and an end that no other session has. */
export function sessionFolder({ session }: { session: Pick<SessionRow, 'sessionId' | 'title' | 'timestamp'> }) {
  const day = session.timestamp?.toISOString().slice(0, 10)
  const words = slugOf(session.title)
  const name = [day, words, session.sessionId].filter(Boolean).join('-')
  return `sessions/${day?.slice(0, 7) ?? 'undated'}/${name}`
}

/** Letters and digits of a title in words, which every file system takes. */
function slugOf(title: string) {
  const words = title
    .slice(0, 4 * SLUG_LENGTH)
    .toWellFormed()
    .normalize('NFC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu)
  return [...(words ?? []).join('-')].slice(0, SLUG_LENGTH).join('').replace(/-$/, '')
}
