import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { migratedDatabase, openPlace } from '../support/process.ts'
import { testDatabase } from '../support/server.ts'

/** The tables that are not spread by owner, and where they are instead. */
const REFERENCE = ['secret_key_checks', 'share_secrets', 'token_owners', 'user_emails']
const COORDINATOR = ['rate_counters', 'rate_days']

const SCRIPT = readFileSync(new URL('../../deploy/citus/distribute.sql', import.meta.url), 'utf8')
const named = (pattern: RegExp) => [...SCRIPT.matchAll(pattern)].map(([, name]) => name!)
const SPREAD = [...named(/create_distributed_table\('(\w+)'/g), ...named(/^ {2}'(\w+)',?$/gm)].sort()

/** The column by which a table is spread, as the script says. */
function ownerIn(table: string) {
  return SCRIPT.match(new RegExp(`create_distributed_table\\('${table}', '(\\w+)'`))?.[1] ?? 'user_id'
}

async function rows(text: string): Promise<Record<string, string>[]> {
  const { db } = await testDatabase()
  return (await db.execute(text)).rows as Record<string, string>[]
}

const IS_OURS = "n.nspname = 'public' and c.relkind in ('r', 'p')"

test('every table is spread by owner, whole on every node, or the coordinator’s own; the script says which', async () => {
  const tables = await rows(`select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace where ${IS_OURS}`)
  expect(tables.map(({ name }) => name).sort()).toEqual([...SPREAD, ...REFERENCE, ...COORDINATOR].sort())
  expect(named(/create_reference_table\('(\w+)'/g)).toEqual(REFERENCE)
})

test('the owner leads every key and every unique index of what is spread', async () => {
  const indexes = await rows(`
    select c.relname as table_name, i.indexrelid::regclass::text as index_name, a.attname as first
    from pg_index i join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
    left join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
    where ${IS_OURS} and (i.indisunique or i.indisprimary)`)
  const spread = indexes.filter(({ table_name }) => SPREAD.includes(table_name!))
  expect(new Set(spread.map(({ table_name }) => table_name))).toEqual(new Set(SPREAD))
  expect(spread.filter(({ table_name, first }) => first !== ownerIn(table_name!))).toEqual([])
})

test('foreign keys lead from owner to owner, within what is spread', async () => {
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
      !SPREAD.includes(table_name!) || !SPREAD.includes(target!) || first !== 'user_id' || target_first !== 'user_id'
  )
  expect(stray).toEqual([])
})

test('nothing counts or reacts by itself in the database: no identity column, no sequence, no trigger', async () => {
  const own = await rows(`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and (c.relkind = 'S'
      or exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attidentity <> '')
      or exists (select 1 from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal))`)
  expect(own).toEqual([])
})

// The two functions are Citus's; here they only have to exist for what stands around them to be run.
test('the script leaves every foreign key as it was', { timeout: 300_000 }, async () => {
  const { pool } = await openPlace(await migratedDatabase())
  const keys = `select conrelid::regclass::text as name, conname, pg_get_constraintdef(oid) as definition from pg_constraint
    where contype = 'f' and connamespace = 'public'::regnamespace order by 1, 2`
  const before = (await pool.query(keys)).rows
  const client = await pool.connect()
  try {
    await client.query(`create function create_reference_table(regclass) returns void language sql as '';
      create function create_distributed_table(regclass, text, colocate_with text default '') returns void language plpgsql as $$
      begin
        if exists (select 1 from pg_constraint where contype = 'f' and conrelid = $1) then raise 'has foreign keys'; end if;
      end $$`)
    await client.query('begin')
    await client.query(SCRIPT.replace(/^\\.*$/gm, ''))
    await client.query('commit')
  } finally {
    client.release()
  }
  expect(before.length).toBeGreaterThan(10)
  expect((await pool.query(keys)).rows).toEqual(before)
})
