import { text } from 'node:stream/consumers'
import { type Entry, getFileNameLowLevel, openPromise, validateFileName, type ZipFile } from 'yauzl'

/** An archive that cannot be read; the message is a sentence. */
export class UnreadableArchive extends Error {}

/** The most files that an archive may have: more than six for each session of the largest libraries. */
const MAX_FILES = 10_000_000

export interface ArchiveFile {
  name: string
  bytes: number
  /** The bytes as they were packed. Reading fails as soon as they are more than the archive says. */
  open(): Promise<AsyncIterable<Buffer>>
  /** The text of a file of at most `max` bytes. */
  readText(max: number): Promise<string>
  /** The lines of a file of at most `max` bytes. */
  readLines(max: number): AsyncGenerator<string>
}

/**
 * Yields the files of a zip archive in their order. Throws UnreadableArchive for what is no archive or is cut off, and for names that lead out
 * of it. Folders are left out.
 */
export async function* readArchive(path: string): AsyncGenerator<ArchiveFile> {
  // Names are read here, so that one that leads out of the archive has an error of its own.
  const options = { lazyEntries: true, autoClose: false, validateEntrySizes: true, decodeStrings: false } as const
  const zip = await openPromise(path, options).catch((error: unknown) => {
    throw isSystemError(error)
      ? error
      : new UnreadableArchive('The file is no zip archive, or it did not arrive whole.', { cause: error })
  })
  try {
    if (zip.entryCount > MAX_FILES) throw new UnreadableArchive(`The archive has more than ${MAX_FILES} files.`)
    for await (const entry of entriesOf(zip)) {
      const name = nameOf(entry)
      if (!name.endsWith('/')) yield toFile(zip, name, entry)
    }
  } finally {
    zip.close()
  }
}

async function* entriesOf(zip: ZipFile) {
  try {
    yield* zip.eachEntry()
  } catch (error) {
    if (isSystemError(error)) throw error
    throw new UnreadableArchive('The archive is damaged, or did not arrive whole.', { cause: error })
  }
}

function nameOf({ generalPurposeBitFlag, fileNameRaw, extraFields }: Entry) {
  const name = getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false)
  if (validateFileName(name) !== null) throw new UnreadableArchive('The archive has a file whose name leads out of it.')
  return name
}

function toFile(zip: ZipFile, name: string, entry: Entry): ArchiveFile {
  const open = async () => await zip.openReadStreamPromise(entry)
  const refuseLarger = (max: number) => {
    if (entry.uncompressedSize > max)
      throw new UnreadableArchive(`${name} is larger than ${Math.floor(max / 1024 ** 2)} MiB.`)
  }
  return {
    name,
    bytes: entry.uncompressedSize,
    open,
    async readText(max) {
      refuseLarger(max)
      return await text(await open()).catch((error: unknown) => {
        throw new UnreadableArchive(`${name} is damaged.`, { cause: error })
      })
    },
    async *readLines(max) {
      refuseLarger(max)
      yield* linesOf(await open(), name)
    }
  }
}

async function* linesOf(chunks: AsyncIterable<Buffer>, name: string) {
  const decoder = new TextDecoder()
  // A line of many chunks is put together once.
  let begun: string[] = []
  try {
    for await (const chunk of chunks) {
      const [end = '', ...lines] = decoder.decode(chunk, { stream: true }).split('\n')
      begun.push(end)
      const rest = lines.pop()
      if (rest === undefined) continue
      yield begun.join('')
      yield* lines
      begun = [rest]
    }
  } catch (error) {
    throw new UnreadableArchive(`${name} is damaged.`, { cause: error })
  }
  const last = begun.join('')
  if (last !== '') yield last
}

function isSystemError(error: unknown) {
  return error instanceof Error && 'syscall' in error
}
