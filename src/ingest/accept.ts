import type { ActionItem } from '../contract/action-item.ts'
import type { AppSession } from '../contract/app/session.ts'
import { type ImportDocument, UnreadableDocument } from '../contract/import-document.ts'
import { isUrl } from '../contract/recording.ts'
import type { PhoneMetadata, SessionType } from '../contract/session.ts'
import { isBlank } from '../contract/text.ts'
import type { Clock } from '../core/clock.ts'
import { DUE_DATE_REMEDY, localDay, normalizeDueDate } from '../core/due-date.ts'
import { newId } from '../core/ids.ts'
import type { Segment } from '../core/segment.ts'
import { instantOf, type WallTime } from '../core/wall-time.ts'
import { mayBeCommitted } from '../db/faults.ts'
import type { Database, Db } from '../db/open.ts'
import { media, type Speaker } from '../db/schema/index.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { MediaStore } from '../media/media.ts'
import { findWhole } from '../sessions/whole.ts'
import { agentItem } from './agent-item.ts'
import { ignoredChanges } from './ignored.ts'
import { phoneOf } from './phone.ts'
import { findByExternalId, insertSession, insertTranscript, putInFolders } from './queries.ts'
import { KINDS, type Recordings } from './recordings.ts'
import { discard, type Stored, storeRecordings } from './store.ts'

export interface Importer {
  db: Database
  jobs: Pick<Jobs, 'enqueue'>
  clock: Clock
  media: MediaStore
  /** Whether recordings that come without a transcript are given one. */
  transcribes: boolean
}

/** What is said of a conversation beside its document, and wins over it. */
export interface ImportOptions {
  title?: string
  type?: SessionType
  timestamp?: Date
  platform?: string
  tags?: string[]
  folders?: string[]
  /** What to call it where neither the document nor the options say so. */
  fallbackTitle: string
  /** Finds the same import again where the document has no external id. */
  fallbackExternalId?: string
  /** When it took place where neither the document nor the options say so. */
  startedAt?: WallTime | null
  /** Files to keep with it; what the document says of files counts for nothing without them. */
  recordings?: Recordings
  timeZone: string
}

export interface Accepted {
  sessionId: string
  status: 'processing' | 'existing'
  /** As it is when the import is committed, unless somebody has deleted it by then. */
  session: AppSession | undefined
  /** What of the import was ignored, a sentence each. */
  warnings: string[]
}

/**
 * Takes a conversation in: the session, its transcript and the job that completes it, in one transaction or not at all.
 * Recordings go into the store before.
 */
export async function acceptConversation(importer: Importer, userId: string, document: ImportDocument, options: ImportOptions) {
  const { db, media: store } = importer
  const { recordings = {} } = options
  refuseUnusable(importer, document, recordings)
  const externalId = document.external_id ?? options.fallbackExternalId ?? null
  const known = externalId !== null && KINDS.some(kind => recordings[kind]) && (await findByExternalId(db, userId, externalId))
  if (known) return await existing(db, userId, known.sessionId, document, options)
  const sessionId = newId('ses')
  const stored = await storeRecordings(importer, { userId, sessionId }, recordings)
  try {
    const accepted = await insert(importer, userId, document, options, { sessionId, externalId, stored })
    if (accepted.status === 'existing') await discard(store, stored)
    return accepted
  } catch (fault) {
    // The session may have them: their removal, entered before, spares them then.
    if (!mayBeCommitted(fault)) await discard(store, stored)
    throw fault
  }
}

function refuseUnusable({ transcribes }: Importer, document: ImportDocument, recordings: Recordings) {
  const { segments, media } = document
  for (const kind of KINDS) {
    if (media?.[kind] && !isUrl(media[kind]) && !recordings[kind]) throw new UnreadableDocument(`media.${kind}`, 'send an http(s) URL')
  }
  if (segments?.length || givenSummary(document) !== null || transcribes || !KINDS.some(kind => recordings[kind])) return
  throw new UnreadableDocument('', 'A recording without a transcript needs the setting TRANSCRIPTION_MODEL, and OPENAI_API_KEY with it.')
}

interface New {
  sessionId: string
  externalId: string | null
  stored: Stored[]
}

async function insert(
  { db, jobs, clock }: Importer,
  userId: string,
  document: ImportDocument,
  options: ImportOptions,
  { sessionId, externalId, stored }: New
) {
  const now = clock.now()
  const phone = typeOf(document, options) === 'phone' ? await phoneOf(db, userId, document.phone) : null
  return await db.transaction(async (tx): Promise<Accepted> => {
    const known = externalId && (await findByExternalId(tx, userId, externalId))
    if (known) return await existing(tx, userId, known.sessionId, document, options)
    const session = { sessionId, externalId, ...sessionOf(document, options, phone, now) }
    const sortAt = await insertSession(tx, userId, session)
    if (!sortAt) {
      const other = externalId && (await findByExternalId(tx, userId, externalId))
      return await existing(tx, userId, other ? other.sessionId : sessionId, document, options)
    }
    await insertTranscript(tx, userId, sessionId, namedSegments(document), speakersOf(document))
    if (stored.length > 0) await tx.insert(media).values(stored.map(recording => ({ ...recording, createdAt: now })))
    const folders = [...(document.folders ?? []), ...(options.folders ?? [])]
    await putInFolders(tx, userId, { sessionId, sortAt, type: session.type }, folders, now)
    await jobs.enqueue(tx, 'process-session', { userId, sessionId })
    const noPhone = document.phone && phone === null
    const warnings = noPhone ? ['phone: ignored, because the type of the session is not phone'] : []
    return { sessionId, status: 'processing', session: await findWhole(tx, userId, sessionId), warnings }
  })
}

/** A conversation that was imported before stays as it is. */
async function existing(db: Db, userId: string, sessionId: string, document: ImportDocument, options: ImportOptions): Promise<Accepted> {
  const warnings = await ignoredChanges(db, userId, sessionId, asked(document, options))
  return { sessionId, status: 'existing', session: await findWhole(db, userId, sessionId), warnings }
}

/** What the document and what is said beside it ask for, without what the server makes up. */
function asked(document: ImportDocument, options: ImportOptions) {
  return {
    title: options.title ?? document.title,
    timestamp: options.timestamp ?? (document.timestamp ? new Date(document.timestamp) : undefined),
    type: options.type ?? document.type,
    platform: options.platform ?? document.platform ?? undefined,
    tags: options.tags,
    folders: options.folders
  }
}

function sessionOf(document: ImportDocument, options: ImportOptions, phone: PhoneMetadata | null, now: Date) {
  const type = typeOf(document, options)
  const timestamp = asked(document, options).timestamp ?? (options.startedAt ? instantOf(options.startedAt, options.timeZone) : null)
  const actionItems = document.action_items && givenItems(document.action_items, localDay(timestamp ?? now, options.timeZone), now)
  return {
    state: 'processing' as const,
    title: options.title ?? document.title ?? options.fallbackTitle,
    timestamp,
    type,
    platform: options.platform ?? document.platform ?? null,
    language: document.language ?? null,
    durationSeconds: document.duration_seconds ?? lastMoment(document.segments ?? []),
    summary: givenSummary(document),
    notes: document.notes ?? null,
    tags: [...new Set([...(document.tags ?? []), ...(options.tags ?? [])])],
    favorite: document.favorite ?? false,
    ...(actionItems && { actionItems, actionItemsVersion: 1, actionItemsUpdatedAt: now }),
    phone,
    audioUrl: urlOrNull(document.media?.audio),
    videoUrl: urlOrNull(document.media?.video),
    createdAt: now,
    updatedAt: now
  }
}

/** A blank summary counts as missing, so that one is made. */
function givenSummary({ summary }: ImportDocument) {
  return summary && !isBlank(summary) ? summary : null
}

function typeOf(document: ImportDocument, options: ImportOptions) {
  return options.type ?? document.type ?? 'import'
}

export function urlOrNull(place: string | null | undefined) {
  return place && isUrl(place) ? place : null
}

function givenItems(items: NonNullable<ImportDocument['action_items']>, day: string, now: Date): ActionItem[] {
  return items.map(({ text, assignee, due_date: words, source_start: sourceStart, completed }, index) => {
    const due = words ? dueDate(words, day, `action_items.${index}.due_date`) : null
    return agentItem({ text, assignee, dueDate: due, sourceStart }, completed, now)
  })
}

function dueDate(words: string, day: string, field: string) {
  const date = normalizeDueDate(words, day)
  if (date === null) throw new UnreadableDocument(field, DUE_DATE_REMEDY)
  return date
}

/** The transcript shows people by name where the source knows who a label is. */
export function namedSegments({ segments = [], speakers = [] }: Pick<ImportDocument, 'segments' | 'speakers'>): Segment[] {
  const names = new Map(speakers.map(({ label, person }) => [label, person ?? label]))
  return segments.map(segment => ({ ...segment, speaker: names.get(segment.speaker) ?? segment.speaker }))
}

export function speakersOf({ speakers = [] }: Pick<ImportDocument, 'speakers'>): Speaker[] {
  return speakers.map(({ label, person = null, is_me: isMe = false, matched_by: matchedBy = null }) => ({ label, person, isMe, matchedBy }))
}

export function lastMoment(segments: readonly Segment[]) {
  return segments.reduce((last, { end }) => Math.max(last, end ?? 0), 0)
}
