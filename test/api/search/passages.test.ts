// @module-tag both

import { expect, test } from 'vitest'
import { newUser } from '../../support/server.ts'

const CHAT = 'We talked about the weather and the traffic on the way here, as everybody does before anything starts. '

/** A conversation of several passages. */
function long(...points: string[]) {
  const segments = points.flatMap((point, at) => [
    { speaker: 'Ada', start: at * 100, end: at * 100 + 90, text: CHAT.repeat(12) },
    { speaker: 'Ben', start: at * 100 + 90, end: at * 100 + 95, text: point },
    { speaker: 'Cem', start: at * 100 + 95, end: at * 100 + 100, text: 'I see.' }
  ])
  return { language: 'en', segments }
}

const search = { query: 'zebra stripes', include_passages: true }

test('with `include_passages`, a result has its best passages, at most three, with time, speaker and words', async () => {
  const user = await newUser()
  const points = [
    'Zebras have stripes.',
    'Lions sleep.',
    'A zebra runs.',
    'Its stripes confuse flies.',
    'The zebra is no horse.'
  ]
  await user.session(long(...points))
  const { body } = await user.post('/v1/sessions/search', search)
  const passages = body.results[0].passages
  expect(passages).toHaveLength(3)
  expect(passages[0]).toEqual({
    start: expect.any(Number),
    end: expect.any(Number),
    speaker: 'Ben',
    text: expect.stringContaining('Ben: Zebras have stripes.'),
    score: expect.any(Number)
  })
  expect(passages[0].start).toBeLessThanOrEqual(90)
  expect(passages[0].end).toBeGreaterThanOrEqual(95)
  const scores = passages.map(({ score }: { score: number }) => score)
  expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a))
  for (const { text } of passages) expect(text).toMatch(/zebra|stripes/i)
})

test('without it, a result has no passages', async () => {
  const user = await newUser()
  await user.session(long('Zebras have stripes.'))
  const { body } = await user.post('/v1/sessions/search', { query: search.query })
  expect(body.results[0]).not.toHaveProperty('passages')
})

test('times are null if the source has none', async () => {
  const user = await newUser()
  await user.session({ language: 'en', segments: [{ speaker: 'Ben', text: 'Zebras have stripes.' }] })
  const { body } = await user.post('/v1/sessions/search', search)
  expect(body.results[0].passages).toEqual([
    { start: null, end: null, speaker: 'Ben', text: 'Ben: Zebras have stripes.', score: expect.any(Number) }
  ])
})

test('a snippet consists of the sentences that answer, with their speakers, in at most 300 characters', async () => {
  const user = await newUser()
  await user.session(
    long('It rained. Zebras have stripes! They are black, and white. Nobody knows why.', 'Lions sleep.')
  )
  const { body } = await user.post('/v1/sessions/search', { query: 'zebra stripes' })
  const { snippet } = body.results[0]
  expect(snippet).toMatch(
    /^Ben: Zebras have stripes! They are black, and white. Nobody knows why. Cem: I see. Ada: We talked .* starts\.$/
  )
  expect([...snippet].length).toBeLessThanOrEqual(300)
})

test('only a sentence longer than a snippet is cut, after a word', async () => {
  const user = await newUser()
  const sentence = `The zebra ${'and the horse '.repeat(60)}have stripes.`
  await user.session({ language: 'en', segments: [{ speaker: 'Ben', text: `Yes. ${sentence}` }] })
  const { body } = await user.post('/v1/sessions/search', { query: 'zebra stripes' })
  expect([...body.results[0].snippet].length).toBeLessThanOrEqual(300)
  expect(body.results[0].snippet).toMatch(/^Ben: The zebra and the horse .*(and|the|horse)…$/)
})
