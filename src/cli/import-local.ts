import { packDocument } from '../contract/packed-document.ts'
import { everyScope } from '../features/access/actor.ts'
import { openLongReads } from '../features/access/long-reads.ts'
import { isArchiveName } from '../features/exports/manifest.ts'
import { readFileEntries } from '../features/ingest/files.ts'
import { openLibraryArchive } from '../features/ingest/library/import-library.ts'
import { type Imported, importDocument } from '../features/ingest/operations.ts'
import { attemptSession } from '../features/ingest/pipeline.ts'
import { findState } from '../features/ingest/queries.ts'
import { openReader } from '../features/ingest/reader/reader.ts'
import { openAttempts } from '../features/library/open-attempts.ts'
import { MediaError } from '../features/recordings/store.ts'
import { openTranscriptWriter } from '../features/transcripts/writer/writer.ts'
import { openVoiceDetector } from '../platform/ai/voice/open-voice-detector.ts'
import { ApiError, describeError } from '../platform/core/api-error.ts'
import { openJobs } from '../platform/jobs/jobs.ts'
import { openDiskReserve } from '../platform/work/disk-reserve.ts'
import { chooseAi, chooseMedia, dataFoldersOf } from '../server/compose.ts'
import type { Context } from './context.ts'
import { accepted, type Destination, failed, type ImportFields, type ImportOutcome, warned } from './import-outcome.ts'
import { placeOf, UsedWrongly } from './output.ts'

/** Imports into the database of this machine. What it opens is closed with `opened`. */
export async function importLocally(
  { config, database: { db, pool, clock, quotas } }: Context,
  userId: string,
  wait: boolean,
  opened: AsyncDisposableStack
): Promise<Destination> {
  const media = await chooseMedia(config, openDiskReserve(config.diskReserveMib))
  opened.defer(() => media.close())
  const jobs = await openJobs({ db, pool }, { supervise: wait, onError: () => {} })
  opened.defer(() => jobs.stop())
  const actor = everyScope(userId, 'command')
  const diskReserve = openDiskReserve(config.diskReserveMib)
  const importer = { db, jobs, clock, media, quotas, transcribes: config.transcription !== undefined }

  /** Fields of options would overwrite those of a whole library. */
  async function* acceptLibrary(path: string, fields: ImportFields): AsyncGenerator<ImportOutcome> {
    const set = Object.entries(fields).filter(([, value]) => value !== undefined)
    if (set.length > 0)
      throw new UsedWrongly(
        'An export of a library is imported as it is: leave out the options that change its sessions'
      )
    const reader = openReader()
    opened.defer(() => reader.close())
    const { uploadFolder } = dataFoldersOf(config)
    try {
      const services = { ...importer, reader, uploadFolder, diskReserve }
      const library = await openLibraryArchive(services, actor, path)
      for await (const { file, ...entry } of library.entries()) {
        const named = `${path}: ${file}`
        if ('problem' in entry) yield failed(named, entry.problem)
        else if ('warning' in entry) yield warned(named, entry.warning)
        else yield acceptedEntry(named, entry.imported)
      }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      yield failed(path, describeError(error, 'give'))
    }
  }

  return {
    place: placeOf(config),
    pollMs: 200,
    async *accept(path, fields) {
      if (isArchiveName(path)) return yield* acceptLibrary(path, fields)
      for await (const { file, ...read } of readFileEntries(path, config.sound)) {
        if ('error' in read) {
          yield failed(file, read.error)
          continue
        }
        try {
          const { session, created } = await importDocument(importer, actor, {
            ...fields,
            ...read.entry,
            document: packDocument(read.entry.document)
          })
          yield acceptedEntry(file, { session, created })
        } catch (error) {
          if (!(error instanceof ApiError)) throw error
          yield failed(file, error.cause instanceof MediaError ? error.cause.message : describeError(error, 'give'))
        }
      }
    },
    /** Processes queued sessions, beside a running server if there is one. */
    async beginProcessing() {
      const ai = await chooseAi(config)
      opened.defer(() => ai.close())
      // The jobs stop before the model that they use.
      opened.defer(() => jobs.stop())
      const voices = openVoiceDetector(() => {})
      opened.defer(() => voices.close())
      const writer = openTranscriptWriter(openLongReads())
      opened.defer(() => writer.close())
      const attempts = openAttempts(db)
      const listeners = { onFailure: () => {}, onWait: () => {} }
      const pipeline = {
        db,
        ai,
        media,
        clock,
        quotas,
        jobs,
        writer,
        sound: { ...config.sound, voices },
        attempts,
        ...listeners
      }
      await jobs.work('process-session', 2, (data, attempt) => attemptSession(pipeline, data, attempt))
    },
    async findState(sessionId) {
      const found = await findState(db, userId, sessionId)
      if (found?.state === 'completed' || found?.state === 'processing') return { status: found.state }
      return { status: 'failed', reason: found?.failure ?? 'It was deleted meanwhile' }
    }
  }
}

function acceptedEntry(file: string, { session, created }: Imported) {
  return accepted(file, session.id, created ? session.status : 'existing', session.warnings ?? [])
}
