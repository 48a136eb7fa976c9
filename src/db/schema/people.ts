import type { MatchedBy } from '../../contract/person.ts'
import type { SessionType } from '../../contract/session.ts'
import { boolean, doublePrecision, foreignKey, index, integer, pgTable, primaryKey, sql, text, uniqueIndex } from '../drizzle.ts'
import { ofSession, position } from './sessions.ts'
import { instant, ofUser } from './users.ts'

/** People whom the user's recordings know by name. */
export const people = pgTable(
  'people',
  {
    userId: text().notNull(),
    personId: text().notNull(),
    name: text().notNull(),
    /** The name without case and width, by which speakers are matched. The key of a merged person names the remaining one. */
    nameKey: text(),
    isMe: boolean().notNull(),
    /** Whether a user has saved this person. A saved person stays without recordings too. */
    saved: boolean().notNull(),
    /** The number of listed sessions in which the person speaks, and the position of the newest. */
    recordingCount: integer().notNull(),
    lastHeardAt: position(),
    /** The person that this one was merged into. */
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

/** Names in transcripts of completed sessions that matched no person, by key, so that a later person finds their sessions. */
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

/** The people who speak in a session. */
export const sessionPeople = pgTable(
  'session_people',
  {
    userId: text().notNull(),
    sessionId: text().notNull(),
    personId: text().notNull(),
    /** The position of the session, which `movePosition` keeps equal, so that an index reads a person's sessions in order. */
    sortAt: position().notNull(),
    type: text().$type<SessionType>().notNull(),
    talkSeconds: doublePrecision().notNull(),
    nameInSession: text().notNull(),
    /** The keys of all names in the transcript that are this person. If it is empty, the name above is the only one. */
    nameKeys: text().array().notNull().default(sql`'{}'`),
    matchedBy: text().$type<MatchedBy>().notNull(),
    /** The three longest turns, longest first. */
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
