import type { ChosenTemplate } from '../../text/template.ts'
import { boolean, integer, jsonb, pgTable, primaryKey, sql, text } from '../drizzle.ts'
import { ofSession } from './sessions.ts'
import { instant, ofUser, partOf, sessionKey } from './users.ts'

/** Words that transcripts get wrong, and what is meant by them. */
export const terms = pgTable(
  'terms',
  {
    userId: text().notNull(),
    termId: text().notNull(),
    /** The forms that a transcript has instead. Each form is of one term, which holders of the lock on the user's row check. */
    heard: text().array().notNull(),
    meant: text().notNull(),
    createdAt: instant().notNull(),
    /** Raised by each change, also of a clock that is set back: a session that is being processed is compared with it. */
    updatedAt: instant().notNull()
  },
  table => [primaryKey({ columns: [table.userId, table.termId] }), ofUser('terms_user_fk', table)]
)

/** The last application of a term to existing transcripts, which is how far its job has come. */
export const termApplications = pgTable(
  'term_applications',
  {
    userId: text().notNull(),
    termId: text().notNull(),
    applicationId: text().notNull(),
    status: text().$type<'running' | 'completed' | 'failed'>().notNull(),
    dryRun: boolean().notNull(),
    /** The term as it was at the start. */
    heard: text().array().notNull(),
    meant: text().notNull(),
    /** The session that was looked through last, in the order of ids, and the last one of all. */
    position: text().notNull(),
    lastSession: text().notNull(),
    sessionsTotal: integer().notNull(),
    sessionsDone: integer().notNull().default(0),
    sessionsChanged: integer().notNull().default(0),
    sessionsLeftOut: integer().notNull().default(0),
    linesChanged: integer().notNull().default(0),
    /** The sessions of the first lines that a dry run has found. */
    examples: text().array().notNull().default(sql`'{}'`),
    /** Why it failed, for its owner. */
    error: text(),
    startedAt: instant().notNull(),
    finishedAt: instant()
  },
  table => [
    primaryKey({ columns: [table.userId, table.termId] }),
    partOf('term_applications_term_fk', [table.userId, table.termId], [terms.userId, terms.termId])
  ]
)

/** The last request to summarize a session again. */
export const summaryRequests = pgTable(
  'summary_requests',
  {
    ...sessionKey(),
    requestId: text().notNull(),
    status: text().$type<'running' | 'completed' | 'failed'>().notNull(),
    /** ISO 639-1. Null for the language of the session. */
    language: text(),
    actionItems: text().$type<'keep' | 'merge' | 'replace'>().notNull(),
    /** The template as it was when it was requested. Null for none. */
    template: jsonb().$type<ChosenTemplate>(),
    /** Why it failed, for its owner. */
    error: text(),
    startedAt: instant().notNull(),
    finishedAt: instant()
  },
  table => [primaryKey({ columns: [table.userId, table.sessionId] }), ofSession('summary_requests_session_fk', table)]
)
