import { describe, expect, test } from 'vitest'
import { ask, callTool, sendMessage, VERSIONS } from '../../support/mcp.ts'
import { newUser } from '../../support/server.ts'

describe.each(VERSIONS)('over %s', version => {
  test('the two resources are templates, and read as the tools do', async () => {
    const user = await newUser()
    const id = await user.session({ title: 'Review', segments: [{ speaker: 'Ada', start: 0, end: 2, text: 'Hello.' }] })
    const { resourceTemplates } = await ask(user, 'resources/templates/list', {}, version)
    expect(resourceTemplates.map(({ uriTemplate }: { uriTemplate: string }) => uriTemplate)).toEqual([
      'session://{id}',
      'transcript://{id}'
    ])
    expect((await ask(user, 'resources/list', {}, version)).resources).toEqual([])
    for (const [scheme, tool] of [
      ['session', 'get_session'],
      ['transcript', 'get_transcript']
    ] as const) {
      const uri = `${scheme}://${id}`
      const { contents } = await ask(user, 'resources/read', { uri }, version)
      const { text } = await callTool(user, tool, { id }, version)
      expect(contents).toEqual([{ uri, mimeType: 'text/plain', text }])
    }
  })

  test('a resource of a stranger and one that nobody has are not found', async () => {
    const [user, stranger] = [await newUser(), await newUser()]
    const id = await user.session({})
    for (const uri of [`session://${id}`, `transcript://${id}`, 'session://ses_none', 'webhook://whk_1', 'nonsense']) {
      const { body } = await sendMessage(stranger, 'resources/read', { uri }, version)
      expect([uri, body.error?.code]).toEqual([uri, expect.toSatisfy(code => [-32602, -32002].includes(code))])
    }
  })
})

test('resources follow the scopes of the token', async () => {
  const user = await newUser('transcripts:read')
  const id = await user.session({})
  const { resourceTemplates } = await ask(user, 'resources/templates/list')
  expect(resourceTemplates.map(({ name }: { name: string }) => name)).toEqual(['transcript'])
  const refused = await sendMessage(user, 'resources/read', { uri: `session://${id}` })
  expect([refused.status, refused.body.error]).toEqual([
    403,
    { code: 'insufficient_scope', message: 'The token lacks the scope sessions:read' }
  ])
  expect((await sendMessage(user, 'resources/read', { uri: `transcript://${id}` })).status).toBe(200)
})

describe('prompts', () => {
  test('there are three, each with what the user fills in', async () => {
    const { prompts } = await ask(await newUser(), 'prompts/list')
    expect(
      prompts.map(
        ({ name, arguments: given = [] }: { name: string; arguments?: { name: string; required: boolean }[] }) => [
          name,
          ...given.map(argument => [argument.name, argument.required])
        ]
      )
    ).toEqual([['prepare_meeting', ['person', true]], ['find_decision', ['topic', true]], ['review_week']])
    const searching = await ask(await newUser('sessions:search'), 'prompts/list')
    expect(searching.prompts.map(({ name }: { name: string }) => name)).toEqual(['find_decision'])
  })

  test('what the user fills in stands between quotation marks', async () => {
    const user = await newUser()
    const topic = 'the "launch"\nand more'
    const { messages } = await ask(user, 'prompts/get', { name: 'find_decision', arguments: { topic } })
    expect(messages).toEqual([
      { role: 'user', content: { type: 'text', text: expect.stringContaining('about "the \\"launch\\" and more"?') } }
    ])
    const { messages: review } = await ask(user, 'prompts/get', { name: 'review_week' })
    expect(review[0].content.text).toContain('list_action_items')
  })

  test('one without what it needs, and an unknown one, are refused', async () => {
    const user = await newUser()
    for (const params of [
      { name: 'find_decision' },
      { name: 'find_decision', arguments: { topic: '' } },
      { name: 'find_decision', arguments: { topic: 'x'.repeat(1_001) } },
      { name: 'delete_everything' }
    ])
      expect((await sendMessage(user, 'prompts/get', params)).body.error.code).toBe(-32602)
  })
})
