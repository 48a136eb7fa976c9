import { describe, expect, test } from 'vitest'
import { newUser } from '../support/server.ts'

const said = (...texts: string[]) => ({
  language: 'en',
  segments: texts.map((text, at) => ({ speaker: at % 2 ? 'Ben' : 'Ada', start: at * 5, end: at * 5 + 5, text }))
})

describe('POST /v1/sessions/search', () => {
  test('answers with the session in which the words are said, the best first', async () => {
    const user = await newUser()
    await user.session({ title: 'Other', ...said('We water the tomatoes in the morning.', 'The soil is dry.') })
    const id = await user.session({
      title: 'Review',
      ...said('Good morning everyone.', 'The battery lasts two days.', 'Then we should print that on the box.')
    })
    const { status, body } = await user.post('/v1/sessions/search', { query: 'how long do batteries last' })
    expect(status).toBe(200)
    expect(body.query).toBe('how long do batteries last')
    expect(body.total).toBe(2)
    expect(body.results[0]).toEqual({
      id,
      title: 'Review',
      timestamp: null,
      type: 'import',
      similarity: expect.any(Number),
      snippet: 'Ben: The battery lasts two days. Ada: Then we should print that on the box.'
    })
  })
})
