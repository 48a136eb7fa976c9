import { openAsBlob } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import { LibraryImported } from '../contract/library-imported.ts'
import { isArchiveName } from '../features/exports/manifest.ts'
import { readFileEntries } from '../features/ingest/files.ts'
import { findPrograms } from '../platform/config/programs.ts'
import type { Entry } from '../platform/ports/reader.ts'
import { parseJson } from '../platform/text/parse-json.ts'
import { Refusal, toWaitMs } from './feed.ts'
import { accepted, type Destination, failed, type ImportFields, type ImportOutcome } from './import-outcome.ts'
import { CommandFailed } from './output.ts'
import type { Progress } from './progress.ts'

const Accepted = z.object({
  id: z.string(),
  status: z.enum(['completed', 'processing', 'failed']),
  failure_reason: z.string().nullish(),
  warnings: z.array(z.string()).default([])
})
const ImportAnswer = z.union([Refusal, Accepted, LibraryImported])
const StateAnswer = z.union([Refusal, Accepted])
const ListAnswer = z.union([Refusal, z.object({ sessions: z.array(z.unknown()) })])

/** Imports through a server with a token: each file as it is, and each document of a .jsonl file by itself. */
export function importThrough(url: string, token: string, progress: Progress): Destination {
  const programs = findPrograms()
  return {
    place: `At ${url}.`,
    pollMs: 1_000,
    async *accept(path, fields) {
      if (extname(path).toLowerCase() !== '.jsonl') return yield* upload(path, fields)
      for await (const { file, ...read } of readFileEntries(path, programs)) {
        if ('error' in read) yield failed(file, read.error)
        else
          yield* create(
            file,
            '/v1/sessions',
            { type: 'application/json', body: toDocument(read.entry, fields) },
            read.entry.warnings
          )
      }
    },
    async findState(sessionId) {
      const { answer } = await send(StateAnswer, 'GET', `/v1/sessions/${sessionId}`)
      if ('error' in answer) return { status: 'failed', reason: answer.error.message }
      return { status: answer.status, ...(answer.failure_reason && { reason: answer.failure_reason }) }
    },
    async isBusy() {
      const { answer } = await send(ListAnswer, 'GET', '/v1/sessions?status=processing&limit=1')
      if ('error' in answer) throw new CommandFailed(`The import cannot be waited for: ${answer.error.message}`)
      return answer.sessions.length > 0
    }
  }

  async function* upload(file: string, fields: ImportFields): AsyncGenerator<ImportOutcome> {
    const body = await openFile(file).catch(() => undefined)
    if (!body) return yield failed(file, 'The file cannot be read.')
    const query = new URLSearchParams([['file', basename(file)], ...toParameters(fields)])
    yield* create(file, `/v1/sessions/upload?${query}`, { type: 'application/octet-stream', body })
  }

  /** `ignored` are the warnings of the file itself. */
  async function* create(
    file: string,
    path: string,
    sent: RequestBody,
    ignored: string[] = []
  ): AsyncGenerator<ImportOutcome> {
    const { code, answer } = await (isArchiveName(file) ? sendLibrary : send)(ImportAnswer, 'POST', path, sent)
    if ('error' in answer) yield failed(file, answer.error.message)
    else if ('sessions_added' in answer) yield* libraryOutcomes(file, answer)
    else yield accepted(file, answer.id, code === 200 ? 'existing' : answer.status, [...ignored, ...answer.warnings])
  }

  /** Sends an archive again after a broken connection, such as that of a server that is restarted: its import goes on. */
  async function sendLibrary<T>(shape: z.ZodType<T>, method: string, path: string, sent?: RequestBody) {
    let wasReached = false
    for (let left = LIBRARY_ATTEMPTS; ; left--) {
      try {
        return await send(shape, method, path, sent, lines => progress.show(`${lines} conversations imported`))
      } catch (error) {
        wasReached ||= error instanceof BrokenOff
        const isPassing = wasReached && error instanceof Unreachable
        if (!isPassing || left === 1) throw error
        progress.show('The connection broke off; the import goes on soon')
        await setTimeout(AGAIN_MS)
      }
    }
  }

  /** Sends again where the server asks for it: an import that was stored is found by its external id. */
  async function send<T>(
    shape: z.ZodType<T>,
    method: string,
    path: string,
    sent?: RequestBody,
    onLines?: (lines: number) => void
  ) {
    const headers = { authorization: `Bearer ${token}`, ...(sent && { 'content-type': sent.type }) }
    for (;;) {
      const response = await fetch(`${url}${path}`, { method, headers, ...(sent && { body: sent.body }) }).catch(
        error => {
          throw new Unreachable(`The server at ${url} does not answer (${error.cause?.code ?? error.message})`)
        }
      )
      const retryAfter = response.headers.get('retry-after')
      if (retryAfter === null || (response.status !== 429 && response.status !== 503))
        return { code: response.status, answer: await readAnswer(shape, response, onLines) }
      const waitMs = toWaitMs(retryAfter)
      progress.show(`The server asks to wait ${waitMs / 1_000} s`)
      await setTimeout(waitMs)
    }
  }
}

const LIBRARY_ATTEMPTS = 10
const AGAIN_MS = 3_000

class Unreachable extends CommandFailed {}
class BrokenOff extends Unreachable {}

interface RequestBody {
  type: string
  body: string | Blob
}

/** Opens a file for sending. Returns undefined for a folder. */
async function openFile(path: string) {
  return (await stat(path)).isFile() ? await openAsBlob(path) : undefined
}

/** The numbers of an imported library, and an outcome for each of its problems. */
function* libraryOutcomes(file: string, answer: LibraryImported): Generator<ImportOutcome> {
  const { sessions_added, sessions_existing, problem_count, problems, warning_count, warnings: named } = answer
  const status = sessions_added > 0 ? 'processing' : 'existing'
  const unnamed = warning_count - named.length
  const warnings = [...named, ...(unnamed > 0 ? [`${unnamed} more warnings, which the server does not name`] : [])]
  const library = { sessions_added, sessions_existing }
  yield { file, session_id: null, status, library, ...(warnings.length > 0 && { warnings }) }
  for (const problem of problems) yield failed(file, problem)
  const rest = problem_count - problems.length
  if (rest > 0) yield { ...failed(file, `${rest} more problems, which the server does not name`), problem_count: rest }
}

async function readAnswer<T>(shape: z.ZodType<T>, response: Response, onLines: (lines: number) => void = () => {}) {
  const { data } = shape.safeParse(parseJson(await readText(response, onLines)))
  if (!data) throw new CommandFailed(`${response.url} is not that of a Parlance server: it answered ${response.status}`)
  return data
}

/** An answer that takes long begins with blanks, and a line break for each session. */
async function readText({ body, url }: Response, onLines: (lines: number) => void) {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const chunk of body ?? []) {
      text += decoder.decode(chunk, { stream: true })
      onLines(text.split('\n').length - 1)
    }
  } catch {
    throw new BrokenOff(`The connection to ${new URL(url).origin} broke off; run the command again, and it goes on`)
  }
  return text
}

function toParameters({ tags, folders, ...others }: ImportFields) {
  const values = { ...others, tag: tags, folder: folders }
  return Object.entries(values).flatMap(([name, value = []]) =>
    [value].flat().map((one): [string, string] => [name, one])
  )
}

function toDocument(
  { document, fallbackTitle, fallbackExternalId }: Entry,
  { tags = [], folders = [], ...fields }: ImportFields
) {
  const set = Object.entries(fields).filter(([, value]) => value !== undefined)
  return JSON.stringify({
    title: fallbackTitle,
    external_id: fallbackExternalId,
    ...document,
    ...Object.fromEntries(set),
    tags: [...(document.tags ?? []), ...tags],
    folders: [...(document.folders ?? []), ...folders]
  })
}
