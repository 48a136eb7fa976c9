import type pg from 'pg'
import { columnList, quoted, type Table } from './tables.ts'

/** The rows and bytes of a batch: enough to be fast, and little enough for the memory of a small machine. */
const MAX_BATCH_ROWS = 500
const BATCH_BYTES = 4 * 2 ** 20

export interface Contents {
  rows: number
  /** A digest of the rows, whatever their order. */
  digest: string
}

/** Copies the rows of a table through this process, as the text that both databases read and write. Both are in a transaction. */
export async function copyRows(source: pg.ClientBase, target: pg.ClientBase, table: Table) {
  const insert = insertOf(table)
  await source.query(`declare moved no scroll cursor for select ${columnList(table)} from ${quoted(table)}`)
  let count = 16
  for (;;) {
    const { rows } = await source.query<(string | null)[]>({ text: `fetch ${count} from moved`, rowMode: 'array' })
    if (rows.length === 0) break
    await target.query({ text: insert, values: table.columns.map((_, at) => rows.map(row => row[at] ?? null)) })
    const bytes = rows.reduce((sum, row) => sum + row.reduce((size, value) => size + (value?.length ?? 0), 0), 0)
    count = Math.max(1, Math.min(MAX_BATCH_ROWS, 2 * count, Math.floor((BATCH_BYTES * rows.length) / (bytes + 1))))
  }
  await source.query('close moved')
}

/** One array of text for each column. */
function insertOf(table: Table) {
  const names = table.columns.map((_, at) => `c${at}`)
  const values = table.columns.map(({ type }, at) => `v.c${at}::${type}`)
  const arrays = table.columns.map((_, at) => `$${at + 1}::text[]`)
  return `insert into ${quoted(table)} (${columnList(table)})
    select ${values.join(', ')} from unnest(${arrays.join(', ')}) as v(${names.join(', ')})`
}

/** Counts the rows of a table and sums the halves of their SHA-256, which takes no order and no memory. */
export async function readContents(client: pg.ClientBase, table: Table): Promise<Contents> {
  const { rows } = await client.query<Record<'rows' | 'high' | 'low', string>>(`
    select count(*)::text as rows, coalesce(sum(('x' || substr(hash, 1, 15))::bit(60)::bigint), 0)::text as high,
      coalesce(sum(('x' || substr(hash, 16, 15))::bit(60)::bigint), 0)::text as low
    from (select encode(sha256(convert_to(row(${columnList(table)})::text, 'UTF8')), 'hex') as hash from ${quoted(table)}) hashed`)
  const [found] = rows
  return { rows: Number(found?.rows), digest: `${found?.high}-${found?.low}` }
}
