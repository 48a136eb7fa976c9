import { afterEach, beforeEach, expect, test } from 'vitest'
import { tokensOf } from '../../../src/platform/ai/openai/tokens.ts'
import { type AiServer, body, json, startAiServer, status, vectors, wordVector } from '../../support/ai-server.ts'
import { type ProviderSettings, providerAi } from '../../support/provider.ts'

let server: AiServer
beforeEach(async () => {
  server = await startAiServer()
})
afterEach(() => server.close())

const provider = (options?: ProviderSettings) => providerAi(server.url, options)

const inputs = () => server.requests.map(({ body }) => body.input)

test('each text gets a vector of unit length that points where the model says', async () => {
  const [vector] = await provider().embed(['hello world'])
  const raw = wordVector('hello world', 64)
  const norm = Math.hypot(...raw)
  expect(vector).toEqual(raw.map(value => expect.closeTo(value / norm, 12)))
  expect(Math.hypot(...vector!)).toBeCloseTo(1, 12)
})

test('the request names the model and asks for plain floats', async () => {
  await provider().embed(['hello'])
  expect(server.requests[0]!.body).toEqual({ model: 'e', input: ['hello'], encoding_format: 'float' })
})

test('the dimension is 0 until the first answer tells', async () => {
  const ai = provider()
  expect(ai.embedder).toEqual({ model: 'e', dimension: 0 })
  await ai.embed(['hello'])
  expect(ai.embedder?.dimension).toBe(64)
})

test('no texts make no request', async () => {
  expect(await provider().embed([])).toEqual([])
  expect(server.requests).toEqual([])
})

test('texts are sent in batches of a bounded count, and the vectors keep their order', async () => {
  const texts = Array.from({ length: 7 }, (_, at) => `text${at}`)
  const ai = provider({ batchCount: 3 })
  const together = await ai.embed(texts)
  expect(inputs().map(input => input!.length)).toEqual([3, 3, 1])
  expect(together[5]).toEqual((await ai.embed(['text5']))[0])
})

test('texts are sent in batches of bounded length', async () => {
  await provider().embed(Array.from({ length: 4 }, () => 'word '.repeat(4000)))
  expect(inputs().map(input => input!.length)).toEqual([3, 1])
})

test('vectors are ordered by their index', async () => {
  server.script(
    'embeddings',
    json({
      data: [
        { index: 1, embedding: [0, 2] },
        { index: 0, embedding: [3, 0] }
      ]
    })
  )
  expect(await provider().embed(['a', 'b'])).toEqual([
    [1, 0],
    [0, 1]
  ])
})

test('a text over the limit of the model is cut before it is sent', async () => {
  await provider({ textTokens: 10 }).embed(['a'.repeat(100), '漢'.repeat(100), `${'x'.repeat(39)}😀`])
  expect(inputs()).toEqual([['a'.repeat(40), '漢'.repeat(10), 'x'.repeat(39)]])
})

test('texts that the server finds too long are halved until it takes them', async () => {
  const tooLong = status(413, '`inputs` must have less than 512 tokens. Given: 1500')
  server.script('embeddings', tooLong, tooLong)
  await provider({ textTokens: 1000 }).embed(['word '.repeat(2000)])
  expect(inputs().map(input => tokensOf(input![0]!))).toEqual([1000, 500, 250])
})

test('an empty text, which servers refuse, is replaced; NUL and lone surrogates are left out', async () => {
  await provider().embed(['', ' \n', 'a\0b\ud800'])
  expect(inputs()).toEqual([['.', '.', 'ab']])
})

test.each([
  ['fewer vectors than texts', vectors([1, 0])],
  ['more vectors than texts', vectors([1, 0], [1, 0], [1, 0])],
  ['an index twice', json({ data: [0, 0].map(index => ({ index, embedding: [1] })) })],
  ['vectors of different dimensions', vectors([1, 0], [1, 0, 0])],
  ['null for not-a-number', vectors([1, null], [1, 0])],
  [
    'an infinite number',
    body('{"data":[{"index":0,"embedding":[1e999]},{"index":1,"embedding":[1]}]}', 'application/json')
  ],
  ['numbers too large to measure', vectors([1e300, 0], [1, 0])],
  ['a zero vector', vectors([0, 0], [1, 0])],
  ['an empty vector', vectors([], [])],
  ['base64 in place of numbers', vectors('AACAPw==', 'AACAPw==')],
  ['a web page', body('<html>Sign in</html>', 'text/html')]
])('an answer with %s ends in an error that is not final', async (_, reply) => {
  server.script('embeddings', reply)
  const ai = provider()
  const message = 'The embedding model e did not answer with one vector for each text.'
  await expect(ai.embed(['a', 'b'])).rejects.toMatchObject({ name: 'AiError', message, final: false })
  expect(ai.embedder?.dimension).toBe(0)
})

test('an answer of broken JSON ends in an error that is not final', async () => {
  server.script('embeddings', body('{"data": [', 'application/json'))
  await expect(provider().embed(['a'])).rejects.toMatchObject({
    message: 'The AI provider sent broken JSON.',
    final: false
  })
})

test('another dimension than before ends in a final error, and the known one stands', async () => {
  const ai = provider()
  await ai.embed(['a'])
  server.script('embeddings', vectors([1, 0]))
  await expect(ai.embed(['a'])).rejects.toMatchObject({
    message: expect.stringContaining('no longer answers with 64 dimensions'),
    final: true
  })
  expect(ai.embedder?.dimension).toBe(64)
})

test('a vector of a million numbers is measured like any other', async () => {
  server.script('embeddings', vectors(Array(1_000_000).fill(1)))
  const [vector] = await provider().embed(['a'])
  expect(vector![0]).toBeCloseTo(0.001, 12)
})

test('the prefix of the kind of text is sent before it, and that of passages is part of the name', async () => {
  const ai = provider({ prefixes: { query: 'query: ', passage: 'passage: ' } })
  await ai.embed(['soil'], undefined, 'query')
  await ai.embed(['soil'])
  expect(inputs()).toEqual([['query: soil'], ['passage: soil']])
  const nameOf = (query?: string, passage?: string) => provider({ prefixes: { query, passage } }).embedder?.model
  expect(ai.embedder?.model).toMatch(/^e\+[0-9a-f]{8}$/)
  expect(nameOf('other: ', 'passage: ')).toBe(ai.embedder?.model)
  expect(nameOf('query: ', 'other: ')).not.toBe(ai.embedder?.model)
  expect(nameOf('query: ')).toBe('e')
})
