import { queryObjects } from 'node:v8'
import { afterAll, expect, test } from 'vitest'
import { AiError } from '../../../src/platform/ai/ai.ts'
import { openSummarizer } from '../../../src/platform/ai/summarizer/open-summarizer.ts'
import { openThread, TimeLimitError } from '../../../src/platform/ai/thread.ts'

/** Answers at once, unless it is asked to hang: then it computes for ever, as an expression does that backtracks. */
const PROGRAM = `import { parentPort } from 'node:worker_threads'
parentPort.on('message', ({ request }) => {
  if (request === 'hang') for (;;) /^(a+)+$/.test('a'.repeat(40) + 'b')
  if (request === 'die') process.exit(3)
  parentPort.postMessage({ answer: request })
})`
/** Hangs on every conversation longer than the given number of characters, and summarises the others with how many it read. */
const hangsFrom = (characters: number) => `import { parentPort } from 'node:worker_threads'
parentPort.on('message', ({ request }) => {
  const read = request.characters ?? request.conversation.segments[0].text.length
  if (read >= ${characters}) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  parentPort.postMessage({ answer: { summary: String(read), actionItems: [], language: null } })
})`

/** Instead of the summarizer's programs: a thread of that source, and a process that hangs or fills its memory on conversations that say so. */
const programsOf = (source: string) => ({ usual: programOf(source), long: LONG_PROGRAM })
const LONG_PROGRAM = new URL('../../support/summary-program.ts', import.meta.url)
const programOf = (source: string) => new URL(`data:text/javascript,${encodeURIComponent(source)}`)
const program = programOf(PROGRAM)
const UNLIMITED_MS = 600_000
/** Also the time for the start of the thread or the process that answers after one that hung. */
const LIMIT_MS = 4_000

const opened: { close(): Promise<void> }[] = []
afterAll(() => Promise.all(opened.map(thread => thread.close())))

function open(limitMs: number) {
  const thread = openThread<string, string>(program, { limitMs })
  opened.push(thread)
  return thread
}

test('a request that is given up ends its thread, and the next one is answered by another', async () => {
  const thread = open(UNLIMITED_MS)
  const abort = new AbortController()
  const hanging = thread.ask('hang', abort.signal)
  const behind = thread.ask('behind it')
  abort.abort(new Error('given up'))
  await expect(hanging).rejects.toThrow('given up')
  expect(await behind).toBe('behind it')
})

test.concurrent('a request over its limit fails with that limit, and the next one is answered by another thread', async ({
  expect
}) => {
  const thread = open(LIMIT_MS)
  const hanging = thread.ask('hang')
  const behind = thread.ask('behind it')
  await expect(hanging).rejects.toEqual(new TimeLimitError(LIMIT_MS))
  expect(await behind).toBe('behind it')
})

test('a request that is given up while it waits is never begun, and the one before it is left alone', async () => {
  const thread = open(UNLIMITED_MS)
  const abort = new AbortController()
  const first = thread.ask('first')
  const waiting = thread.ask('hang', abort.signal)
  abort.abort(new Error('given up'))
  await expect(waiting).rejects.toThrow('given up')
  expect([await first, await thread.ask('next')]).toEqual(['first', 'next'])
})

test('requests that are given up leave nothing behind', async () => {
  class GivenUp extends Error {}
  const thread = open(UNLIMITED_MS)
  const ended = new AbortController()
  const first = thread.ask('hang', ended.signal).catch(() => {})
  for (let request = 0; request < 20; request++) {
    const abort = new AbortController()
    const waiting = thread.ask('never begun', abort.signal)
    abort.abort(new GivenUp())
    await waiting.catch(() => {})
  }
  ended.abort(new Error('given up'))
  await first
  expect(await thread.ask('next')).toBe('next')
  expect(queryObjects(GivenUp)).toBeLessThan(5)
})

test('requests of a lower rank are handled first, those of one rank in their order, and one in six is of the highest', async () => {
  const thread = open(UNLIMITED_MS)
  const handled: string[] = []
  const ranks = { first: 9, late: 16, later: 32, 'also later': 32, 1: 0, 2: 0, 3: 0, 4: 0, 5: 0, query: -1 }
  await Promise.all(
    Object.entries(ranks).map(async ([request, rank]) => handled.push(await thread.ask(request, undefined, rank)))
  )
  expect(handled).toEqual(['1', 'query', '2', '3', '4', 'later', '5', 'first', 'late', 'also later'])
})

test('a request that kills its thread fails alone', async () => {
  const thread = open(UNLIMITED_MS)
  const [first, second] = await Promise.allSettled([thread.ask('die'), thread.ask('behind it')])
  expect([first, second]).toMatchObject([
    { status: 'rejected', reason: { name: 'AiError', final: false } },
    { status: 'fulfilled', value: 'behind it' }
  ])
})

test('closing fails what is under way and what waits, and ends a thread that hangs', async () => {
  const thread = open(UNLIMITED_MS)
  const asked = Promise.allSettled([thread.ask('hang'), thread.ask('behind it')])
  await thread.close()
  expect((await asked).map(each => each.status === 'rejected' && each.reason instanceof AiError)).toEqual([true, true])
  await expect(thread.ask('late')).rejects.toBeInstanceOf(AiError)
})

const conversationOf = (characters: number, letter = 'h') => {
  const segments = [{ speaker: 'Ada', start: 0, end: 1, text: letter.repeat(characters) }]
  return { title: '', type: 'meeting', segments, language: null, day: '2026-03-04' }
}
const conversation = conversationOf(50_000)

test('a conversation of three hours does not wait for longer ones', async () => {
  const summaries = openSummarizer(programsOf(hangsFrom(200_001)), UNLIMITED_MS)
  opened.push(summaries)
  const aborted = new AbortController()
  const long = Array.from({ length: 3 }, () => summaries.summarize(conversationOf(200_001), aborted.signal))
  expect(await summaries.summarize(conversationOf(200_000))).toMatchObject({ summary: '200000' })
  aborted.abort()
  expect((await Promise.allSettled(long)).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
})

test.concurrent('of a conversation that takes too long, the first part is summarised', async () => {
  const summaries = openSummarizer(programsOf(hangsFrom(50_000)), LIMIT_MS)
  opened.push(summaries)
  expect(await summaries.summarize(conversation)).toEqual({ summary: '20000', actionItems: [], language: null })
})

test.concurrent.each([
  ['takes too long', 'h', LIMIT_MS],
  ['fills the memory of its process', 'f', UNLIMITED_MS]
])(
  'of a long conversation that %s, the first part is summarised, and the next one has a process again',
  async (_, letter, limitMs) => {
    const summaries = openSummarizer(programsOf(hangsFrom(50_000)), limitMs)
    opened.push(summaries)
    expect(await summaries.summarize(conversationOf(200_001, letter))).toMatchObject({ summary: '20000' })
    expect(await summaries.summarize(conversationOf(200_001, 'a'))).toMatchObject({ summary: '200001' })
  }
)

test('a conversation whose first part takes too long as well fails with the limit, and not for good', async () => {
  const summaries = openSummarizer(programsOf(hangsFrom(1)), 200)
  opened.push(summaries)
  await expect(summaries.summarize(conversation)).rejects.toMatchObject({ name: 'TimeLimitError', final: false })
})
