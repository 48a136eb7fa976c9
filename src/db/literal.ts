import pg from 'pg'

/** A text as a literal of a statement. An index is only used by a statement that names its owner, which a parameter does not. */
export const { escapeIdentifier, escapeLiteral } = pg
