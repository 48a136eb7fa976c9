import type { Command } from 'commander'
import { z } from 'zod'
import { AdminSessionChange } from '../contract/admin/session.ts'
import { instantOrDay } from '../contract/day-or-instant.ts'
import { SESSION_TYPES } from '../contract/session.ts'
import { everyScope } from '../features/access/actor.ts'
import { retrySession } from '../features/ingest/retry.ts'
import { retryFailed } from '../features/ingest/retry-failed.ts'
import { findAdminSession } from '../features/library/admin-sessions.ts'
import type { Services } from '../features/services.ts'
import { deleteSession, restoreSession, updateSession } from '../features/sessions/operations.ts'
import { describeError } from '../platform/core/api-error.ts'
import { refusedByShape } from '../platform/core/remedy.ts'
import type { Actor } from '../platform/ports/actor.ts'
import { userNamed, withJobs } from './context.ts'
import { addCommand, addOwnerCommand, type OwnerOptions, optionOf, optionsOf, yesOrNo } from './options.ts'
import { orUnknown, showDone, UsedWrongly } from './output.ts'

/** Commands that change a session. They call the operations of the admin API. A deletion goes to the trash by default. */
export function addSessionChanges(session: Command) {
  const owned = (name: string, description: string) =>
    addOwnerCommand(session, name, description).argument('<id>', 'id of the session')

  owned('update', 'change title, summary, notes, tags, favorite, date, type or keep of a session')
    .option('--title <title>', 'title')
    .option('--summary <markdown>', 'summary')
    .option('--at <instant>', 'date, ISO 8601; UTC without an offset; due dates given in words move with it')
    .option('--type <type>', `one of ${SESSION_TYPES.join(', ')}`)
    .option('--notes <text>', 'notes')
    .option('--tag <tag>', 'tag; replaces all tags; repeat for more', optionsOf(z.string()))
    .option('--no-tags', 'remove all tags')
    .option('--favorite <yes|no>', 'set or clear the favorite flag', optionOf(yesOrNo))
    .option('--keep <yes|no>', 'whether retention deletes neither the session nor its recording', optionOf(yesOrNo))
    .action(update)
  owned('delete', 'move a session to the trash')
    .option('--permanently', 'delete permanently, also from the trash')
    .action(remove)
  owned('restore', 'restore a session from the trash').action(restore)
  addCommand(session, 'retry', 'process a failed session again, or all that failed')
    .argument('[id]', 'id of the session')
    .option('--user <user>', 'id or e-mail address of the owner')
    .option('--failed', 'all failed sessions of all users, instead of one')
    .option(
      '--since <instant>',
      'with --failed: only those that failed at this instant or later',
      optionOf(instantOrDay)
    )
    .action(retry)
}

interface Update extends OwnerOptions {
  title?: string
  summary?: string
  at?: string
  type?: string
  notes?: string
  tag?: string[]
  tags: boolean
  favorite?: boolean
  keep?: boolean
}

async function update(id: string, { user, json, title, summary, at, type, notes, tag, tags, favorite, keep }: Update) {
  const { data, error } = AdminSessionChange.safeParse({
    title,
    summary,
    timestamp: at,
    type,
    notes,
    tags: tags ? tag : [],
    favorite,
    keep
  })
  if (error?.issues[0]?.path.length === 0)
    throw new UsedWrongly('Name something to change; see: npm run -s parlance -- session update --help')
  if (error) throw new UsedWrongly(describeError(refusedByShape(error), 'give'))
  await onSession(id, { user, json }, 'Changed', (services, actor) => updateSession(services, actor, id, data))
}

async function remove(id: string, { user, json, permanently }: OwnerOptions & { permanently?: boolean }) {
  await onSession(id, { user, json }, 'Deleted', (services, actor) =>
    deleteSession(services, actor, id, permanently ? 'gone' : 'trash', { inTrash: true })
  )
}

async function restore(id: string, options: OwnerOptions) {
  await onSession(id, options, 'Restored', (services, actor) => restoreSession(services, actor, id))
}

interface Retry {
  user?: string
  failed?: boolean
  since?: string
  json?: boolean
}

async function retry(id: string | undefined, { user, failed, since, json }: Retry) {
  if (failed) return await retryAll({ id, user, since, json })
  if (since !== undefined) throw new UsedWrongly('--since: give it with --failed')
  if (id === undefined || user === undefined) throw new UsedWrongly('Name a session and its --user, or add --failed')
  const words = 'A running server processes it now:'
  await onSession(id, { user, ...(json && { json }) }, words, (services, actor) => retrySession(services, actor, id))
}

async function retryAll({ id, user, since, json }: Omit<Retry, 'failed'> & { id: string | undefined }) {
  if (id !== undefined || user !== undefined)
    throw new UsedWrongly('--failed: it is for all users; give neither a session nor --user with it')
  await withJobs(async context => {
    const { db, clock } = context.database
    const range = since === undefined ? {} : { since: new Date(since) }
    const done = await retryFailed({ db, clock, jobs: context.jobs }, range)
    const { queued } = done
    const sessions = queued === 1 ? '1 session' : `${queued} sessions`
    showDone(context, json, done, queued === 0 ? 'No session has failed.' : `A running server retries ${sessions}.`)
  })
}

/** Runs an operation on a session, and shows the session after it, or that it is gone. */
async function onSession(
  id: string,
  { user, json }: OwnerOptions,
  words: string,
  run: (services: Pick<Services, 'db' | 'jobs' | 'clock'>, actor: Actor) => Promise<unknown>
) {
  await withJobs(async context => {
    const actor = everyScope(await userNamed(context, user), 'command')
    const { db, clock } = context.database
    await orUnknown(`session ${id}`, run({ db, clock, jobs: context.jobs }, actor))
    showDone(context, json, (await findAdminSession(db, actor.userId, id)) ?? { id, deleted: true }, `${words} ${id}.`)
  })
}
