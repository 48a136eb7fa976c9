import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { documentJson, originalJson, stateJson, withJson } from './document.ts'
import { noCounts } from './manifest.ts'
import { signManifest } from './signing.ts'
import type { Writing, ZipServices } from './write-zip.ts'

/** The name of an entry of a list. */
const KINDS = { folders: 'folder', people: 'person', terms: 'term', templates: 'template' } as const

/** Writes a library as a JSON value on each line, and returns its path. The last line has the manifest and its signature. */
export async function writeNdjson(
  { diskReserve, secretKey }: Pick<ZipServices, 'diskReserve' | 'secretKey'>,
  { folder, library, signal }: Writing
) {
  const path = join(folder, 'library.ndjson')
  await using file = await open(path, 'w', 0o600)
  const digest = createHash('sha256')
  const counts = noCounts()

  async function writeLine(json: string) {
    const line = Buffer.from(`${json}\n`)
    digest.update(line)
    await file.appendFile(line)
  }

  for await (const [list, entries] of library.lists()) {
    for (const entry of entries) await writeLine(JSON.stringify({ kind: KINDS[list], ...entry }))
    counts[list] = entries.length
  }
  const transcript = library.parts.has('transcripts')
  for await (const row of library.sessions()) {
    signal.throwIfAborted()
    await diskReserve.require(folder, row.segments?.length ?? 0)
    const document = documentJson(row, { transcript, recordings: {} })
    const original =
      transcript && row.original !== null ? { original: originalJson(row.session, row.original) } : undefined
    await writeLine(withJson({ kind: 'session' }, { document, state: stateJson(row, { transcript }), ...original }))
    counts.sessions++
    if (transcript && row.segments !== null && row.segments !== '[]') counts.transcripts++
    if (!row.isShared) continue
    for (const share of await library.sharesOf(row.session.sessionId)) {
      await writeLine(JSON.stringify({ kind: 'share', ...share }))
      counts.shares++
    }
  }
  const manifest = await library.manifest({ ...counts, files: 1 }, digest.digest('hex'))
  const signature = await signManifest(secretKey, Buffer.from(JSON.stringify(manifest)))
  await file.appendFile(`${JSON.stringify({ kind: 'manifest', manifest, signature })}\n`)
  await file.sync()
  return path
}
