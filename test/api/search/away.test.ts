// @module-tag both

import { expect, test } from 'vitest'
import { AiError } from '../../../src/platform/ai/ai.ts'
import { plainAi } from '../../support/ai.ts'
import { buildTestApp, NOW, newUser } from '../../support/server.ts'

const DRY = { language: 'en', segments: [{ speaker: 'Ada', start: 0, end: 4, text: 'The soil is dry.' }] }

/** An application whose provider of vectors does as it is told, and a user with a session. */
async function withProvider(embed: (texts: string[]) => Promise<(number[] | undefined)[]>, searchWaitMs = 2_000) {
  const user = await newUser()
  const id = await user.session(DRY)
  let now = Date.parse(NOW)
  const asked: string[] = []
  const ai = plainAi({
    embed: async texts => {
      asked.push(...texts)
      return await embed(texts)
    }
  })
  const app = await buildTestApp({ ai, searchWaitMs, clock: { now: () => new Date(now) } })
  const search = async (query: string) => {
    const headers = { authorization: `Bearer ${user.token}` }
    const reply = await app.inject({ method: 'POST', url: '/v1/sessions/search', headers, payload: { query } })
    const { results, warnings } = reply.json()
    return { status: reply.statusCode, mode: reply.headers['x-search-mode'], results, ...(warnings && { warnings }) }
  }
  const pass = (seconds: number) => {
    now += seconds * 1_000
  }
  return { id, asked, search, pass }
}

const left = (reason: string) =>
  `The words were compared and the meaning was not, because the embedding of the query ${reason}.`
const FAILED = left('could not be made')
const LATE = left('did not arrive in time')

const result = (id: string) => ({
  id,
  title: 'Weekly review',
  timestamp: null,
  type: 'import',
  snippet: 'Ada: The soil is dry.'
})

test('while the provider of embeddings is away, search compares terms only, and the header says so', async () => {
  const { id, search } = await withProvider(() => Promise.reject(new AiError('away', { final: false })))
  expect(await search('dry soils')).toEqual({ status: 200, mode: 'lexical', results: [result(id)], warnings: [FAILED] })
  expect(await search('submarine')).toEqual({ status: 200, mode: 'lexical', results: [], warnings: [FAILED] })
})

test('a provider that has failed gets no request for ten seconds, then one of a search', async () => {
  let away = true
  const { asked, search, pass } = await withProvider(texts =>
    away ? Promise.reject(new AiError('away', { final: false })) : plainAi().embed(texts)
  )
  for (const query of ['one', 'two', 'three']) await search(query)
  expect(asked).toEqual(['one'])
  pass(11)
  await Promise.all(['four', 'five', 'six'].map(search))
  expect(asked).toEqual(['one', 'four'])
  away = false
  pass(11)
  expect((await search('dry')).mode).toBeUndefined()
  expect((await search('soil')).mode).toBeUndefined()
  expect(asked).toEqual(['one', 'four', 'dry', 'soil'])
})

test('searches do not wait again for a late provider until it answers, and its late answer is cached', async () => {
  const provider = Promise.withResolvers<(number[] | undefined)[]>()
  const { asked, search } = await withProvider(() => provider.promise, 20)
  expect(await search('dry')).toMatchObject({ mode: 'lexical', warnings: [LATE] })
  expect(await search('soil')).toMatchObject({ mode: 'lexical', warnings: [LATE] })
  expect(asked).toEqual(['dry'])
  provider.resolve(await plainAi().embed(['dry']))
  await provider.promise
  const answer = await search('dry')
  expect([answer.mode, answer.results[0].similarity]).toEqual([undefined, expect.any(Number)])
  expect(asked).toEqual(['dry'])
})

test('while the provider answers, the header is absent, and a query is embedded once', async () => {
  const { asked, search } = await withProvider(texts => plainAi().embed(texts))
  expect((await search('dry')).mode).toBeUndefined()
  expect((await search('dry')).mode).toBeUndefined()
  expect(asked).toEqual(['dry'])
})

test('after a late answer the next search waits again, and an answer in time ends the rest', async () => {
  const late = Promise.withResolvers<(number[] | undefined)[]>()
  let calls = 0
  const { search, asked } = await withProvider(texts => (++calls === 1 ? late.promise : plainAi().embed(texts)), 1_000)
  const first = search('dry')
  expect((await first).warnings).toEqual([LATE])
  late.resolve(await plainAi().embed(['dry']))
  await late.promise
  const second = await search('soil')
  expect([second.mode, second.warnings]).toEqual([undefined, undefined])
  expect(asked).toEqual(['dry', 'soil'])
})

test('while a late answer is awaited, further searches do not ask, and find titles by their words', async () => {
  const { id, search, asked } = await withProvider(() => new Promise(() => {}), 50)
  const found = await Promise.all(['weekly review', 'review weekly', 'weekly'].map(search))
  for (const answer of [...found, await search('Weekly Review')]) {
    const titled = { ...result(id), snippet: 'Weekly review' }
    expect(answer).toEqual({ status: 200, mode: 'lexical', results: [titled], warnings: [LATE] })
  }
  expect(asked.length).toBe(3)
})

test('fields that are unknown are named beside the meaning that was left out', async () => {
  const user = await newUser()
  const ai = plainAi({ embed: () => Promise.reject(new AiError('away', { final: false })) })
  const app = await buildTestApp({ ai })
  const headers = { authorization: `Bearer ${user.token}` }
  const payload = { query: 'dry', colour: 'red' }
  const reply = await app.inject({ method: 'POST', url: '/v1/sessions/search', headers, payload })
  expect(reply.json().warnings).toEqual([FAILED, expect.stringContaining('colour')])
})
