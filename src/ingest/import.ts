import type { AdminSession } from '../contract/admin/session.ts'
import type { ImportDocument } from '../contract/import-document.ts'
import { isUrl } from '../contract/recording.ts'
import type { PhoneMetadata } from '../contract/session.ts'
import { invalid } from '../core/api-error.ts'
import type { Clock } from '../core/clock.ts'
import { newId } from '../core/ids.ts'
import { isCommitUncertain } from '../db/errors.ts'
import type { Database, Db } from '../db/open.ts'
import { media } from '../db/schema/index.ts'
import type { MediaStore } from '../media/media.ts'
import type { Services } from '../services.ts'
import { findAdminSession } from '../sessions/admin-sessions.ts'
import { recordCreation } from '../sessions/record-change.ts'
import {
  type ImportOptions,
  listTimeWarnings,
  summaryOf,
  toNamedSegments,
  toRequestedFields,
  toSessionFields,
  toSpeakers,
  typeOf
} from './document-fields.ts'
import { listIgnoredChanges } from './ignored-changes.ts'
import { loadPhoneMetadata } from './phone-metadata.ts'
import { findByExternalId, insertSession, insertTranscript, putInFolders } from './queries.ts'
import { discardRecordings, KINDS, type Recordings, type Stored, storeRecordings } from './recordings.ts'

export interface Importer {
  db: Database
  jobs: Services['jobs']
  clock: Clock
  media: MediaStore
  /** True if recordings without a transcript are transcribed. */
  transcribes: boolean
}

export interface ImportResult {
  sessionId: string
  status: 'processing' | 'existing'
  /** The session after the commit, unless it was deleted. */
  session: AdminSession | undefined
  /** The ignored parts, one sentence each. */
  warnings: string[]
}

/** Runs a transaction, and returns the caller's value for its result. */
export type Commit<T> = (run: (tx: Db) => Promise<ImportResult>) => Promise<T>

/** Imports a conversation: session, transcript and job in one transaction. Recordings are stored before. */
export async function importConversation(
  importer: Importer,
  userId: string,
  document: ImportDocument,
  options: ImportOptions
) {
  return await importWithin(importer, userId, document, options, run => importer.db.transaction(run))
}

/** Imports a conversation in a transaction of the caller. Recordings that it does not use are discarded. */
export async function importWithin<T>(
  importer: Importer,
  userId: string,
  document: ImportDocument,
  options: ImportOptions,
  commit: Commit<T>
): Promise<T> {
  const { db, media: store } = importer
  const { recordings = {} } = options
  refuseUnusable(importer, document, recordings)
  const externalId = options.externalId ?? document.external_id ?? options.fallbackExternalId ?? null
  const known =
    externalId !== null && KINDS.some(kind => recordings[kind]) && (await findByExternalId(db, userId, externalId))
  if (known) return await commit(tx => existing(tx, userId, known.sessionId, document, options))
  const phone = typeOf(document, options) === 'phone' ? await loadPhoneMetadata(db, userId, document.phone) : null
  const sessionId = newId('ses')
  const stored = await storeRecordings(importer, { userId, sessionId }, recordings)
  let used = false
  try {
    const result = await commit(async tx => {
      const accepted = await insert(tx, importer, userId, document, options, { sessionId, externalId, stored, phone })
      used = accepted.status === 'processing'
      return accepted
    })
    if (!used) await discardRecordings(store, stored)
    return result
  } catch (error) {
    // An uncertain commit may have kept the recordings; the purge job then decides.
    if (!isCommitUncertain(error)) await discardRecordings(store, stored)
    throw error
  }
}

function refuseUnusable({ transcribes }: Importer, document: ImportDocument, recordings: Recordings) {
  const { segments, media } = document
  for (const kind of KINDS) {
    if (media?.[kind] && !isUrl(media[kind]) && !recordings[kind])
      throw invalid({ field: `media.${kind}`, expected: 'an http(s) URL' })
  }
  if (segments?.length || summaryOf(document) !== null || transcribes || !KINDS.some(kind => recordings[kind])) return
  throw invalid({
    problem: 'A recording without a transcript needs the setting TRANSCRIPTION_MODEL, and OPENAI_API_KEY with it.'
  })
}

interface New {
  sessionId: string
  externalId: string | null
  stored: Stored[]
  phone: PhoneMetadata | null
}

async function insert(
  tx: Db,
  { jobs, clock }: Importer,
  userId: string,
  document: ImportDocument,
  options: ImportOptions,
  { sessionId, externalId, stored, phone }: New
): Promise<ImportResult> {
  const now = clock.now()
  const known = externalId && (await findByExternalId(tx, userId, externalId))
  if (known) return await existing(tx, userId, known.sessionId, document, options)
  const session = { sessionId, externalId, ...toSessionFields(document, options, phone, now) }
  const sortAt = await insertSession(tx, userId, session)
  if (!sortAt) {
    const other = externalId && (await findByExternalId(tx, userId, externalId))
    return await existing(tx, userId, other ? other.sessionId : sessionId, document, options)
  }
  await insertTranscript(tx, userId, sessionId, toNamedSegments(document), toSpeakers(document))
  if (stored.length > 0)
    await tx.insert(media).values(stored.map(recording => ({ ...recording, userId, createdAt: now })))
  const folders = [...(document.folders ?? []), ...(options.folders ?? [])]
  await putInFolders(tx, userId, { sessionId, sortAt, type: session.type }, folders, now)
  await jobs.enqueue(tx, 'process-session', { userId, sessionId })
  const noPhone = document.phone && phone === null
  const warnings = [
    ...(noPhone ? ['phone: ignored, because the type of the session is not phone'] : []),
    ...listTimeWarnings(document.segments)
  ]
  return { sessionId, status: 'processing', session: await recordCreation(tx, userId, sessionId), warnings }
}

/** An existing conversation stays unchanged. */
async function existing(
  db: Db,
  userId: string,
  sessionId: string,
  document: ImportDocument,
  options: ImportOptions
): Promise<ImportResult> {
  const warnings = await listIgnoredChanges(db, userId, sessionId, toRequestedFields(document, options))
  return { sessionId, status: 'existing', session: await findAdminSession(db, userId, sessionId), warnings }
}
