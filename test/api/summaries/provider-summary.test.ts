// @module-tag both
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { summarizeAgain } from '../../../src/features/ingest/summarize-again.ts'
import { buildTestAdminApi, KEY, newAppUser } from '../../support/admin-api.ts'
import { type AiServer, completion, startAiServer } from '../../support/ai-server.ts'
import { minutes } from '../../support/minutes.ts'
import { providerAi } from '../../support/provider.ts'
import { NOW, newUser, testServices } from '../../support/server.ts'

let server: AiServer
beforeAll(async () => {
  server = await startAiServer()
})
afterAll(() => server.close())

const segments = [
  { speaker: 'Ada', text: 'The rent of the warehouse in Porto is 4,000 euros.', start: 0, end: 9 },
  { speaker: 'Ben', text: 'Then we close it, and I tell the landlord by Friday.', start: 10, end: 19 }
]
const line = (segment: number) => ({ segment, start: segment * 10, end: segment * 10 + 9 })
const ITEMS = [
  { lines: [1], kind: 'promised', text: 'Tell the landlord', assignee: 'Ben', due_date: null },
  { lines: [1], kind: 'promised', text: 'Tell Igor', assignee: 'Dana', due_date: null }
]
const ANSWER = minutes({
  points: [
    { lines: [0], speaker: 'Ada', topic: 'Rent', text: 'The rent in Porto is 4,000 euros.' },
    { lines: [0], speaker: 'Ada', topic: 'Rent', text: 'The rent in Lisbon is 9,000 euros.' }
  ],
  decisions: [{ lines: [1, 7], speaker: 'Ben', status: 'agreed', text: 'Close the warehouse.' }],
  questions: [{ lines: [1], speaker: 'Zoe', text: 'Who pays?' }],
  action_items: ITEMS,
  overview_lines: [0, 1],
  overview: 'Ada and Ben close the warehouse in Porto.',
  title: 'Warehouse in Porto'
})

/** A session that the provider summarized. */
async function summarized(user: Awaited<ReturnType<typeof newUser>>, sent: object = {}) {
  server.script('chat', completion(ANSWER))
  return await user.session({ segments, language: 'en', title: 'Untitled', ...sent }, providerAi(server.url))
}

describe('the summary of a provider', () => {
  test('has its sources, and says what the transcript does not support', async () => {
    const user = await newUser()
    const id = await summarized(user)
    const { status, body } = await user.get(`/v1/sessions/${id}/summary`)
    const [first, second] = body.action_items
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        id,
        language: 'en',
        template: null,
        title_made: true,
        has_sources: true,
        transcript_version: 1,
        overview: { text: 'Ada and Ben close the warehouse in Porto.', speaker: null, sources: [line(0), line(1)] },
        sections: [
          {
            heading: null,
            start: 0,
            points: [
              { text: 'The rent in Porto is 4,000 euros.', speaker: 'Ada', sources: [line(0)] },
              { text: 'The rent in Lisbon is 9,000 euros.', speaker: 'Ada', sources: [line(0)], unsupported: true }
            ]
          }
        ],
        decisions: [{ text: 'Close the warehouse.', speaker: 'Ben', sources: [line(1)], unsupported: true }],
        questions: [{ text: 'Who pays?', speaker: null, sources: [line(1)], unsupported: true }],
        action_items: [
          {
            id: first.id,
            text: 'Tell the landlord',
            completed: false,
            assignee: 'Ben',
            due_date: null,
            sources: [line(1)]
          },
          { ...second, text: 'Tell Igor', assignee: null, sources: [line(1)], unsupported: true }
        ]
      }
    })
    const session = (await user.get(`/v1/sessions/${id}`)).body
    expect(session.title).toBe('Warehouse in Porto')
    expect(session.summary).toBe(
      '## Overview\n\nAda and Ben close the warehouse in Porto.\n\n## Key points\n\n- **Ada**: The rent in Porto is 4,000 euros.\n- **Ada**: The rent in Lisbon is 9,000 euros.\n\n## Decisions\n\n- **Ben**: Close the warehouse.\n\n## Open questions\n\n- Who pays?'
    )
  })

  test('gives a task to somebody whom the owner knows, though they did not speak', async () => {
    const user = await newUser()
    await user.post('/v1/people', { name: 'Dana Lee' })
    const id = await summarized(user)
    const { action_items } = (await user.get(`/v1/sessions/${id}`)).body
    expect(action_items.map(({ assignee }: { assignee: string }) => assignee)).toEqual(['Ben', 'Dana Lee'])
  })

  test('keeps its marks where the transcript is corrected, and an item that a person edits has none', async () => {
    const user = await newUser()
    const id = await summarized(user)
    await user.patch(`/v1/sessions/${id}/transcript`, { segments: [{ index: 0, text: null }] }, { 'if-match': '*' })
    const [, item] = (await user.get(`/v1/sessions/${id}`)).body.action_items
    const before = (await user.get(`/v1/sessions/${id}/summary`)).body
    expect(before.sections[0].points[1]).toMatchObject({ sources: [], unsupported: true })
    expect(before.action_items[1]).toMatchObject({ sources: [{ segment: 0 }], unsupported: true })
    await user.patch(`/v1/sessions/${id}`, { action_items: [{ id: item.id, text: 'Tell Igor Roe' }] })
    const [edited] = (await user.get(`/v1/sessions/${id}/summary`)).body.action_items
    expect(edited).not.toHaveProperty('unsupported')
  })
})

describe('GET /app/v1/users/{user_id}/sessions/{id}', () => {
  const made = {
    model: 'm',
    prompt_version: expect.stringMatching(/^[0-9a-f]{12}$/),
    input_tokens: 100,
    output_tokens: 20,
    made_at: NOW
  }

  test('says by which model and prompts the summary was made, and for how many tokens', async () => {
    const user = await newAppUser()
    const id = await summarized(user)
    const { status, body } = await user.adminApi.get(`/sessions/${id}`)
    expect([status, body.summary_made]).toEqual([200, made])
    expect((await user.get(`/v1/sessions/${id}`)).body).not.toHaveProperty('summary_made')
  })

  test('says nothing of it where no provider made the summary', async () => {
    const user = await newAppUser()
    const id = await user.session({ segments })
    expect((await user.adminApi.get(`/sessions/${id}`)).body).not.toHaveProperty('summary_made')
  })

  test('has a tag with which the session is changed', async () => {
    const user = await newAppUser()
    const id = await summarized(user)
    const app = await buildTestAdminApi()
    const url = `/app/v1/users/${user.id}/sessions/${id}`
    const { headers } = await app.inject({ url, headers: { authorization: `Bearer ${KEY}` } })
    const tag = String(headers.etag)
    const change = await user.adminApi.patch(`/sessions/${id}`, { title: 'Porto' }, { 'if-match': tag })
    expect(change).toMatchObject({ status: 200, body: { updated_fields: ['title'] } })
    const again = await user.adminApi.patch(`/sessions/${id}`, { title: 'Faro' }, { 'if-match': tag })
    expect(again.status).toBe(412)
  })
})

describe('POST /v1/sessions/{id}/summarize', () => {
  test('marks the items that are found, keeps the marks of those that stay, and says how it was made', async () => {
    const user = await newAppUser()
    const id = await summarized(user)
    const again = async (actionItems: string, answer: object = ANSWER) => {
      const { body } = await user.post(`/v1/sessions/${id}/summarize`, { action_items: actionItems })
      server.script('chat', completion('no'), completion(answer))
      const job = { userId: user.id, sessionId: id, requestId: String(body.id) }
      const tools = { ...(await testServices({ ai: providerAi(server.url) })), onFailure: () => {} }
      await summarizeAgain(tools, job, { last: true, signal: new AbortController().signal })
      const { action_items } = (await user.get(`/v1/sessions/${id}/summary`)).body
      return action_items.map(({ text, unsupported }: { text: string; unsupported?: true }) => [
        text,
        unsupported === true
      ])
    }
    const marked = [
      ['Tell the landlord', false],
      ['Tell Igor', true]
    ]
    for (const mode of ['keep', 'merge', 'replace']) expect(await again(mode)).toEqual(marked)
    // The same item with a line that there is not.
    const [first, second] = ITEMS
    const other = { ...ANSWER, action_items: [{ ...first, lines: [1, 9] }, second] }
    for (const mode of ['keep', 'merge', 'replace'])
      expect(await again(mode, other)).toEqual([['Tell the landlord', true], marked[1]])
    expect(await again('merge')).toEqual(marked)
    const { summary_made } = (await user.adminApi.get(`/sessions/${id}`)).body
    expect(summary_made).toMatchObject({ model: 'm', input_tokens: 200, output_tokens: 40 })
  })
})
