import type { ActionItem } from '../../../contract/action-item.ts'
import type { SessionState } from '../../../contract/admin/session.ts'
import type { PhoneMetadata, SessionType } from '../../../contract/session.ts'
import type { Speaker } from '../../ports/corrected-transcript.ts'
import type { Strip } from '../../ports/strip.ts'
import type { Segment } from '../../text/segment.ts'
import {
  boolean,
  type Column,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  real,
  smallint,
  sql,
  text,
  timestamp,
  uniqueIndex
} from '../drizzle.ts'
import { halfvec } from '../vector.ts'
import { instant, ofUser, partOf, sessionKey } from './users.ts'

/** A place in lists: an instant with its microseconds. */
export const position = () => timestamp({ withTimezone: true, precision: 6, mode: 'string' })

export const sessions = pgTable(
  'sessions',
  {
    ...sessionKey(),
    state: text().$type<SessionState>().notNull(),
    /** The reason why processing failed, for the operator and never for a client. */
    failure: text(),
    /** The same for its owner, one of the sentences of `FAILURES`. Null where they can do nothing about it. */
    shownFailure: text(),
    /** Why processing waits to be tried again, for its owner. Null while it does not wait. */
    waiting: text(),
    /** How much of the recording is transcribed, from 0 to 1. Null unless it is transcribed in parts. */
    progress: real(),
    /** The attempts at processing or indexing that have begun and not ended. If none runs, their processes died. */
    openAttempts: smallint().notNull().default(0),
    /** The id at the source, or a digest of the imported file. Importing it again finds this session. */
    externalId: text(),
    title: text().notNull(),
    timestamp: instant(),
    /**
     * The position in lists: the timestamp, or else the time of creation, moved by microseconds until no other session of the
     * owner has it. The instant alone is therefore a cursor.
     */
    sortAt: position().notNull(),
    durationSeconds: doublePrecision().notNull(),
    type: text().$type<SessionType>().notNull(),
    platform: text(),
    language: text(),
    /** The segments of a server's transcript that are left out, one sentence each. Null without any. */
    warnings: text().array(),
    summary: text(),
    notes: text(),
    tags: text().array().notNull().default(sql`'{}'`),
    favorite: boolean().notNull().default(false),
    /** True if retention deletes neither the session nor its recording. */
    keep: boolean().notNull().default(false),
    /** True if it comes from an archive of a library: its transcript stays as it was, whatever terms its owner has. Null for any other. */
    restored: boolean(),
    /** Null until the pipeline has extracted them, unless the source had its own. */
    actionItems: jsonb().$type<ActionItem[]>(),
    actionItemsVersion: integer().notNull().default(0),
    actionItemsUpdatedAt: instant(),
    phone: jsonb().$type<PhoneMetadata>(),
    /** URLs of recordings on other servers. */
    audioUrl: text(),
    videoUrl: text(),
    audioDeletedAt: instant(),
    /** The time when the session was moved to the trash, and the state to restore. */
    deletedAt: instant(),
    stateBeforeDeletion: text().$type<Exclude<SessionState, 'deleted'>>(),
    createdAt: instant().notNull(),
    updatedAt: instant().notNull()
  },
  table => [
    primaryKey({ columns: [table.userId, table.sessionId] }),
    ofUser('sessions_user_fk', table),
    uniqueIndex('sessions_sort_at').on(table.userId, table.sortAt),
    uniqueIndex('sessions_external_id').on(table.userId, table.externalId),
    // Ascending, and read backwards: a descending index sorts nulls last, which Postgres does not take for `order by … desc`.
    // With the duration, so that the parts of days that the overview counts are read from the index alone.
    index('sessions_listed').on(table.userId, table.sortAt, table.durationSeconds).where(sql`state = 'completed'`),
    index('sessions_listed_by_type').on(table.userId, table.type, table.sortAt).where(sql`state = 'completed'`),
    index('sessions_trashed').on(table.userId, table.sortAt, table.type).where(sql`state = 'deleted'`),
    index('sessions_failed').on(table.userId, table.sortAt, table.type).where(sql`state = 'failed'`),
    index('sessions_favorite').on(table.userId, table.sortAt, table.type).where(sql`favorite`),
    index('sessions_processing').on(table.userId, table.sessionId).where(sql`state = 'processing'`),
    // By age, for retention: all that may be deleted, and those whose recordings are on other servers.
    index('sessions_aging').on(table.userId, table.createdAt, table.sessionId).where(sql`not keep`),
    index('sessions_linked')
      .on(table.userId, table.createdAt, table.sessionId)
      .where(sql`audio_url is not null or video_url is not null`)
  ]
)

export function ofSession(name: string, table: { userId: Column; sessionId: Column }) {
  return partOf(name, [table.userId, table.sessionId], [sessions.userId, sessions.sessionId])
}

export const transcripts = pgTable(
  'transcripts',
  {
    ...sessionKey(),
    segments: jsonb().$type<Segment[]>().notNull(),
    /** Raised by each change of the segments, so that a correction is made on the lines that its author has read. */
    version: integer().notNull().default(1),
    /** The segments before their texts were first corrected. Null while none is. */
    original: jsonb().$type<Segment[]>(),
    /** The bytes of the segments as they came, and of those before a correction, which count toward the quota of stored bytes. */
    bytes: integer().notNull().default(0),
    /** The statements of the source about the speakers. */
    speakers: jsonb().$type<Speaker[]>().notNull(),
    /** Null until it is computed of the segments as they are: each change of them clears it. */
    strip: jsonb().$type<Strip>()
  },
  table => [primaryKey({ columns: [table.userId, table.sessionId] }), ofSession('transcripts_session_fk', table)]
)

/**
 * The parts of a recording that is transcribed in parts, until its transcript is whole. A server that goes on after another one finds what is
 * done here.
 */
export const transcriptParts = pgTable(
  'transcript_parts',
  {
    ...sessionKey(),
    /** Milliseconds of the recording. Neighbours overlap where there is no silence between them. */
    startMs: integer().notNull(),
    endMs: integer().notNull(),
    /** Null until the part is transcribed. */
    transcript: jsonb().$type<PartTranscript>()
  },
  table => [
    primaryKey({ columns: [table.userId, table.sessionId, table.startMs] }),
    ofSession('transcript_parts_session_fk', table)
  ]
)

export interface PartTranscript {
  /** With times of the whole recording. */
  segments: Segment[]
  language: string | null
  /** The segments that are left out, one sentence each. */
  left?: string[]
}

/** Passages of a transcript, cut on speaker turns, for search. */
export const passages = pgTable(
  'passages',
  {
    ...sessionKey(),
    ordinal: integer().notNull(),
    /** Indexes into the transcript's segments, both inclusive. */
    firstSegment: integer().notNull(),
    lastSegment: integer().notNull(),
    /** Seconds into the recording. Null if the source has no times. */
    startsAt: doublePrecision(),
    endsAt: doublePrecision(),
    text: text().notNull()
  },
  table => [
    primaryKey({ columns: [table.userId, table.sessionId, table.ordinal] }),
    ofSession('passages_session_fk', table)
  ]
)

/** The embedding of a passage by one model. */
export const embeddings = pgTable(
  'embeddings',
  {
    userId: text().notNull(),
    model: text().notNull(),
    sessionId: text().notNull(),
    ordinal: integer().notNull(),
    /** 0 without a vector. */
    dimension: integer().notNull(),
    /** Null if the model does not know the script of the text. */
    vector: halfvec()
  },
  table => [
    primaryKey({ columns: [table.userId, table.model, table.sessionId, table.ordinal] }),
    partOf(
      'embeddings_passage_fk',
      [table.userId, table.sessionId, table.ordinal],
      [passages.userId, passages.sessionId, passages.ordinal]
    )
  ]
)
