import type { AdminSession } from '../../contract/admin/session.ts'
import { isUrl } from '../../contract/recording.ts'
import type { SessionAccepted } from '../../contract/session-accepted.ts'
import type { FormUploadQuery } from '../../contract/session-import.ts'
import { ApiError, invalid } from '../../platform/core/api-error.ts'
import { newId } from '../../platform/core/ids.ts'
import type { Db } from '../../platform/db/open.ts'
import { media } from '../../platform/db/schema/index.ts'
import type { Actor } from '../../platform/ports/actor.ts'
import type { StoredFile } from '../../platform/ports/reader.ts'
import { operation } from '../access/operation.ts'
import { limitsFor, requireRoom, takeRoom } from '../access/room.ts'
import { findAdminSession } from '../library/admin-sessions.ts'
import { findTimeZone } from '../library/queries.ts'
import { recordCreation } from '../library/record-change.ts'
import { MediaError, totalBytes } from '../recordings/store.ts'
import type { Needs } from '../services.ts'
import { toAccepted } from '../sessions/accepted.ts'
import {
  type ImportSource,
  summaryOf,
  toRequestedFields,
  toSessionFields,
  toSpeakers,
  typeOf
} from './document-fields.ts'
import { guessStart } from './guess-start.ts'
import { listIgnoredChanges } from './ignored-changes.ts'
import { findRestored, insertRest, restoredFields } from './library/restore.ts'
import { readPair } from './pair.ts'
import { loadPhoneMetadata } from './phone-metadata.ts'
import { findByExternalId, insertSession, insertTranscript, putInFolders } from './queries.ts'
import { discardRecordings, KINDS, measureRecordings, storeRecordings, UNTRANSCRIBED } from './recordings.ts'
import { readUpload } from './upload.ts'

export type Importer = Needs<'db' | 'jobs' | 'clock' | 'media' | 'transcribes' | 'quotas'>

export interface Imported {
  session: SessionAccepted
  /** False if the conversation was imported before. */
  created: boolean
}

/** A conversation whose recordings are stored. Its disposal discards them, unless a session has them. */
export interface StagedImport extends AsyncDisposable {
  turn: string
  /** Inserts session, transcript and job, or finds the session of an earlier import. */
  insert(tx: Db): Promise<Imported>
}

/** Imports of one owner lock the same rows, for many statements each. On a cluster a burst of them would wait for longer than a lock may take. */
export function importTurn(userId: string) {
  return `import of ${userId}`
}

/** Checks a conversation and stores its recordings, which must not happen in the transaction that inserts its session. */
const stageImport = operation(
  'createSession',
  async (services: Importer, actor, source: ImportSource): Promise<StagedImport> => {
    const { userId } = actor
    const { document, recordings = {} } = source
    const turn = importTurn(userId)
    refuseUnusable(services, source)
    const timeZone = await findTimeZone(services.db, userId)
    const existing = (tx: Db, knownId: string) => findExisting(tx, userId, knownId, { source, timeZone })
    const { restored } = source
    const externalId =
      restored?.state.id ?? source.externalId ?? document.external_id ?? source.fallbackExternalId ?? null
    const isRecorded = KINDS.some(kind => recordings[kind])
    const findKnown = async (db: Db) => {
      if (restored) return await findRestored(db, userId, restored.state)
      return externalId === null ? undefined : await findByExternalId(db, userId, externalId)
    }
    if (isRecorded) {
      const known = await findKnown(services.db)
      if (known) return { turn, insert: tx => existing(tx, known.sessionId), async [Symbol.asyncDispose]() {} }
    }
    const phone = typeOf(source) === 'phone' ? await loadPhoneMetadata(services.db, userId, document.phone) : null
    const sessionId = newId('ses')
    const limits = limitsFor(services, actor)
    const taking = { limits, now: services.clock.now(), ...(isRecorded && { field: 'file' }) }
    const needed = (await measureRecordings(recordings)) - (source.reservedBytes ?? 0)
    await requireRoom(services.db, userId, 'bytes_stored', needed, taking)
    const isOurs = source.isOurs ?? false
    const stored = await storeRecordings(services, { userId, sessionId }, recordings, { isOurs }).catch(refuseUnstored)
    let used = false

    async function insert(tx: Db): Promise<Imported> {
      const now = services.clock.now()
      const known = await findKnown(tx)
      if (known) return await existing(tx, known.sessionId)
      const session = {
        sessionId,
        externalId,
        ...toSessionFields(source, { phone, timeZone, now }),
        ...(restored && restoredFields(restored.state))
      }
      const sortAt = await insertSession(tx, userId, session)
      if (!sortAt) {
        const other = externalId === null ? undefined : await findByExternalId(tx, userId, externalId)
        return await existing(tx, other?.sessionId ?? sessionId)
      }
      takeRoom(tx, userId, 'sessions_per_day', 1, { limits, now })
      const { transcript } = document
      await insertTranscript(tx, userId, sessionId, { transcript, speakers: toSpeakers(document) }, taking)
      if (restored) await insertRest(tx, userId, sessionId, restored, taking)
      if (stored.length > 0)
        await tx.insert(media).values(stored.map(recording => ({ ...recording, userId, createdAt: now })))
      takeRoom(tx, userId, 'bytes_stored', totalBytes(stored), taking)
      const folders = [...(document.folders ?? []), ...(source.folders ?? [])]
      await putInFolders(tx, userId, { sessionId, sortAt, type: session.type }, folders, { limits, now })
      await services.jobs.enqueue(tx, 'process-session', { userId, sessionId })
      const created = await recordCreation(tx, userId, sessionId)
      // From here on the commit may succeed even if its answer is lost. The purge job deletes the recordings of one that failed.
      used = true
      const noPhone = document.phone !== undefined && phone === null
      return imported(created, true, [
        ...(source.warnings ?? []),
        ...(noPhone ? ['phone: ignored, because the type of the session is not phone'] : []),
        ...transcript.warnings
      ])
    }

    return {
      turn,
      insert,
      async [Symbol.asyncDispose]() {
        if (!used) await discardRecordings(services.media, stored)
      }
    }
  }
)

function refuseUnusable({ transcribes }: Importer, { document, recordings = {} }: ImportSource) {
  const { transcript, media } = document
  for (const kind of KINDS) {
    if (media?.[kind] && !isUrl(media[kind]) && !recordings[kind])
      throw invalid({ field: `media.${kind}`, expected: 'an http(s) URL' })
  }
  if (transcript.length > 0 || summaryOf(document) !== null || transcribes || !KINDS.some(kind => recordings[kind]))
    return
  throw invalid({ problem: UNTRANSCRIBED })
}

function refuseUnstored(error: unknown): never {
  if (!(error instanceof MediaError)) throw error
  const problem = 'The recording cannot be stored now; try again'
  throw new ApiError('service_unavailable', problem, { retryAfter: 30, cause: error })
}

/** An existing conversation stays unchanged. */
async function findExisting(
  db: Db,
  userId: string,
  sessionId: string,
  { source, timeZone }: { source: ImportSource; timeZone: string }
) {
  const requested = toRequestedFields(source, timeZone)
  const warnings = await listIgnoredChanges(db, userId, sessionId, requested)
  return imported(await findAdminSession(db, userId, sessionId), false, [...(source.warnings ?? []), ...warnings])
}

function imported(session: AdminSession | undefined, created: boolean, warnings: string[]): Imported {
  return { session: { ...toAccepted(session), ...(warnings.length > 0 && { warnings }) }, created }
}

/** Imports a conversation: session, transcript and job in one transaction. A second import changes nothing and finds the session. */
export const importDocument = operation(
  'createSession',
  async (services: Importer, actor, source: ImportSource): Promise<Imported> => {
    await using staged = await stageImport(services, actor, source)
    return await insertImport(services, staged)
  }
)

export interface StagedUpload extends StagedImport {
  /** The digest of the file. */
  digest: string
}

/** The fields of an upload, and when its file was last changed, if a browser says so. */
export type UploadFields = typeof FormUploadQuery._zod.output & { modified?: Date | undefined }

/** Reads an uploaded file, or a recording and its transcript, and stores the recording. Fields of the request override those of the file. */
export const stageUpload = operation(
  'uploadSession',
  async (
    services: Importer & Needs<'reader' | 'sound'>,
    actor,
    file: StoredFile,
    fields: UploadFields,
    beside?: StoredFile
  ): Promise<StagedUpload> => {
    return await stageFile(services, actor, file, fields, { beside })
  }
)

/** The same for a file that has `reservedBytes` of room already. */
export async function stageFile(
  services: Importer & Needs<'reader' | 'sound'>,
  actor: Actor,
  file: StoredFile,
  fields: UploadFields,
  { reservedBytes = 0, beside }: { reservedBytes?: number; beside?: StoredFile | undefined } = {}
): Promise<StagedUpload> {
  const entry = beside ? await readPair(services, actor, [file, beside]) : await readUpload(services, actor, file)
  const startedAt = entry.startedAt ?? guessStart(fields.modified, services.clock.now())
  const source = { ...entry, ...overridesOf(fields), startedAt, isOurs: true, reservedBytes }
  const staged = await stageImport(services, actor, source)
  return { ...staged, digest: entry.fallbackExternalId }
}

export async function insertImport({ db }: { db: Db }, staged: StagedImport): Promise<Imported> {
  return await db.transaction(tx => staged.insert(tx), { turn: staged.turn })
}

function overridesOf({
  external_id: externalId,
  title,
  type,
  timestamp,
  platform,
  tag,
  folder
}: typeof FormUploadQuery._zod.output) {
  return {
    externalId,
    title,
    type,
    timestamp,
    platform,
    tags: tag,
    folders: folder
  }
}
