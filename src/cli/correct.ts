import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { wholeNumber } from '../contract/common.ts'
import { FIELD_LIMITS, LIMITS } from '../contract/limits.ts'
import { TranscriptChange } from '../contract/transcript-change.ts'
import { everyScope } from '../features/access/actor.ts'
import { openLongReads } from '../features/access/long-reads.ts'
import { correctTranscript } from '../features/corrections/correct-transcript.ts'
import { openTranscriptWriter } from '../features/transcripts/writer/writer.ts'
import { describeError } from '../platform/core/api-error.ts'
import { refusedByShape } from '../platform/core/remedy.ts'
import { userNamed, withJobs } from './context.ts'
import { addOwnerCommand, type OwnerOptions, optionOf } from './options.ts'
import { CommandFailed, orUnknown, showDone, UsedWrongly } from './output.ts'

export function addCorrect(program: Command) {
  addOwnerCommand(program, 'correct', 'correct lines of a transcript, and all that is made of them')
    .argument('<id>', 'id of the session')
    .option('--line <index>', 'the line, counted from 0', optionOf(wholeNumber(0, FIELD_LIMITS.entries)))
    .option('--text <text>', 'what was said in the line')
    .option('--speaker <name>', 'who said the line')
    .option('--remove', 'remove the line')
    .option(
      '--file <path>',
      `a JSON file with segments as in the API, up to ${LIMITS.correctedLines}, instead of one line`
    )
    .option(
      '--if-version <version>',
      'only if the transcript has this version',
      optionOf(wholeNumber(0, Number.MAX_SAFE_INTEGER))
    )
    .action(correct)
}

interface Correct extends OwnerOptions {
  line?: number
  text?: string
  speaker?: string
  remove?: boolean
  file?: string
  ifVersion?: number
}

async function correct(id: string, { user, json, ifVersion, ...options }: Correct) {
  const change = readChange(await readSent(options))
  await withJobs(async context => {
    const actor = everyScope(await userNamed(context, user), 'command')
    await using opened = new AsyncDisposableStack()
    const writer = openTranscriptWriter(openLongReads())
    opened.defer(() => writer.close())
    const { db, clock, quotas } = context.database
    const services = { db, clock, quotas, jobs: context.jobs, writer }
    const precondition = ifVersion === undefined ? undefined : { versions: [ifVersion], tags: [] }
    const corrected = await orUnknown(`session ${id}`, correctTranscript(services, actor, id, change, { precondition }))
    const words = `The transcript of ${id} is at version ${corrected.version} now.`
    showDone(context, json, corrected, words)
  })
}

async function readSent({ line, text, speaker, remove, file }: Omit<Correct, keyof OwnerOptions>): Promise<unknown> {
  const isLine = [line, text, speaker, remove].some(option => option !== undefined)
  if (file !== undefined) {
    if (isLine) throw new UsedWrongly('--file: give it without --line, --text, --speaker and --remove')
    return await readJson(file)
  }
  if (line === undefined) throw new UsedWrongly('Name a line with --line, or many with --file')
  if (remove && (text !== undefined || speaker !== undefined))
    throw new UsedWrongly('--remove: give it without --text and --speaker')
  return { segments: [{ index: line, ...(remove ? { text: null } : { text, speaker }) }] }
}

async function readJson(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new CommandFailed(`${path} cannot be read`)
  })
  try {
    return JSON.parse(text)
  } catch {
    throw new CommandFailed(`${path} is not JSON`)
  }
}

function readChange(sent: unknown): TranscriptChange {
  const { data, error } = TranscriptChange.safeParse(sent)
  if (error) throw new UsedWrongly(describeError(refusedByShape(error), 'give'))
  return data
}
