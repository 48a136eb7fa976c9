import { findUser } from '../accounts/queries.ts'
import { chooseAi, chooseMedia } from '../compose.ts'
import { ApiError, describeError } from '../core/api-error.ts'
import { readFileEntries } from '../ingest/files.ts'
import { importConversation } from '../ingest/import.ts'
import { processSession } from '../ingest/pipeline.ts'
import { findState } from '../ingest/queries.ts'
import { openJobs } from '../jobs/jobs.ts'
import { MediaError } from '../media/media.ts'
import type { Context } from './context.ts'
import { accepted, type Destination, failed } from './import-outcome.ts'

/** Imports into the database of this machine. What it opens is closed with `opened`. */
export async function importLocally(
  { config, database: { db, pool, clock } }: Context,
  userId: string,
  wait: boolean,
  opened: AsyncDisposableStack
): Promise<Destination> {
  const media = await chooseMedia(config)
  opened.defer(() => media.close())
  const jobs = await openJobs({ db, pool }, { supervise: wait, onError: () => {} })
  opened.defer(() => jobs.stop())
  const timeZone = (await findUser(db, userId))?.timeZone ?? 'UTC'
  const importer = { db, jobs, clock, media, transcribes: config.openai?.transcriptionModel !== undefined }

  return {
    pollMs: 200,
    async *accept(path, fields) {
      for await (const { file, ...read } of readFileEntries(path)) {
        if ('error' in read) {
          yield failed(file, read.error)
          continue
        }
        const { document, warnings, ...ofFile } = read.entry
        try {
          const imported = await importConversation(importer, userId, document, { ...fields, ...ofFile, timeZone })
          yield accepted(file, imported.sessionId, imported.status, [...warnings, ...imported.warnings])
        } catch (error) {
          if (error instanceof ApiError) yield failed(file, describeError(error, 'give'))
          else if (error instanceof MediaError) yield failed(file, error.message)
          else throw error
        }
      }
    },
    /** Processes queued sessions, beside a running server if there is one. */
    async beginProcessing() {
      const ai = await chooseAi(config)
      opened.defer(() => ai.close())
      // The jobs stop before the model that they use.
      opened.defer(() => jobs.stop())
      const pipeline = { db, ai, media, clock, onFailure: () => {} }
      await jobs.work('process-session', 2, (data, attempt) => processSession(pipeline, data, attempt))
    },
    async findState(sessionId) {
      const found = await findState(db, userId, sessionId)
      if (found?.state === 'completed' || found?.state === 'processing') return { status: found.state }
      return { status: 'failed', reason: found?.failure ?? 'It was deleted meanwhile' }
    }
  }
}
