import { isDeepStrictEqual } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { AiError } from '../../src/ai/ai.ts'
import { shortenQuery, toModelInputs } from '../../src/ai/embedder/model-input.ts'
import { offlineAi } from '../../src/ai/offline.ts'
import { openThread } from '../../src/ai/thread.ts'

const ai = offlineAi()
afterAll(() => ai.close())

test('gives each text a vector of unit length and the named dimension, in order', async () => {
  const texts = Array.from({ length: 40 }, (_, at) => `Sentence number ${at} is about the budget.`)
  const vectors = await ai.embed(texts)
  expect(vectors.map(vector => vector.length)).toEqual(texts.map(() => ai.embedder.dimension))
  for (const vector of vectors) expect(Math.hypot(...vector)).toBeCloseTo(1, 6)
  expect((await ai.embed([texts[33]!]))[0]).toEqual(vectors[33])
})

test('gives the same text the same vector, whatever stands beside it', async () => {
  const [alone] = await ai.embed(['The battery lasts two days.'])
  const [again] = await ai.embed(['The battery lasts two days.'])
  const [, among] = await ai.embed(['Something longer that stands before it in the batch.', 'The battery lasts two days.'])
  expect(again).toEqual(alone)
  expect(dot(among!, alone!)).toBeCloseTo(1, 6)
})

test('puts a paraphrase closer than another subject', async () => {
  const [text, paraphrase, other] = await ai.embed([
    'How much does the new remote control cost?',
    'What is the price of the remote?',
    'The choir rehearses in the church every week.'
  ])
  expect(dot(text!, paraphrase!)).toBeGreaterThan(dot(text!, other!) + 0.2)
})

test.each(['', '   ', '\n', '\u{1f600}', '你好', 'x'.repeat(20_000), `${'well so '.repeat(500)}`])(
  'gives the odd text %.12j a finite vector',
  async text => {
    const [vector] = await ai.embed([text])
    expect(vector!.every(Number.isFinite)).toBe(true)
    expect(Math.hypot(...vector!)).toBeCloseTo(1, 6)
  }
)

test('finds a long passage by what is said at its end', async () => {
  const chat = 'Ada: So yes I think that we would all just be going on with it, and it is fine for me as it was for you. '.repeat(10)
  const [passage, without, query] = await ai.embed([
    `${chat}Ada: The solar panels on the roof produce electricity.`,
    `${chat}Ada: The singers of the choir practise a song.`,
    'electricity from solar panels'
  ])
  expect(dot(passage!, query!)).toBeGreaterThan(dot(without!, query!) + 0.1)
})

test('reads a passage in parts that the model reads to their ends', () => {
  const passage = Array.from({ length: 150 }, (_, at) => `the subject${at}`).join(' ')
  const parts = toModelInputs(passage)
  expect(parts.map(part => part.split(' ').length)).toEqual([50, 50, 50])
  expect(parts.join(' ')).not.toContain('the ')
})

test('has no vectors for no texts', async () => {
  expect(await ai.embed([])).toEqual([])
})

test('stops when the signal aborts, and goes on working', async () => {
  const abort = new AbortController()
  const reason = new Error('no longer wanted')
  const texts = Array.from({ length: 200 }, (_, at) => `Passage ${at} about plans, costs, dates and people.`)
  const embedding = ai.embed(texts, abort.signal)
  abort.abort(reason)
  await expect(embedding).rejects.toBe(reason)
  await expect(ai.embed(['more'], abort.signal)).rejects.toBe(reason)
  await ai.check()
})

test('refuses after it was closed', async () => {
  const closed = offlineAi()
  await closed.close()
  await expect(closed.embed(['late'])).rejects.toBeInstanceOf(AiError)
})

test('a thread that dies fails what it was asked, and the next request gets another', async () => {
  const program = `import { parentPort } from 'node:worker_threads'
parentPort.on('message', ({ id, request }) => {
  if (request === 'die') process.exit(3)
  parentPort.postMessage(request === 'fail' ? { id, error: 'out of order' } : { id, answer: request })
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

test('of a query as much is compared as the model reads at once: what is short whole, of what is long the telling words', () => {
  expect(shortenQuery('what did the team say about the budget')).toBe('what did the team say about the budget')
  const long = shortenQuery('What did the committee think about the budget of the remote control? '.repeat(50))
  expect(long.startsWith('committee think budget remote control committee')).toBe(true)
  expect(toModelInputs(long)).toHaveLength(1)
  for (const odd of ['a'.repeat(4_000), '🎈'.repeat(2_000), '我们今天讨论预算和设计方案'.repeat(300), '?! '.repeat(1_300)]) {
    const short = shortenQuery(odd)
    expect([...short].length).toBeLessThanOrEqual(124)
    expect(odd.startsWith(short) && short.isWellFormed()).toBe(true)
    expect(toModelInputs(short)).toHaveLength(1)
  }
})

test('a query is compared as a passage is, and of a long one as much as takes half as long, or a quarter if it is of no known words', async () => {
  const asked = async (query: string) => (await ai.embed([query], undefined, 'query'))[0]
  const question = 'What did the team say about the budget?'
  expect(await asked(question)).toEqual((await ai.embed([question]))[0])

  const isRead = async (words: string[], place: number) =>
    !isDeepStrictEqual(await asked(words.join(' ')), await asked(words.with(place, 'budget').join(' ')))
  const known = Array.from({ length: 60 }, () => 'remotely')
  expect(await Promise.all([0, 31, 32, 59].map(place => isRead(known, place)))).toEqual([true, true, false, false])
  const unknown = Array.from({ length: 60 }, (_, at) => `qxzv${at + 100}kw`)
  expect(await Promise.all([0, 3, 5, 59].map(place => isRead(unknown, place)))).toEqual([true, true, false, false])
})

function dot(a: number[], b: number[]) {
  return a.reduce((sum, value, at) => sum + value * b[at]!, 0)
}
