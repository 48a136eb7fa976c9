import { setTimeout } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import { characters, visible } from '../contract/common.ts'
import { localInstantOrDay } from '../contract/day-or-instant.ts'
import { folderName } from '../contract/folder.ts'
import { FIELD_LIMITS, LIMITS } from '../contract/limits.ts'
import { SESSION_TYPES } from '../contract/session.ts'
import { oneLine } from '../contract/text.ts'
import { httpUrl } from '../platform/config/settings.ts'
import { withUser } from './context.ts'
import { importLocally } from './import-local.ts'
import type { Destination, ImportFields, ImportOutcome } from './import-outcome.ts'
import { importThrough } from './import-remote.ts'
import { addCommand, optionOf, optionsOf } from './options.ts'
import { CommandFailed, print, printError, printJson, UsedWrongly } from './output.ts'
import { type Progress, startProgress } from './progress.ts'

export function addImport(program: Command) {
  const description = 'import conversations; a file that was imported before changes nothing'
  addCommand(program, 'import', description, 'one JSON value per conversation')
    .argument(
      '<file...>',
      'a transcript (.vtt, .srt, .txt, .md, .docx, .tsv, .csv, .sbv, .ttml), .json (of a tool, or import document), .jsonl (one document per line), audio, video, or the .zip of an exported library'
    )
    .option('--user <user>', 'id or e-mail address of the owner')
    .option(
      '--url <url>',
      'URL of the server that imports them, instead of the database of this machine',
      optionOf(httpUrl)
    )
    .option(
      '--token <token>',
      'token of the owner for --url, with the scope sessions:create, and sessions:read for --wait'
    )
    .addOption(new Option('--type <type>', 'type of the conversations').choices(SESSION_TYPES))
    .option('--title <title>', 'title, for a single conversation', optionOf(characters(0, LIMITS.title)))
    .option(
      '--at <instant>',
      'date, ISO 8601; in the time zone of the user without an offset',
      optionOf(localInstantOrDay)
    )
    .option('--platform <name>', 'platform, such as zoom', optionOf(characters(0, FIELD_LIMITS.platform)))
    .option('--tag <tag>', 'tag; repeat for more', optionsOf(visible(LIMITS.tags.length)))
    .option('--folder <name>', 'folder, created if missing; repeat for more', optionsOf(folderName))
    .option('--wait', 'wait until they are processed')
    .action(importFiles)
}

interface ImportArguments extends Pick<ImportFields, 'type' | 'title' | 'platform'> {
  at?: string
  tag?: string[]
  folder?: string[]
  user?: string
  url?: string
  token?: string
  wait?: boolean
  json?: boolean
}

async function importFiles(files: string[], options: ImportArguments) {
  const { user, url, token, wait = false } = options
  const progress = startProgress()
  try {
    if (user !== undefined && url === undefined && token === undefined) {
      await withUser(user, async (_, userId, context) => {
        await using opened = new AsyncDisposableStack()
        await importInto(await importLocally(context, userId, wait, opened), files, options, progress)
      })
    } else if (user === undefined && url !== undefined && token !== undefined) {
      await importInto(importThrough(url, token, progress), files, options, progress)
    } else {
      throw new UsedWrongly(
        'Name --user to import into the database of this machine, or --url and --token to import through a server'
      )
    }
  } finally {
    progress.end()
  }
}

async function importInto(destination: Destination, files: string[], options: ImportArguments, progress: Progress) {
  const { title, type, at, platform, tag, folder, wait, json } = options
  const fields = { title, type, timestamp: at, platform, tags: tag, folders: folder }
  let outcomes: ImportOutcome[] = []
  for (const file of files) {
    for await (const outcome of destination.accept(file, fields)) {
      outcomes.push(outcome)
      progress.show(`${outcomes.length} accepted`)
    }
  }
  if (wait) outcomes = await awaitAll(destination, outcomes, progress)
  progress.end()
  report(destination, outcomes, json)
}

/** Waits until every session of this import is processed. */
async function awaitAll(destination: Destination, accepted: ImportOutcome[], progress: Progress) {
  await destination.beginProcessing?.()
  const outcomes: ImportOutcome[] = []
  for (const outcome of accepted) {
    outcomes.push(await settled(destination, outcome))
    progress.show(`${outcomes.length} of ${accepted.length} processed`)
  }
  return outcomes
}

async function settled({ findState, isBusy, pollMs }: Destination, outcome: ImportOutcome): Promise<ImportOutcome> {
  if (outcome.library && outcome.status === 'processing') {
    while (await isBusy?.()) await setTimeout(pollMs)
    return { ...outcome, status: 'completed' }
  }
  if (outcome.session_id === null || outcome.status !== 'processing') return outcome
  for (;;) {
    const state = await findState(outcome.session_id)
    if (state.status !== 'processing') return { ...outcome, ...state }
    await setTimeout(pollMs)
  }
}

function report({ place }: Destination, outcomes: ImportOutcome[], json: boolean | undefined) {
  const failed = outcomes.filter(({ status }) => status === 'failed')
  for (const outcome of outcomes) {
    for (const warning of outcome.warnings ?? []) printError(`${outcome.file}: ${warning}`)
    if (json) printJson(outcome)
    else if (outcome.library) print(`${oneLine(outcome.file)}: ${wordsOf(outcome.library)}`)
    else if (outcome.status !== 'failed' && outcome.session_id !== null)
      print(`${outcome.status.padEnd(10)} ${outcome.session_id}  ${oneLine(outcome.file)}`)
  }
  if (!json && outcomes.some(({ status }) => status !== 'failed')) print(place)
  // Above the others, those that were refused would be out of sight.
  for (const { file, reason } of failed) printError(`${file}: ${reason}`)
  if (!json && outcomes.length > 1) printError(totalOf(outcomes))
  if (failed.length > 0)
    throw new CommandFailed(`${totalCount(failed)} of ${totalCount(outcomes)} could not be imported`, {
      reported: true
    })
}

function wordsOf({ sessions_added: added, sessions_existing: existing }: NonNullable<ImportOutcome['library']>) {
  return `${inWords(added)} conversations imported, ${inWords(existing)} imported before`
}

const STATUSES = ['completed', 'processing', 'existing', 'failed'] as const
const WORDS: Record<ImportOutcome['status'], string> = {
  completed: 'completed',
  processing: 'being processed',
  existing: 'imported before',
  failed: 'refused or failed'
}

/** How many conversations there were of each outcome, in one line. */
function totalOf(outcomes: readonly ImportOutcome[]) {
  const counts = STATUSES.flatMap(status => {
    const count = countOf(outcomes, status)
    return count > 0 ? [`${inWords(count)} ${WORDS[status]}`] : []
  })
  return `${inWords(totalCount(outcomes))} conversations: ${counts.join(', ')}`
}

function totalCount(outcomes: readonly ImportOutcome[]) {
  return STATUSES.reduce((sum, status) => sum + countOf(outcomes, status), 0)
}

function countOf(outcomes: readonly ImportOutcome[], status: ImportOutcome['status']) {
  return outcomes.reduce((sum, outcome) => sum + (countsOf(outcome)[status] ?? 0), 0)
}

/** An outcome stands for one conversation, or for those of a library. */
function countsOf({
  status,
  library,
  problem_count: problems = 1
}: ImportOutcome): Partial<Record<ImportOutcome['status'], number>> {
  return library ? { [status]: library.sessions_added, existing: library.sessions_existing } : { [status]: problems }
}

function inWords(count: number) {
  return count.toLocaleString('en-GB')
}
