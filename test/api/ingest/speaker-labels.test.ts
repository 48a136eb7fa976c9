import { expect, test } from 'vitest'
import { LIMITS } from '../../../src/contract/limits.ts'
import { newUser } from '../../support/server.ts'

const MAX = LIMITS.speakerLabels

const labelled = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ speaker: `Voice ${at}`, start: at, end: at + 1, text: `Words ${at}.` }))

interface Said {
  speaker: string
  text: string
}

test('an import with more speakers than a transcript has keeps the first, and each other label in the text', async () => {
  const user = await newUser()
  const { status, body } = await user.post('/v1/sessions', { title: 'Crowd', segments: labelled(MAX + 5) })
  expect([status, body.warnings]).toEqual([
    202,
    [
      `segments: a transcript has at most ${MAX} speakers, so the labels "Voice ${MAX - 1}", "Voice ${MAX}", "Voice ${MAX + 1}", 3 others are in the text of what they say`
    ]
  ])
  const { segments } = (await user.get(`/v1/sessions/${body.id}/transcript`)).body as { segments: Said[] }
  expect(new Set(segments.map(({ speaker }) => speaker)).size).toBe(MAX)
  expect(segments[MAX - 2]).toMatchObject({ speaker: `Voice ${MAX - 2}`, text: `Words ${MAX - 2}.` })
  expect(segments[MAX - 1]).toMatchObject({ speaker: 'Speaker', text: `Voice ${MAX - 1}: Words ${MAX - 1}.` })
  expect(segments[MAX + 4]).toMatchObject({ speaker: 'Speaker', text: `Voice ${MAX + 4}: Words ${MAX + 4}.` })
})

test('an import with as many speakers as a transcript has keeps them all, without a warning', async () => {
  const user = await newUser()
  const { body } = await user.post('/v1/sessions', { title: 'Many', segments: labelled(MAX) })
  expect(body.warnings).toBeUndefined()
  const { segments } = (await user.get(`/v1/sessions/${body.id}/transcript`)).body as { segments: Said[] }
  expect(new Set(segments.map(({ speaker }) => speaker)).size).toBe(MAX)
})

test('of too many speakers, those whose person the source names stay', async () => {
  const user = await newUser()
  const last = `Voice ${MAX + 4}`
  const speakers = [{ label: last, person: 'Ada Lovelace' }]
  const { body } = await user.post('/v1/sessions', { title: 'Crowd', speakers, segments: labelled(MAX + 5) })
  const { segments } = (await user.get(`/v1/sessions/${body.id}/transcript`)).body as { segments: Said[] }
  expect(segments.at(-1)).toMatchObject({ speaker: 'Ada Lovelace', text: `Words ${MAX + 4}.` })
})
