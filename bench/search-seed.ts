import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type pg from 'pg'
import { migrateDatabase } from '../src/db/migrate.ts'
import { openDatabase } from '../src/db/open.ts'
import { buildVectorIndexes } from '../src/search/vector-indexes.ts'
import { INDEX_VERSION } from '../src/terms/index-session.ts'
import { databaseUrl, findLabel, labelDatabase, recreateDatabase, withClient } from './database.ts'

const DATABASE = 'parlance_bench_passages'

export const MODEL = 'universal-sentence-encoder-lite'
const DIMENSION = 512
/** Passages of a session, telling words of a passage, and different words there are. */
const EACH = 40
const WORDS = 100
const VOCABULARY = 8_000
/** What the vectors of a large library are made from: many more or fewer subjects would be no conversation. */
const SUBJECTS = 2_000

/** How many passages each owner has. The largest is made of copies of the one before, each vector moved a little. */
export const SIZES = [1_000, 100_000, 1_000_000] as const

export const ownerOf = (size: number) => `usr_search_${size}`

/** Brings the seeded database about, unless it is there already. Returns its address. */
export async function seedPassages(sizes: readonly number[], again: boolean) {
  const url = databaseUrl(DATABASE)
  const label = `${createHash('sha256')
    .update(readFileSync(new URL(import.meta.url)))
    .digest('hex')
    .slice(0, 16)} ${INDEX_VERSION} ${sizes.join(' ')}`
  if (!again && (await findLabel(DATABASE)) === label) return url
  await recreateDatabase(DATABASE)
  await migrateDatabase({ connectionString: url })
  // The index is made at once when all is there: kept up meanwhile, it takes most of the time.
  const [key] = await rowsOf(
    url,
    "select conname, pg_get_constraintdef(oid) as definition from pg_constraint where conname like 'search_terms%_pk'"
  )
  await rowsOf(url, `alter table search_terms drop constraint "${key?.conname}"`)
  for (const size of sizes) {
    const startedAt = Date.now()
    await withClient(url, client => fill(client, size))
    console.log(`Seeded ${size.toLocaleString('en')} passages in ${Math.round((Date.now() - startedAt) / 1_000)} s`)
  }
  await rowsOf(url, `set maintenance_work_mem = '1GB'; alter table search_terms add constraint "${key?.conname}" ${key?.definition}`)
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
  // So that foreign keys are not looked up a million times: what is written here fits.
  await client.query('set session_replication_role = replica; set work_mem = 500000; select setseed(0.5)')
  const owner = ownerOf(size)
  await client.query('insert into users (user_id, created_at) values ($1, now())', [owner])
  await client.query(SESSIONS, [owner, size / EACH])
  const base = size > 100_000 ? 100_000 : 0
  if (base === 0) {
    await client.query(TERMS, [owner, size / EACH, VOCABULARY])
    await client.query(CHUNKS, [owner, size / EACH])
    await client.query(VECTORS, [owner, size / EACH, MODEL, DIMENSION, SUBJECTS])
  } else {
    const copies = size / base
    for (const statement of [COPY_TERMS, COPY_CHUNKS]) await client.query(statement, [ownerOf(base), owner, copies, base / EACH])
    await client.query(COPY_VECTORS, [ownerOf(base), owner, copies, base / EACH, DIMENSION])
  }
  await client.query(DOCUMENTS, [owner, INDEX_VERSION, EACH])
}

const SESSION_ID = "'ses_' || lpad(n::text, 26, '0')"

const SESSIONS = `insert into sessions (user_id, session_id, state, title, "timestamp", sort_at, duration_seconds, type, language, summary, action_items, created_at, updated_at)
  select $1, ${SESSION_ID}, 'completed', 'Meeting ' || n, at, at, 3600, (array['meeting', 'phone', 'podcast'])[1 + n % 3], 'en',
    repeat('A sentence of the summary. ', 40), '[]', now(), now()
  from generate_series(1, $2::integer) n, lateral (select timestamptz '2020-01-01Z' + n * interval '1 hour' as at) t`

/** Words as they are in speech: the second most frequent half as frequent as the first, and so on. */
const TERMS = `insert into search_terms (user_id, term, session_id, part, passages, most, ordinals, weights)
  select $1, 'w' || word, session_id, 'said', count(*), (select sum(w) from (select w from unnest(array_agg(weight)) w order by w desc limit 3) top),
    array_agg(ordinal), array_agg(weight)
  from (
    select ${SESSION_ID} as session_id, o::smallint as ordinal, word, (count(*) * 3.0 / (count(*) + 2))::real as weight
    from generate_series(1, $2::integer) n cross join generate_series(0, ${EACH - 1}) o cross join generate_series(1, ${WORDS}) w
    cross join lateral (select floor(exp(random() * ln($3::float8)))::integer as word where n + o + w > 0) drawn
    group by 1, 2, 3
  ) counted group by word, session_id order by session_id, word`

const CHUNKS = `insert into chunks (user_id, session_id, ordinal, first_segment, last_segment, starts_at, ends_at, text)
  select $1, ${SESSION_ID}, o, o, o, o * 60, o * 60 + 60,
    (select string_agg('Ada: We said w' || (n * 7 + o * 13 + s * 101) % 997 || ' and w' || s || ' about the plan of the week, and then some more.', E'\\n')
     from generate_series(1, 14) s)
  from generate_series(1, $2::integer) n cross join generate_series(0, ${EACH - 1}) o`

const VECTORS = `with subjects as materialized (
    select s, array_agg(random() - 0.5 order by d) as center from generate_series(1, $5::integer) s cross join generate_series(1, $4::integer) d group by s
  )
  insert into embeddings (user_id, model, session_id, ordinal, dimension, vector)
  select $1, $3, ${SESSION_ID}, o, $4, l2_normalize(array(select c + (random() - 0.5) * 1.2 from unnest(center) c where n > 0 and o >= 0)::real[]::vector)::halfvec
  from generate_series(1, $2::integer) n cross join generate_series(0, ${EACH - 1}) o join subjects on s = 1 + (n * 31 + o * 17) % $5::integer`

/** The id of the copy's session: the number of the session moved by whole libraries. */
const COPIED_ID = "'ses_' || lpad((substr(b.session_id, 5)::integer + (c - 1) * $4::integer)::text, 26, '0')"

const COPY_TERMS = `insert into search_terms (user_id, term, session_id, part, passages, most, ordinals, weights)
  select $2, term, ${COPIED_ID}, part, passages, most, ordinals, weights
  from generate_series(1, $3::integer) c cross join search_terms b where b.user_id = $1`

const COPY_CHUNKS = `insert into chunks (user_id, session_id, ordinal, first_segment, last_segment, starts_at, ends_at, text)
  select $2, ${COPIED_ID}, ordinal, first_segment, last_segment, starts_at, ends_at, text
  from generate_series(1, $3::integer) c cross join chunks b where b.user_id = $1`

const COPY_VECTORS = `with moves as materialized (
    select s - 1 as s, l2_normalize(array_agg((random() - 0.5)::real order by d)::vector)::halfvec as move
    from generate_series(1, 500) s cross join generate_series(1, $5::integer) d group by s
  )
  insert into embeddings (user_id, model, session_id, ordinal, dimension, vector)
  select $2, model, ${COPIED_ID}, ordinal, dimension, l2_normalize(vector + move)
  from generate_series(1, $3::integer) c cross join embeddings b join moves on s = (ordinal * 13 + substr(b.session_id, 5)::integer * 7 + c * 101) % 500
  where b.user_id = $1`

const DOCUMENTS = `with documents as (
    insert into search_documents (user_id, session_id, part, stemmer, version, passages, terms)
    select $1, session_id, part, 'simple', $2, case part when 'said' then $3::integer else 0 end, '{}'
    from sessions cross join (values ('said'), ('about')) p(part) where user_id = $1 returning part
  )
  insert into search_totals (user_id, stemmer, sessions, passages)
  select $1, 'simple', count(*), count(*) * $3::integer from documents where part = 'said'`
