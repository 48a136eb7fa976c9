import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ImportDocument } from '../contract/import-document.ts'
import { RECORDING_FORMATS, recordingExtension } from '../contract/recording.ts'

/** A sentence for the owner of the files. */
export class UnusableDocument extends Error {}

/**
 * Runs `use` with the path of the import document of a recording, completed by what only its place says: the recording, a title, and an external id of the
 * content of both. It is beside the recording, as an import wants it, under a name that no watch takes.
 */
export async function withDocument<T>(recording: string, document: string, use: (path: string) => Promise<T>) {
  const bytes = await readFile(document)
  const name = basename(recording)
  const extension = recordingExtension(recording)
  const kind = (extension && RECORDING_FORMATS[extension]?.kind) ?? 'audio'
  const digest = createHash('sha256').update(bytes)
  await pipeline(createReadStream(recording), digest, { end: false })
  const completed = {
    title: basename(name, extname(name)),
    external_id: `sha256:${digest.digest('hex')}`,
    ...parseObject(bytes.toString('utf8')),
    media: { [kind]: name }
  }
  const { error } = ImportDocument.safeParse(completed)
  if (error) {
    const [issue] = error.issues
    throw new UnusableDocument(`${basename(document)}: ${issue?.path.join('.') || 'the document'}: ${issue?.message}`)
  }
  const path = join(dirname(recording), `.parlance-${name}.json`)
  await writeFile(path, JSON.stringify(completed), { mode: 0o600 })
  try {
    return await use(path)
  } finally {
    await rm(path, { force: true })
  }
}

function parseObject(json: string): object {
  try {
    const value: unknown = JSON.parse(json)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // The same sentence says what to do.
  }
  throw new UnusableDocument('The document beside the recording is no JSON object; write an import document')
}
