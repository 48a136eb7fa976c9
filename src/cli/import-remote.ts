import { openAsBlob } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import type { ImportDocument } from '../contract/import-document.ts'
import type { SessionType } from '../contract/session.ts'
import { readFileEntries } from '../ingest/files.ts'
import { Refusal, toWaitMs } from './feed.ts'
import { CommandFailed } from './output.ts'
import type { Progress } from './progress.ts'

export interface ImportFields {
  type?: SessionType
  title?: string
  at?: Date
  platform?: string
  tag?: string[]
  folder?: string[]
}

export interface ImportOutcome {
  file: string
  session_id: string | null
  status: 'completed' | 'processing' | 'failed' | 'existing'
  reason?: string
  /** The ignored parts of the file or the options. Absent if nothing was ignored. */
  warnings?: string[]
}

const Accepted = z.object({
  id: z.string(),
  status: z.enum(['completed', 'processing', 'failed']),
  failure_reason: z.string().nullish(),
  warnings: z.array(z.string()).default([])
})
const Answer = z.union([Refusal, Accepted])
type Answer = z.output<typeof Answer>

const POLL_MS = 1_000

/** Imports files through a server with a token: each file as it is, and each document of a .jsonl file by itself. */
export async function importThrough(
  url: string,
  token: string,
  files: string[],
  fields: ImportFields & { wait?: boolean },
  progress: Progress
) {
  const outcomes: ImportOutcome[] = []
  for (const file of files) {
    for await (const outcome of extname(file).toLowerCase() === '.jsonl' ? sendDocuments(file) : [await upload(file)]) {
      outcomes.push(outcome)
      progress.show(`${outcomes.length} accepted`)
    }
  }
  if (!fields.wait) return outcomes
  const ended: ImportOutcome[] = []
  for (const outcome of outcomes) {
    ended.push(await settled(outcome))
    progress.show(`${ended.length} of ${outcomes.length} processed`)
  }
  return ended

  async function upload(file: string): Promise<ImportOutcome> {
    const bytes = await openFile(file).catch(() => undefined)
    if (!bytes) return { file, session_id: null, status: 'failed', reason: 'The file cannot be read.' }
    const path = `/v1/sessions/upload?${new URLSearchParams([['file', basename(file)], ...toQuery(fields)])}`
    return toOutcome(file, await send('POST', path, { type: 'application/octet-stream', body: bytes }))
  }

  async function* sendDocuments(path: string): AsyncGenerator<ImportOutcome> {
    for await (const read of readFileEntries(path)) {
      if ('error' in read) yield { file: read.file, session_id: null, status: 'failed', reason: read.error }
      else {
        const { document, fallbackTitle, fallbackExternalId, warnings } = read.entry
        const body = JSON.stringify({ title: fallbackTitle, external_id: fallbackExternalId, ...document, ...toDocument(document, fields) })
        yield toOutcome(read.file, await send('POST', '/v1/sessions', { type: 'application/json', body }), warnings)
      }
    }
  }

  async function settled(outcome: ImportOutcome): Promise<ImportOutcome> {
    if (outcome.session_id === null || outcome.status !== 'processing') return outcome
    for (;;) {
      const { answer } = await send('GET', `/v1/sessions/${outcome.session_id}`)
      if ('error' in answer) return { ...outcome, status: 'failed', reason: answer.error.message }
      if (answer.status !== 'processing')
        return { ...outcome, status: answer.status, ...(answer.failure_reason && { reason: answer.failure_reason }) }
      await setTimeout(POLL_MS)
    }
  }

  /** Sends again where the server asks for it: an import that was stored is found by its external id. */
  async function send(
    method: string,
    path: string,
    sent?: { type: string; body: string | Blob }
  ): Promise<{ code: number; answer: Answer }> {
    const headers = { authorization: `Bearer ${token}`, ...(sent && { 'content-type': sent.type }) }
    for (;;) {
      const response = await fetch(`${url}${path}`, { method, headers, ...(sent && { body: sent.body }) }).catch(error => {
        throw new CommandFailed(`The server at ${url} does not answer (${error.cause?.code ?? error.message})`)
      })
      const retryAfter = response.headers.get('retry-after')
      if (retryAfter === null || (response.status !== 429 && response.status !== 503))
        return { code: response.status, answer: await readAnswer(response) }
      const waitMs = toWaitMs(retryAfter)
      progress.show(`The server asks to wait ${waitMs / 1_000} s`)
      await setTimeout(waitMs)
    }
  }
}

/** Opens a file for sending. Returns undefined for a folder. */
async function openFile(path: string) {
  return (await stat(path)).isFile() ? await openAsBlob(path) : undefined
}

async function readAnswer(response: Response): Promise<Answer> {
  const { data } = Answer.safeParse(await response.json().catch(() => undefined))
  if (!data) throw new CommandFailed(`${response.url} is not that of a Parlance server: it answered ${response.status}`)
  return data
}

/** `ignored` are the warnings of the file itself. */
function toOutcome(file: string, { code, answer }: { code: number; answer: Answer }, ignored: string[] = []): ImportOutcome {
  if ('error' in answer) return { file, session_id: null, status: 'failed', reason: answer.error.message }
  const { id, status } = answer
  const warnings = [...ignored, ...answer.warnings]
  return { file, session_id: id, status: code === 200 ? 'existing' : status, ...(warnings.length > 0 && { warnings }) }
}

function toQuery({ type, title, at, platform, tag = [], folder = [] }: ImportFields) {
  const single = { type, title, timestamp: at?.toISOString(), platform }
  return [
    ...Object.entries(single).flatMap(([name, value]) => (value === undefined ? [] : [pair(name, value)])),
    ...tag.map(name => pair('tag', name)),
    ...folder.map(name => pair('folder', name))
  ]
}

function pair(name: string, value: string): [string, string] {
  return [name, value]
}

/** The fields of a document that options override or add to. */
function toDocument({ tags = [], folders = [] }: ImportDocument, { type, title, at, platform, tag = [], folder = [] }: ImportFields) {
  return {
    ...(type && { type }),
    ...(title !== undefined && { title }),
    ...(at && { timestamp: at.toISOString() }),
    ...(platform !== undefined && { platform }),
    tags: [...tags, ...tag],
    folders: [...folders, ...folder]
  }
}
