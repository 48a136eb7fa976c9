import type { MatchedBy } from '../../../contract/person.ts'
import type { SessionType } from '../../../contract/session.ts'
import {
  boolean,
  doublePrecision,
  foreignKey,
  index,
  integer,
  numeric,
  pgTable,
  primaryKey,
  sql,
  text,
  uniqueIndex
} from '../drizzle.ts'
import { ofSession, position } from './sessions.ts'
import { instant, ofUser, sessionKey } from './users.ts'

/** The people in the sessions of a user, by name. */
export const people = pgTable(
  'people',
  {
    userId: text().notNull(),
    personId: text().notNull(),
    name: text().notNull(),
    /**
     * The name without case and width. Speakers match by it; the key of a merged person leads to the remaining one. Null if another person took
     * the name of a merged one, and for a deleted person whose sessions are still to be changed.
     */
    nameKey: text(),
    isMe: boolean().notNull(),
    /** True if a user has named this person. A saved person is kept without recordings. */
    saved: boolean().notNull(),
    /** The number of listed sessions in which they speak, and the position of the newest one. */
    recordingCount: integer().notNull(),
    /** Their speaking time in those sessions. Exact, because adding and subtracting the same sessions must leave zero. */
    talkSeconds: numeric({ mode: 'number' }).notNull().default(0),
    lastHeardAt: position(),
    /** The remaining person after a merge. */
    mergedInto: text(),
    createdAt: instant().notNull(),
    updatedAt: instant().notNull()
  },
  table => [
    primaryKey({ columns: [table.userId, table.personId] }),
    uniqueIndex('people_name_key').on(table.userId, table.nameKey),
    // The people of the list in its order. One who was never heard comes last.
    index('people_listed')
      .on(table.userId, sql`is_me desc`, sql`(coalesce(last_heard_at, '-infinity')) desc`, table.personId)
      .where(sql`merged_into is null and name_key is not null and (saved or is_me or recording_count > 0)`),
    uniqueIndex('people_me').on(table.userId).where(sql`is_me`),
    index('people_merged').on(table.userId, table.mergedInto).where(sql`merged_into is not null`),
    ofUser('people_user_fk', table),
    foreignKey({
      name: 'people_merged_fk',
      columns: [table.userId, table.mergedInto],
      foreignColumns: [table.userId, table.personId]
    })
  ]
)

/** Speaker names of completed sessions without a known person, by key. A person who is named later is matched by them. */
export const unknownSpeakers = pgTable(
  'unknown_speakers',
  {
    ...sessionKey(),
    nameKey: text().notNull()
  },
  table => [
    primaryKey({ columns: [table.userId, table.nameKey, table.sessionId] }),
    index('unknown_speakers_session').on(table.userId, table.sessionId),
    ofSession('unknown_speakers_session_fk', table)
  ]
)

/** The people who speak in a session. */
export const sessionPeople = pgTable(
  'session_people',
  {
    ...sessionKey(),
    personId: text().notNull(),
    /** Copied from the session, and kept equal by `movePosition`: the sessions of a person are read in order by index. */
    sortAt: position().notNull(),
    type: text().$type<SessionType>().notNull(),
    talkSeconds: doublePrecision().notNull(),
    nameInSession: text().notNull(),
    /** The keys of all names of this person in the transcript. If empty, `nameInSession` is the only name. */
    nameKeys: text().array().notNull().default(sql`'{}'`),
    matchedBy: text().$type<MatchedBy>().notNull(),
    /** Their three longest turns, longest first. */
    topLines: text().array().notNull()
  },
  table => [
    primaryKey({ columns: [table.userId, table.sessionId, table.personId] }),
    index('session_people_listed').on(table.userId, table.personId, table.sortAt, table.type, table.sessionId),
    // The different names of a person are read by it, one entry for each.
    index('session_people_names').on(table.userId, table.personId, table.nameKeys).where(sql`matched_by = 'name'`),
    ofSession('session_people_session_fk', table),
    foreignKey({
      name: 'session_people_person_fk',
      columns: [table.userId, table.personId],
      foreignColumns: [people.userId, people.personId]
    })
  ]
)
