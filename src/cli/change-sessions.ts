import { type Command, InvalidArgumentError } from 'commander'
import { clock } from '../compose.ts'
import { AppSessionChange } from '../contract/app/session.ts'
import { retrySession } from '../ingest/retry.ts'
import { openJobs } from '../jobs/jobs.ts'
import { changeSession } from '../sessions/change.ts'
import { deleteSession } from '../sessions/delete.ts'
import { restoreSession, trashSession } from '../sessions/trash.ts'
import { findWhole } from '../sessions/whole.ts'
import { type Context, userNamed, withDatabase } from './context.ts'
import { CommandFailed, orFail, show, UsedWrongly } from './output.ts'

interface Options {
  user: string
  json?: boolean
}

/** What changes a session; as over the app API, by the same functions. */
export function addSessionChanges(session: Command) {
  const owned = (name: string, description: string) =>
    session
      .command(name)
      .argument('<id>', 'id of the session')
      .description(description)
      .requiredOption('--user <user>', 'id or e-mail address of its owner')
      .option('--json', 'one JSON value')

  owned('update', 'change what is written about a session')
    .option('--title <title>', 'title')
    .option('--summary <markdown>', 'summary')
    .option('--at <instant>', 'when it took place, ISO 8601; due dates that were said in words follow')
    .option('--notes <text>', 'notes')
    .option('--tag <tag>', 'tag, in place of those there are; repeat for more', (tag: string, earlier: string[] = []) => [...earlier, tag])
    .option('--no-tags', 'without tags')
    .option('--favorite <yes|no>', 'whether it is a favourite', yesOrNo)
    .action(update)
  owned('delete', 'delete a session, so that it can be restored')
    .option('--permanently', 'for good, also one that was deleted before')
    .action(remove)
  owned('restore', 'restore a deleted session').action(restore)
  owned('retry', 'have a failed session processed again').action(retry)
}

interface Update extends Options {
  title?: string
  summary?: string
  at?: string
  notes?: string
  tag?: string[]
  tags: boolean
  favorite?: boolean
}

async function update(id: string, { user, json, title, summary, at, notes, tag, tags, favorite }: Update) {
  const sent = { title, summary, timestamp: at, notes, tags: tags ? tag : [], favorite }
  const { data, error } = AppSessionChange.safeParse(sent)
  if (error) throw new UsedWrongly([error.issues[0]?.path.join('.'), error.issues[0]?.message].filter(Boolean).join(': '))
  await onSession(id, { user, json }, 'Changed', async ({ db }, userId) =>
    Boolean(await changeSession(db, userId, id, data, { version: undefined, now: clock.now() }))
  )
}

async function remove(id: string, { user, json, permanently }: Options & { permanently?: boolean }) {
  await onSession(id, { user, json }, 'Deleted', async ({ db, jobs }, userId) =>
    permanently ? await deleteSession({ db, jobs, clock }, userId, id, { deleted: true }) : await trashSession(db, userId, id, clock.now())
  )
}

async function restore(id: string, options: Options) {
  await onSession(id, options, 'Restored', (deps, userId) => restoreSession(deps, userId, id, clock.now()))
}

async function retry(id: string, options: Options) {
  const words = 'A running server processes it now:'
  await onSession(id, options, words, (deps, userId) => retrySession({ ...deps, clock }, userId, id))
}

interface Deps {
  db: Context['database']['db']
  jobs: Awaited<ReturnType<typeof openJobs>>
}

async function onSession(
  id: string,
  { user, json }: { user: string; json?: boolean | undefined },
  words: string,
  change: (deps: Deps, userId: string) => Promise<unknown>
) {
  await withDatabase(async context => {
    const userId = await userNamed(context, user)
    const jobs = await openJobs(context.database, { supervise: false, onError: () => {} })
    try {
      const { db } = context.database
      if (!(await orFail(change({ db, jobs }, userId)))) throw new CommandFailed(`The user has no session ${id}`)
      show(json, (await findWhole(db, userId, id)) ?? { id, deleted: true }, `${words} ${id}.`)
    } finally {
      await jobs.stop()
    }
  })
}

function yesOrNo(text: string) {
  if (text !== 'yes' && text !== 'no') throw new InvalidArgumentError('Send yes or no.')
  return text === 'yes'
}
