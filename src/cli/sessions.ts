import { type Command, Option } from 'commander'
import { type AdminSession, SESSION_STATES, type SessionState } from '../contract/admin/session.ts'
import { wholeNumber } from '../contract/common.ts'
import { everyScope } from '../features/access/actor.ts'
import { deleteRecording } from '../features/recordings/operations.ts'
import { getSession, listSessions } from '../features/sessions/operations.ts'
import { publicUrlOf } from '../server/compose.ts'
import { addSessionChanges } from './change-sessions.ts'
import { userNamed, withJobs, withUser } from './context.ts'
import { addOwnerCommand, type OwnerOptions, optionOf } from './options.ts'
import { orUnknown, show, showDone, showList } from './output.ts'

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

const PAGE = 100

async function list({ user, status, limit, json }: OwnerOptions & { status?: SessionState; limit: number }) {
  await withUser(user, async ({ db, clock }, userId, { config }) => {
    const services = { db, clock, publicUrl: publicUrlOf(config), log: console }
    const actor = everyScope(userId, 'command')
    const listed: Record<string, unknown>[] = []
    let cursor: string | undefined
    do {
      const page = { limit: Math.min(PAGE, limit - listed.length), cursor, status, tag_mode: 'any' as const }
      const { sessions, next_cursor } = await listSessions(services, actor, page)
      listed.push(...sessions)
      cursor = next_cursor ?? undefined
    } while (cursor !== undefined && listed.length < limit)
    showList(json, json ? listed : listed.map(inColumns))
  })
}

function inColumns({ id, state, timestamp, type, title }: Record<string, unknown>) {
  return { id, state, timestamp, type, title }
}

async function deleteAudio(id: string, { user, json }: OwnerOptions) {
  await withJobs(async context => {
    const { database, jobs } = context
    const actor = everyScope(await userNamed(context, user), 'command')
    const deleted = await orUnknown(`session ${id}`, deleteRecording({ ...database, jobs }, actor, id))
    const words = `Deleted at ${deleted.audio_deleted_at}. A running server deletes the recording from the store.`
    showDone(context, json, deleted, words)
  })
}

async function showSession(id: string, { user, json }: OwnerOptions) {
  await withUser(user, async ({ db }, userId) => {
    const session = await orUnknown(`session ${id}`, getSession({ db }, everyScope(userId, 'command'), id))
    show(json, session, formatSession(session))
  })
}

function formatSession({ summary, notes, action_items: items = [], phone, ...facts }: Partial<AdminSession>) {
  const shown = { ...facts, action_items: items.length }
  const lines = Object.entries(shown).map(
    ([key, value]) => `${key.padEnd(20)} ${Array.isArray(value) ? value.join(', ') : (value ?? '-')}`
  )
  return [...lines, '', summary ?? 'No summary yet.'].join('\n')
}
