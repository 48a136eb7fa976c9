// @module-tag both
import { expect, test } from 'vitest'
import { reindexSession } from '../../../src/features/ingest/reindex.ts'
import { sql } from '../../../src/platform/db/drizzle.ts'
import { plainAi } from '../../support/ai.ts'
import { newUser } from '../../support/server.ts'

type User = Awaited<ReturnType<typeof newUser>>

const WORDS = ['apple', 'bread', 'cider', 'dates']
const said = WORDS.map((word, at) => ({
  speaker: at % 2 ? 'Ben' : 'Ada',
  start: at * 10,
  end: at * 10 + 9,
  text: `${word} `.repeat(250).trim()
}))

async function reindex(user: User, id: string) {
  await reindexSession({ db: user.db, ai: plainAi() }, user.id, id, new AbortController().signal)
}

/** The rows of the index with the transactions that wrote them. */
async function written(user: User) {
  const of = async (table: string, key: string) => {
    const statement = sql`select ${sql.raw(key)} as key, xmin::text as by from ${sql.raw(table)} where user_id = ${user.id} order by 1`
    const { rows } = await user.db.execute<{ key: string; by: string }>(statement)
    return rows
  }
  return {
    passages: await of('passages', 'ordinal'),
    embeddings: await of('embeddings', 'ordinal'),
    terms: await of('search_terms', "part || ' ' || term")
  }
}

test('indexing a corrected session writes only the embeddings that it lacks', async () => {
  const user = await newUser()
  const id = await user.session({ segments: said })
  const change = { segments: [{ index: 1, text: 'brioche '.repeat(250).trim() }] }
  expect((await user.patch(`/v1/sessions/${id}/transcript`, change, { 'if-match': '*' })).status).toBe(200)
  const before = await written(user)
  expect(before.embeddings).toHaveLength(3)
  await reindex(user, id)
  const after = await written(user)
  expect(after.embeddings.map(({ key }) => key)).toEqual([0, 1, 2, 3])
  expect(after.embeddings.filter(({ key }) => Number(key) !== 1)).toEqual(before.embeddings)
  expect(after.terms).toEqual(before.terms)
  // The passage of the new embedding is written beside it.
  expect(after.passages.filter(({ key }) => Number(key) !== 1)).toEqual(
    before.passages.filter(({ key }) => Number(key) !== 1)
  )
})

test('indexing a session that is indexed writes nothing', async () => {
  const user = await newUser()
  const id = await user.session({ segments: said })
  const before = await written(user)
  await reindex(user, id)
  expect(await written(user)).toEqual(before)
})

test('indexing writes again what is missing or of another version', async () => {
  const user = await newUser()
  const id = await user.session({ segments: said })
  const places = async () => {
    const { passages, embeddings, terms } = await written(user)
    return [passages, embeddings, terms].map(rows => rows.map(({ key }) => key))
  }
  const before = await places()
  const forgetTerms = sql`delete from search_terms where user_id = ${user.id} and part = 'said'`
  await user.db.execute(sql`delete from passages where user_id = ${user.id} and ordinal > 1`)
  await user.db.execute(forgetTerms)
  await reindex(user, id)
  expect(await places()).toEqual(before)
  await user.db.execute(forgetTerms)
  await user.db.execute(sql`update search_documents set version = 1 where user_id = ${user.id} and part = 'said'`)
  await reindex(user, id)
  expect(await places()).toEqual(before)
})
