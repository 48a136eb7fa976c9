import pg from 'pg'

/** A text as it stands in a statement, for where a parameter will not do: an index is only used by a statement that names its owner. */
export const { escapeIdentifier, escapeLiteral } = pg
