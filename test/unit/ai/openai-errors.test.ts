import { test as base, expect } from 'vitest'
import {
  type AiReply,
  type AiServer,
  body,
  drip,
  flood,
  hang,
  json,
  reset,
  startAiServer,
  status
} from '../../support/ai-server.ts'
import { type ProviderSettings, providerAi, providerEmbeddings } from '../../support/provider.ts'

interface Provided {
  server: AiServer
  provider: (options?: ProviderSettings) => ReturnType<typeof providerAi>
}

/** At once, because most wait: for another try, or for a time-out. Each has a server of its own. */
const test = base.extend<Provided>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern what a fixture needs
  server: async ({}, use) => {
    const server = await startAiServer()
    await use(server)
    await server.close()
  },
  provider: ({ server }, use) => use(options => providerAi(server.url, options))
}).concurrent

const conversation = {
  title: 'Weekly',
  type: 'meeting',
  segments: [{ speaker: 'Ada', text: 'The launch code is swordfish.', start: 0, end: 1 }],
  language: null,
  day: '2026-03-02'
}

test.for<[string, AiReply]>([
  ['500', status(500, 'oops')],
  [
    '503 with a web page',
    (_, response) =>
      void response.writeHead(503, { 'content-type': 'text/html', 'retry-after-ms': '1' }).end('<h1>Busy</h1>')
  ],
  ['429', status(429, 'slow down')],
  ['408', status(408, 'late')],
  ['409', status(409, 'locked')],
  ['a reset connection', reset]
])('%s is met with two more tries', async ([_, fault], { server, provider }) => {
  server.script('embeddings', fault, fault)
  expect(await provider().embed(['a'])).toHaveLength(1)
  expect(server.requests).toHaveLength(3)
})

test.for<[string, AiReply, unknown]>([
  ['500', status(500, 'oops'), 'The AI provider answered 500: oops'],
  ['429', status(429, 'slow down'), 'The AI provider answered 429: slow down'],
  [
    'a reset connection',
    reset,
    expect.stringMatching(
      /^The AI provider closes the connection \((ECONNRESET|UND_ERR_SOCKET)\); start it, or correct OPENAI_BASE_URL\.$/
    )
  ]
])('%s three times in a row ends in an error that is not final', async ([_, fault, message], { server, provider }) => {
  server.answer('embeddings', fault)
  await expect(provider().embed(['a'])).rejects.toMatchObject({ name: 'AiError', message, final: false })
  expect(server.requests).toHaveLength(3)
})

test('a provider that is not there ends in an error that is not final', async ({ server, provider }) => {
  const ai = provider()
  await server.close()
  await expect(ai.embed(['a'])).rejects.toMatchObject({
    message: 'The AI provider refuses the connection (ECONNREFUSED); start it, or correct OPENAI_BASE_URL.',
    final: false
  })
})

test.for<[number, string, string]>([
  [400, 'Bad parameter', 'The AI provider answered 400: Bad parameter'],
  [401, 'Incorrect API key', 'The AI provider answered 401 (check OPENAI_API_KEY): Incorrect API key'],
  [403, 'Not in your country', 'The AI provider answered 403 (check OPENAI_API_KEY): Not in your country'],
  [
    404,
    'The model e does not exist',
    'The AI provider answered 404 (check OPENAI_BASE_URL and the name of the model): The model e does not exist'
  ]
])('%i is final and asked once', async ([code, reason, message], { server, provider }) => {
  server.answer('embeddings', status(code, reason))
  await expect(provider().embed(['a'])).rejects.toMatchObject({ name: 'AiError', message, final: true })
  expect(server.requests).toHaveLength(1)
})

test('a redirect is not followed', async ({ server }) => {
  server.answer('embeddings', status(302, 'Moved', { location: `${server.url}/models` }))
  await expect(providerEmbeddings(server.url).check()).rejects.toMatchObject({
    message: 'The connection to the AI provider failed (unexpected redirect).'
  })
  expect(server.requests).toHaveLength(1)
})

test('402, which money can change, is not final and asked once', async ({ server, provider }) => {
  server.answer('embeddings', status(402, 'No credits left'))
  await expect(provider().embed(['a'])).rejects.toMatchObject({
    message: 'The AI provider answered 402: No credits left',
    final: false
  })
  expect(server.requests).toHaveLength(1)
})

test.for<[string, string]>([
  ['error', '{"error":"no such model"}'],
  ['message', '{"object":"error","message":"no such model","code":404}'],
  ['detail', '{"detail":"no such model"}'],
  ['a list of details', '{"detail":[{"loc":["body"],"msg":"no such model","input":"secret"}]}'],
  ['plain text', 'no such model']
])('the reason is found in %s', async ([_, text], { server, provider }) => {
  server.answer('embeddings', (request, response) => {
    response.statusCode = 400
    body(text, 'application/json')(request, response)
  })
  await expect(provider().embed(['a'])).rejects.toThrow(/^The AI provider answered 400: .*no such model/)
})

test('an empty refusal says that no reason was given', async ({ server, provider }) => {
  server.answer('embeddings', (_, response) => void response.writeHead(400).end())
  await expect(provider().embed(['a'])).rejects.toThrow('The AI provider answered 400: status code (no body)')
})

test('the reason is one line of at most 300 characters without the key', async ({ server, provider }) => {
  server.answer('embeddings', status(401, `Key\n\u001b[31msk-test-key is wrong. ${'x'.repeat(1000)}`))
  const fault = await provider()
    .embed(['a'])
    .catch((thrown: Error) => thrown.message)
  expect(fault).toBe(
    `The AI provider answered 401 (check OPENAI_API_KEY): ${`Key [31m*** is wrong. ${'x'.repeat(1000)}`.slice(0, 300)}`
  )
})

test('a reason that repeats what users said is left out', async ({ server, provider }) => {
  server.answer('chat', status(400, 'Cannot parse "The launch code is swordfish."'))
  const fault: unknown = await provider()
    .summarize(conversation)
    .catch((thrown: unknown) => thrown)
  expect(fault).toMatchObject({
    message: 'The AI provider answered 400: its reason repeats the input and is left out',
    final: true,
    cause: undefined
  })
})

test.for<[string, string, string, boolean]>([
  ['a short query', 'Eve’s cancer', 'Cannot parse "Eve’s cancer"', false],
  ['a line of a passage', 'Ada: Good.\nBen: Sack Eve.', "input_value='Ben: Sack Eve.'", false],
  ['two characters', '癌症', "Value error, input '癌症' is not allowed", false],
  [
    'the beginning of a longer one at its end',
    'The code is swordfish.',
    `${'x'.repeat(288)} The code is swordfish.`,
    false
  ],
  ['a letter within words only', 'a', 'no such model', true]
])(
  'a reason with %s that was embedded is left out, unless it is no word there',
  async ([_, text, reason, isShown], { server, provider }) => {
    server.answer('embeddings', status(400, reason))
    const message = `The AI provider answered 400: ${isShown ? reason : 'its reason repeats the input and is left out'}`
    await expect(provider().embed([text])).rejects.toMatchObject({ message })
  }
)

test.for<[string, AiReply]>([
  ['400', stalling(400)],
  ['500', stalling(500)]
])('a provider whose %s never ends is given up', async ([code, reply], { server, provider }) => {
  server.answer('embeddings', reply)
  // The status must arrive within that time.
  await expect(provider({ timeoutMs: 2_000 }).embed(['a'])).rejects.toThrow(
    `The AI provider answered ${code}: terminated`
  )
})

/** A refusal whose body stops halfway. */
function stalling(code: number): AiReply {
  return (_, response) =>
    void response.writeHead(code, { 'content-type': 'application/json', 'retry-after-ms': '1' }).write('{"error":')
}

test.for<[string, AiReply]>([
  ['hangs', hang],
  ['drips', drip]
])('a provider that %s is given up at the time-out of the third attempt', async ([_, reply], { server, provider }) => {
  server.answer('embeddings', reply)
  server.answer('chat', reply)
  const ai = provider({ timeoutMs: 200 })
  const outcome = { message: 'The AI provider did not answer in time.', final: false }
  await Promise.all([
    expect(ai.embed(['a'])).rejects.toMatchObject(outcome),
    expect(ai.summarize(conversation)).rejects.toMatchObject(outcome)
  ])
})

test('an endless body is given up at the size limit, without another try', async ({ server, provider }) => {
  server.answer('embeddings', flood)
  await expect(provider({ maxResponseBytes: 100_000 }).embed(['a'])).rejects.toMatchObject({
    message: 'The connection to the AI provider failed (UND_ERR_RES_EXCEEDED_MAX_SIZE).',
    final: false
  })
  expect(server.requests).toHaveLength(1)
})

test('the connection of an abandoned request is closed', async ({ server, provider }) => {
  const closed = new Promise(resolve =>
    server.answer('embeddings', (_, response) => void response.on('close', resolve))
  )
  await expect(provider({ timeoutMs: 200 }).embed(['a'])).rejects.toThrow('did not answer')
  await closed
})

test('an abort ends the request with its own reason', async ({ server, provider }) => {
  const abort = new AbortController()
  server.answer('embeddings', () => abort.abort(new Error('shutting down')))
  await expect(provider().embed(['a'], abort.signal)).rejects.toThrow('shutting down')
  expect(server.requests).toHaveLength(1)
})

test('the settings of a provider of embeddings alone are named where they may be wrong', async ({
  server,
  provider
}) => {
  server.script('embeddings', status(401, 'No'), status(404, 'No'))
  const ai = provider({ settings: 'EMBEDDING' })
  await expect(ai.embed(['a'])).rejects.toThrow('(check EMBEDDING_API_KEY)')
  await expect(ai.embed(['a'])).rejects.toThrow('(check EMBEDDING_BASE_URL and the name of the model)')
})

test('an abort ends the wait before another try', async ({ server, provider }) => {
  const abort = new AbortController()
  server.answer('chat', (request, response) => {
    response.on('close', () => setTimeout(() => abort.abort(new Error('shutting down')), 20))
    status(503, 'busy', { 'retry-after': '20' })(request, response)
  })
  await expect(provider().summarize(conversation, abort.signal)).rejects.toThrow('shutting down')
  expect(server.requests).toHaveLength(1)
})

test('a signal already aborted sends nothing', async ({ server, provider }) => {
  await expect(provider().embed(['a'], AbortSignal.abort(new Error('shutting down')))).rejects.toThrow('shutting down')
  expect(server.requests).toEqual([])
})

test('the check embeds a word with the key and the model', async ({ server }) => {
  await providerEmbeddings(server.url).check()
  expect(
    server.requests.map(({ endpoint, headers, body }) => [endpoint, headers.authorization, body.model, body.input])
  ).toEqual([['embeddings', 'Bearer sk-test-key', 'e', ['Parlance']]])
})

test.for<[string, AiReply]>([
  ['a wrong key', status(401, 'Incorrect API key')],
  ['an unknown model', status(404, 'No such model')],
  ['an ailing provider', status(500, 'oops')],
  ['a web page', body('<html>Hello</html>', 'text/html')],
  ['JSON that is none', body('{', 'application/json')],
  ['a bare null', json(null)]
])('the check fails on %s, after one try', async ([_, reply], { server }) => {
  server.answer('embeddings', reply)
  await expect(providerEmbeddings(server.url).check()).rejects.toMatchObject({ name: 'AiError' })
  expect(server.requests).toHaveLength(1)
})

test('organization and project of the environment are not sent', async ({ server }) => {
  process.env.OPENAI_ORG_ID = 'org-stray'
  await providerEmbeddings(server.url).check()
  delete process.env.OPENAI_ORG_ID
  expect(server.requests[0]!.headers['openai-organization']).toBeUndefined()
})

test('a request in flight ends when the provider is closed', async ({ server, provider }) => {
  const ai = provider()
  server.answer('embeddings', () => void ai.close())
  await expect(ai.embed(['a'])).rejects.toMatchObject({ name: 'AiError', final: false })
})
