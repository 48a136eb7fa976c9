import { type Command, Option } from 'commander'
import { SummaryOptions } from '../contract/summary-request.ts'
import { everyScope } from '../features/access/actor.ts'
import { summarizeAgain } from '../features/ingest/summarize-again.ts'
import { getSummaryRequest, summarizeSession } from '../features/ingest/summary-requests.ts'
import { describeError } from '../platform/core/api-error.ts'
import { refusedByShape } from '../platform/core/remedy.ts'
import type { Jobs } from '../platform/jobs/jobs.ts'
import { chooseSummaries } from '../server/compose.ts'
import { type Context, userNamed, withJobs } from './context.ts'
import { addOwnerCommand, type OwnerOptions } from './options.ts'
import { CommandFailed, orUnknown, showDone, UsedWrongly } from './output.ts'
import { untilEnded } from './until-ended.ts'

export function addSummarize(program: Command) {
  addOwnerCommand(program, 'summarize', 'make a new summary of a session')
    .argument('<id>', 'id of the session')
    .option('--template <name>', 'name or id of the template; without it, the default template of the session')
    .option('--no-template', 'the usual sections, also if the session has a default template')
    .option(
      '--language <code>',
      'language to write in, such as de; another one than that of the conversation needs a provider'
    )
    .addOption(
      new Option('--action-items <mode>', 'what happens to the action items')
        .choices(['keep', 'merge', 'replace'])
        .default('merge')
    )
    .option('--wait', 'wait until it is done; the command does it, beside a running server or without one')
    .action(summarize)
}

interface Summarize extends OwnerOptions {
  /** False for none. */
  template?: string | false
  language?: string
  actionItems: string
  wait?: boolean
}

async function summarize(id: string, { user, json, template, language, actionItems, wait = false }: Summarize) {
  const { data, error } = SummaryOptions.safeParse({
    language,
    template: template === false ? null : template,
    action_items: actionItems
  })
  if (error) throw new UsedWrongly(describeError(refusedByShape(error), 'give'))
  const run = async ({ database, config, jobs }: Context & { jobs: Jobs }) => {
    const actor = everyScope(await userNamed({ database, config }, user), 'command')
    const { db, clock } = database
    await using opened = new AsyncDisposableStack()
    // Only a provider translates.
    const ai = { translates: config.summaries !== undefined }
    const started = await orUnknown(`session ${id}`, summarizeSession({ db, clock, jobs, ai }, actor, id, data))
    if (wait) {
      const ai = await chooseSummaries(config)
      opened.defer(() => ai.close())
      // The job stops before the model that it uses.
      opened.defer(() => jobs.stop())
      const summarizer = { db, clock, ai, onFailure: () => {} }
      await jobs.work('summarize-session', 1, (job, attempt) => summarizeAgain(summarizer, job, attempt))
    }
    const done = wait
      ? await untilEnded(started, () => orUnknown(`session ${id}`, getSummaryRequest({ db }, actor, id)))
      : started
    if (done.status === 'failed') throw new CommandFailed(done.error ?? 'Failed')
    const by = done.template ? ` by the template ${done.template.name}` : ''
    const words =
      done.status === 'running'
        ? `A running server summarizes ${id}${by} now, or the next one that starts; with --wait, this command does.`
        : `Summarized ${id}${by}.`
    showDone({ config }, json, done, words)
  }
  await withJobs(run, { supervise: wait })
}
