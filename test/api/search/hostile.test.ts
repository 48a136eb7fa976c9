// @module-tag both

import { expect, test } from 'vitest'
import { newUser } from '../../support/server.ts'

const SOIL = {
  language: 'en',
  segments: [{ speaker: 'Ada', start: 0, end: 4, text: 'The soil is dry, and 50% of the "tomatoes" are ripe.' }]
}

const REFUSED = {
  status: 400,
  body: { error: { code: 'invalid_request', message: 'query: send a text of 1 to 10000 characters' } }
}

async function search(query: string) {
  const user = await newUser()
  const id = await user.session(SOIL)
  const { status, body } = await user.post('/v1/sessions/search', { query, include_passages: true })
  return { status, body, id }
}

test.each([
  ['a hundred thousand characters', 'tomatoes '.repeat(12_000)],
  ['a hundred thousand without a blank', 'x'.repeat(100_000)],
  ['one character more than may be', '\u{1f345}'.repeat(10_001)]
])('%s is refused with what to send', async (_, query) => {
  const { status, body } = await search(query)
  expect({ status, body }).toEqual(REFUSED)
})

test('a megabyte is more than a search takes', async () => {
  expect((await search('tomatoes '.repeat(120_000))).status).toBe(413)
})

test('a query of 10,000 characters is accepted, even if each is escaped', async () => {
  const { app, token } = await newUser()
  const payload = `{"query":"${'\\ud83c\\udf45'.repeat(10_000)}"}`
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  expect((await app.inject({ method: 'POST', url: '/v1/sessions/search', headers, payload })).statusCode).toBe(200)
})

test.each([
  ['NUL', 'tomatoes\u0000'],
  ['half a surrogate pair', 'tomatoes \ud800']
])('%s is refused as in other requests', async (_, query) => {
  const { status, body } = await search(query)
  expect([status, body.error.code]).toEqual([400, 'invalid_request'])
  expect(body.error.message).toMatch(/^query: send text without NUL/)
})

test.each([
  ['only blanks', ' \t\n '],
  ['only punctuation', '?!… — "()" & | <-> :* %% \\ \'\''],
  ['only emoji', '\u{1f345}\u{1f345}\u200d\u{1f469}']
])('%s finds nothing', async (_, query) => {
  const { status, body } = await search(query)
  expect({ status, body }).toEqual({ status: 200, body: { query, results: [], total: 0 } })
})

test.each([
  ['only stop words', 'the of and to is it that'],
  ['as many characters as may be', 'tomatoes '.repeat(1_112).slice(0, 10_000).trim()],
  [
    'ten thousand different short words',
    Array.from({ length: 2_000 }, (_, at) => at.toString(36).padStart(4, 'z')).join(' ')
  ],
  ['one word of ten thousand characters', 'y'.repeat(10_000)],
  ['emoji as many as may be beside a word', `tomatoes ${'\u{1f345}'.repeat(9_000)}`],
  ['combining marks on end', `tomatoes${'\u0301'.repeat(5_000)}`],
  ['SQL', "tomatoes'; drop table sessions; --"],
  ['operators and quotes', '"tomatoes" & !soil | (dry:* <-> $1) \\'],
  ['a JSON path and a placeholder', '$.tomatoes $1 %s {0} __proto__ constructor toString'],
  ['other scripts', 'помидоры トマト 番茄 طماطم ตะวัน עגבניות टमाटर 토마토'],
  ['other writing directions', '\u202etomatoes\u202c \u200f'],
  ['wide letters', 'ｔｏｍａｔｏｅｓ'],
  ['markup', '<script>alert("tomatoes")</script>']
])('%s is a query like any other', async (_, query) => {
  const { status, body, id } = await search(query)
  expect(status).toBe(200)
  expect(body.query).toBe(query)
  expect(body.results).toEqual([
    {
      id,
      title: 'Weekly review',
      timestamp: null,
      type: 'import',
      similarity: expect.any(Number),
      snippet: 'Ada: The soil is dry, and 50% of the "tomatoes" are ripe.',
      passages: [{ start: 0, end: 4, speaker: 'Ada', text: expect.any(String), score: expect.any(Number) }]
    }
  ])
})

test('tags, folders and people are compared literally, with any characters', async () => {
  const user = await newUser()
  const tag = '\'; drop table sessions; -- %_{}"'
  const id = await user.session({ ...SOIL, tags: [tag] })
  await user.session(SOIL)
  const { body } = await user.post('/v1/sessions/search', { query: 'tomatoes', tags: [tag] })
  expect(body.results.map((result: { id: string }) => result.id)).toEqual([id])
  for (const name of ['folder', 'person']) {
    expect((await user.post('/v1/sessions/search', { query: 'tomatoes', [name]: tag })).status).toBe(404)
  }
})

const WORDS = Array.from({ length: 26_000 }, (_, at) => `w${at.toString(36)}`)
/** Each two neighbours meet only once: as squares modulo a prime, they determine their place. */
const HAN = Array.from({ length: 26_003 }, (_, at) => String.fromCodePoint(0x3400 + ((at * at) % 26_003)))

test.each([
  ['Latin words', WORDS.join(' '), 'tomatoes'],
  ['Chinese characters', HAN.join(''), '番茄']
])('search indexes the 20,000 most frequent words of a session of random %s', async (_, random, frequent) => {
  const user = await newUser()
  const id = await user.session({
    language: 'zh',
    segments: [{ speaker: 'Ada', start: 0, end: 4, text: `${random}. ${frequent}! ${frequent}!` }]
  })
  expect(await termsOf(user, 'said')).toBe(20_000)
  const { body } = await user.post('/v1/sessions/search', { query: frequent, include_passages: true })
  expect(body.results[0].passages[0].text).toContain(frequent)
  expect(body.results[0].id).toBe(id)
})

test('search indexes the 5,000 most frequent words of notes of random characters, and the words of the title', async () => {
  const user = await newUser()
  const id = await user.session({ title: 'Tomatoes' })
  expect((await user.patch(`/v1/sessions/${id}`, { notes: HAN.join('') })).status).toBe(200)
  expect(await termsOf(user, 'about')).toBe(5_000)
  const { body } = await user.post('/v1/sessions/search', { query: 'tomatoes' })
  expect(body.results[0].id).toBe(id)
})

test.each(['漢', '한', 'ก', 'a', '-'])(
  'notes of %s with thousands of different marks are accepted and found by their other words',
  async letter => {
    const user = await newUser()
    let random = 1
    const mark = () => {
      random = (random * 48_271) % 2_147_483_647
      return String.fromCodePoint(0xe0100 + (random % 239))
    }
    const marks = Array.from({ length: 9_000 }, mark).join('')
    const id = await user.session({ segments: [{ speaker: 'Ada', text: `${letter}${marks}${letter} tomatoes` }] })
    const notes = `${letter}${marks}${letter} potatoes`
    expect((await user.patch(`/v1/sessions/${id}`, { notes })).status).toBe(200)
    for (const query of ['tomatoes', 'potatoes']) {
      expect((await user.post('/v1/sessions/search', { query })).body.results).toMatchObject([{ id }])
    }
  }
)

async function termsOf({ db, id }: Awaited<ReturnType<typeof newUser>>, part: string) {
  const { rows } = await db.execute(
    `select count(*)::integer as terms from search_terms where user_id = '${id}' and part = '${part}'`
  )
  return rows[0]?.terms
}
