import { integer, pgTable, primaryKey, real, smallint, text } from '../drizzle.ts'
import { ofSession } from './sessions.ts'
import { ofUser, sessionKey } from './users.ts'

/** The part of a session that terms come from: its transcript, its title, its people and tags, or its notes and summary. */
export type SearchPart = 'said' | 'title' | 'names' | 'about'

export const SEARCH_PARTS: readonly SearchPart[] = ['said', 'title', 'names', 'about']

/** The indexed terms of a session, so that they can be removed again. */
export const searchDocuments = pgTable(
  'search_documents',
  {
    ...sessionKey(),
    part: text().$type<SearchPart>().notNull(),
    /** The stemmer of the session's language. */
    stemmer: text().notNull(),
    /** The version of the index. Sessions of another version are indexed again. */
    version: integer().notNull(),
    passages: integer().notNull(),
    terms: text().array().notNull(),
    /** The number of different words of fields, or more. Null for a transcript, and if not all words are indexed. */
    words: integer()
  },
  table => [
    primaryKey({ columns: [table.userId, table.sessionId, table.part] }),
    ofSession('search_documents_session_fk', table)
  ]
)

/**
 * The postings of completed sessions. There is no foreign key to the session, because an index by session would cost as
 * much as the table. search_documents names the terms to remove.
 */
export const searchTerms = pgTable(
  'search_terms',
  {
    userId: text().notNull(),
    term: text().notNull(),
    sessionId: text().notNull(),
    part: text().$type<SearchPart>().notNull(),
    /** The number of passages with the term. */
    passages: smallint().notNull(),
    /** The upper bound of the session's score by this term: the sum of its three largest weights. */
    most: real().notNull(),
    /** The passages with the term, and its BM25 weight in each without the IDF. */
    ordinals: smallint().array().notNull(),
    weights: real().array().notNull()
  },
  table => [
    primaryKey({ columns: [table.userId, table.term, table.sessionId, table.part] }),
    ofUser('search_terms_user_fk', table)
  ]
)

/** The number of documents to search, by the stemmer of their language. */
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

/** The vector indexes, each for one large owner and one model. An index is in use once it is in this table. */
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
