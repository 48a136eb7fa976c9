/**
 * Splits rows, of which up to one more than the limit was read, into the page and the fields of the answer that lead to the next one: the
 * cursor after the last row, or null if no more rows follow.
 */
export function cutPage<Row, Cursor>(rows: Row[], limit: number, cursorOf: (row: Row) => Cursor) {
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return { page, next: { next_cursor: last ? cursorOf(last) : null, has_more: last !== undefined } }
}

/** Reads a cursor that the contract has checked: a sort key, an underscore and an id. */
export function readCursor(cursor: string): [key: string, id: string] {
  const end = cursor.indexOf('_')
  return [cursor.slice(0, end), cursor.slice(end + 1)]
}
