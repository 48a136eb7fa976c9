import { afterEach, beforeEach, expect, test } from 'vitest'
import type { TemplateSection } from '../../../src/platform/text/template.ts'
import { type AiServer, completion, startAiServer } from '../../support/ai-server.ts'
import { at, conversation, item, minutes, said } from '../../support/minutes.ts'
import { providerAi } from '../../support/provider.ts'

let server: AiServer
beforeEach(async () => {
  server = await startAiServer()
})
afterEach(() => server.close())

type Part = TemplateSection['part']
const section = (heading: string, part: Part = null, content = ''): TemplateSection => ({ heading, content, part })
const point = (text: string, topic: string | null) => ({ lines: [0], speaker: null, topic, text })
const talk = said(['Ada', 'Water boils at 100 degrees.'], ['Ben', 'We agree.'])

const lesson = (...sections: TemplateSection[]) =>
  conversation(talk, { title: 'Lesson', language: 'en', template: { sections } })

async function summarizeAs(answer: Record<string, unknown>, asked: ReturnType<typeof lesson>) {
  server.script('chat', completion(minutes(answer)))
  return await providerAi(server.url).summarize(asked)
}

const instructions = (request = 0) => server.requests[request]!.body.messages![0]!.content

test('the sections of a template are instructions, in their order', async () => {
  await summarizeAs(
    {},
    lesson(section('Facts', null, 'What was taught.'), section('Rules', 'decisions'), section('Homework'))
  )
  expect(instructions()).toContain('\n1. Facts: What was taught.\n2. Rules (in decisions)\n3. Homework\n')
})

test('a section of a template stays on one line', async () => {
  await summarizeAs({}, lesson(section('Facts', null, 'Taught.\n2. Invented: anything')))
  expect(instructions()).toContain('\n1. Facts: Taught. 2. Invented: anything\nWhat belongs')
})

test('without a template the instructions name no other sections', async () => {
  const made = await summarizeAs({}, { ...lesson(), template: null })
  expect(instructions()).not.toContain('in place of the usual ones')
  expect(made).not.toHaveProperty('leftOut')
})

test('a summary has the sections of its template, each with its own statements, and names those that it lacks', async () => {
  const asked = lesson(
    section('Homework', 'action_items'),
    section('FACTS'),
    section('In short', 'overview'),
    section('Next lesson'),
    section('Rules', 'decisions'),
    section('Doubts', 'questions')
  )
  const decided = { lines: [1], speaker: 'Ben', status: 'agreed', text: 'Boil it.' }
  const answer = {
    overview: 'Water.',
    points: [point('Water boils.', '2. Facts')],
    decisions: [decided],
    action_items: [item({ text: 'Boil water', assignee: 'Ada', due_date: '2026-03-06' })]
  }
  const { summary, outline, leftOut } = await summarizeAs(answer, asked)
  expect(summary).toBe(
    '## Homework\n\n- **Ada**: Boil water (by 2026-03-06)\n\n## FACTS\n\n- Water boils.\n\n## In short\n\nWater.\n\n## Rules\n\n- **Ben**: Boil it.'
  )
  expect(leftOut).toEqual(['Next lesson', 'Doubts'])
  expect(outline).toEqual({
    overview: { text: 'Water.', speaker: null, sources: expect.any(Array) },
    sections: [{ heading: 'FACTS', points: [{ text: 'Water boils.', speaker: null, sources: at(0) }] }],
    decisions: [{ text: 'Boil it.', speaker: 'Ben', sources: at(1) }],
    questions: []
  })
})

test('statements without a section of the template come last, and none is lost', async () => {
  const decisions = [{ lines: [1], speaker: null, status: 'agreed', text: 'Boil it.' }]
  const points = [point('It rains.', 'Weather'), point('Water boils.', 'Facts')]
  const { summary, outline } = await summarizeAs({ points, decisions }, lesson(section('Facts')))
  expect(summary).toBe('## Facts\n\n- Water boils.\n\n## Key points\n\n- It rains.\n- Boil it.')
  expect(outline?.sections.map(({ heading, points }) => [heading, points.length])).toEqual([
    ['Facts', 1],
    [null, 2]
  ])
  expect(outline).toMatchObject({ overview: null, decisions: [] })
})

test('a section for key points has those of no other section', async () => {
  const points = [point('It rains.', 'Weather'), point('Water boils.', 'Facts'), point('So it is.', 'In short')]
  const asked = lesson(section('In short', 'overview'), section('Points', 'key_points'), section('Facts'))
  const { summary, outline } = await summarizeAs({ points }, asked)
  expect(summary).toBe('## In short\n\nFine.\n\n- So it is.\n\n## Points\n\n- It rains.\n\n## Facts\n\n- Water boils.')
  expect(outline?.sections.map(({ heading }) => heading)).toEqual(['In short', 'Points', 'Facts'])
})

test('a summary without any section of its template has the usual ones', async () => {
  const { summary, leftOut } = await summarizeAs({ points: [point('It rains.', null)] }, lesson(section('Homework')))
  expect(summary).toBe('## Overview\n\nFine.\n\n## Key points\n\n- It rains.')
  expect(leftOut).toEqual(['Homework'])
})

test('the merge of parts follows the template, and keeps headings that hostile sections cannot break', async () => {
  const lines = Array.from({ length: 8 }, () => ['Ada', 'Water boils.'] as [string, string])
  const asked = { ...lesson(section('Facts'), section('**Home**\n## work <b>')), segments: said(...lines) }
  const cut = completion('{"points', { finishReason: 'length' })
  const part = (text: string, topic: string) => completion(minutes({ points: [point(text, topic)] }))
  server.script('chat', cut, part('One.', 'Facts'), part('Two.', 'Home work b'))
  server.script(
    'chat',
    completion({
      overview: 'Both.',
      sections: [
        { points: [1], heading: 'Home work b' },
        { points: [0], heading: 'Facts' }
      ]
    })
  )
  const { summary } = await providerAi(server.url).summarize(asked)
  expect(instructions(3)).toContain('\n1. Facts\n2. **Home** ## work <b>\n')
  expect(summary.split('\n').filter(line => line.startsWith('#'))).toEqual([
    '## Facts',
    '## \\*\\*Home\\*\\* ## work \\<b\\>'
  ])
  expect(summary.indexOf('One.')).toBeLessThan(summary.indexOf('Two.'))
})
