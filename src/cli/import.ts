import { type Command, InvalidArgumentError, Option } from 'commander'
import { findUser } from '../accounts/queries.ts'
import { chooseAi, chooseMedia, clock } from '../compose.ts'
import { characters } from '../contract/common.ts'
import { UnreadableDocument } from '../contract/import-document.ts'
import { isInstant, toDate } from '../contract/instant.ts'
import { LIMITS } from '../contract/limits.ts'
import { SESSION_TYPES } from '../contract/session.ts'
import { httpUrl } from '../core/settings.ts'
import type { ImportOptions } from '../ingest/document-fields.ts'
import { type FileEntry, readFileEntries } from '../ingest/files.ts'
import { importConversation } from '../ingest/import.ts'
import { processSession } from '../ingest/pipeline.ts'
import { findState } from '../ingest/queries.ts'
import { type Jobs, openJobs } from '../jobs/jobs.ts'
import { MediaError, type MediaStore } from '../media/media.ts'
import { type Context, userNamed, withDatabase } from './context.ts'
import { type ImportFields, type ImportOutcome, importThrough } from './import-remote.ts'
import { optionOf } from './options.ts'
import { CommandFailed, UsedWrongly } from './output.ts'
import { type Progress, startProgress } from './progress.ts'

export function addImport(program: Command) {
  program
    .command('import')
    .argument('<file...>', '.vtt, .srt, .txt, .json (Whisper or import document), .jsonl (one document per line), audio or video')
    .description('import conversations; a file that was imported before changes nothing')
    .option('--user <user>', 'id or e-mail address of the owner')
    .option('--url <url>', 'URL of the server that imports them, instead of the database of this machine', optionOf(httpUrl))
    .option('--token <token>', 'token of the owner for --url, with the scope sessions:create, and sessions:read for --wait')
    .addOption(new Option('--type <type>', 'type of the conversations').choices(SESSION_TYPES))
    .option('--title <title>', 'title, for a single conversation', optionOf(characters(0, LIMITS.title)))
    .option('--at <instant>', 'date, ISO 8601; UTC without an offset', instant)
    .option('--platform <name>', 'platform, such as zoom', optionOf(characters(0, 100)))
    .option('--tag <tag>', 'tag; repeat for more', collectNames)
    .option('--folder <name>', 'folder, created if missing; repeat for more', collectNames)
    .option('--wait', 'wait until they are processed')
    .option('--json', 'print one JSON value per conversation')
    .action(importFiles)
}

/** The longest name of a tag or a folder. */
const MAX_NAME = 100

interface Options extends ImportFields {
  user?: string
  url?: string
  token?: string
  wait?: boolean
  json?: boolean
}

async function importFiles(files: string[], options: Options) {
  const { user, url, token } = options
  if (url !== undefined && token !== undefined && user === undefined) return await importRemotely(url, token, files, options)
  if (user === undefined || url !== undefined || token !== undefined)
    throw new UsedWrongly('Name --user to import into the database of this machine, or --url and --token to import through a server')
  await importLocally(user, files, options)
}

async function importRemotely(url: string, token: string, files: string[], options: Options) {
  const progress = startProgress()
  try {
    const outcomes = await importThrough(url, token, files, options, progress)
    progress.end()
    report(outcomes, options.json)
  } finally {
    progress.end()
  }
}

async function importLocally(owner: string, files: string[], options: Options) {
  await withDatabase(async context => {
    const userId = await userNamed(context, owner)
    const user = await findUser(context.database.db, userId)
    const jobs = await openJobs(context.database, { supervise: Boolean(options.wait), onError: () => {} })
    const progress = startProgress()
    const media = await chooseMedia(context.config)
    const place = { ...context, media }
    try {
      const accepted = await acceptAll(place, jobs, userId, files, { options, timeZone: user?.timeZone ?? 'UTC', progress })
      const outcomes = options.wait ? await awaitAll(place, jobs, userId, accepted, progress) : accepted
      progress.end()
      report(outcomes, options.json)
    } finally {
      progress.end()
      await jobs.stop()
      media.close()
    }
  })
}

interface Place extends Context {
  media: MediaStore
}

interface Run {
  options: Options
  timeZone: string
  progress: Progress
}

async function acceptAll(
  { config, database, media }: Place,
  jobs: Jobs,
  userId: string,
  files: string[],
  { options, timeZone, progress }: Run
) {
  const importer = { db: database.db, jobs, clock, media, transcribes: config.openai?.transcriptionModel !== undefined }
  const outcomes: ImportOutcome[] = []
  for (const file of files) {
    for await (const read of readFileEntries(file)) {
      outcomes.push(await accept(read))
      progress.show(`${outcomes.length} accepted`)
    }
  }
  return outcomes

  async function accept(read: FileEntry): Promise<ImportOutcome> {
    if ('error' in read) return { file: read.file, session_id: null, status: 'failed', reason: read.error }
    const { document, warnings, ...ofFile } = read.entry
    const given: ImportOptions = {
      title: options.title,
      type: options.type,
      timestamp: options.at,
      platform: options.platform,
      tags: options.tag,
      folders: options.folder,
      ...ofFile,
      timeZone
    }
    try {
      const accepted = await importConversation(importer, userId, document, given)
      const ignored = [...warnings, ...accepted.warnings]
      return { file: read.file, session_id: accepted.sessionId, status: accepted.status, ...(ignored.length > 0 && { warnings: ignored }) }
    } catch (error) {
      if (error instanceof UnreadableDocument || error instanceof MediaError)
        return { file: read.file, session_id: null, status: 'failed', reason: error.message }
      throw error
    }
  }
}

/** Processes queued sessions, beside a running server if there is one, until every session of this import is done. */
async function awaitAll({ config, database, media }: Place, jobs: Jobs, userId: string, accepted: ImportOutcome[], progress: Progress) {
  const ai = await chooseAi(config)
  const pipeline = { db: database.db, ai, media, clock, onFailure: () => {} }
  try {
    await jobs.work('process-session', 2, (data, attempt) => processSession(pipeline, data, attempt))
    const outcomes: ImportOutcome[] = []
    for (const outcome of accepted) {
      outcomes.push(await settled(database.db, userId, outcome))
      progress.show(`${outcomes.length} of ${accepted.length} processed`)
    }
    return outcomes
  } finally {
    await jobs.stop()
    await ai.close()
  }
}

async function settled(db: Context['database']['db'], userId: string, outcome: ImportOutcome): Promise<ImportOutcome> {
  if (outcome.session_id === null || outcome.status !== 'processing') return outcome
  for (;;) {
    const found = await findState(db, userId, outcome.session_id)
    if (found?.state === 'completed') return { ...outcome, status: 'completed' }
    if (found?.state !== 'processing') return { ...outcome, status: 'failed', reason: found?.failure ?? 'It was deleted meanwhile' }
    await new Promise(wake => setTimeout(wake, 200))
  }
}

function report(outcomes: ImportOutcome[], json: boolean | undefined) {
  for (const outcome of outcomes) {
    if (outcome.status === 'failed') console.error(`${outcome.file}: ${outcome.reason}`)
    for (const warning of outcome.warnings ?? []) console.error(`${outcome.file}: ${warning}`)
    if (json) console.log(JSON.stringify(outcome))
    else if (outcome.status !== 'failed') console.log(`${outcome.status.padEnd(10)} ${outcome.session_id}  ${outcome.file}`)
  }
  const failed = outcomes.filter(({ status }) => status === 'failed').length
  if (failed > 0) throw new CommandFailed(`${failed} of ${outcomes.length} could not be imported`, { reported: true })
}

function collectNames(name: string, earlier: string[] = []) {
  if (name.trim() === '' || [...name].length > MAX_NAME) throw new InvalidArgumentError(`Send 1 to ${MAX_NAME} characters.`)
  return [...earlier, name]
}

function instant(text: string) {
  if (!isInstant(text)) throw new InvalidArgumentError('Send an ISO 8601 date and time such as 2026-03-02T10:00:00Z.')
  return toDate(text)
}
