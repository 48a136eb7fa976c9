import { afterEach, beforeEach, expect, test } from 'vitest'
import { contextTokensOf, partTokensOf } from '../../../src/platform/ai/openai/context.ts'
import { partsOf } from '../../../src/platform/ai/openai/lines.ts'
import { type AiServer, completion, startAiServer, status } from '../../support/ai-server.ts'
import { at, conversation, item, minutes, said } from '../../support/minutes.ts'
import { type ProviderSettings, providerAi } from '../../support/provider.ts'

let server: AiServer
beforeEach(async () => {
  server = await startAiServer()
})
afterEach(() => server.close())

const provider = (options?: ProviderSettings) => providerAi(server.url, options)
const chats = () => server.requests.map(({ body }) => body)
const words = (at: number) => chats()[at]!.messages!.map(({ content }) => content)
const partLines = () =>
  chats().map(({ messages }) => [...messages![1]!.content.matchAll(/^\[(\d+)\]/gm)].map(([, line]) => Number(line)))

const long = conversation(
  said(
    ...Array.from(
      { length: 12 },
      (_, at) => [at % 2 ? 'Ben' : 'Ada', `I'll do task ${at % 6} soon. ${'word '.repeat(40)}`] as [string, string]
    )
  )
)

test('a long transcript is split between segments, summarized in parts and merged', async () => {
  const { summary, actionItems, making } = await provider({ partTokens: 250 }).summarize(long)
  const parts = partLines().filter(lines => lines.length > 0)
  expect(parts.length).toBeGreaterThan(2)
  expect(parts.flat()).toEqual(long.segments.map((_, at) => at))
  expect(chats().length).toBeGreaterThan(parts.length)
  expect(summary).toContain('## Key points')
  expect(actionItems.map(({ text }) => text)).toEqual([0, 1, 2, 3, 4, 5].map(at => `do task ${at} soon`))
  expect(actionItems.map(({ sourceStart }) => sourceStart)).toEqual([0, 10, 20, 30, 40, 50])
  expect(making?.inputTokens).toBe(100 * chats().length)
})

const talk = conversation(
  said(...Array.from({ length: 60 }, (_, at) => ['Ada', `Line ${at} of the talk.`] as [string, string]))
)
const finding = (text: string, lines: number[], more: object = {}) => ({
  lines,
  speaker: null,
  topic: null,
  text,
  ...more
})
const partsOfTalk = () => chats().filter(({ response_format }) => response_format?.json_schema?.name === 'minutes')
const contentOf = (at: number) => chats()[at]!.messages![1]!.content

test('a part begins with the last lines of the one before, with its names and its open topics', async () => {
  server.script(
    'chat',
    completion(minutes({ names: ['Parlance', 'Zoë\nRoe', ' '], open_topics: ['the price'] })),
    completion(minutes({ names: ['Porto', 'Parlance'], open_topics: [] }))
  )
  await provider({ partTokens: 250 }).summarize(talk)
  const [first = '', second = '', third = ''] = partsOfTalk().map(({ messages }) => messages![1]!.content)
  expect(first).not.toContain('so far')
  expect(second).toContain(
    '\nNames and terms so far: Parlance, Zoë Roe\nOpen topics so far: the price\n\nThe lines before'
  )
  expect(third).toContain('\nNames and terms so far: Zoë Roe, Porto, Parlance\n\nThe lines before')
  expect(third).not.toContain('Open topics')
  const numbers = (content: string) => [...content.matchAll(/^\[(\d+)\]/gm)].map(([, line]) => Number(line))
  const [one, two] = [numbers(first), numbers(second)]
  expect(two[0]).toBeLessThan(one.at(-1)!)
  expect(two).toContain(one.at(-1)! + 1)
  expect(two.filter(line => one.includes(line)).length).toBeGreaterThan(1)
  expect(
    second
      .slice(0, second.indexOf(`[${one.at(-1)! + 1}]`))
      .trimEnd()
      .endsWith(`[${one.at(-1)!}] Ada: Line ${one.at(-1)!} of the talk.`)
  ).toBe(true)
})

test('the merge has decisions, items and questions of all parts before points, and no more than the budget', async () => {
  server.answer('chat', (request, response) => {
    const isMerge = request.body.response_format!.json_schema!.name === 'merged_minutes'
    const part = server.requests.length
    const answer = minutes({
      overview: 'word '.repeat(300),
      points: Array.from({ length: 20 }, (_, at) => finding(`Remark ${part} ${at} of many words about nothing.`, [])),
      decisions: [finding(`Decision ${part}`, [], { status: 'agreed' })],
      action_items: [item({ text: `Task ${part}` })],
      questions: [finding(`Question ${part}`, [])]
    })
    completion(isMerge ? { overview: 'All of it.' } : answer)(request, response)
  })
  const { outline, actionItems } = await provider({ partTokens: 400 }).summarize(talk)
  const count = partsOfTalk().length
  expect(count).toBeGreaterThan(1)
  expect(chats()).toHaveLength(count + 1)
  const merge = contentOf(count)
  for (let part = 1; part <= count; part++)
    for (const kind of ['Decision', 'Task', 'Question'])
      expect(merge).toMatch(new RegExp(`^\\(\\d+\\) ${kind} ${part}`, 'm'))
  const shown = merge.match(/Remark \d+ \d+/g)!
  expect(shown.length).toBeLessThan(20 * count)
  // The first ones of each part.
  expect(new Set(shown.map(remark => remark.split(' ')[1])).size).toBe(count)
  expect(merge.length).toBeLessThan(400 * 4 + 400)
  expect(outline?.decisions.map(({ text }) => text)).toEqual(
    Array.from({ length: count }, (_, at) => `Decision ${at + 1}`)
  )
  expect(actionItems.map(({ text }) => text)).toEqual(Array.from({ length: count }, (_, at) => `Task ${at + 1}`))
})

test('the answer of a merge groups, answers and selects what the parts found, in its order', async () => {
  const two = conversation(long.segments.slice(0, 4))
  server.script(
    'chat',
    completion(
      minutes({
        points: [finding('The task is hard.', [0]), finding('It will rain.', [1])],
        decisions: [finding('Do the task.', [0], { status: 'agreed' })],
        questions: [finding('When?', [1])],
        action_items: [
          item({ text: 'Send offer', lines: [0] }),
          item({ text: 'Call Bob', assignee: 'Ada', lines: [1] })
        ]
      })
    ),
    completion(
      minutes({
        points: [finding('The sun shines.', [3])],
        decisions: [finding('The task is done.', [2], { status: 'agreed' })],
        action_items: [item({ text: 'Send the offer', assignee: 'Ben', due_date: '2026-03-06', lines: [3] })]
      })
    ),
    completion({
      same: [
        [7, 1, 77, -1, 1.5],
        [0, 4]
      ],
      answered: [3, 0],
      sections: [
        { points: [8, 99, 0], heading: 'Weather [x](http://evil.test)' },
        { points: [8], heading: 'Again' },
        { points: [4], heading: 'Work' }
      ],
      overview_of: [0, 6, 99],
      overview: 'They did it.',
      title: 'A task'
    })
  )
  const { outline, actionItems, title } = await provider({ partTokens: 130 }).summarize(two)
  expect(contentOf(2)).toContain(
    'Decisions:\n(0) Do the task.\n\nAction items:\n(1) Send offer\n(2) Call Bob [Ada]\n\nOpen questions:\n(3) When?\n\nPoints:\n(4) The task is hard.\n(5) It will rain.\n\n### Part 2'
  )
  const plain = (text: string, ...lines: number[]) => ({ text, speaker: null, sources: at(...lines) })
  expect(outline).toEqual({
    overview: plain('They did it.', 0, 2),
    sections: [
      { heading: 'Weather x', points: [plain('The sun shines.', 3)] },
      { heading: 'Work', points: [plain('The task is hard.', 0)] }
    ],
    decisions: [plain('Do the task.', 0), plain('The task is done.', 2)],
    questions: []
  })
  const offer = { text: 'Send the offer', assignee: 'Ben', dueDate: '2026-03-06', sourceStart: 0, sources: at(0, 3) }
  const call = { text: 'Call Bob', assignee: 'Ada', dueDate: null, sourceStart: 10, sources: at(1), unsupported: true }
  expect(actionItems).toEqual([offer, call])
  expect(title).toBe('A task')
})

test('all points stay where the merge selects none', async () => {
  const part = (text: string) => completion(minutes({ points: [finding(text, [], { topic: text })] }))
  server.script(
    'chat',
    part('One'),
    part('Two'),
    completion({ overview: 'Both.', sections: [{ points: [7], heading: 'x' }] })
  )
  const { outline } = await provider({ partTokens: 130 }).summarize(conversation(long.segments.slice(0, 4)))
  expect(outline?.sections.map(({ heading, points }) => [heading, points[0]?.text])).toEqual([
    ['One', 'One'],
    ['Two', 'Two']
  ])
})

test('a part cannot cite a line that comes after it', async () => {
  server.script('chat', completion(minutes({ action_items: [item({ lines: [1, 3] })] })))
  const { actionItems } = await provider({ partTokens: 130 }).summarize(conversation(long.segments.slice(0, 4)))
  expect(actionItems[0]).toMatchObject({ sourceStart: 10, sources: at(1), unsupported: true })
})

test('a segment longer than the budget is cut between sentences and keeps its number', async () => {
  const sentences = Array.from({ length: 30 }, (_, at) => `Sentence number ${at} has a few words.`)
  await provider({ partTokens: 100 }).summarize(conversation(said(['Ada', 'Hi.'], ['Ben', sentences.join(' ')])))
  const pieces = chats().flatMap(({ messages }) =>
    [...messages![1]!.content.matchAll(/^\[1\] Ben: (.+)$/gm)].map(([, text]) => text!)
  )
  expect(pieces.length).toBeGreaterThan(2)
  expect(pieces.every(piece => piece.startsWith('Sentence') && piece.endsWith('.'))).toBe(true)
  expect(pieces.join(' ')).toBe(sentences.join(' '))
})

test('a part whose answer was cut off is halved', async () => {
  server.script('chat', completion('{"points', { finishReason: 'length' }))
  await provider().summarize(long)
  expect(partLines()).toEqual([[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], [0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11], []])
})

test('answers that are cut off after each of four halvings end in an error that is not final', async () => {
  server.answer('chat', completion('{"points', { finishReason: 'length' }))
  await expect(provider().summarize(long)).rejects.toMatchObject({
    message: 'The answer of the model was cut off at its limit.',
    final: false
  })
  expect(chats()).toHaveLength(5)
})

test('a merge whose answer was cut off is tried with half as much', async () => {
  const part = completion(minutes({ overview: 'word '.repeat(400) }))
  server.script('chat', part, part, completion('{', { finishReason: 'length' }))
  await provider({ partTokens: 130 }).summarize(conversation(long.segments.slice(0, 4)))
  expect(chats()).toHaveLength(4)
  expect(words(3)[1]!.length).toBeLessThan(words(2)[1]!.length)
})

test('a part too long for the context of the model is halved until it fits', async () => {
  const tooLong = status(400, "This model's maximum context length is 4096 tokens.")
  server.script('chat', tooLong, tooLong)
  await provider().summarize(long)
  expect(
    partLines()
      .slice(0, 4)
      .map(lines => lines.length)
  ).toEqual([12, 6, 3, 3])
})

test('a name that takes up the budget does not cut its words to pieces of one character', () => {
  const parts = partsOf([{ index: 0, speaker: '名'.repeat(200), text: '話'.repeat(1_000) }], 200)
  expect(parts.flat().map(({ text }) => text.length)).toEqual(Array(10).fill(100))
})

test.each([
  ['gpt-4.1-mini', 1_000_000, 60_000],
  ['openai/gpt-4o-mini', 128_000, 60_000],
  ['gpt-5-nano', 200_000, 60_000],
  ['o3-mini', 200_000, 60_000],
  ['gpt-4', 8_000, 3_600],
  ['gpt-3.5-turbo', 16_000, 10_000],
  ['llama3.2:3b', 32_000, 22_800],
  ['gpt-oss:20b', 32_000, 22_800]
])('the model %s has a context of %i tokens, and a part %i', (model, context, part) => {
  expect(contextTokensOf(model)).toBe(context)
  expect(partTokensOf(context)).toBe(part)
})

test('the size of a part follows the context that an operator sets', async () => {
  const hours = conversation(
    said(...Array.from({ length: 300 }, (_, at) => ['Ada', `I say ${at}. ${'word '.repeat(20)}`] as [string, string]))
  )
  await provider().summarize(hours)
  expect(chats()).toHaveLength(1)
  await provider({ contextTokens: 6_000 }).summarize(hours)
  expect(partsOfTalk().length).toBeGreaterThan(4)
})
