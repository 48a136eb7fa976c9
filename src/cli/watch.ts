import { mkdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Command } from 'commander'
import { wholeNumber } from '../contract/common.ts'
import { oneLine } from '../contract/text.ts'
import { httpUrl } from '../platform/config/settings.ts'
import { codeOf } from '../platform/core/error-code.ts'
import { withUser } from './context.ts'
import { importLocally } from './import-local.ts'
import type { Destination, ImportOutcome } from './import-outcome.ts'
import { importThrough } from './import-remote.ts'
import { addCommand, optionOf } from './options.ts'
import { CommandFailed, print, printError, printJson, UsedWrongly } from './output.ts'
import { startProgress } from './progress.ts'
import { UnusableDocument, withDocument } from './watch-document.ts'
import { type Arrival, DONE, foldersOf, isUnchanged, openWatch } from './watch-files.ts'
import { finishMoves, moveAway, toFailed } from './watch-moves.ts'

const DEFAULT_REST_SECONDS = 10
const MAX_REST_SECONDS = 3_600

/** The pause after an error that may pass: the server or the share is away. */
const AWAY_MS = 5_000

export function addWatch(program: Command) {
  addCommand(
    program,
    'watch',
    'import what is copied into a folder, until interrupted; then move it to done or failed there',
    'one JSON value per conversation'
  )
    .argument('<folder>', 'folder to watch; its subfolders name the folders of the sessions')
    .option('--user <user>', 'id or e-mail address of the owner')
    .option('--url <url>', 'URL of the server, instead of the database of this machine', optionOf(httpUrl))
    .option('--token <token>', 'token of the owner for --url, with the scope sessions:create')
    .option(
      '--rest <seconds>',
      'time for which size and time of a file stay the same before it is taken',
      optionOf(wholeNumber(1, MAX_REST_SECONDS)),
      DEFAULT_REST_SECONDS
    )
    .action(watch)
}

interface WatchOptions {
  user?: string
  url?: string
  token?: string
  rest: number
  json?: boolean
}

async function watch(name: string, { user, url, token, ...options }: WatchOptions) {
  const folder = resolve(name)
  if (!(await stat(folder).catch(() => undefined))?.isDirectory())
    throw new CommandFailed(`${folder} is no folder; create it, or correct the name`)
  if (user !== undefined && url === undefined && token === undefined) {
    await withUser(user, async (database, userId, context) => {
      // Nobody would process what is imported, and a server could not start.
      if (database.engine?.owned) throw new CommandFailed('No server has the embedded database open; start it first')
      await using opened = new AsyncDisposableStack()
      await follow(folder, await importLocally(context, userId, false, opened), { ...options, takesDocuments: true })
    })
  } else if (user === undefined && url !== undefined && token !== undefined) {
    await follow(folder, importThrough(url, token, startProgress()), { ...options, takesDocuments: false })
  } else {
    throw new UsedWrongly(
      'Name --user to import into the database of this machine, or --url and --token to import through a server'
    )
  }
}

interface Following extends Pick<WatchOptions, 'rest' | 'json'> {
  /** True if the destination reads a document with the recording beside it. */
  takesDocuments: boolean
}

/** Takes what rests, in rounds, until the process is interrupted. The current file is finished. */
async function follow(folder: string, destination: Destination, { rest, json, takesDocuments }: Following) {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  const findRested = openWatch(folder, rest * 1_000)
  const pause = (ms: number) => wait(ms, undefined, { signal: stop.signal }).catch(() => {})
  let reported = ''
  printError(`Watching ${folder}`)
  while (!stop.signal.aborted) {
    try {
      await finishMoves(folder)
      for (const arrival of await findRested()) {
        if (stop.signal.aborted) return
        await take(folder, arrival, destination, { json, takesDocuments })
      }
      reported = ''
      await pause((rest * 1_000) / 5)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (reason !== reported) printError(`${reason}; trying again`)
      reported = reason
      await pause(AWAY_MS)
    }
  }
}

/** Imports an arrival and moves it away. It stays if it changes meanwhile, or if an error may pass. */
async function take(
  folder: string,
  arrival: Arrival,
  destination: Destination,
  { json, takesDocuments }: Pick<Following, 'json' | 'takesDocuments'>
) {
  const outcomes = await importArrival(folder, arrival, destination, takesDocuments)
  if (!(await isUnchanged(folder, arrival.file))) return
  const reasons = outcomes.flatMap(({ status, reason, file }) => (status === 'failed' ? [`${file}: ${reason}`] : []))
  await mkdir(join(folder, DONE), { recursive: true })
  if (reasons.length > 0) await toFailed(folder, arrival, reasons.join('\n'))
  else await moveAway(folder, arrival, DONE)
  for (const outcome of outcomes) report({ ...outcome, file: arrival.file.path }, json)
}

async function importArrival(
  folder: string,
  arrival: Arrival,
  destination: Destination,
  takesDocuments: boolean
): Promise<ImportOutcome[]> {
  const path = join(folder, arrival.file.path)
  const fields = { folders: foldersOf(arrival) }
  const refused = (reason: string): ImportOutcome[] => [
    { file: arrival.file.path, session_id: null, status: 'failed', reason }
  ]
  if (!arrival.document) {
    const outcomes = await collect(destination.accept(path, fields))
    return outcomes.length > 0 ? outcomes : refused('The file has no conversation')
  }
  if (!takesDocuments) return refused('A recording with a document beside it is imported with --user only')
  try {
    return await withDocument(path, join(folder, arrival.document.path), completed =>
      collect(destination.accept(completed, fields))
    )
  } catch (error) {
    if (error instanceof UnusableDocument) return refused(error.message)
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

function report(outcome: ImportOutcome, json: boolean | undefined) {
  if (json) printJson(outcome)
  else if (outcome.status === 'failed') printError(`${outcome.file}: ${outcome.reason}`)
  else print(`${outcome.status.padEnd(10)} ${outcome.session_id}  ${oneLine(outcome.file)}`)
  for (const warning of outcome.warnings ?? []) printError(`${outcome.file}: ${warning}`)
}

async function collect<T>(values: AsyncIterable<T>) {
  const all: T[] = []
  for await (const value of values) all.push(value)
  return all
}
