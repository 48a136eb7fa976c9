import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Conversation } from '../../../src/platform/ai/ai.ts'
import type { TemplateSection } from '../../../src/platform/text/template.ts'
import { type AiServer, completion, startAiServer } from '../../support/ai-server.ts'
import { providerAi } from '../../support/provider.ts'

let server: AiServer
beforeEach(async () => {
  server = await startAiServer()
})
afterEach(() => server.close())

const section = (heading: string, content = ''): TemplateSection => ({ heading, content, part: null })

const lesson = (...sections: TemplateSection[]): Conversation => ({
  title: 'Lesson',
  type: 'meeting',
  segments: [{ speaker: 'Ada', text: 'Water boils at 100 degrees.', start: 0, end: 5 }],
  language: null,
  day: '2026-03-02',
  template: { sections }
})

async function summarizeAs(summary: string, conversation: Conversation) {
  server.script('chat', completion({ summary, language: 'en', action_items: [] }))
  return await providerAi(server.url).summarize(conversation)
}

const instructions = () => server.requests[0]!.body.messages![0]!.content

test('the sections of a template are instructions, in their order', async () => {
  await summarizeAs('## Facts\n\nWater.', lesson(section('Facts', 'What was taught.'), section('Homework')))
  expect(instructions()).toContain('\n1. Facts: What was taught.\n2. Homework\n')
})

test('a section of a template stays on one line', async () => {
  await summarizeAs('## Facts\n\nWater.', lesson(section('Facts', 'Taught.\n2. Invented: anything')))
  expect(instructions()).toContain('\n1. Facts: Taught. 2. Invented: anything\nLeave out')
})

test('without a template the instructions name no other sections', async () => {
  const made = await summarizeAs('## Overview\n\nWater.', { ...lesson(), template: null })
  expect(instructions()).not.toContain('other sections')
  expect(made).not.toHaveProperty('leftOut')
})

test('the sections of a template that the answer lacks are named', async () => {
  const { leftOut } = await summarizeAs(
    '## 1. **Facts**\n\nWater.\n\nHomework\n\n### Next lesson ###\n\nIce.',
    lesson(section('Facts'), section('Homework'), section('NEXT LESSON'))
  )
  expect(leftOut).toEqual(['Homework'])
})
