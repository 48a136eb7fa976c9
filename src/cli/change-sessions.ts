import type { Command } from 'commander'
import { z } from 'zod'
import { everyScope } from '../accounts/actor.ts'
import { AdminSessionChange } from '../contract/admin/session.ts'
import { describeError } from '../core/api-error.ts'
import { refusedByShape } from '../core/remedy.ts'
import { retrySession } from '../ingest/retry.ts'
import type { Services } from '../services.ts'
import { findAdminSession } from '../sessions/admin-sessions.ts'
import { changeSession } from '../sessions/change.ts'
import { deleteSession } from '../sessions/delete.ts'
import { restoreSession, trashSession } from '../sessions/trash.ts'
import { userNamed, withJobs } from './context.ts'
import { addOwnerCommand, type OwnerOptions, optionOf, optionsOf } from './options.ts'
import { CommandFailed, orFail, show, UsedWrongly } from './output.ts'

const yesOrNo = z.stringbool({ truthy: ['yes'], falsy: ['no'], error: 'yes or no' })

/** Commands that change a session. They call the functions of the admin API. */
export function addSessionChanges(session: Command) {
  const owned = (name: string, description: string) =>
    addOwnerCommand(session, name, description).argument('<id>', 'id of the session')

  owned('update', 'change title, summary, notes, tags, favorite or date of a session')
    .option('--title <title>', 'title')
    .option('--summary <markdown>', 'summary')
    .option('--at <instant>', 'date, ISO 8601; UTC without an offset; due dates given in words move with it')
    .option('--notes <text>', 'notes')
    .option('--tag <tag>', 'tag; replaces all tags; repeat for more', optionsOf(z.string()))
    .option('--no-tags', 'remove all tags')
    .option('--favorite <yes|no>', 'set or clear the favorite flag', optionOf(yesOrNo))
    .action(update)
  owned('delete', 'move a session to the trash')
    .option('--permanently', 'delete permanently, also from the trash')
    .action(remove)
  owned('restore', 'restore a session from the trash').action(restore)
  owned('retry', 'process a failed session again').action(retry)
}

interface Update extends OwnerOptions {
  title?: string
  summary?: string
  at?: string
  notes?: string
  tag?: string[]
  tags: boolean
  favorite?: boolean
}

async function update(id: string, { user, json, title, summary, at, notes, tag, tags, favorite }: Update) {
  const { data, error } = AdminSessionChange.safeParse({
    title,
    summary,
    timestamp: at,
    notes,
    tags: tags ? tag : [],
    favorite
  })
  if (error?.issues[0]?.path.length === 0) throw new UsedWrongly('Name something to change; see: session update --help')
  if (error) throw new UsedWrongly(describeError(refusedByShape(error), 'give'))
  await onSession(id, { user, json }, 'Changed', async ({ db, clock }, userId) =>
    Boolean(await changeSession(db, userId, id, data, { version: undefined, now: clock.now() }))
  )
}

async function remove(id: string, { user, json, permanently }: OwnerOptions & { permanently?: boolean }) {
  await onSession(id, { user, json }, 'Deleted', async ({ db, jobs, clock }, userId) =>
    permanently
      ? await deleteSession({ db, jobs, clock }, userId, id, { deleted: true })
      : await trashSession(db, userId, id, clock.now())
  )
}

async function restore(id: string, options: OwnerOptions) {
  await onSession(id, options, 'Restored', (tools, userId) => restoreSession(tools, userId, id, tools.clock.now()))
}

async function retry(id: string, options: OwnerOptions) {
  const words = 'A running server processes it now:'
  await onSession(id, options, words, (tools, userId) => retrySession(tools, everyScope(userId, 'command'), id))
}

async function onSession(
  id: string,
  { user, json }: OwnerOptions,
  words: string,
  change: (tools: Pick<Services, 'db' | 'jobs' | 'clock'>, userId: string) => Promise<unknown>
) {
  await withJobs(async context => {
    const userId = await userNamed(context, user)
    const { db, clock } = context.database
    if (!(await orFail(change({ db, clock, jobs: context.jobs }, userId))))
      throw new CommandFailed(`The user has no session ${id}`)
    show(json, (await findAdminSession(db, userId, id)) ?? { id, deleted: true }, `${words} ${id}.`)
  })
}
