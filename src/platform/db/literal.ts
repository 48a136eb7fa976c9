import pg from 'pg'

/** Quotes text for a statement. The planner uses a partial index only if the statement names the owner as a literal, not as a parameter. */
export const { escapeIdentifier, escapeLiteral } = pg
