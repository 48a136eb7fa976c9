import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type pg from 'pg'
import { buildVectorIndexes } from '../src/features/ingest/vector-indexes.ts'
import { INDEX_VERSION } from '../src/features/library/index/write-terms.ts'
import { migrateDatabase } from '../src/platform/db/migrate.ts'
import { openDatabase } from '../src/platform/db/open.ts'
import { databaseUrl, findLabel, labelDatabase, recreateDatabase, withClient } from './database.ts'
import { LIBRARIES, ownerOf as ownerOfLibrary } from './search-libraries.ts'

const DATABASE = 'parlance_bench_passages'

export const MODEL = 'all-MiniLM-L6-v2-int8-2'
const DIMENSIONS = 384
/** The passages of a session, the content words of a passage, and the distinct words of the vocabulary. */
const EACH = 40
const WORDS = 100
const VOCABULARY = 8_000

/** The passages of each owner. The largest owner has the words of the one before many times over. */
export const SIZES = [1_000, 100_000, 1_000_000] as const

export const ownerOf = (size: number) => `usr_search_${size}`

/** Seeds the database unless it is there already; QMSum's meetings must have been imported. Returns its address. */
export async function seedPassages(sizes: readonly number[], again: boolean) {
  const url = databaseUrl(DATABASE)
  const label = `${createHash('sha256')
    .update(readFileSync(new URL(import.meta.url)))
    .digest('hex')
    .slice(0, 16)} ${INDEX_VERSION} ${sizes.join(' ')}`
  if (!again && (await findLabel(DATABASE)) === label) return url
  await recreateDatabase(DATABASE)
  await migrateDatabase({ connectionString: url })
  // The key is created after all rows: maintaining its index meanwhile would take most of the time.
  const [key] = await rowsOf(
    url,
    "select conname, pg_get_constraintdef(oid) as definition from pg_constraint where conname like 'search_terms%_pk'"
  )
  await rowsOf(url, `alter table search_terms drop constraint "${key?.conname}"`)
  await copyVectors(url)
  for (const size of sizes) {
    const startedAt = Date.now()
    await withClient(url, client => fill(client, size))
    console.log(`Seeded ${size.toLocaleString('en')} passages in ${Math.round((Date.now() - startedAt) / 1_000)} s`)
  }
  await rowsOf(
    url,
    `set maintenance_work_mem = '1GB'; alter table search_terms add constraint "${key?.conname}" ${key?.definition}`
  )
  await rowsOf(url, 'drop table known')
  await rowsOf(url, 'vacuum analyze')
  const opened = await openDatabase({ url, dataDir: '', share: false, name: 'parlance bench', onError: console.error })
  const startedAt = Date.now()
  await buildVectorIndexes(opened, MODEL, new AbortController().signal).finally(() => opened.close())
  console.log(`Built the vector indexes in ${Math.round((Date.now() - startedAt) / 1_000)} s`)
  await labelDatabase(DATABASE, label)
  return url
}

async function rowsOf(url: string, statement: string): Promise<Record<string, string>[]> {
  return await withClient(url, async client => (await client.query(statement)).rows)
}

async function fill(client: pg.Client, size: number) {
  // Skips the checks of foreign keys, a million of them, because these rows are consistent.
  await client.query('set session_replication_role = replica; set work_mem = 500000; select setseed(0.5)')
  const owner = ownerOf(size)
  await client.query('insert into users (user_id, created_at) values ($1, now())', [owner])
  await client.query(SESSIONS, [owner, size / EACH])
  const base = size > 100_000 ? 100_000 : 0
  if (base === 0) {
    await client.query(TERMS, [owner, size / EACH, VOCABULARY])
    await client.query(PASSAGES, [owner, size / EACH])
  } else {
    const copies = size / base
    for (const statement of [COPY_TERMS, COPY_PASSAGES])
      await client.query(statement, [ownerOf(base), owner, copies, base / EACH])
  }
  await client.query(VECTORS, [owner, size / EACH, MODEL])
  await client.query(DOCUMENTS, [owner, INDEX_VERSION, EACH])
}

/**
 * Adds an owner with that many passages to a database of other owners. Its vectors are random, because so few are compared one by one, whatever
 * their distances are.
 */
export async function addSearchable(client: pg.Client, owner: string, size: number) {
  const sessions = size / EACH
  await client.query('select setseed(0.5)')
  await client.query('insert into users (user_id, created_at) values ($1, now())', [owner])
  await client.query(SESSIONS, [owner, sessions])
  await client.query(TERMS, [owner, sessions, VOCABULARY])
  await client.query(PASSAGES, [owner, sessions])
  await client.query(RANDOM_VECTORS, [owner, MODEL, DIMENSIONS])
  await client.query(DOCUMENTS, [owner, INDEX_VERSION, EACH])
}

/** Copies the vectors of QMSum's passages and numbers them, each with the start and the number of its meeting's vectors. */
async function copyVectors(url: string) {
  const known = await rowsOf(
    databaseUrl(LIBRARIES),
    `select vector::text, row_number() over passages - row_number() over meeting as first, count(*) over (partition by session_id) as size
     from embeddings where user_id = '${ownerOfLibrary('meetings')}' window passages as (order by session_id, ordinal), meeting as (partition by session_id order by ordinal)
     order by session_id, ordinal`
  )
  await withClient(url, async client => {
    await client.query('create table known (at integer primary key, first integer, size integer, vector vector)')
    const columns = ['first', 'size', 'vector'].map(name => known.map(row => row[name]))
    await client.query(
      `insert into known select n - 1, first, size, vector::vector
       from unnest($1::integer[], $2::integer[], $3::text[]) with ordinality as k(first, size, vector, n)`,
      columns
    )
  })
}

const SESSION_ID = "'ses_' || lpad(n::text, 26, '0')"

const SESSIONS = `insert into sessions (user_id, session_id, state, title, "timestamp", sort_at, duration_seconds, type, language, summary, action_items, created_at, updated_at)
  select $1, ${SESSION_ID}, 'completed', 'Meeting ' || n, at, at, 3600, (array['meeting', 'phone', 'podcast'])[1 + n % 3], 'en',
    repeat('A sentence of the summary. ', 40), '[]', now(), now()
  from generate_series(1, $2::integer) n, lateral (select timestamptz '2020-01-01Z' + n * interval '1 hour' as at) t`

/** Terms are distributed as in speech: the second most frequent half as often as the first, and so on. */
const TERMS = `insert into search_terms (user_id, term, session_id, part, passages, most, ordinals, weights)
  select $1, 'w' || word, session_id, 'said', count(*), (select sum(w) from (select w from unnest(array_agg(weight)) w order by w desc limit 3) top),
    array_agg(ordinal), array_agg(weight)
  from (
    select ${SESSION_ID} as session_id, o::smallint as ordinal, word, (count(*) * 3.0 / (count(*) + 2))::real as weight
    from generate_series(1, $2::integer) n cross join generate_series(0, ${EACH - 1}) o cross join generate_series(1, ${WORDS}) w
    cross join lateral (select floor(exp(random() * ln($3::float8)))::integer as word where n + o + w > 0) drawn
    group by 1, 2, 3
  ) counted group by word, session_id order by session_id, word`

const PASSAGES = `insert into passages (user_id, session_id, ordinal, first_segment, last_segment, starts_at, ends_at, text)
  select $1, ${SESSION_ID}, o, o, o, o * 60, o * 60 + 60,
    (select string_agg('Ada: We said w' || (n * 7 + o * 13 + s * 101) % 997 || ' and w' || s || ' about the plan of the week, and then some more.', E'\\n')
     from generate_series(1, 14) s)
  from generate_series(1, $2::integer) n cross join generate_series(0, ${EACH - 1}) o`

/**
 * Vectors are distributed as those of conversations. A session has those of one meeting, each moved by the difference of two passages of
 * another. Random vectors would be equally far from each other, which neither suits an index of neighbours nor occurs.
 */
const VECTORS = `with counted as materialized (select count(*)::integer as passages, array_fill(0.6::real, array[min(vector_dims(vector))])::vector as share from known),
  drawn as materialized (
    select n, o, floor(random() * passages)::integer as other, random() as one, random() as another,
      (select first + (o * 7 + n) % size from known where at = n * 31 % passages) as own
    from counted cross join generate_series(1, $2::integer) n cross join generate_series(0, ${EACH - 1}) o
  )
  insert into embeddings (user_id, model, session_id, ordinal, dimension, vector)
  select $1, $3, ${SESSION_ID}, o, vector_dims(own.vector), l2_normalize(own.vector + share * (one.vector - another.vector))::halfvec
  from drawn cross join counted join known own on own.at = drawn.own join known other on other.at = drawn.other
  join known one on one.at = other.first + floor(drawn.one * other.size)::integer
  join known another on another.at = other.first + floor(drawn.another * other.size)::integer`

const RANDOM_VECTORS = `insert into embeddings (user_id, model, session_id, ordinal, dimension, vector)
  select $1, $2, session_id, ordinal, $3, l2_normalize(array_agg(random() - 0.5)::vector)::halfvec
  from passages cross join generate_series(1, $3::integer) where user_id = $1 group by session_id, ordinal`

/** The id of a copied session: the number of the original plus a multiple of the library's size. */
const COPIED_ID = "'ses_' || lpad((substr(b.session_id, 5)::integer + (c - 1) * $4::integer)::text, 26, '0')"

const COPY_TERMS = `insert into search_terms (user_id, term, session_id, part, passages, most, ordinals, weights)
  select $2, term, ${COPIED_ID}, part, passages, most, ordinals, weights
  from generate_series(1, $3::integer) c cross join search_terms b where b.user_id = $1`

const COPY_PASSAGES = `insert into passages (user_id, session_id, ordinal, first_segment, last_segment, starts_at, ends_at, text)
  select $2, ${COPIED_ID}, ordinal, first_segment, last_segment, starts_at, ends_at, text
  from generate_series(1, $3::integer) c cross join passages b where b.user_id = $1`

const DOCUMENTS = `with documents as (
    insert into search_documents (user_id, session_id, part, stemmer, version, passages, terms)
    select $1, session_id, part, 'simple', $2, case part when 'said' then $3::integer else 0 end, '{}'
    from sessions cross join (values ('said'), ('title'), ('names'), ('about')) p(part) where user_id = $1 returning part
  )
  insert into search_totals (user_id, stemmer, sessions, passages)
  select $1, 'simple', count(*), count(*) * $3::integer from documents where part = 'said'`
