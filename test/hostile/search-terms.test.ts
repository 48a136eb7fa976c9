import { describe, expect, test } from 'vitest'
import { indexTranscript, removeFromIndex } from '../../src/features/library/index/index-session.ts'
import { sortPostings } from '../../src/features/library/index/postings.ts'
import { addPlainUser } from '../support/plain-user.ts'
import { migratedDatabase, onPostgres, openPlace } from '../support/process.ts'
import { acceptSession, clock } from '../support/server.ts'

const TERMS = 5_000

/** A library on one connection, whose database never gathers statistics by itself. */
async function library() {
  const { db, pool } = await openPlace(await migratedDatabase(), { poolSize: 1 })
  if (onPostgres)
    for (const table of ['terms', 'documents'])
      await pool.query(`alter table search_${table} set (autovacuum_enabled = off)`)
  await addPlainUser(db, 'u', { createdAt: clock.now() })
  const session = await acceptSession('u', {}, db)
  const write = (prefix: string, count = TERMS) => {
    const postings = sortPostings(
      Array.from({ length: count }, (_, at) => ({
        term: `${prefix}${at}`,
        ordinals: [at],
        weights: [1],
        most: 1
      }))
    )
    return db.transaction(tx =>
      indexTranscript(tx, 'u', session, { stemmer: 'simple', passages: count, postings, words: null })
    )
  }
  const remove = () => db.transaction(tx => removeFromIndex(tx, 'u', session))
  const left = async () => (await pool.query('select count(*)::integer as terms from search_terms')).rows[0]?.terms
  return { pool, write, remove, left }
}

const ROUNDS = 3

/**
 * Where each row is compared with each term, replacing and removing take 40 to 100 times as long as writing. Compares the fastest of several
 * rounds: a busy machine slows single calls, not all of them.
 */
async function expectLinear({ write, remove, left }: Awaited<ReturnType<typeof library>>) {
  const fastest = {
    writing: Number.POSITIVE_INFINITY,
    replacing: Number.POSITIVE_INFINITY,
    removing: Number.POSITIVE_INFINITY
  }
  const measure = async (what: keyof typeof fastest, work: () => Promise<unknown>) => {
    const startedAt = performance.now()
    await work()
    fastest[what] = Math.min(fastest[what], performance.now() - startedAt)
  }
  for (let round = 0; round < ROUNDS; round++) {
    await measure('writing', () => write(`a${round}.`))
    await measure('replacing', () => write(`b${round}.`))
    expect(await left()).toBe(TERMS)
    await measure('removing', remove)
    expect(await left()).toBe(0)
  }
  const { writing, replacing, removing } = fastest
  expect([replacing / writing, removing / writing].map(ratio => ratio < 12)).toEqual([true, true])
}

describe('the terms of a session are replaced and removed in about the time of writing them', () => {
  test('in a table that was never analyzed', async () => {
    await expectLinear(await library())
  })

  test('with plans cached while the table was analyzed and empty', async () => {
    const opened = await library()
    await opened.pool.query('vacuum (analyze) search_terms')
    for (let change = 0; change < 30; change++) {
      await opened.write(`${change}.`, 3)
      await opened.remove()
    }
    await expectLinear(opened)
  })
})
