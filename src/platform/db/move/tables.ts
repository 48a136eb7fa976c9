import type pg from 'pg'
import { escapeIdentifier } from '../literal.ts'

export interface Column {
  name: string
  type: string
}

/** A table with the columns that are stored, in their order. */
export interface Table {
  schema: string
  name: string
  columns: Column[]
}

/** It names the vector indexes of its own database. A server builds them again on the target, and compares exactly until then. */
const OF_ONE_DATABASE = 'vector_indexes'

/**
 * The tables of pg-boss that have jobs. pg-boss has created its schema itself on the target, because its functions and partitions depend on its version.
 * The version, its migrations and its statistics are left out. Jobs are of a queue, so queues come first.
 */
const JOB_TABLES = ['queue', 'job', 'job_dependency', 'schedule', 'subscription']

const COLUMNS = `
  select n.nspname as schema, c.relname as name,
    json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) order by a.attnum)::text as columns
  from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
  where c.relkind in ('r', 'p') and not c.relispartition and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    and (n.nspname = 'public' and c.relname <> $1 or n.nspname = 'pgboss' and c.relname = any($2::text[]))
    and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
  group by 1, 2 order by n.nspname desc, array_position($2::text[], c.relname::text), 2`

/** The tables that a move copies, in an order in which the rows of pg-boss can be inserted. */
export async function listTables(client: pg.ClientBase): Promise<Table[]> {
  const { rows } = await client.query<Omit<Table, 'columns'> & { columns: string }>(COLUMNS, [
    OF_ONE_DATABASE,
    JOB_TABLES
  ])
  return rows.map(({ columns, ...table }) => ({ ...table, columns: JSON.parse(columns) }))
}

export function titleOf({ schema, name }: Pick<Table, 'schema' | 'name'>) {
  return schema === 'public' ? name : `${schema}.${name}`
}

export function quoted({ schema, name }: Pick<Table, 'schema' | 'name'>) {
  return `${escapeIdentifier(schema)}.${escapeIdentifier(name)}`
}

export function columnList({ columns }: Table) {
  return columns.map(({ name }) => escapeIdentifier(name)).join(', ')
}
