import { createHash } from 'node:crypto'
import { constants, createReadStream } from 'node:fs'
import { access, realpath, stat } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { ImportDocument } from '../../contract/import-document.ts'
import { isUrl, RECORDING_FORMATS, recordingExtension } from '../../contract/recording.ts'
import type { Db } from '../../platform/db/open.ts'
import type { media } from '../../platform/db/schema/index.ts'
import type { Jobs } from '../../platform/jobs/jobs.ts'
import type { MediaKind, MediaStore } from '../../platform/ports/media-store.ts'
import type { Recordings } from '../../platform/ports/reader.ts'
import type { Programs } from '../../platform/work/child-program.ts'
import { mediaKey, totalBytes } from '../recordings/store.ts'
import { UnreadableTranscript } from '../transcript-formats/transcript.ts'
import { checkRecording } from './check-recording.ts'

/** Refuses a recording without a transcript where nothing transcribes it. */
export const UNTRANSCRIBED =
  'This server can’t transcribe recordings. Add a transcript, or ask its operator to set up a speech model.'

export const KINDS: readonly MediaKind[] = ['audio', 'video']

/** Returns the recording with the digest of its bytes, and when it says that it was made, in UTC. Throws UnreadableTranscript if it cannot be used. */
export async function readRecording(path: string, programs: Programs) {
  const { recordedAt, kind = formatOf(path).kind } = await refuseUnusable(path, programs)
  const digest = createHash('sha256')
  await pipeline(createReadStream(path), digest)
  return { recordings: { [kind]: path } satisfies Recordings, digest: digest.digest('hex'), recordedAt }
}

/**
 * Returns the recordings that a document names. They must be in its folder or below, so that an untrusted document cannot import other
 * files of the machine.
 */
export async function findRecordingsBeside(
  path: string,
  { media }: ImportDocument,
  programs: Programs
): Promise<Recordings> {
  const found: Recordings = {}
  for (const kind of KINDS) {
    const place = media?.[kind]
    if (place && !isUrl(place)) found[kind] = await fileBeside(path, place, `media.${kind}`, programs)
  }
  return found
}

async function fileBeside(path: string, place: string, field: string, programs: Programs) {
  const folder = await realpath(dirname(path))
  const file = await realpath(join(folder, place)).catch(() => {
    throw new UnreadableTranscript(`${field}: there is no file ${place} beside the document.`)
  })
  const within = folder.endsWith(sep) ? folder : folder + sep
  if (!file.startsWith(within) || recordingExtension(file) === undefined)
    throw new UnreadableTranscript(
      `${field}: ${place} is a link to something other than a recording beside the document.`
    )
  await refuseUnusable(file, programs, `${field}: `)
  return file
}

async function refuseUnusable(path: string, programs: Programs, led = '') {
  const about = await stat(path)
  if (!about.isFile()) throw new UnreadableTranscript(`${led}The recording is not a file.`)
  if (about.size === 0) throw new UnreadableTranscript(`${led}The file is empty.`)
  await access(path, constants.R_OK)
  return await checkRecording(path, programs, led)
}

/** Returns the extension and content type of a stored recording. */
function toStoredFormat(path: string, kind: MediaKind) {
  const { extension, type } = formatOf(path)
  return { extension, contentType: `${kind}/${type}` }
}

function formatOf(path: string) {
  const extension = recordingExtension(path)
  const format = extension === undefined ? undefined : RECORDING_FORMATS[extension]
  if (extension === undefined || !format)
    throw new UnreadableTranscript('The file is not a recording of a supported format.')
  return { extension, ...format }
}

type Stored = Omit<typeof media.$inferInsert, 'createdAt'>

/** No upload takes longer: afterwards a recording without a session is an orphan. */
const ORPHANED_AFTER_SECONDS = 86_400

/**
 * Stores the files before the transaction that inserts their session. A purge job is enqueued first: it deletes the file unless a session
 * has it by then, so a killed process leaves no orphans.
 */
export async function storeRecordings(
  { db, jobs, media: store }: { db: Db; jobs: Pick<Jobs, 'enqueue'>; media: MediaStore },
  owner: { userId: string; sessionId: string },
  files: Recordings,
  { isOurs = false, folder = owner.sessionId } = {}
): Promise<Stored[]> {
  const stored: Stored[] = []
  try {
    for (const kind of KINDS) {
      const path = files[kind]
      if (path === undefined) continue
      const { extension, contentType } = toStoredFormat(path, kind)
      const key = mediaKey({ ...owner, sessionId: folder, kind }, extension)
      await db.transaction(tx => jobs.enqueue(tx, 'purge-media', { ...owner, key }, ORPHANED_AFTER_SECONDS))
      const bytes = await store.put(key, path, contentType, { isOurs })
      stored.push({ ...owner, kind, key, contentType, bytes })
    }
    return stored
  } catch (error) {
    await discardRecordings(store, stored)
    throw error
  }
}

/** The bytes of files that are still to be stored. */
export async function measureRecordings(files: Recordings) {
  const sizes = await Promise.all(Object.values(files).map(path => stat(path)))
  return totalBytes(sizes.map(({ size: bytes }) => ({ bytes })))
}

/** Deletes recordings that no session has. On an error the purge job deletes them later. */
export async function discardRecordings(store: MediaStore, stored: Stored[]) {
  for (const { key } of stored) await store.delete(key).catch(() => {})
}
