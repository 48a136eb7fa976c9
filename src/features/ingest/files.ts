import { hash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { fitsTranscript } from '../../contract/import-document.ts'
import { toDate } from '../../contract/instant.ts'
import { LIMITS } from '../../contract/limits.ts'
import { recordingExtension } from '../../contract/recording.ts'
import { codeOf } from '../../platform/core/error-code.ts'
import { MAX_DEPTH, MAX_KEYS, measureJson } from '../../platform/core/read-json.ts'
import type { Entry, Recordings, StoredFile } from '../../platform/ports/reader.ts'
import type { WallTime } from '../../platform/text/wall-time.ts'
import type { Programs } from '../../platform/work/child-program.ts'
import { decodeText, MAX_TEXT_BYTES } from '../transcript-formats/decode.ts'
import { isZip, readDocx } from '../transcript-formats/docx.ts'
import { isTurnLine } from '../transcript-formats/json-lines.ts'
import { type ReadDocument, readDocuments } from '../transcript-formats/jsonl.ts'
import { type ParsedDocument, parseArchivedDocument, parseDocument } from '../transcript-formats/parse.ts'
import { parseFileNameStart } from '../transcript-formats/start-time.ts'
import { UnreadableTranscript } from '../transcript-formats/transcript.ts'
import { findRecordingsBeside, readRecording } from './recordings.ts'

/** One conversation of a file, or an error. `file` includes the line of a .jsonl file. */
type FileEntry = { file: string; entry: Entry } | { file: string; error: string }

/** Yields the conversations of a file, whose name may be another than that at its path. Never throws: errors are entries. */
export async function* readFileEntries(
  path: string,
  programs: Programs,
  { name = basename(path), isArchived }: Partial<Omit<StoredFile, 'path'>> = {}
): AsyncGenerator<FileEntry> {
  try {
    const isLines = extname(name).toLowerCase() === '.jsonl' && !(await isOneConversation(path))
    if (isLines) yield* readLines({ path, name }, programs)
    else yield { file: path, entry: await readWhole({ path, name, isArchived }, programs) }
  } catch (error) {
    yield { file: path, error: fileErrorOf(error) }
  }
}

/** Returns whether the lines of a file are the turns of one conversation, and not a document each. */
async function isOneConversation(path: string) {
  const file = await open(path)
  try {
    for await (const line of file.readLines({ highWaterMark: SAMPLE_BYTES, end: MAX_TEXT_BYTES })) {
      if (line.trim() !== '') return isTurnLine(line)
    }
    return false
  } finally {
    await file.close()
  }
}

async function* readLines(stored: StoredFile, programs: Programs): AsyncGenerator<FileEntry> {
  for await (const read of readDocuments(stored.path)) {
    if ('error' in read) yield { file: stored.path, error: read.error.message }
    else yield await entryOfLine(stored, read, programs)
  }
}

/** An error of one line does not affect the others. */
async function entryOfLine(
  { path, name }: StoredFile,
  read: ReadDocument & { line: number },
  programs: Programs
): Promise<FileEntry> {
  const file = `${path}:${read.line}`
  const fallbackTitle = `${titleOf(name)} ${read.line}`
  try {
    const recordings = await findRecordingsBeside(path, read.document, programs)
    return {
      file,
      entry: entryOf({ ...read, startedAt: null }, fallbackTitle, JSON.stringify(read.document), recordings)
    }
  } catch (error) {
    return { file, error: fileErrorOf(error) }
  }
}

async function readWhole({ path, name, isArchived }: StoredFile, programs: Programs): Promise<Entry> {
  if (recordingExtension(path) !== undefined) {
    const { recordings, digest, recordedAt } = await readRecording(path, programs)
    // A name is somebody's word, while a converted file may say when it was converted.
    const startedAt = parseFileNameStart(name) ?? (recordedAt ? toWallTime(recordedAt) : null)
    return {
      document: {},
      fallbackType: 'recording',
      warnings: [],
      startedAt,
      fallbackTitle: titleOf(name),
      fallbackExternalId: `sha256:${digest}`,
      recordings
    }
  }
  const bytes = await readBounded(path)
  const word = isZip(bytes) ? await readDocx(bytes) : null
  if (word === null) refuseTooManyValues(bytes)
  const text = word ?? decodeText(bytes)
  const parsed = isArchived ? parseArchivedDocument(text) : parseDocument(name, text)
  if (!fitsTranscript(parsed.document.segments ?? []))
    throw new UnreadableTranscript(`The transcript has more than ${LIMITS.transcript} characters: send it in parts.`)
  const startedAt = parsed.startedAt ?? parseFileNameStart(name)
  return entryOf(
    { ...parsed, startedAt },
    titleOf(name),
    bytes,
    await findRecordingsBeside(path, parsed.document, programs)
  )
}

function toWallTime(utc: string): WallTime {
  return { text: toDate(utc).toISOString().slice(0, 19), utc: true }
}

async function readBounded(path: string) {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    if (size > MAX_TEXT_BYTES)
      throw new UnreadableTranscript(`The file is larger than ${MAX_TEXT_BYTES / 1024 / 1024} MiB.`)
    return await file.readFile()
  } finally {
    await file.close()
  }
}

const SAMPLE_BYTES = 1_024

/** Parsed values take many times the memory of their bytes. */
function refuseTooManyValues(bytes: Buffer) {
  if (!['{', '['].includes(bytes.toString('utf8', 0, SAMPLE_BYTES).trimStart().charAt(0))) return
  const { values, depth, keys } = measureJson(bytes)
  if (values > LIMITS.documentValues || depth > MAX_DEPTH || keys > MAX_KEYS)
    throw new UnreadableTranscript(
      `The file has more than ${LIMITS.documentValues} values, or too many in one: send it in parts.`
    )
}

function entryOf(
  parsed: ParsedDocument,
  fallbackTitle: string,
  content: string | Uint8Array,
  recordings: Recordings
): Entry {
  const { document, startedAt, warnings } = parsed
  return {
    document,
    startedAt,
    warnings,
    fallbackTitle,
    fallbackExternalId: `sha256:${hash('sha256', content)}`,
    recordings
  }
}

/** `2026-03-02_weekly-review.vtt` becomes "2026-03-02 weekly-review". */
function titleOf(path: string) {
  return basename(path, extname(path)).replaceAll('_', ' ').trim() || 'Untitled'
}

function fileErrorOf(error: unknown) {
  if (error instanceof UnreadableTranscript) return error.message
  const code = codeOf(error)
  return SYSTEM_FAULTS[code] ?? `The file cannot be read${code && ` (${code})`}.`
}

const SYSTEM_FAULTS: Record<string, string> = {
  ENOENT: 'There is no such file.',
  EACCES: 'The file may not be read by this user.',
  EISDIR: 'This is a folder: name the files in it.'
}
