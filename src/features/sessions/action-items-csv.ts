import { stringify } from 'csv-stringify/sync'
import type { ListedActionItem } from '../../contract/action-item-list.ts'

const COLUMNS = [
  'id',
  'text',
  'completed',
  'source',
  'assignee',
  'due_date',
  'source_start',
  'user_edited_at',
  'created_at',
  'updated_at',
  'session_id',
  'session_title',
  'session_timestamp',
  'version'
]

/** Writes items as CSV (RFC 4180). A cell that a spreadsheet would take for a formula begins with an apostrophe. */
export function toCsv(items: readonly ListedActionItem[]) {
  const rows = items.map(({ session, ...item }) => ({
    ...item,
    session_id: session.id,
    session_title: session.title,
    session_timestamp: session.timestamp
  }))
  return stringify(rows, {
    header: true,
    columns: COLUMNS,
    record_delimiter: 'windows',
    escape_formulas: true,
    // By itself it leaves a line break other than CRLF unquoted.
    quoted_match: /[\r\n]/,
    cast: { boolean: String }
  })
}
