import type { ActionItem } from '../../contract/action-item.ts'
import type { ImportDocument } from '../../contract/import-document.ts'
import type { Restored } from '../../contract/kept-state.ts'
import { FIELD_LIMITS, LIMITS } from '../../contract/limits.ts'
import type { PackedDocument } from '../../contract/packed-document.ts'
import { isUrl } from '../../contract/recording.ts'
import type { PhoneMetadata, SessionType } from '../../contract/session.ts'
import { isBlank } from '../../contract/text.ts'
import { invalid } from '../../platform/core/api-error.ts'
import type { Speaker } from '../../platform/ports/corrected-transcript.ts'
import type { Recordings } from '../../platform/ports/reader.ts'
import { localDay } from '../../platform/text/calendar-day.ts'
import { DUE_DATE_REMEDY, normalizeDueDate } from '../../platform/text/due-date.ts'
import { nameKey } from '../../platform/text/fold.ts'
import { isNameOfSomebody } from '../../platform/text/speaker-name.ts'
import { instantIn, instantOf, type WallTime } from '../../platform/text/wall-time.ts'
import { newItem } from '../library/action-items.ts'

/** Fields that override those of a document. */
export interface ImportOverrides {
  title?: string | undefined
  type?: SessionType | undefined
  /** Without an offset it is in the time zone of the user. */
  timestamp?: string | undefined
  platform?: string | undefined
  tags?: string[] | undefined
  folders?: string[] | undefined
  externalId?: string | undefined
}

/** A conversation to import. */
export interface ImportSource extends ImportOverrides {
  document: PackedDocument
  /** The parts of the source that were ignored, one sentence each. */
  warnings?: string[]
  /** The title if neither document nor overrides have one. */
  fallbackTitle: string
  /** The external id if neither document nor overrides have one. */
  fallbackExternalId?: string
  /** The start if neither document nor overrides have one. */
  startedAt?: WallTime | null
  fallbackType?: SessionType | undefined
  /** The recordings. Paths in the document are ignored. */
  recordings?: Recordings
  /** True for recordings that the server made itself, which nobody else can change. */
  isOurs?: boolean
  /** The rest of a session of an archive, which is taken back as it was. */
  restored?: Restored
  /** The room that the recordings have already. */
  reservedBytes?: number
}

/** Returns the requested values, without defaults of the server. */
export function toRequestedFields(
  { document, title, timestamp, type, platform, tags, folders }: ImportSource,
  timeZone: string
) {
  const at = timestamp ?? document.timestamp
  return {
    title: title ?? document.title,
    timestamp: at ? instantIn(at, timeZone) : undefined,
    type: type ?? document.type,
    platform: platform ?? document.platform ?? undefined,
    tags,
    folders
  }
}

interface Surroundings {
  phone: PhoneMetadata | null
  timeZone: string
  now: Date
}

export function toSessionFields(source: ImportSource, { phone, timeZone, now }: Surroundings) {
  const { document, startedAt } = source
  const requested = toRequestedFields(source, timeZone)
  const timestamp = requested.timestamp ?? (startedAt ? instantOf(startedAt, timeZone) : null)
  const actionItems =
    document.action_items && toActionItems(document.action_items, localDay(timestamp ?? now, timeZone), now)
  return {
    state: 'processing' as const,
    title: requested.title ?? source.fallbackTitle,
    timestamp,
    type: typeOf(source),
    platform: requested.platform ?? null,
    language: document.language ?? null,
    durationSeconds: document.duration_seconds ?? document.transcript.seconds,
    summary: summaryOf(document),
    notes: document.notes ?? null,
    tags: allTags(document.tags, source.tags),
    favorite: document.favorite ?? false,
    ...(actionItems && { actionItems, actionItemsVersion: 1, actionItemsUpdatedAt: now }),
    phone,
    audioUrl: urlOrNull(document.media?.audio),
    videoUrl: urlOrNull(document.media?.video),
    createdAt: now,
    updatedAt: now
  }
}

function allTags(ofDocument: string[] = [], requested: string[] = []) {
  const tags = [...new Set([...ofDocument, ...requested])]
  if (tags.length > LIMITS.tags.max)
    throw invalid({ field: 'tags', expected: `at most ${LIMITS.tags.max}, with those of the file` })
  return tags
}

/** A blank summary counts as missing. */
export function summaryOf({ summary }: Pick<ImportDocument, 'summary'>) {
  return summary && !isBlank(summary) ? summary : null
}

export function typeOf({ document, type, fallbackType = 'import' }: ImportSource) {
  return type ?? document.type ?? fallbackType
}

export function urlOrNull(place: string | null | undefined) {
  return place && isUrl(place) ? place : null
}

function toActionItems(items: NonNullable<ImportDocument['action_items']>, day: string, now: Date): ActionItem[] {
  return items.map(({ text, assignee, due_date: words, source_start: sourceStart, completed }, index) => {
    const due = words ? parseDueDate(words, day, `action_items.${index}.due_date`) : null
    return newItem({ text, assignee, dueDate: due, sourceStart, completed }, now.getTime())
  })
}

function parseDueDate(words: string, day: string, field: string) {
  const date = normalizeDueDate(words, day)
  if (date === null) throw invalid({ field, expected: DUE_DATE_REMEDY })
  return date
}

/**
 * Returns the speakers that a source lists, and those whose label in the transcript is the name of a person. A label without a person that
 * is listed stays unknown.
 */
export function toSpeakers({ speakers = [], transcript }: Pick<PackedDocument, 'speakers' | 'transcript'>): Speaker[] {
  const listed = speakers.map(({ label, person = null, is_me: isMe = false, matched_by: matchedBy = null }) => {
    // Only a correction by a user says that a speaker is an unknown person.
    return { label, person, isMe, matchedBy: person === null && !isMe ? null : matchedBy }
  })
  const known = new Set(listed.map(({ label, person }) => nameKey(person ?? label)))
  const named = transcript.labels.filter(label => isNameOfSomebody(label) && !known.has(nameKey(label)))
  const room = Math.max(0, FIELD_LIMITS.speakers - listed.length)
  const people = named.slice(0, room).map(label => ({ label, person: label, isMe: false, matchedBy: null }))
  return [...listed, ...people]
}
