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
    return { status: reply.statusCode, mode: reply.headers['x-search-mode'], results: reply.json().results }
  }
  const pass = (seconds: number) => {
    now += seconds * 1_000
  }
  return { id, asked, search, pass }
}

const result = (id: string) => ({
  id,
  title: 'Weekly review',
  timestamp: null,
  type: 'import',
  snippet: 'Ada: The soil is dry.'
})

test('while the provider of embeddings is away, search compares terms only, and the header says so', async () => {
  const { id, search } = await withProvider(() => Promise.reject(new AiError('away', { final: false })))
  expect(await search('dry soils')).toEqual({ status: 200, mode: 'lexical', results: [result(id)] })
  expect(await search('submarine')).toEqual({ status: 200, mode: 'lexical', results: [] })
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
  expect((await search('dry')).mode).toBe('lexical')
  expect((await search('soil')).mode).toBe('lexical')
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
