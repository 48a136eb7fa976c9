// @module-tag postgres
import { rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { goodVectors, startAiServer, status } from '../support/ai-server.ts'
import { command, commandJson } from '../support/command.ts'
import { writeModelFolder } from '../support/model-folder.ts'
import {
  type Environment,
  endOf,
  fileIn,
  jsonLines,
  migratedDatabase,
  newOwner,
  type Place,
  rowsOf,
  type Serving,
  serve,
  start,
  temporaryFolder,
  until
} from '../support/process.ts'

type Owner = Awaited<ReturnType<typeof newOwner>>

const SLOW = { timeout: 300_000 }
const SESSION = { title: 'soil', snippet: expect.stringContaining('The soil is dry.') }

const COMMON = { SEARCH_WAIT_MS: '60000', LOG_LEVEL: 'warn', RATE_LIMIT_PER_MINUTE: '1000000' }

/** A server with these settings and an owner with one completed session, imported by it. */
async function serveWith(
  settings: Environment,
  place?: Place,
  lines = 'Ada: The soil is dry.\nBen: Let us water it.\n'
) {
  place ??= await migratedDatabase()
  const environment = { ...place.environment, ...COMMON, ...settings }
  const server = await serve({ environment })
  const owner = await newOwner(place)
  const file = fileIn(temporaryFolder(), 'soil.txt', lines)
  await commandJson({ environment }, 'import', '--user', owner.email, '--wait', file)
  const checkEmbeddings = async () =>
    (await commandJson({ environment }, 'doctor')).find(({ check }) => check === 'embeddings')
  return { server, owner, place, checkEmbeddings }
}

async function search({ url }: Serving, { token }: Owner, query: string) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', connection: 'close' }
  const reply = await fetch(`${url}/v1/sessions/search`, { method: 'POST', headers, body: JSON.stringify({ query }) })
  const { results } = (await reply.json()) as { results: unknown[] }
  return { status: reply.status, mode: reply.headers.get('x-search-mode'), results }
}

/** The results of a query once the server has its embedding: on a busy machine a model of its own may be late at first. */
async function searchByMeaning(server: Serving, owner: Owner, query: string) {
  return await until('the query has an embedding', async () => {
    const { mode, results } = await search(server, owner, query)
    return mode === null && results
  })
}

/** The models that have made the embeddings of the place. */
async function modelsIn(place: Place) {
  return (await rowsOf(place, 'select distinct model from embeddings order by model')).map(({ model }) => model)
}

/** A server that answers for embeddings alone, as Text Embeddings Inference does. */
async function startEmbeddingServer() {
  const provider = await startAiServer()
  onTestFinished(() => provider.close())
  provider.answer('chat', status(404, 'Not Found'))
  return provider
}

test('EMBEDDING_MODEL=none: imports complete, search compares terms only, and no embedding is made', SLOW, async () => {
  const { server, owner, place, checkEmbeddings } = await serveWith({ EMBEDDING_MODEL: 'none' })
  expect(await search(server, owner, 'dry soils')).toEqual({
    status: 200,
    mode: 'lexical',
    results: [expect.objectContaining(SESSION)]
  })
  expect(await search(server, owner, 'submarine')).toEqual({ status: 200, mode: 'lexical', results: [] })
  expect(await modelsIn(place)).toEqual([])
  expect(await checkEmbeddings()).toEqual({ check: 'embeddings', ok: true, detail: 'search by terms alone' })
  expect(server.output.stdout).not.toContain('Search compares terms only')
})

test(
  'a provider of embeddings works beside offline summaries, and gets its own key and the prefix of each text',
  SLOW,
  async () => {
    const provider = await startEmbeddingServer()
    const { server, owner, place, checkEmbeddings } = await serveWith({
      EMBEDDING_BASE_URL: provider.url,
      EMBEDDING_MODEL: 'e5',
      EMBEDDING_API_KEY: 'key-of-embeddings',
      EMBEDDING_QUERY_PREFIX: 'query: ',
      EMBEDDING_PASSAGE_PREFIX: 'passage: '
    })
    expect(await search(server, owner, 'dry soil')).toEqual({
      status: 200,
      mode: null,
      results: [expect.objectContaining({ ...SESSION, similarity: expect.any(Number) })]
    })
    expect(
      provider.requests.map(({ endpoint, headers, body }) => [endpoint, headers.authorization, body.model, body.input])
    ).toEqual([
      ['embeddings', 'Bearer key-of-embeddings', 'e5', ['passage: Ada: The soil is dry.\nBen: Let us water it.']],
      ['embeddings', 'Bearer key-of-embeddings', 'e5', ['query: dry soil']]
    ])
    expect(await modelsIn(place)).toEqual([expect.stringMatching(/^e5\+[0-9a-f]{8}$/)])
    expect(await checkEmbeddings()).toMatchObject({
      ok: true,
      detail: expect.stringMatching(/^e5\+\S+ at http:/)
    })
  }
)

test('a provider of embeddings without a key gets none, not even that of the provider of summaries', SLOW, async () => {
  const [summaries, embeddings] = [await startAiServer(), await startEmbeddingServer()]
  onTestFinished(() => summaries.close())
  const { server, owner, place } = await serveWith({
    OPENAI_API_KEY: 'sk-summaries',
    OPENAI_BASE_URL: summaries.url,
    EMBEDDING_BASE_URL: embeddings.url,
    EMBEDDING_MODEL: 'e5'
  })
  expect((await search(server, owner, 'dry soil')).mode).toBeNull()
  expect(await modelsIn(place)).toEqual(['e5'])
  expect(new Set(embeddings.requests.map(({ endpoint, headers }) => [endpoint, headers.authorization].join()))).toEqual(
    new Set(['embeddings,'])
  )
  expect(new Set(summaries.requests.map(({ endpoint }) => endpoint))).toEqual(new Set(['chat']))
})

test('embeddings of another model are made in the background, and search compares terms meanwhile', SLOW, async () => {
  const provider = await startEmbeddingServer()
  const place = await migratedDatabase()
  const settings = { EMBEDDING_BASE_URL: provider.url, EMBEDDING_MODEL: 'e5' }
  const { server, owner } = await serveWith(settings, place)
  server.kill('SIGTERM')
  await server.ended

  const held = Promise.withResolvers<void>()
  provider.answer('embeddings', (request, response) => {
    const kept = request.body.input?.some(text => text.startsWith('passage: ')) ? held.promise : Promise.resolve()
    void kept.then(() => goodVectors(request, response))
  })
  const environment = { ...place.environment, ...COMMON, ...settings, EMBEDDING_PASSAGE_PREFIX: 'passage: ' }
  const next = await serve({ environment })
  const byWords = expect.not.objectContaining({ similarity: expect.anything() })
  expect(await search(next, owner, 'dry soil')).toEqual({ status: 200, mode: null, results: [byWords] })
  held.resolve()
  await until('only embeddings of the new prefix are left', async () => {
    const [name, another] = await modelsIn(place)
    return name !== 'e5' && !another
  })
  const { results } = await search(next, owner, 'dry soil')
  expect(results).toEqual([expect.objectContaining({ ...SESSION, similarity: expect.any(Number) })])
})

test('a model of a folder embeds texts in every script; other weights are another model', SLOW, async () => {
  const place = await migratedDatabase()
  const folder = writeModelFolder(join(temporaryFolder(), 'e5'))
  const lines = 'Ада: Почва сухая.\n'
  const { server, owner, checkEmbeddings } = await serveWith({ EMBEDDING_MODEL: folder }, place, lines)
  const similar = [expect.objectContaining({ title: 'soil', similarity: expect.any(Number) })]
  expect(await searchByMeaning(server, owner, 'сухая')).toEqual(similar)
  const [name] = await modelsIn(place)
  expect(name).toMatch(/^local-[0-9a-f]{16}$/)
  expect(await checkEmbeddings()).toEqual({
    check: 'embeddings',
    ok: true,
    detail: `${name} of ${folder}`
  })
  server.kill('SIGTERM')
  await server.ended

  writeModelFolder(folder, { seed: 2 })
  const next = await serve({ environment: { ...place.environment, ...COMMON, EMBEDDING_MODEL: folder } })
  await until('the embeddings are those of the other weights', async () => {
    const [other, another] = await modelsIn(place)
    return other !== name && !another
  })
  expect(await searchByMeaning(next, owner, 'сухая')).toEqual(similar)
})

test.each<[string, (folder: string) => void, string]>([
  [
    'is not there',
    folder => rmSync(folder, { recursive: true }),
    'there is no folder FOLDER; download a model into it, or correct the path'
  ],
  [
    'misses a file',
    folder => rmSync(join(folder, 'tokenizer.json')),
    'FOLDER has no tokenizer.json; download all files of the model again'
  ],
  [
    'is damaged',
    folder => truncateSync(join(folder, 'onnx/model.onnx'), 300),
    'the model in FOLDER does not work; download it again, or choose another one ('
  ]
])(
  'with a folder that %s the server does not start, and it and doctor say what to do',
  SLOW,
  async (_, spoil, sentence) => {
    const folder = writeModelFolder(join(temporaryFolder(), 'e5'))
    spoil(folder)
    const { environment } = await migratedDatabase()
    const settings = { ...environment, EMBEDDING_MODEL: folder, LOG_LEVEL: 'warn' }
    const said = `EMBEDDING_MODEL: ${sentence.replace('FOLDER', folder)}`
    const { code, stdout, stderr } = await endOf(start(settings, ['serve']))
    expect({ code, stdout, lines: stderr.split('\n').length }).toEqual({ code: 1, stdout: '', lines: 2 })
    expect(stderr).toContain(said)
    const checked = await command({ environment: settings }, 'doctor', '--json')
    expect(checked).toMatchObject({ code: 1, stderr: 'Not working: embeddings\n' })
    expect(jsonLines(checked.stdout)).toContainEqual({
      check: 'embeddings',
      ok: false,
      detail: expect.stringContaining(said)
    })
  }
)

test(
  "a provider's model without a provider is a warning, and the bundled model computes embeddings",
  SLOW,
  async () => {
    const { server, owner, place, checkEmbeddings } = await serveWith({ EMBEDDING_MODEL: 'text-embedding-3-small' })
    expect(await searchByMeaning(server, owner, 'dry soil')).toHaveLength(1)
    expect(await modelsIn(place)).toEqual(['all-MiniLM-L6-v2-int8-2'])
    expect(server.output.stdout).toContain(
      "EMBEDDING_MODEL: text-embedding-3-small is the name of a provider's model and no provider is set"
    )
    expect(await checkEmbeddings()).toMatchObject({
      ok: true,
      detail: expect.stringContaining('all-MiniLM-L6-v2-int8-2 (EMBEDDING_MODEL: ')
    })
  }
)
