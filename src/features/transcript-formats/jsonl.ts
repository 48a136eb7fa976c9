import { createReadStream } from 'node:fs'
import type { ImportDocument } from '../../contract/import-document.ts'
import { ignoredKeys } from '../../contract/import-keys.ts'
import { isBlank } from '../../contract/text.ts'
import { decodeText, MAX_TEXT_BYTES } from './decode.ts'
import { readImportDocument } from './read-document.ts'
import { UnreadableTranscript } from './transcript.ts'

export interface ReadDocument {
  document: ImportDocument
  /** The ignored parts, one sentence each. */
  warnings: string[]
}

/** A line of a .jsonl file, counted from 1: its document or its error. */
export type DocumentLine = ({ line: number } & ReadDocument) | { line: number; error: UnreadableTranscript }

/** `bytes` is null if the line is too long. */
interface NumberedLine {
  line: number
  bytes: Uint8Array | null
}

const NEWLINE = 0x0a

/** Yields the documents of a file or stream. An error of one line does not affect the others. */
export async function* readDocuments(
  source: string | AsyncIterable<Uint8Array>,
  maxLineBytes = MAX_TEXT_BYTES
): AsyncGenerator<DocumentLine> {
  for await (const { line, bytes } of readLines(source, maxLineBytes)) {
    if (bytes === null) {
      yield {
        line,
        error: new UnreadableTranscript(
          `Line ${line} is longer than ${maxLineBytes} bytes: send that document in parts.`,
          { line }
        )
      }
    } else {
      const read = readLine(line, bytes)
      if (read) yield read
    }
  }
}

/** Returns null for a blank line. */
function readLine(line: number, bytes: Uint8Array): DocumentLine | null {
  try {
    const text = decodeText(bytes)
    if (isBlank(text)) return null
    const json: unknown = JSON.parse(text)
    return { line, document: readImportDocument(json), warnings: ignoredKeys(json) }
  } catch (cause) {
    const reason =
      cause instanceof SyntaxError
        ? 'This is not valid JSON.'
        : cause instanceof Error
          ? cause.message
          : 'This cannot be read.'
    return { line, error: new UnreadableTranscript(`Line ${line}: ${reason}`, { line, cause }) }
  }
}

async function* readLines(source: string | AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<NumberedLine> {
  let number = 1
  let parts: Uint8Array[] = []
  let bytes = 0

  /** Drops the bytes of a line that exceeds the limit. */
  function add(part: Uint8Array) {
    bytes += part.length
    if (bytes > maxBytes) parts = []
    else if (part.length > 0) parts.push(part)
  }

  function endLine(): NumberedLine {
    const line = { line: number++, bytes: bytes > maxBytes ? null : Buffer.concat(parts) }
    parts = []
    bytes = 0
    return line
  }

  for await (const chunk of typeof source === 'string' ? createReadStream(source) : source) {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      add(chunk.subarray(from, at))
      yield endLine()
      from = at + 1
    }
    add(chunk.subarray(from))
  }
  yield endLine()
}
