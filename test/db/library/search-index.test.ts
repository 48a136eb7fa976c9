// @module-tag both

import { describe, expect, test } from 'vitest'
import { everyScope } from '../../../src/features/access/actor.ts'
import { purgeSession } from '../../../src/features/deletions/delete.ts'
import { reindexSessions } from '../../../src/features/ingest/reindex.ts'
import { buildVectorIndexes } from '../../../src/features/ingest/vector-indexes.ts'
import { stemByLibrary } from '../../../src/features/library/index/terms.ts'
import { openAttempts } from '../../../src/features/library/open-attempts.ts'
import { createPerson, updatePerson } from '../../../src/features/people/change-person.ts'
import { correctSpeaker } from '../../../src/features/people/correct-speaker.ts'
import { indexPerson } from '../../../src/features/people/index-person.ts'
import { mergePeople } from '../../../src/features/people/merge.ts'
import { findLexicalCandidates, listQueryTerms } from '../../../src/features/search/candidates.ts'
import { findBestSessions } from '../../../src/features/search/operations.ts'
import { findQueryTerms } from '../../../src/features/search/query-terms.ts'
import { listNearest } from '../../../src/features/search/similarities.ts'
import { changeSession } from '../../../src/features/sessions/change.ts'
import { type Ai, AiError } from '../../../src/platform/ai/ai.ts'
import { openQueryEmbedder } from '../../../src/platform/ai/query-embedder.ts'
import { PgDialect, sql } from '../../../src/platform/db/drizzle.ts'
import type { Database, OpenDatabase, Queryable } from '../../../src/platform/db/open.ts'
import { runOnNodes } from '../../../src/platform/db/shards.ts'
import { plainAi } from '../../support/ai.ts'
import { addPlainUser } from '../../support/plain-user.ts'
import { migratedDatabase, onPostgres, openPlace } from '../../support/process.ts'
import { addSession, clock, NO_QUEUE, NO_QUOTAS } from '../../support/server.ts'
import { restore, trash } from '../../support/trash.ts'

const { signal } = new AbortController()
const ACTOR = everyScope('u', 'command')
const dialect = new PgDialect()
const PATIENT = { timeout: 60_000, interval: 20 }
const TEXTS = ['We water the tomatoes.', 'The battery lasts two days.', 'Zebras have stripes.']

/** The letters of a text, the other way round: a model of its own, whose vectors are none of the other's. */
const otherAi = plainAi({
  embedder: { model: 'srettel', dimension: 26 },
  embed: async texts => (await plainAi().embed(texts)).map(vector => vector?.toReversed())
})

async function library(texts: readonly string[] = TEXTS, fields: object = {}) {
  const opened = await openPlace(await migratedDatabase(), { poolSize: 4 })
  const { db } = opened
  await addPlainUser(db, 'u', { createdAt: clock.now() })
  const ids: string[] = []
  for (const [at, text] of texts.entries()) {
    const segments = [{ speaker: 'Ada', start: 3, end: 9, text }]
    ids.push(
      await addSession(
        'u',
        { title: `Session ${at}`, language: 'en', external_id: `${at}`, segments, ...fields },
        plainAi(),
        db
      )
    )
  }
  return { ...opened, ids }
}

function indexerOf(db: Database, ai: Ai, onGiveUp: (sessionId: string) => void = () => {}) {
  return { db, ai, attempts: openAttempts(db), onGiveUp }
}

/** Each session found by its words, with whether meaning was compared. */
async function search({ db }: OpenDatabase, ai: Ai, query: string) {
  const found = { db, replica: db, slow: db, embedder: openQueryEmbedder(ai, clock, 2_000) }
  const { results } = await findBestSessions(found, 'u', { query, limit: 10, filter: {}, passages: 3 })
  return results
}

const idsOf = (candidates: { sessionId: string }[]) => candidates.map(({ sessionId }) => sessionId)

const models = async ({ pool }: OpenDatabase) => {
  const { rows } = await pool.query(
    'select model, count(*)::integer as vectors from embeddings group by model order by model'
  )
  return rows
}

describe('the job that keeps sessions findable', () => {
  test('leaves a session as it was indexed if work on it ended the process three times, until a correction', async () => {
    const { db, pool, ids } = await library()
    const [poison = ''] = ids
    await pool.query('update search_documents set version = 0')
    await pool.query('update sessions set open_attempts = 3 where session_id = $1', [poison])
    const given: string[] = []
    const indexer = indexerOf(db, plainAi(), session => void given.push(session))
    expect(await reindexSessions(indexer, signal)).toBe(2)
    expect(given).toEqual([poison])
    await correctSpeaker({ db, clock, jobs: NO_QUEUE, quotas: NO_QUOTAS }, ACTOR, poison, { from: 'Ada', name: 'Eve' })
    expect(await reindexSessions(indexer, signal)).toBe(1)
    expect((await pool.query('select sum(open_attempts)::int as open from sessions')).rows).toEqual([{ open: 0 }])
  })

  test('writes the terms of a transcript that takes several statements, and counts at most 100,000 different words', async () => {
    const spoken = (from: number, count: number) => Array.from({ length: count }, (_, at) => `w${from + at}`).join(' ')
    // Half of the words occur in many passages each, and the rest once.
    const often = Array.from({ length: 180 }, () => spoken(0, 380))
    const once = Array.from({ length: 300 }, (_, at) => spoken(1_000 + at * 380, 380))
    const segments = [...often, ...once].map((text, at) => ({ speaker: at % 2 ? 'Ada' : 'Ben', text }))
    const { pool } = await library(['Long.'], { segments, language: 'en', summary: 'Long.', action_items: [] })
    const { rows } = await pool.query(
      `select count(*)::int as terms, max(passages)::int as most, sum(passages)::int as passages,
        (select cardinality(terms) from search_documents where part = 'said') as listed
      from search_terms where part = 'said'`
    )
    expect(rows).toEqual([{ terms: 20_000, listed: 20_000, most: 240, passages: expect.any(Number) }])
    expect(rows[0].passages).toBeGreaterThan(60_000)
    const { rows: common } = await pool.query("select passages from search_terms where part = 'said' and term = 'w379'")
    expect(common).toEqual([{ passages: 180 }])
  })

  test('indexes sessions that were completed before search existed', async () => {
    const opened = await library()
    await opened.pool.query(
      'delete from search_terms; delete from search_documents; delete from search_totals; update passages set starts_at = null'
    )
    expect(await reindexSessions(indexerOf(opened.db, plainAi()), signal)).toBe(3)
    const [first] = await search(opened, plainAi(), 'zebras')
    expect([first?.id, first?.passages?.[0]?.start]).toEqual([opened.ids[2], 3])
    const { rows } = await opened.pool.query('select stemmer, sessions, passages from search_totals')
    expect(rows).toEqual([{ stemmer: 'english', sessions: 3, passages: 3 }])
    expect(await reindexSessions(indexerOf(opened.db, plainAi()), signal)).toBe(0)
  })

  test('removes sessions in the trash from the candidates, and adds restored ones', async () => {
    const opened = await library(['Zebras, zebras, zebras.', 'Zebras have stripes.'])
    const { db, pool, ids } = opened
    const [trashed = '', kept = ''] = ids
    const [vector = []] = await plainAi()
      .embed(['Zebras, zebras, zebras.'])
      .then(vectors => vectors.map(vector => vector ?? []))
    const near = { model: 'letters', vector }
    const candidates = async () => [
      ...idsOf(
        await findLexicalCandidates(db, 'u', await listQueryTerms(db, 'u', new Map([['zebra', 1]])), undefined, 1)
      ),
      ...(await listNearest(db, 'u', near, undefined, 1)).keys()
    ]
    const totals = async () => (await pool.query('select sessions, passages from search_totals')).rows
    expect(await candidates()).toEqual([trashed, trashed])
    await trash({ db }, 'u', trashed)
    expect([await candidates(), await totals()]).toEqual([[kept, kept], [{ sessions: 1, passages: 1 }]])
    await restore({ db }, 'u', trashed)
    expect([await candidates(), await totals()]).toEqual([[trashed, trashed], [{ sessions: 2, passages: 2 }]])
    expect((await search(opened, plainAi(), 'session 0'))[0]?.id).toBe(trashed)
  })

  test('indexes sessions of another version again', async () => {
    const opened = await library()
    await opened.pool.query(
      `update search_documents set version = 0 where session_id = '${opened.ids[1]}' and part = 'about'`
    )
    expect(await reindexSessions(indexerOf(opened.db, plainAi()), signal)).toBe(1)
    expect((await search(opened, plainAi(), 'batteries'))[0]?.id).toBe(opened.ids[1])
  })

  test('counts each session once, however often it is indexed', async () => {
    const opened = await library()
    await opened.pool.query('update search_documents set version = 0')
    expect(await reindexSessions(indexerOf(opened.db, plainAi()), signal)).toBe(3)
    const { rows } = await opened.pool.query('select stemmer, sessions, passages from search_totals')
    expect(rows).toEqual([{ stemmer: 'english', sessions: 3, passages: 3 }])
  })

  test('writes only the terms that a change of a session changes', async () => {
    const opened = await library(['We water the tomatoes.'], { summary: 'What grows in the garden. Who waters it.' })
    const [id = ''] = opened.ids
    const written = async () => {
      const { rows } = await opened.pool.query<{ term: string; version: string }>(
        `select part || ' ' || term as term, ctid::text || xmin::text as version from search_terms where part <> 'said' order by term collate "C"`
      )
      return new Map(rows.map(({ term, version }) => [term, version]))
    }
    const before = await written()
    await changeSession(opened.db, 'u', id, { title: 'Garden, renamed' }, { now: clock.now() })
    const after = await written()
    const changed = [...after].filter(([term, version]) => before.get(term) !== version).map(([term]) => term)
    expect(changed).toEqual(['=garden', '=garden renamed=', '=renamed', 'garden', 'renam'].map(term => `title ${term}`))
    const gone = [...before.keys()].filter(term => !after.has(term))
    expect(gone.toSorted()).toEqual(['0', '=0', '=session', '=session 0=', 'session'].map(term => `title ${term}`))
    expect((await search(opened, plainAi(), 'renamed'))[0]?.id).toBe(id)
  })

  test('finds sessions by the new names of renamed, merged or corrected people', async () => {
    const opened = await library(TEXTS, { speakers: [{ label: 'Ada', person: 'Ada' }] })
    const { db, ids } = opened
    const { rows } = await opened.pool.query('select person_id from people')
    await updatePerson({ db, clock, jobs: NO_QUEUE }, ACTOR, rows[0].person_id, { name: 'Lovelace' })
    expect((await search(opened, plainAi(), 'Lovelace')).map(({ id }) => id).sort()).toEqual(ids.toSorted())
    await indexPerson(db, { userId: 'u', personId: rows[0].person_id }, signal)
    expect((await search(opened, plainAi(), 'Lovelace')).map(({ id }) => id).sort()).toEqual(ids.toSorted())
    await correctSpeaker({ db, clock, jobs: NO_QUEUE, quotas: NO_QUOTAS }, ACTOR, ids[0]!, {
      from: 'Ada',
      name: 'Hopper'
    })
    expect(await reindexSessions(indexerOf(db, plainAi()), signal)).toBe(1)
    const [first] = await search(opened, plainAi(), 'Hopper tomatoes')
    expect([first?.id, first?.snippet]).toEqual([ids[0], expect.stringMatching(/^Hopper: /)])
    const { person } = await createPerson({ db, clock, quotas: NO_QUOTAS }, ACTOR, { name: 'Hopper', is_me: false })
    await mergePeople({ db, clock, jobs: NO_QUEUE }, ACTOR, person.id, { into: rows[0].person_id })
    expect((await search(opened, plainAi(), 'Lovelace')).map(({ id }) => id).sort()).toEqual(ids.toSorted())
  })

  test('renames or merges a person only together with the job for the search index', async () => {
    const opened = await library(TEXTS, { speakers: [{ label: 'Ada', person: 'Ada' }] })
    const { db, pool } = opened
    const [ada] = (await pool.query('select person_id as id from people')).rows
    const { person } = await createPerson({ db, clock, quotas: NO_QUOTAS }, ACTOR, { name: 'Hopper', is_me: false })
    const people = async () => (await pool.query('select name, merged_into from people order by name')).rows
    const before = await people()
    const jobs = { ...NO_QUEUE, enqueue: () => Promise.reject(new Error('no queue')) }
    await expect(updatePerson({ db, clock, jobs }, ACTOR, ada.id, { name: 'Lovelace' })).rejects.toThrow('no queue')
    await expect(mergePeople({ db, clock, jobs }, ACTOR, ada.id, { into: person.id })).rejects.toThrow('no queue')
    expect(await people()).toEqual(before)
  })

  test.runIf(onPostgres)('allows concurrent renames, merges and deletions without a deadlock', async () => {
    const speakers = ['Ada', 'Ben'].map(label => ({ label, person: label }))
    const segments = speakers.map(({ label: speaker }, at) => ({
      speaker,
      start: at,
      end: at + 1,
      text: 'We water the tomatoes.'
    }))
    const { db, ids, pool } = await library(
      Array.from({ length: 40 }, () => ''),
      { speakers, segments }
    )
    const [ada, ben] = (await pool.query('select person_id as id from people order by name')).rows
    const tools = { db, jobs: NO_QUEUE, clock }
    const deletion = (async () => {
      for (const id of ids.slice(1)) await purgeSession(tools, 'u', id, { by: 'user' })
    })()
    const renaming = [ada, ben].map(async ({ id }, at) => {
      for (let turn = 0; turn < 40; turn++)
        await updatePerson({ db, clock, jobs: NO_QUEUE }, ACTOR, id, { name: `Name ${at} ${turn}` })
    })
    await Promise.all([deletion, ...renaming])
    await mergePeople({ db, clock, jobs: NO_QUEUE }, ACTOR, ada.id, { into: ben.id })
    await indexPerson(db, { userId: 'u', personId: ben.id }, signal)
    const { rows } = await pool.query(`select term from search_terms where part = 'names' and term in ('38', '39')`)
    expect(rows).toEqual([{ term: '39' }])
  })

  test('indexes a transcript as it was corrected while the job ran', async () => {
    const opened = await library(['We water the tomatoes.'])
    const { db, ids } = opened
    const correcting = plainAi({
      ...otherAi,
      embed: async ([text = '', ...more]) => {
        if (text.startsWith('Ada'))
          await correctSpeaker({ db, clock, jobs: NO_QUEUE, quotas: NO_QUOTAS }, ACTOR, ids[0]!, {
            from: 'Ada',
            name: 'Hopper'
          })
        return await otherAi.embed([text, ...more])
      }
    })
    expect(await reindexSessions(indexerOf(db, correcting), signal)).toBe(1)
    const [first] = await search(opened, otherAi, 'tomatoes')
    expect(first?.snippet).toBe('Hopper: We water the tomatoes.')
  })

  test('makes embeddings of another model during searches, then removes those of the previous model', async () => {
    const opened = await library()
    let interrupted = 0
    const halfWay = plainAi({
      ...otherAi,
      embed: async texts => {
        if (interrupted++ > 0) throw new AiError('away', { final: false })
        return await otherAi.embed(texts)
      }
    })
    await expect(reindexSessions(indexerOf(opened.db, halfWay), signal)).rejects.toThrow('away')
    expect(await models(opened)).toEqual([
      { model: 'letters', vectors: 3 },
      { model: 'srettel', vectors: 1 }
    ])
    for (const [at, query] of ['tomatoes', 'batteries', 'zebras'].entries()) {
      const results = await search(opened, otherAi, query)
      expect([query, results[0]?.id]).toEqual([query, opened.ids[at]])
      expect(results.filter(({ similarity }) => similarity !== undefined)).toHaveLength(1)
    }
    expect(await reindexSessions(indexerOf(opened.db, otherAi), signal)).toBe(2)
    expect(await models(opened)).toEqual([{ model: 'srettel', vectors: 3 }])
    expect((await search(opened, otherAi, 'zebras')).map(({ similarity }) => typeof similarity)).toEqual([
      'number',
      'number',
      'number'
    ])
  })

  test('stores no vector for a passage in an unknown script, finds it by its terms, and does not embed it again', async () => {
    let embedded = 0
    const choosy = plainAi({
      embedder: { model: 'srettel', dimension: 26 },
      embed: async texts => {
        embedded += texts.length
        return (await otherAi.embed(texts)).map((vector, at) => (texts[at]!.includes('Zebras') ? undefined : vector))
      }
    })
    const opened = await library()
    expect(await reindexSessions(indexerOf(opened.db, choosy), signal)).toBe(3)
    expect([await reindexSessions(indexerOf(opened.db, choosy), signal), embedded]).toEqual([0, 3])
    const { rows } = await opened.pool.query('select vector is null as unknown, dimension from embeddings order by 1')
    expect(rows).toEqual([
      { unknown: false, dimension: 26 },
      { unknown: false, dimension: 26 },
      { unknown: true, dimension: 0 }
    ])
    const [first, ...others] = await search(opened, choosy, 'zebras')
    expect([first?.id, first?.similarity]).toEqual([opened.ids[2], undefined])
    expect(others.every(({ id }) => id !== opened.ids[2])).toBe(true)
  })

  test('indexes terms while embeddings are off, and keeps the embeddings of unchanged sessions', async () => {
    const opened = await library()
    const off = plainAi({ embedder: undefined, embed: async texts => texts.map(() => undefined) })
    expect(await reindexSessions(indexerOf(opened.db, off), signal)).toBe(0)
    await opened.pool.query(`update search_documents set version = 0 where session_id = '${opened.ids[1]}'`)
    expect(await reindexSessions(indexerOf(opened.db, off), signal)).toBe(1)
    expect(await models(opened)).toEqual([{ model: 'letters', vectors: 2 }])
    const [first] = await search(opened, off, 'batteries')
    expect([first?.id, first?.similarity]).toEqual([opened.ids[1], undefined])
    expect(await reindexSessions(indexerOf(opened.db, plainAi()), signal)).toBe(1)
    expect(await models(opened)).toEqual([{ model: 'letters', vectors: 3 }])
  })

  test('indexes the other sessions after an error of one', async () => {
    const opened = await library()
    const choosy = plainAi({
      ...otherAi,
      embed: async texts => {
        if (texts.some(text => text.includes('tomatoes'))) throw new AiError('never', { final: true })
        return await otherAi.embed(texts)
      }
    })
    await expect(reindexSessions(indexerOf(opened.db, choosy), signal)).rejects.toThrow('never')
    expect(await models(opened)).toEqual([
      { model: 'letters', vectors: 3 },
      { model: 'srettel', vectors: 2 }
    ])
  })
})

describe.runIf(onPostgres)('the vector index of a large owner', () => {
  const names = async ({ pool }: OpenDatabase) =>
    (
      await runOnNodes(
        pool,
        "select string_agg(indexname, ' ') from pg_indexes where indexname like 'embeddings_near_%' having count(*) > 0"
      )
    ).filter(Boolean)

  test('is built once for owners over the threshold, and returns what an exact comparison returns', async () => {
    const texts = Array.from(
      { length: 40 },
      (_, at) => `${'abcdefgh'[at % 8]?.repeat(at + 3)} ${'xyz'[at % 3]?.repeat(9)} said`
    )
    const opened = await library(texts)
    const exact = await search(opened, plainAi(), 'abc xyz')
    await buildVectorIndexes(opened, 'letters', signal, 40)
    expect(await names(opened)).toEqual([])
    await buildVectorIndexes(opened, 'letters', signal, 39)
    const [name] = await names(opened)
    await buildVectorIndexes(opened, 'letters', signal, 39)
    expect(await names(opened)).toEqual([name])

    expect(await search(opened, plainAi(), 'abc xyz')).toEqual(exact)
  })

  test('is not used for the few sessions that pass a filter', async () => {
    const opened = await library(TEXTS, { type: 'meeting' })
    await opened.pool.query(
      `insert into sessions (user_id, session_id, state, type, title, duration_seconds, "timestamp", sort_at, action_items, created_at, updated_at)
       select user_id, 'ses_' || n, state, 'phone', title, duration_seconds, "timestamp", sort_at + n * interval '1 second', action_items, created_at, updated_at
       from sessions cross join generate_series(1, 251) n where session_id = $1`,
      [opened.ids[0]]
    )
    await buildVectorIndexes(opened, 'letters', signal, 1)
    const [vector = []] = await plainAi().embed(['Zebras'])
    const near = { model: 'letters', vector }
    const asked: string[] = []
    const watched: Queryable = {
      query(statement) {
        const { sql: text } = dialect.sqlToQuery(statement)
        asked.push(/from vector_indexes/.test(text) ? 'lookup' : /::halfvec\(26\)/.test(text) ? 'index' : 'compare')
        return opened.db.query(statement)
      }
    }
    const nearest = async (type: string) => {
      asked.length = 0
      const allowed = sql`select session_id from sessions where user_id = 'u' and type = ${type}`
      return [...(await listNearest(watched, 'u', near, allowed, 30)).keys()]
    }
    expect([(await nearest('meeting')).toSorted(), asked]).toEqual([opened.ids.toSorted(), ['lookup', 'compare']])
    await nearest('phone')
    expect(asked).toEqual(['lookup', 'index'])
  })

  test('is cancelled in the database when the server stops, and built the next time', async () => {
    const opened = await library()
    const building = async () =>
      (
        await runOnNodes(
          opened.pool,
          `select count(*) from pg_stat_activity
           where datname = current_database() and query like 'create index concurrently "embeddings_near_%'`
        )
      ).reduce((sum, count) => sum + Number(count), 0)
    const blocker = await opened.pool.connect()
    await blocker.query("begin; update embeddings set dimension = dimension where user_id = 'u'")
    const stopping = new AbortController()
    const built = buildVectorIndexes(opened, 'letters', stopping.signal, 1).catch((fault: Error) => fault)
    await expect.poll(building, PATIENT).toBe(1)
    stopping.abort()
    expect(await built).toBeInstanceOf(Error)
    await expect.poll(building, PATIENT).toBe(0)
    await blocker.query('rollback')
    blocker.release()
    await buildVectorIndexes(opened, 'letters', signal, 1)
    expect((await opened.pool.query('select from vector_indexes')).rowCount).toBe(1)
  })

  test('is dropped with its model', async () => {
    const opened = await library()
    await buildVectorIndexes(opened, 'letters', signal, 1)
    const before = await names(opened)
    await reindexSessions(indexerOf(opened.db, otherAi), signal)
    await buildVectorIndexes(opened, 'srettel', signal, 1)
    const after = await names(opened)
    expect([before.length, after.length]).toEqual([1, 1])
    expect(after).not.toEqual(before)
  })
})

describe('the terms of a query', () => {
  const texts = Array.from({ length: 20 }, (_, at) => `The meeting about ${at < 2 ? 'zebras' : 'nothing'} was long.`)
  const words = new Map([
    ['meeting', 1],
    ['zebras', 1]
  ])
  const termsIn = async (db: OpenDatabase['db']) =>
    await findQueryTerms(db, 'u', words, await stemByLibrary(db, 'u', [...words.keys()]))

  test('find sessions that have only a frequent term, even under a filter', async () => {
    const { db, ids } = await library(texts)
    const terms = await termsIn(db)
    const all = idsOf(await findLexicalCandidates(db, 'u', terms, undefined, 30))
    expect([all.length, all.slice(0, 2).toSorted()]).toEqual([20, ids.slice(0, 2).toSorted()])
    const filtered = idsOf(await findLexicalCandidates(db, 'u', terms, sql`select ${ids[5]}::text`, 2))
    expect(filtered).toEqual([ids[5]])
  })

  test('select sessions by the rarest first, until enough postings are read', async () => {
    const { db, pool, ids } = await library(texts)
    // On a busy machine, one statement would take longer than a statement may.
    for (let from = 1; from <= 60_001; from += 5_000)
      await pool.query(
        `insert into search_terms (user_id, term, session_id, part, passages, most, ordinals, weights)
         select 'u', case when n <= 30000 then 'zebra' else 'meet' end, 'ses_' || n, 'said', 1, case when n <= 30000 then 1 else 9 end, '{0}', '{1}'
         from generate_series($1::int, least($1 + 4999, 60001)) n`,
        [from]
      )
    await pool.query('update search_totals set sessions = 70000, passages = 70000')
    const sessionIds = idsOf(await findLexicalCandidates(db, 'u', await termsIn(db), undefined, 30_002))
    expect(sessionIds.length).toBe(30_002)
    expect(sessionIds).toEqual(expect.arrayContaining(ids.slice(0, 2)))
  })
})
