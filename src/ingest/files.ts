import { hash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import type { ImportDocument } from '../contract/import-document.ts'
import { recordingExtension } from '../contract/recording.ts'
import type { WallTime } from '../core/wall-time.ts'
import { MAX_TEXT_BYTES } from './parse/decode.ts'
import { type ReadDocument, readDocuments } from './parse/jsonl.ts'
import { decodeText, type ParsedDocument, parseDocument, UnreadableTranscript } from './parse/parse.ts'
import { startInName } from './parse/started.ts'
import { type Recordings, readRecording, recordingsBeside } from './recordings.ts'

/** One conversation of a file, or why there is none. `file` names the line too where a file holds one a line. */
export type FileEntry = { file: string; entry: Entry } | { file: string; fault: string }

export interface Entry {
  document: ImportDocument
  fallbackTitle: string
  /** The same for the same content, so that importing it again finds it. */
  fallbackExternalId: string
  /** When it began, by the head or the name of the file. */
  startedAt: WallTime | null
  /** What of the file was ignored, a sentence each. */
  warnings: string[]
  /** Files to keep with it. */
  recordings: Recordings
}

/** The conversations of a file, in order, read as they are asked for. It never throws: what cannot be read is an entry that says why. */
export async function* readFileEntries(path: string): AsyncGenerator<FileEntry> {
  try {
    if (extname(path).toLowerCase() === '.jsonl') yield* readLines(path)
    else yield { file: path, entry: await readWhole(path) }
  } catch (fault) {
    yield { file: path, fault: reasonOf(fault) }
  }
}

async function* readLines(path: string): AsyncGenerator<FileEntry> {
  for await (const read of readDocuments(path)) {
    const file = `${path}:${read.line}`
    if ('fault' in read) yield { file: path, fault: read.fault.message }
    else yield await entryOfLine(path, file, `${titleOf(path)} ${read.line}`, read)
  }
}

/** A line whose recording cannot be taken keeps none of the others back. */
async function entryOfLine(path: string, file: string, fallbackTitle: string, read: ReadDocument): Promise<FileEntry> {
  try {
    const recordings = await recordingsBeside(path, read.document)
    return { file, entry: entryOf({ ...read, startedAt: null }, fallbackTitle, JSON.stringify(read.document), recordings) }
  } catch (fault) {
    return { file, fault: reasonOf(fault) }
  }
}

async function readWhole(path: string): Promise<Entry> {
  if (recordingExtension(path) !== undefined) {
    const { recordings, digest } = await readRecording(path)
    const startedAt = startInName(basename(path))
    return { document: {}, warnings: [], startedAt, fallbackTitle: titleOf(path), fallbackExternalId: `sha256:${digest}`, recordings }
  }
  const bytes = await readBounded(path)
  const parsed = parseDocument(basename(path), decodeText(bytes))
  const startedAt = parsed.startedAt ?? startInName(basename(path))
  return entryOf({ ...parsed, startedAt }, titleOf(path), bytes, await recordingsBeside(path, parsed.document))
}

async function readBounded(path: string) {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    if (size > MAX_TEXT_BYTES) throw new UnreadableTranscript(`The file is larger than ${MAX_TEXT_BYTES / 1024 / 1024} MiB.`)
    return await file.readFile()
  } finally {
    await file.close()
  }
}

function entryOf(parsed: ParsedDocument, fallbackTitle: string, content: string | Uint8Array, recordings: Recordings): Entry {
  const { document, startedAt, warnings } = parsed
  return { document, startedAt, warnings, fallbackTitle, fallbackExternalId: `sha256:${hash('sha256', content)}`, recordings }
}

/** `2026-03-02_weekly-review.vtt` reads "2026-03-02 weekly-review". */
function titleOf(path: string) {
  return basename(path, extname(path)).replaceAll('_', ' ').trim() || 'Untitled'
}

function reasonOf(fault: unknown) {
  if (fault instanceof UnreadableTranscript) return fault.message
  const code = fault instanceof Error && 'code' in fault ? String(fault.code) : ''
  return SYSTEM_FAULTS[code] ?? `The file cannot be read${code && ` (${code})`}.`
}

const SYSTEM_FAULTS: Record<string, string> = {
  ENOENT: 'There is no such file.',
  EACCES: 'The file may not be read by this user.',
  EISDIR: 'This is a folder: name the files in it.'
}
