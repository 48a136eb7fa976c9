import type { Command } from 'commander'
import { clock } from '../compose.ts'
import { findForProcessing } from '../ingest/queries.ts'
import { openJobs } from '../jobs/jobs.ts'
import { deleteAudio } from '../sessions/purge.ts'
import { addSessionChanges } from './change-sessions.ts'
import { userNamed, withDatabase } from './context.ts'
import { CommandFailed, show } from './output.ts'

export function addSessions(program: Command) {
  const session = program.command('session').description('look at a conversation, and change or delete it')
  session
    .command('show')
    .argument('<id>', 'id of the session')
    .description('show a session with its state, whatever that is')
    .requiredOption('--user <user>', 'id or e-mail address of its owner')
    .option('--json', 'one JSON value')
    .action(showSession)
  session
    .command('delete-audio')
    .argument('<id>', 'id of the session')
    .description('delete the recording of a session, audio and video, for good; transcript and summary stay')
    .requiredOption('--user <user>', 'id or e-mail address of its owner')
    .option('--json', 'one JSON value')
    .action(deleteRecording)
  addSessionChanges(session)
}

async function deleteRecording(id: string, { user, json }: { user: string; json?: boolean }) {
  await withDatabase(async context => {
    const userId = await userNamed(context, user)
    const jobs = await openJobs(context.database, { supervise: false, onError: () => {} })
    try {
      const deletedAt = await deleteAudio({ db: context.database.db, jobs, clock }, userId, id)
      if (!deletedAt) throw new CommandFailed(`The user has no session ${id}`)
      const audio_deleted_at = deletedAt.toISOString()
      const words = `Deleted at ${audio_deleted_at}. A running server takes the recording out of the store.`
      show(json, { id, audio_deleted_at }, words)
    } finally {
      await jobs.stop()
    }
  })
}

async function showSession(id: string, { user, json }: { user: string; json?: boolean }) {
  await withDatabase(async context => {
    const found = await findForProcessing(context.database.db, await userNamed(context, user), id)
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
    show(json, outline, wordsOf(outline))
  })
}

function wordsOf({ summary, ...facts }: Record<string, unknown>) {
  const lines = Object.entries(facts).map(([key, value]) => `${key.padEnd(16)} ${Array.isArray(value) ? value.join(', ') : (value ?? '-')}`)
  return [...lines, '', summary ?? 'No summary yet.'].join('\n')
}
