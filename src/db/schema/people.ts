import type { MatchedBy } from '../../contract/person.ts'
import type { SessionType } from '../../contract/session.ts'
import { boolean, doublePrecision, foreignKey, index, integer, pgTable, primaryKey, sql, text, uniqueIndex } from '../drizzle.ts'
import { ofSession, position } from './sessions.ts'
import { instant, ofUser } from './users.ts'

/** Whom a user's recordings know by name. */
export const people = pgTable(
  'people',
  {
    userId: text().notNull(),
    personId: text().notNull(),
    name: text().notNull(),
    /** The name without case and width, by which speakers are matched; that of someone merged goes on naming who they turned out to be. */
    nameKey: text(),
    isMe: boolean().notNull(),
    /** Whether a user has named this person, who then stays without recordings too. */
    saved: boolean().notNull(),
    /** How many sessions that the list shows they are in, and the place of the newest in the list. */
    recordingCount: integer().notNull(),
    lastHeardAt: position(),
    /** Who this person turned out to be. */
    mergedInto: text(),
    createdAt: instant().notNull(),
    updatedAt: instant().notNull()
  },
  table => [
    primaryKey({ columns: [table.userId, table.personId] }),
    uniqueIndex('people_name_key').on(table.userId, table.nameKey),
    uniqueIndex('people_me').on(table.userId).where(sql`is_me`),
    ofUser('people_user_fk', table),
    foreignKey({ name: 'people_merged_fk', columns: [table.userId, table.mergedInto], foreignColumns: [table.userId, table.personId] })
  ]
)

/** Names in the transcripts of completed sessions that were nobody's whom the owner knew, by key: for finding who is given one later. */
export const unknownSpeakers = pgTable(
  'unknown_speakers',
  {
    userId: text().notNull(),
    sessionId: text().notNull(),
    nameKey: text().notNull()
  },
  table => [
    primaryKey({ columns: [table.userId, table.nameKey, table.sessionId] }),
    index('unknown_speakers_session').on(table.userId, table.sessionId),
    ofSession('unknown_speakers_session_fk', table)
  ]
)

/** Who is heard in a session. */
export const sessionPeople = pgTable(
  'session_people',
  {
    userId: text().notNull(),
    sessionId: text().notNull(),
    personId: text().notNull(),
    /** Of the session, whose `movePosition` changes them together: so a person's sessions are read in order, a page at a time. */
    sortAt: position().notNull(),
    type: text().$type<SessionType>().notNull(),
    talkSeconds: doublePrecision().notNull(),
    nameInSession: text().notNull(),
    /** The keys of all names in the transcript that are this person; where there are none, the name above is the only one. */
    nameKeys: text().array().notNull().default(sql`'{}'`),
    matchedBy: text().$type<MatchedBy>().notNull(),
    /** The three longest things they said, the longest first. */
    topLines: text().array().notNull()
  },
  table => [
    primaryKey({ columns: [table.userId, table.sessionId, table.personId] }),
    index('session_people_listed').on(table.userId, table.personId, table.sortAt, table.type, table.sessionId),
    ofSession('session_people_session_fk', table),
    foreignKey({
      name: 'session_people_person_fk',
      columns: [table.userId, table.personId],
      foreignColumns: [people.userId, people.personId]
    })
  ]
)
