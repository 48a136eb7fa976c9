import { text as readStream } from 'node:stream/consumers'
import { fromBufferPromise } from 'yauzl'
import { MAX_TEXT_BYTES } from './decode.ts'
import { UnreadableTranscript } from './transcript.ts'
import { readElements } from './xml.ts'

const DOCUMENT = 'word/document.xml'
/** A document of Word has some dozens of files. */
const MAX_FILES = 10_000

/** Returns whether a file is a zip archive, as documents of Word are. */
export function isZip(bytes: Uint8Array) {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 0x03 && bytes[3] === 0x04
}

/** Returns the text of a document of Word, a line for each paragraph and line break, or null if the archive is another one. */
export async function readDocx(bytes: Buffer): Promise<string | null> {
  const xml = await readPart(bytes).catch(cause => {
    throw cause instanceof UnreadableTranscript
      ? cause
      : new UnreadableTranscript('The file is a damaged zip archive.', { cause })
  })
  return xml === null ? null : textOfDocument(xml)
}

async function readPart(bytes: Buffer) {
  const zip = await fromBufferPromise(bytes, { lazyEntries: true, validateEntrySizes: true })
  if (zip.entryCount > MAX_FILES) throw new UnreadableTranscript(`The archive has more than ${MAX_FILES} files.`)
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName !== DOCUMENT) continue
    // The stream fails as soon as it is longer than the archive says.
    if (entry.uncompressedSize > MAX_TEXT_BYTES)
      throw new UnreadableTranscript('The text is larger than 16 MiB: send it in parts.')
    return await readStream(await zip.openReadStreamPromise(entry))
  }
  return null
}

/** Deleted text is in elements of another name. */
function textOfDocument(xml: string) {
  /** A list, because trimming one long text at the end of each cell takes quadratic time. */
  const pieces: string[] = []
  /** Replaces the white space at the end of the text. */
  function endWith(end: string) {
    let last = ''
    while (last === '' && pieces.length > 0) last = pieces.pop()?.trimEnd() ?? ''
    pieces.push(last, end)
  }
  readElements(
    xml,
    {
      open({ name }) {
        if (name === 'br' || name === 'cr') pieces.push('\n')
        if (name === 'tab') pieces.push('\t')
      },
      text(more, path) {
        if (path.at(-1)?.name === 't') pieces.push(more)
      },
      close({ name }, path) {
        // The cells of a row share a line.
        const isInCell = path.some(element => element.name === 'tc')
        if (name === 'p') pieces.push(isInCell ? ' ' : '\n')
        if (name === 'tc') endWith('\t')
        if (name === 'tr') endWith('\n')
      }
    },
    { xml: true }
  )
  return pieces.join('')
}
