import { readFile } from 'node:fs/promises'
import { AdminSessionChange } from '../../../contract/admin/session.ts'
import { ignoredKeys } from '../../../contract/import-keys.ts'
import { KeptState } from '../../../contract/kept-state.ts'
import { PackedCallPatch, PackedDocument, packDocument } from '../../../contract/packed-document.ts'
import type { BodyShape } from '../../../contract/routes/route.ts'
import { SearchRequest } from '../../../contract/search.ts'
import { SessionChange } from '../../../contract/session-change.ts'
import { unknownFields } from '../../../contract/unknown-fields.ts'
import { ApiError } from '../../../platform/core/api-error.ts'
import { type JsonLimits, readJson } from '../../../platform/core/read-json.ts'
import { readShape } from '../../../platform/core/remedy.ts'
import type { PackedEntry, ReadBody, StoredFile } from '../../../platform/ports/reader.ts'
import { readFileEntries } from '../files.ts'

/** A request to the process. All kinds are read from a file, so that the server never has the bytes in memory. */
export type Reading =
  | ({ kind: 'body'; path: string; shape: BodyShape } & JsonLimits)
  | ({ kind: 'file' } & StoredFile)
  | { kind: 'state'; path: string }

type Refused = Pick<ApiError, 'code' | 'problem' | 'field' | 'expected' | 'status'>
export type ReadingAnswer =
  | { body: ReadBody }
  | { state: KeptState }
  | { entry: PackedEntry | null }
  | { unreadable: string }
  | { refused: Refused }

const SHAPES = {
  PackedDocument,
  PackedCallPatch,
  SessionChange,
  AdminSessionChange,
  SearchRequest
} satisfies Record<BodyShape, unknown>

/** Reads a body or a file inside the process. Errors of the sender are answers. */
export async function answerReading(reading: Reading): Promise<ReadingAnswer> {
  if (reading.kind === 'file') return await readEntry(reading)
  try {
    const bytes = await readFile(reading.path)
    return reading.kind === 'state' ? { state: readState(bytes) } : { body: readBody(bytes, reading) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const { code, problem, field, expected, status } = error
    return { refused: { code, problem, field, expected, status } }
  }
}

function readBody(bytes: Buffer, { shape, ...limits }: { shape: BodyShape } & JsonLimits): ReadBody {
  const json = readJson(bytes, limits)
  const ignored = shape === 'PackedDocument' ? ignoredKeys(json) : unknownFields(SHAPES[shape], json)
  return { value: readShape(SHAPES[shape], json, 'body'), ignored }
}

/** A state has few values, because the transcripts of its session are in other files. */
const STATE_VALUES = 50_000

function readState(bytes: Buffer) {
  return readShape(KeptState, readJson(bytes, { maxValues: STATE_VALUES, repairsText: false }), 'body')
}

/** A file is one conversation here, so one with a document on each line is refused. */
async function readEntry({ path, name, isArchived }: StoredFile): Promise<ReadingAnswer> {
  let found: ReadingAnswer = { entry: null }
  for await (const read of readFileEntries(path, { programPath: undefined }, { name, isArchived })) {
    if ('entry' in found && found.entry !== null)
      return { unreadable: 'The file holds several documents: send each in its own request.' }
    if ('error' in read) return { unreadable: read.error }
    found = { entry: { ...read.entry, document: packDocument(read.entry.document) } }
  }
  return found
}
