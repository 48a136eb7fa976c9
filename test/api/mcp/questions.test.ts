import { expect, test } from 'vitest'
import { callTool } from '../../support/mcp.ts'
import { newUser } from '../../support/server.ts'

const TOPICS = ['battery', 'invoice', 'office', 'garden', 'launch', 'payroll', 'website', 'museum', 'harbour', 'school']
const MEETINGS = 30
const DAY_MS = 86_400_000

/** A meeting of a quarter of an hour about a topic, in which one thing is decided. */
function meetingOf(at: number) {
  const topic = TOPICS[at % TOPICS.length]!
  const text = (turn: number) => {
    if (turn === 90) return `We decided that the ${topic} is moved to hall ${at}, because the first one is too small.`
    return `Then there is point ${turn} about the ${topic}, which we looked at together for quite a while without an end.`
  }
  return {
    external_id: `meeting-${at}`,
    title: `The ${topic}, part ${at}`,
    language: 'en',
    timestamp: new Date(Date.parse('2026-01-05T10:00:00Z') + at * DAY_MS).toISOString(),
    summary: `We went through the ${topic}. It is moved to hall ${at}. ${'Everybody said what they had done. '.repeat(20)}`,
    speakers: [{ label: 'Ada', person: 'Ada Lovelace' }],
    segments: Array.from({ length: 150 }, (_, turn) => {
      return { speaker: turn % 2 ? 'Ben' : 'Ada', start: turn * 6, end: turn * 6 + 6, text: text(turn) }
    }),
    action_items: [{ text: `Book hall ${at} for the ${topic}`, assignee: 'Ada', due_date: '2026-03-06' }]
  }
}

test('ten questions are answered in 25 calls and 60,000 characters', { timeout: 120_000 }, async () => {
  const user = await newUser()
  for (let at = 0; at < MEETINGS; at++) await user.session(meetingOf(at))
  let [calls, characters] = [0, 0]
  async function call(name: string, args: object, fact: string) {
    const { text, object, isError } = await callTool(user, name, args)
    expect([name, isError, text]).toEqual([name, false, expect.stringContaining(fact)])
    calls++
    characters += text.length
    return object
  }

  // What was decided about the garden, the harbour and the school, with the words around it?
  for (const [topic, hall] of [
    ['garden', 'hall'],
    ['harbour', 'hall'],
    ['school', 'hall']
  ] as const) {
    const { results } = await call('search_sessions', { query: `what was decided about the ${topic}`, limit: 5 }, topic)
    const { id, passages } = results[0]
    const [{ start }] = passages
    await call('get_transcript', { id, start: Math.max(0, start - 60), end: start + 120 }, hall)
  }
  // What did we do in the first week of the year?
  await call('list_sessions', { since: '2026-01-05', until: '2026-01-11', brief: true }, 'The website, part 6')
  // What is open until April, and what of it is about the museum?
  await call('list_action_items', { due_before: '2026-04-01', limit: 10 }, 'Book hall')
  await call('list_action_items', { query: 'museum', due_before: '2026-04-01' }, 'Book hall 27 for the museum')
  // What was the meeting called "The launch, part 24" about?
  const { sessions } = await call('list_sessions', { title: 'launch part 24' }, 'The launch, part 24')
  await call('get_session', { id: sessions[0].id }, 'It is moved to hall 24')
  // How do the last three meetings differ?
  const { sessions: last } = await call('list_sessions', { limit: 3 }, 'The school, part 29')
  await call('get_sessions', { ids: last.map(({ id }: { id: string }) => id) }, 'It is moved to hall 27')
  // How long did we meet in January?
  await call('get_stats', { since: '2026-01-01', until: '2026-01-31' }, '27 conversations')
  // When did I last speak with Ada about payroll?
  const ada = { query: 'payroll', person: 'Ada', limit: 5, passages: 0 }
  await call('search_sessions', ada, 'The payroll')
  // Tag what is about the invoice, and remind me of it.
  const { results: found } = await call('search_sessions', { query: 'invoice', limit: 3, passages: 0 }, 'The invoice')
  const ids = found.map(({ id }: { id: string }) => id)
  await call('change_tags', { ids, add: ['follow-up'] }, 'follow-up')
  await call('create_action_item', { id: ids[0], text: 'Pay it', due_date: 'next Friday' }, 'is open')

  expect(calls).toBeLessThanOrEqual(25)
  expect(characters).toBeLessThanOrEqual(60_000)
})
