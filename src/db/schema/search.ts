import { integer, pgTable, primaryKey, real, smallint, text } from '../drizzle.ts'
import { ofSession } from './sessions.ts'
import { ofUser } from './users.ts'

/** What of a session the words come from: what was said in it, or what is written about it (title, tags, people, notes, summary). */
export type SearchPart = 'said' | 'about'

/** Which words search knows of a session, so that they can be taken out again. */
export const searchDocuments = pgTable(
  'search_documents',
  {
    userId: text().notNull(),
    sessionId: text().notNull(),
    part: text().$type<SearchPart>().notNull(),
    /** What cut the words to their stems. */
    stemmer: text().notNull(),
    /** How the passages and words were made; others than today's are made again. */
    version: integer().notNull(),
    passages: integer().notNull(),
    terms: text().array().notNull()
  },
  table => [primaryKey({ columns: [table.userId, table.sessionId, table.part] }), ofSession('search_documents_session_fk', table)]
)

/**
 * Where the words of completed sessions stand. No foreign key to the session: there is no index by session, which would
 * cost as much as the table; search_documents tells which words to take out.
 */
export const searchTerms = pgTable(
  'search_terms',
  {
    userId: text().notNull(),
    term: text().notNull(),
    sessionId: text().notNull(),
    part: text().$type<SearchPart>().notNull(),
    /** In how many passages it stands. */
    passages: smallint().notNull(),
    /** What the session scores by this word at most: the sum of its three largest weights. */
    most: real().notNull(),
    /** The passages, and beside each how much the word weighs there, before its rarity. */
    ordinals: smallint().array().notNull(),
    weights: real().array().notNull()
  },
  table => [primaryKey({ columns: [table.userId, table.term, table.sessionId, table.part] }), ofUser('search_terms_user_fk', table)]
)

/** How much there is to search, by the stemmer of its language. */
export const searchTotals = pgTable(
  'search_totals',
  {
    userId: text().notNull(),
    stemmer: text().notNull(),
    sessions: integer().notNull(),
    passages: integer().notNull()
  },
  table => [primaryKey({ columns: [table.userId, table.stemmer] }), ofUser('search_totals_user_fk', table)]
)

/** The indexes for nearest vectors, each made for one large owner and one model; they are in use once they stand here. */
export const vectorIndexes = pgTable(
  'vector_indexes',
  {
    userId: text().notNull(),
    model: text().notNull(),
    dimension: integer().notNull(),
    name: text().notNull()
  },
  table => [primaryKey({ columns: [table.userId, table.model] }), ofUser('vector_indexes_user_fk', table)]
)
