import { extname } from 'node:path'
import type { JobAttempt } from '../../platform/jobs/jobs.ts'
import type { Services } from '../services.ts'
import { documentJson, originalJson, type RecordingNames, stateJson } from './document.ts'
import type { Library } from './library-lists.ts'
import { type Counts, LISTS, listJson, MANIFEST, type Manifest, noCounts, SIGNATURE } from './manifest.ts'
import { toMarkdown } from './markdown.ts'
import { type ExportedRow, selectRecordings } from './queries.ts'
import { sessionFolder } from './session-folder.ts'
import { writeTexts } from './session-texts.ts'
import { signManifest } from './signing.ts'
import { vconJson } from './vcon.ts'
import { createArchive, type ZipArchive } from './zip-archive.ts'

export type ZipServices = Pick<Services, 'db' | 'writer' | 'media' | 'diskReserve' | 'secretKey'>

export interface Writing {
  userId: string
  folder: string
  at: Date
  library: Library
  signal: JobAttempt['signal']
}

/** Writes a library as an archive, and returns its path. */
export async function writeZip(services: ZipServices, { userId, folder, at, library, signal }: Writing) {
  await using archive = await createArchive(folder, { at, diskReserve: services.diskReserve })
  const counts = noCounts()
  for await (const [list, entries] of library.lists()) {
    await archive.add(LISTS[list], listJson(entries))
    counts[list] = entries.length
  }
  const shares: object[] = []
  for await (const row of library.sessions()) {
    signal.throwIfAborted()
    await addSession(services, archive, userId, row, { library, counts })
    if (row.isShared) shares.push(...(await library.sharesOf(row.session.sessionId)))
  }
  if (library.parts.has('shares')) await archive.add(LISTS.shares, listJson(shares))
  counts.shares = shares.length
  const files = archive.files
  const manifest: Manifest = await library.manifest({ ...counts, files }, await archive.addSums())
  const bytes = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)
  await archive.addUnlisted(MANIFEST, bytes)
  await archive.addUnlisted(SIGNATURE, Buffer.from(await signManifest(services.secretKey, bytes)))
  await archive.finish()
  return archive.path
}

async function addSession(
  services: ZipServices,
  archive: ZipArchive,
  userId: string,
  row: ExportedRow,
  { library, counts }: { library: Library; counts: Omit<Counts, 'files'> }
) {
  const folder = sessionFolder(row)
  const transcript = library.parts.has('transcripts')
  const texts = await (transcript ? writeTexts(services, userId, row) : undefined)
  const recordings: RecordingNames = {}
  if (library.hasRecordings) {
    for (const { kind, key, bytes } of await selectRecordings(services.db, userId, row.session.sessionId)) {
      const name = `${kind}${extname(key)}`
      await services.media.withFile(key, path => archive.addFile(`${folder}/${name}`, path, bytes))
      recordings[kind] = name
      counts.recordings++
    }
  }
  await archive.add(`${folder}/session.md`, toMarkdown(row, texts?.markdown ?? null))
  if (texts?.vtt) await archive.add(`${folder}/transcript.vtt`, texts.vtt)
  await archive.add(`${folder}/document.json`, documentJson(row, { transcript, recordings }))
  await archive.add(`${folder}/state.json`, stateJson(row, { transcript }))
  if (transcript && row.original !== null)
    await archive.add(`${folder}/original.json`, originalJson(row.session, row.original))
  const spoken = texts && {
    type: texts.vtt === null ? 'text/plain' : 'text/vtt',
    text: texts.vtt ?? texts.text ?? ''
  }
  await archive.add(`${folder}/vcon.json`, vconJson(row, spoken ?? null))
  counts.sessions++
  if (texts?.markdown) counts.transcripts++
}
