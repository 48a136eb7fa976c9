import { afterAll, expect, test } from 'vitest'
import { AiError } from '../../../src/platform/ai/ai.ts'
import { isLatin, selectContentWords } from '../../../src/platform/ai/embedder/content-words.ts'
import { openBundledEmbeddings } from '../../../src/platform/ai/embedder/local-embeddings.ts'
import { openThread } from '../../../src/platform/ai/thread.ts'
import { modelFolder } from '../../support/models.ts'

const embeddings = await openBundledEmbeddings(modelFolder)
afterAll(() => embeddings.close())

test('gives each text a vector of unit length and the named dimension, in order', async () => {
  const texts = Array.from({ length: 40 }, (_, at) => `Sentence number ${at} is about the budget.`)
  const vectors = await embeddings.embed(texts)
  expect(vectors.map(vector => vector?.length)).toEqual(texts.map(() => embeddings.embedder?.dimension))
  for (const vector of vectors) expect(Math.hypot(...vector!)).toBeCloseTo(1, 6)
  expect((await embeddings.embed([texts[33]!]))[0]).toEqual(vectors[33])
})

test('gives the same text the same vector, whatever stands beside it and whether it is a query', async () => {
  const text = 'The battery lasts two days.'
  const [alone] = await embeddings.embed([text])
  expect(await embeddings.embed(['Something longer that stands before it.', text])).toMatchObject([
    expect.anything(),
    alone
  ])
  expect(await embeddings.embed([text], undefined, 'query')).toEqual([alone])
})

test('puts a paraphrase closer than another subject', async () => {
  const [text, paraphrase, other] = await embeddings.embed([
    'How much does the new remote control cost?',
    'What is the price of the remote?',
    'The choir rehearses in the church every week.'
  ])
  expect(dot(text!, paraphrase!)).toBeGreaterThan(0.8)
  expect(dot(text!, other!)).toBeLessThan(0.1)
})

test.each([
  'ready',
  'Überraschung für José García',
  'Ada 你好',
  'x'.repeat(20_000),
  'well so '.repeat(500),
  '\u0000a\ud800'
])('gives the odd text %.12j a finite vector', async text => {
  const [vector] = await embeddings.embed([text])
  expect(vector!.every(Number.isFinite)).toBe(true)
  expect(Math.hypot(...vector!)).toBeCloseTo(1, 6)
})

test.each([
  '',
  '   ',
  '\n',
  '\u{1f600}',
  '2026-03-11',
  '你好',
  '我们今天讨论预算和设计方案 (budget)',
  'これは日本語の文章です',
  'Привет, как дела',
  'مرحبا كيف حالك'
])('gives %.12j no vector, since the model does not know such texts', async text => {
  expect(await embeddings.embed([text, 'budget'])).toEqual([undefined, expect.any(Array)])
  expect(isLatin(text)).toBe(false)
})

test('finds a long passage by what is said at its end', async () => {
  const chat =
    'Ada: So yes I think that we would all just be going on with it, and it is fine for me as it was for you. '.repeat(
      10
    )
  const [passage, without, query] = await embeddings.embed([
    `${chat}Ada: The solar panels on the roof produce electricity.`,
    `${chat}Ada: The singers of the choir practise a song.`,
    'electricity from solar panels'
  ])
  expect(dot(passage!, query!)).toBeGreaterThan(dot(without!, query!) + 0.1)
})

test('the content words of a passage are selected sentence by sentence, without the names of speakers', () => {
  expect(selectContentWords('Ada: The budget, and the BUDGET of the remote.\nBen: It’s {um} blue.')).toBe(
    'budget budget remote. blue'
  )
  expect(selectContentWords('So well, you know.')).toBe('so well you know')
  expect(
    selectContentWords(Array.from({ length: 1_000 }, (_, at) => `subject${at}`).join(' ')).split(' ')
  ).toHaveLength(256)
})

test('has no vectors for no texts', async () => {
  expect(await embeddings.embed([])).toEqual([])
})

test('stops when the signal aborts, and goes on working', async () => {
  const abort = new AbortController()
  const reason = new Error('no longer wanted')
  const texts = Array.from({ length: 200 }, (_, at) => `Passage ${at} about plans, costs, dates and people.`)
  const embedding = embeddings.embed(texts, abort.signal)
  abort.abort(reason)
  await expect(embedding).rejects.toBe(reason)
  await expect(embeddings.embed(['more'], abort.signal)).rejects.toBe(reason)
  await embeddings.check()
})

test('refuses after it was closed', async () => {
  const closed = await openBundledEmbeddings(modelFolder)
  await closed.close()
  await expect(closed.embed(['late'])).rejects.toBeInstanceOf(AiError)
})

test('a thread that dies fails what it was asked, and the next request gets another', async () => {
  const program = `import { parentPort } from 'node:worker_threads'
parentPort.on('message', message => {
  if (message === 'close') return parentPort.close()
  const { id, request } = message
  if (request === 'die') process.exit(3)
  parentPort.postMessage(request === 'fail' ? { error: 'out of order' } : { answer: request })
})`
  const thread = openThread<string, string>(new URL(`data:text/javascript,${encodeURIComponent(program)}`))
  expect(await thread.ask('one')).toBe('one')
  await expect(thread.ask('fail')).rejects.toMatchObject({
    name: 'AiError',
    final: false,
    message: expect.stringContaining('out of order')
  })
  const [first, second] = await Promise.allSettled([thread.ask('die'), thread.ask('behind it')])
  expect([first, second]).toMatchObject([
    { status: 'rejected', reason: { name: 'AiError', final: false } },
    { status: 'fulfilled', value: 'behind it' }
  ])
  expect(await thread.ask('two')).toBe('two')
  await thread.close()
})

function dot(a: number[], b: number[]) {
  return a.reduce((sum, value, at) => sum + value * b[at]!, 0)
}
