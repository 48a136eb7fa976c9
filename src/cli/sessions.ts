import { type Command, Option } from 'commander'
import { type AdminSession, SESSION_STATES, type SessionState } from '../contract/admin/session.ts'
import { wholeNumber } from '../contract/common.ts'
import { findForProcessing } from '../ingest/queries.ts'
import { listAdminSessions } from '../sessions/admin-sessions.ts'
import { deleteRecording } from '../sessions/media.ts'
import { addSessionChanges } from './change-sessions.ts'
import { userNamed, withJobs, withUser } from './context.ts'
import { addOwnerCommand, type OwnerOptions, optionOf } from './options.ts'
import { CommandFailed, show, showList } from './output.ts'

export function addSessions(program: Command) {
  const session = program.command('session').description('the sessions of a user')
  addOwnerCommand(session, 'show', 'show a session in any state')
    .argument('<id>', 'id of the session')
    .action(showSession)
  addOwnerCommand(
    session,
    'list',
    'list the sessions of a user in every state, newest first',
    'one JSON value per line'
  )
    .addOption(new Option('--status <status>', 'only sessions in this state').choices(SESSION_STATES))
    .option('--limit <count>', 'maximum number of sessions', optionOf(wholeNumber(1, 100_000)), 50)
    .action(list)
  const ofDeletion = 'delete the recording of a session permanently, audio and video; transcript and summary stay'
  addOwnerCommand(session, 'delete-audio', ofDeletion).argument('<id>', 'id of the session').action(deleteAudio)
  addSessionChanges(session)
}

/** Sessions read by one statement: each comes with its summary and notes. */
const PAGE = 100

async function list({ user, status, limit, json }: OwnerOptions & { status?: SessionState; limit: number }) {
  await withUser(user, async ({ db }, userId) => {
    const listed: Record<string, unknown>[] = []
    let before: string | undefined
    while (listed.length < limit) {
      const page = Math.min(PAGE, limit - listed.length)
      const rows = (await listAdminSessions(db, userId, { state: status, before, limit: page })).slice(0, page)
      listed.push(...rows.map(({ session }) => outlineOf(session)))
      before = rows.at(-1)?.position
      if (rows.length < page) break
    }
    showList(json, json ? listed : listed.map(inColumns))
  })
}

function inColumns({ id, state, timestamp, type, title }: Record<string, unknown>) {
  return { id, state, timestamp, type, title }
}

function outlineOf({ summary, notes, action_items, phone, ...outline }: AdminSession) {
  return outline
}

async function deleteAudio(id: string, { user, json }: OwnerOptions) {
  await withJobs(async context => {
    const { database, jobs } = context
    const deletedAt = await deleteRecording({ ...database, jobs }, await userNamed(context, user), id)
    if (!deletedAt) throw new CommandFailed(`The user has no session ${id}`)
    const audio_deleted_at = deletedAt.toISOString()
    const words = `Deleted at ${audio_deleted_at}. A running server deletes the recording from the store.`
    show(json, { id, audio_deleted_at }, words)
  })
}

async function showSession(id: string, { user, json }: OwnerOptions) {
  await withUser(user, async ({ db }, userId) => {
    const found = await findForProcessing(db, userId, id)
    if (!found) throw new CommandFailed(`The user has no session ${id}`)
    const { session, segments } = found
    const outline = {
      id: session.sessionId,
      state: session.state,
      failure: session.failure,
      external_id: session.externalId,
      title: session.title,
      timestamp: session.timestamp?.toISOString() ?? null,
      type: session.type,
      platform: session.platform,
      language: session.language,
      duration_seconds: session.durationSeconds,
      tags: session.tags,
      segments: segments.length,
      action_items: session.actionItems?.length ?? 0,
      created_at: session.createdAt.toISOString(),
      updated_at: session.updatedAt.toISOString(),
      summary: session.summary
    }
    show(json, outline, formatSession(outline))
  })
}

function formatSession({ summary, ...facts }: Record<string, unknown>) {
  const lines = Object.entries(facts).map(
    ([key, value]) => `${key.padEnd(16)} ${Array.isArray(value) ? value.join(', ') : (value ?? '-')}`
  )
  return [...lines, '', summary ?? 'No summary yet.'].join('\n')
}
