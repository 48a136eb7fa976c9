// @module-tag both

import { expect, test } from 'vitest'
import { LOCAL_TABLES, REFERENCE_TABLES } from '../../../src/platform/db/distribute.ts'
import { testDatabase } from '../../support/server.ts'

/** A table that belongs to nobody who leads its key is a decision to make first: whole on every node, or on the coordinator alone. */
const OF_NO_OWNER = [...REFERENCE_TABLES, ...LOCAL_TABLES]
/** What others share with a recipient is on the recipient's node. */
const OWNER_COLUMNS: Record<string, string> = { shared_with: 'recipient_id' }
/** PostgreSQL cuts a longer name, and a shard's name has an underscore and up to nine digits more. */
const MAX_NAME = 63 - 10

async function rows(text: string): Promise<Record<string, string>[]> {
  const { db } = await testDatabase()
  return (await db.execute(text)).rows as Record<string, string>[]
}

const IS_OURS = "n.nspname = 'public' and c.relkind in ('r', 'p')"

test('every table is distributed by its owner, except the listed ones', async () => {
  const tables =
    await rows(`select c.relname as name, a.attname as first from pg_class c join pg_namespace n on n.oid = c.relnamespace
    left join pg_index i on i.indrelid = c.oid and i.indisprimary
    left join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0] where ${IS_OURS}`)
  expect(tables.length).toBeGreaterThan(30)
  expect(
    tables
      .filter(({ name, first }) => first !== ownerIn(name!))
      .map(({ name }) => name)
      .sort()
  ).toEqual(OF_NO_OWNER.toSorted())
})

test('the owner leads every unique index of a distributed table', async () => {
  const indexes = await rows(`
    select c.relname as table_name, i.indexrelid::regclass::text as index_name, a.attname as first
    from pg_index i join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
    left join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
    where ${IS_OURS} and i.indisunique`)
  const distributed = indexes.filter(({ table_name }) => !OF_NO_OWNER.includes(table_name!))
  expect(distributed.length).toBeGreaterThan(30)
  expect(distributed.filter(({ table_name, first }) => first !== ownerIn(table_name!))).toEqual([])
})

test('foreign keys between distributed tables begin with the owner', async () => {
  const keys = await rows(`
    select x.conname as name, c.relname as table_name, r.relname as target, a.attname as first, b.attname as target_first
    from pg_constraint x join pg_class c on c.oid = x.conrelid join pg_class r on r.oid = x.confrelid
    join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum = x.conkey[1]
    join pg_attribute b on b.attrelid = r.oid and b.attnum = x.confkey[1]
    where x.contype = 'f' and ${IS_OURS}`)
  expect(keys.length).toBeGreaterThan(10)
  const stray = keys.filter(
    ({ table_name, target, first, target_first }) =>
      OF_NO_OWNER.includes(table_name!) ||
      OF_NO_OWNER.includes(target!) ||
      first !== 'user_id' ||
      target_first !== 'user_id'
  )
  expect(stray).toEqual([])
})

test('the database has no identity column, sequence or trigger', async () => {
  const own = await rows(`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and (c.relkind = 'S'
      or exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attidentity <> '')
      or exists (select 1 from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal))`)
  expect(own).toEqual([])
})

test('names of tables, constraints and indexes leave room for the number of a shard', async () => {
  const names = await rows(`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'i') and length(c.relname) > ${MAX_NAME}
    union all select conname from pg_constraint where connamespace = 'public'::regnamespace and length(conname) > ${MAX_NAME}`)
  expect(names).toEqual([])
})

function ownerIn(table: string) {
  return OWNER_COLUMNS[table] ?? 'user_id'
}
