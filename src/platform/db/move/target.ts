import type pg from 'pg'
import { codeOf } from '../../core/error-code.ts'
import { OperatorError } from '../../core/operator-error.ts'
import { quoted } from './tables.ts'
import { UNFINISHED } from './unfinished.ts'

const LOCK_NOT_AVAILABLE = '55P03'

const STATE = `
  select to_regclass('${UNFINISHED}') is not null as unfinished,
    (select format('%I.%I', n.nspname, c.relname) from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p', 'v', 'm', 'S', 'f') and n.nspname in ('public', 'drizzle', 'pgboss')
       and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
     order by 1 limit 1) as filled`

/** Marks the empty target, so that nothing else opens it before it has all data. An interrupted move has marked it already. */
export async function markTarget(client: pg.ClientBase) {
  const { rows } = await client.query<{ unfinished: boolean | string; filled: string | null }>(STATE)
  const [state] = rows
  if (state?.unfinished === true || state?.unfinished === 't') return
  if (state?.filled)
    throw new OperatorError(`--to: the database is not empty, it has ${state.filled}; name an empty database`)
  const [schema = ''] = UNFINISHED.split('.')
  await client.query(`create schema ${schema}; create table ${UNFINISHED} as select 1 as one`)
}

/** Keeps other moves away until the end of the transaction. */
export async function holdTarget(client: pg.ClientBase) {
  try {
    await client.query(`lock table ${UNFINISHED} in access exclusive mode nowait`)
  } catch (error) {
    if (codeOf(error) === LOCK_NOT_AVAILABLE)
      throw new OperatorError('--to: another move into this database is running; wait for its end')
    throw error
  }
}

/** Removes the mark in the transaction that has all data. */
export async function unmarkTarget(client: pg.ClientBase) {
  const [schema] = UNFINISHED.split('.')
  await client.query(`drop schema ${schema} cascade`)
}

const KEYS = `
  select n.nspname as schema, c.relname as name, quote_ident(k.conname) as key, pg_get_constraintdef(k.oid) as definition
  from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
  where k.contype = 'f' and n.nspname = 'public' order by 1, 2, 3`

interface ForeignKey {
  schema: string
  name: string
  key: string
  definition: string
}

/** Drops the foreign keys, since tables and rows come in any order, and returns the function that creates and so checks them again. */
export async function liftForeignKeys(client: pg.ClientBase) {
  const { rows } = await client.query<ForeignKey>(KEYS)
  for (const { key, ...table } of rows) await client.query(`alter table ${quoted(table)} drop constraint ${key}`)
  return async () => {
    for (const { key, definition, ...table } of rows)
      await client.query(`alter table ${quoted(table)} add constraint ${key} ${definition}`)
  }
}
