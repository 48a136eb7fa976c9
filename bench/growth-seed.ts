import type pg from 'pg'
import { migrateDatabase } from '../src/platform/db/migrate.ts'
import { databaseUrl, findLabel, labelDatabase, recreateDatabase, withClient } from './database.ts'
import { addLibrary, friendOf } from './growth-library.ts'
import { addMemberships, digestOf, markIndexed, prepareSeeding, sessionsOf } from './seed-sessions.ts'
import { addAsks, createAsks } from './seed-tokens.ts'

const DATABASE = 'parlance_bench_growth'

/** The time of each owner's newest session. */
export const NEWEST = Date.UTC(2025, 11, 14, 5)

export const ownerOf = (size: number) => `usr_of_${size}`

/** The names of the tokens of the owner with that many sessions, and of the friend who shares some with them. */
export const asksOf = (size: number) => `owner of ${size}`
export const sharesOf = (size: number) => `friend of ${size}`

/** Seconds between two sessions: a hundred thousand cover about a year, a million about two. */
export const spacingOf = (size: number) => (size > 100_000 ? 60 : 300)

/** Adds an owner of each size, unless there is one already. Returns the address. */
export async function seedOwners(sizes: readonly number[], again: boolean) {
  const url = databaseUrl(DATABASE)
  const programs = ['seed-tokens.ts', 'growth-library.ts'].map(name => new URL(name, import.meta.url).href)
  const digest = digestOf([import.meta.url, ...programs])
  const [seeded, ...present] = (await findLabel(DATABASE))?.split(' ') ?? []
  const fresh = again || seeded !== digest
  if (fresh) {
    await recreateDatabase(DATABASE)
    await migrateDatabase({ connectionString: url })
  }
  const known = fresh ? [] : present.map(Number)
  for (const size of sizes.filter(size => !known.includes(size))) {
    const startedAt = Date.now()
    console.log(`Seeding an owner of ${size.toLocaleString('en')} sessions …`)
    await withClient(url, async client => {
      await addOwner(client, size)
      await client.query('vacuum (analyze)')
    })
    known.push(size)
    await labelDatabase(DATABASE, [digest, ...known].join(' '))
    console.log(`Seeded in ${Math.round((Date.now() - startedAt) / 1_000)} s`)
  }
  return url
}

/** Adds the owner of that many sessions with their library. */
export async function addOwner(client: pg.Client, size: number) {
  const owner = ownerOf(size)
  await createAsks(client)
  // Removes the rows of an interrupted seeding.
  for (const table of ['users', 'user_counters', 'token_owners', 'bench.asks']) {
    await client.query(`delete from ${table} where user_id = $1`, [owner])
  }
  await prepareSeeding(client)
  await client.query(
    `insert into users (user_id, name, time_zone, created_at) values ($1, 'Owner', 'UTC', '2024-01-01')`,
    [owner]
  )
  await client.query(
    sessionsOf(
      `select $1::text as user_id, n, $2::timestamptz - ($3::int - 1 - n) * $4::int * interval '1 second' as at from generate_series(0, $3::int - 1) n`
    ),
    [owner, new Date(NEWEST), size, spacingOf(size)]
  )
  await addMemberships(client, owner)
  await markIndexed(client, owner)
  await addLibrary(client, owner, size, new Date(NEWEST))
  const transcribed = 'select user_id, session_id from transcripts where user_id = $1'
  await addAsks(client, asksOf(size), transcribed, [owner])
  await addAsks(client, sharesOf(size), transcribed, [friendOf(owner)])
}
