import { readFile, writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { z } from 'zod'
import { TermCreate } from '../contract/term.ts'
import { everyScope } from '../features/access/actor.ts'
import { openLongReads } from '../features/access/long-reads.ts'
import { applyTerm, getTermApplication } from '../features/terms/application.ts'
import { applyToSessions } from '../features/terms/apply-term.ts'
import { createTerm, deleteTerm, importTerms, listTerms } from '../features/terms/operations.ts'
import { readCsv, toCsv } from '../features/terms/terms-csv.ts'
import { openTranscriptWriter } from '../features/transcripts/writer/writer.ts'
import { describeError } from '../platform/core/api-error.ts'
import { refusedByShape } from '../platform/core/remedy.ts'
import type { Jobs } from '../platform/jobs/jobs.ts'
import { type Context, userNamed, withJobs, withUser } from './context.ts'
import { addOwnerCommand, type OwnerOptions, optionsOf } from './options.ts'
import { CommandFailed, orFail, orUnknown, printError, show, showDone, showList, UsedWrongly } from './output.ts'
import { untilEnded } from './until-ended.ts'

export function addTerms(program: Command) {
  const terms = program.command('terms').description('words that transcripts get wrong, and what is meant')
  addOwnerCommand(terms, 'list', 'list the terms of a user, the oldest first', 'one JSON value per line').action(list)
  addOwnerCommand(terms, 'add', 'add a term, which corrects new transcripts')
    .argument('<meant>', 'what is meant')
    .option('--heard <form>', 'a form that is heard instead; repeat for more', optionsOf(z.string()))
    .action(add)
  addOwnerCommand(terms, 'delete', 'delete a term; what it has corrected stays corrected')
    .argument('<id>', 'id of the term')
    .action(remove)
  addOwnerCommand(terms, 'import', 'add the terms of a CSV file with the columns heard and meant')
    .argument('<file>', 'path of the file')
    .action(importFile)
  addOwnerCommand(terms, 'export', 'write the terms of a user as CSV')
    .argument('<file>', 'path of the file, or - for the output of the command')
    .action(exportFile)
  addOwnerCommand(terms, 'apply', 'correct existing transcripts by a term')
    .argument('<id>', 'id of the term')
    .option('--dry-run', 'count the sessions and lines, and change nothing')
    .option('--wait', 'wait until it is done; the command does it, beside a running server or without one')
    .action(apply)
}

async function list({ user, json }: OwnerOptions) {
  await withUser(user, async (services, userId) => {
    const { terms } = await listTerms(services, everyScope(userId, 'command'))
    showList(json, json ? terms : terms.map(({ id, heard, meant }) => ({ id, meant, heard: heard.join(' | ') })))
  })
}

async function add(meant: string, { user, json, heard = [] }: OwnerOptions & { heard?: string[] }) {
  const { data, error } = TermCreate.safeParse({ heard, meant })
  if (error) throw new UsedWrongly(describeError(refusedByShape(error), 'give'))
  await withUser(user, async (services, userId, context) => {
    const term = await orFail(createTerm(services, everyScope(userId, 'command'), data))
    showDone(context, json, term, `Added ${term.id} (${term.meant}).`)
  })
}

async function remove(id: string, { user, json }: OwnerOptions) {
  await withUser(user, async (services, userId, context) => {
    await orUnknown(`term ${id}`, deleteTerm(services, everyScope(userId, 'command'), id))
    showDone(context, json, { id, deleted: true }, `Deleted ${id}.`)
  })
}

async function importFile(path: string, { user, json }: OwnerOptions) {
  const bytes = await readFile(path).catch(() => {
    throw new CommandFailed(`${path} cannot be read`)
  })
  await withUser(user, async (services, userId, context) => {
    const imported = await orFail(
      readAndImport(bytes, terms => importTerms(services, everyScope(userId, 'command'), terms))
    )
    for (const warning of imported.warnings) printError(warning)
    const { added, changed, terms } = imported.done
    showDone(
      context,
      json,
      { added, changed, terms },
      `Added ${added} and extended ${changed} terms; there are ${terms.length}.`
    )
  })
}

async function readAndImport<T>(bytes: Uint8Array, run: (terms: TermCreate[]) => Promise<T>) {
  const { terms, warnings } = readCsv(bytes)
  return { warnings, done: await run(terms) }
}

async function exportFile(path: string, { user, json }: OwnerOptions) {
  await withUser(user, async (services, userId) => {
    const { terms } = await listTerms(services, everyScope(userId, 'command'))
    if (path === '-') return void process.stdout.write(toCsv(terms))
    await writeFile(path, toCsv(terms)).catch(() => {
      throw new CommandFailed(`${path} cannot be written`)
    })
    show(json, { file: path, terms: terms.length }, `Wrote ${terms.length} terms to ${path}.`)
  })
}

async function apply(
  id: string,
  { user, json, dryRun = false, wait = false }: OwnerOptions & { dryRun?: boolean; wait?: boolean }
) {
  const run = async ({ database, config, jobs }: Context & { jobs: Jobs }) => {
    const actor = everyScope(await userNamed({ database, config }, user), 'command')
    await using opened = new AsyncDisposableStack()
    const writer = openTranscriptWriter(openLongReads())
    opened.defer(() => writer.close())
    const services = { ...database, jobs, writer }
    const started = await orUnknown(`term ${id}`, applyTerm(services, actor, id, { dryRun }))
    if (wait) {
      // The job stops before the process that it uses.
      opened.defer(() => jobs.stop())
      await jobs.work('apply-term', 1, (data, attempt) => applyToSessions(services, data, attempt))
    }
    const done = wait
      ? await untilEnded(started, () => orUnknown(`term ${id}`, getTermApplication(services, actor, id)))
      : started
    if (done.status === 'failed') throw new CommandFailed(done.error ?? 'Failed')
    const counts = `${done.lines_changed} lines in ${done.sessions_changed} sessions`
    const words =
      done.status === 'running'
        ? `A running server applies ${id} now, or the next one that starts; with --wait, this command does.`
        : dryRun
          ? `${id} would correct ${counts}.`
          : `${id} has corrected ${counts}.`
    showDone({ config }, json, done, words)
  }
  await withJobs(run, { supervise: wait })
}
