// @module-tag both

import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packDocument } from '../../../src/contract/packed-document.ts'
import { everyScope } from '../../../src/features/access/actor.ts'
import { readFileEntries } from '../../../src/features/ingest/files.ts'
import { importDocument } from '../../../src/features/ingest/operations.ts'
import { stemWords } from '../../../src/features/library/index/terms.ts'
import { openBundledEmbeddings } from '../../../src/platform/ai/embedder/local-embeddings.ts'
import { joinAi } from '../../../src/platform/ai/join-ai.ts'
import { openSummarizer } from '../../../src/platform/ai/summarizer/open-summarizer.ts'
import { wordsOf } from '../../../src/platform/text/words.ts'
import { modelFolder } from '../../support/models.ts'
import { PARAPHRASES } from '../../support/paraphrases.ts'
import { buildTestApp, clock, completeSession, NO_QUEUE, NO_QUOTAS, newUser, testMedia } from '../../support/server.ts'

const SLOW = { timeout: 120_000 }
const ai = joinAi({ summaries: openSummarizer(), embeddings: await openBundledEmbeddings(modelFolder) })
let user: Awaited<ReturnType<typeof newUser>>
let app: Awaited<ReturnType<typeof buildTestApp>>

beforeAll(async () => {
  user = await newUser()
  app = await buildTestApp({ ai, searchWaitMs: 60_000 })
  const importer = { db: user.db, jobs: NO_QUEUE, clock, media: testMedia(), quotas: NO_QUOTAS, transcribes: false }
  for (const name of readdirSync('samples').filter(isText).sort()) {
    for await (const read of readFileEntries(`samples/${name}`, { programPath: undefined })) {
      if ('error' in read) throw new Error(read.error)
      const { session } = await importDocument(importer, everyScope(user.id, 'command'), {
        ...read.entry,
        document: packDocument(read.entry.document)
      })
      await completeSession(user.id, session.id, ai)
    }
  }
}, 120_000)
afterAll(() => ai.close())

/** Recordings come with the documents that name them. */
function isText(name: string) {
  return !name.endsWith('.mp3')
}

async function passagesFor(query: string) {
  const headers = { authorization: `Bearer ${user.token}` }
  const payload = { query, limit: 3, include_passages: true }
  const reply = await app.inject({ method: 'POST', url: '/v1/sessions/search', headers, payload })
  const { results } = reply.json<{ results: { passages: { text: string }[] }[] }>()
  return results.flatMap(({ passages }) => passages.map(({ text }) => text))
}

async function resultsOf(query: string) {
  const headers = { authorization: `Bearer ${user.token}` }
  const reply = await app.inject({ method: 'POST', url: '/v1/sessions/search', headers, payload: { query, limit: 50 } })
  expect(reply.headers['x-search-mode']).toBe(undefined)
  return reply.json<{ results: { id: string; similarity: number }[] }>().results
}

const plain = (text: string) => text.replace(/\s+/g, ' ')

test('no question of the list has a content word of the passage that answers it', SLOW, async () => {
  const stems = await stemWords(user.db, 'english', PARAPHRASES.flat().flatMap(wordsOf))
  const shared = PARAPHRASES.map(([query, passage]) => {
    const said = new Set(wordsOf(passage).flatMap(word => stems.get(word) ?? []))
    return wordsOf(query).filter(word => stems.get(word)?.some(stem => said.has(stem)))
  })
  expect(PARAPHRASES).toHaveLength(40)
  expect(shared.flat()).toEqual([])
})

test('at least 24 of 40 questions in other words find their passage among the first three results', SLOW, async () => {
  const missed: string[] = []
  for (const [query, passage] of PARAPHRASES) {
    const passages = await passagesFor(query)
    if (!passages.some(text => plain(text).includes(passage))) missed.push(query)
  }
  expect(PARAPHRASES.length - missed.length, missed.join('\n')).toBeGreaterThanOrEqual(24)
})

test('every passage of the list is said in a sample conversation', SLOW, async () => {
  const { rows } = await user.db.execute(
    `select text from passages where user_id = '${user.id}' order by session_id, ordinal`
  )
  const said = plain(rows.map(({ text }) => String(text)).join(' '))
  expect(PARAPHRASES.map(([, passage]) => passage).filter(passage => !said.includes(passage))).toEqual([])
})

test('a query without a word of any session finds at most three sessions', SLOW, async () => {
  expect(await resultsOf('xylophones')).toHaveLength(3)
  expect(await resultsOf('xylophones and marimbas in Ouagadougou')).toHaveLength(3)
})

test('a word of one session finds that session first and at most three others', SLOW, async () => {
  const [first, ...others] = await resultsOf('Marlowe')
  const { rows } = await user.db.execute<{ session_id: string }>(
    `select distinct session_id from search_terms where user_id = '${user.id}' and term = 'marlow'`
  )
  expect(rows.map(({ session_id }) => session_id)).toContain(first?.id)
  expect(others.length).toBeLessThanOrEqual(rows.length - 1 + 3)
})

test('a query in a script that the model does not know finds no session without its words', SLOW, async () => {
  const headers = { authorization: `Bearer ${user.token}` }
  const reply = await app.inject({
    method: 'POST',
    url: '/v1/sessions/search',
    headers,
    payload: { query: '電池を交換する' }
  })
  expect({ mode: reply.headers['x-search-mode'], results: reply.json().results }).toEqual({
    mode: 'lexical',
    results: []
  })
})
