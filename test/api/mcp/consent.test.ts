import { describe, expect, test } from 'vitest'
import { ask, callTool, messageOf, sendMessage } from '../../support/mcp.ts'
import { newUser } from '../../support/server.ts'

type User = Awaited<ReturnType<typeof newUser>>

const ELICITATION = 'io.modelcontextprotocol/clientCapabilities'

/** Calls a tool as a client that can ask its user, with what the user has answered if they were asked. */
async function call(user: User, name: string, args: object, { elicitation = {}, answer = '' } = {}) {
  const { body, headers } = messageOf('tools/call', {
    name,
    arguments: args,
    ...(answer !== '' && {
      inputResponses: { confirm: { action: answer, ...(answer === 'accept' && { content: {} }) } }
    })
  })
  const params = Object(body.params)
  const sent = { ...body, params: { ...params, _meta: { ...params._meta, [ELICITATION]: { elicitation } } } }
  const { status, body: reply } = await user.ask('POST', '/mcp', { body: sent, headers })
  expect({ status, error: reply.error }).toEqual({ status: 200, error: undefined })
  return reply.result
}

const questionOf = (result: { inputRequests?: { confirm: { params: { message: string } } } }) =>
  result.inputRequests?.confirm.params.message

describe('a client that can ask its user', () => {
  test('asks before notes and tags are replaced, and nothing is written until they agree', async () => {
    const user = await newUser()
    const id = await user.session({ title: 'Planning', notes: 'Mine', tags: ['a', 'b'] })
    const args = { id, notes: 'Yours', tags: ['b', 'c'] }
    const asked = await call(user, 'update_session', args)
    expect(asked.resultType).toBe('input_required')
    expect(questionOf(asked)).toBe('Replace the notes and the tags "a" of "Planning"?')
    const stored = async () => (await user.get(`/v1/sessions/${id}`)).body
    expect(await stored()).toMatchObject({ notes: 'Mine', tags: ['a', 'b'] })
    for (const answer of ['decline', 'cancel']) {
      const refused = await call(user, 'update_session', args, { answer })
      expect(refused).toMatchObject({
        isError: true,
        content: [{ text: 'The user did not agree, so nothing was changed' }]
      })
      expect(await stored()).toMatchObject({ notes: 'Mine', tags: ['a', 'b'] })
    }
    const agreed = await call(user, 'update_session', args, { answer: 'accept' })
    expect(agreed.structuredContent.updated_fields).toEqual(['notes', 'tags'])
    expect(await stored()).toMatchObject({ notes: 'Yours', tags: ['b', 'c'] })
  })

  test('asks before the tags of several conversations are changed, and not about one', async () => {
    const user = await newUser()
    const ids = [await user.session({}), await user.session({ external_id: 'b' })]
    const asked = await call(user, 'change_tags', { ids, add: ['x'], remove: ['y'] })
    expect(questionOf(asked)).toBe('Add the tags "x" and remove the tags "y" of 2 conversations?')
    const agreed = await call(user, 'change_tags', { ids, add: ['x'] }, { answer: 'accept' })
    expect(agreed.structuredContent.sessions).toHaveLength(2)
    const one = await call(user, 'change_tags', { ids: ids.slice(0, 1), remove: ['x'] })
    expect(one.structuredContent.sessions).toEqual([{ id: ids[0], tags: [] }])
  })

  test('does not ask about what replaces nothing, or is refused anyway', async () => {
    const user = await newUser()
    const id = await user.session({ title: 'Planning', tags: ['a'] })
    for (const args of [{ notes: 'New' }, { tags: ['a', 'b'] }, { title: 'Other' }, { notes: 'New', favorite: true }])
      expect((await call(user, 'update_session', { id, ...args })).resultType).not.toBe('input_required')
    const wrong = await call(user, 'update_session', { id: 'ses_none', notes: 'x' })
    expect(wrong).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('Session not found') }] })
    const neither = await call(user, 'change_tags', { ids: [id, id] })
    expect(neither.isError).toBe(true)
  })
})

test.each([
  ['that says nothing of it', undefined],
  ['that opens links only', { url: {} }]
])('a client %s is not asked', async (_, elicitation) => {
  const user = await newUser()
  const id = await user.session({ notes: 'Mine' })
  const args = { id, notes: 'Yours' }
  const result = elicitation ? await call(user, 'update_session', args, { elicitation }) : undefined
  if (result) expect(result.structuredContent.updated_fields).toEqual(['notes'])
  else expect((await callTool(user, 'update_session', args)).object.updated_fields).toEqual(['notes'])
})

test('a client of an older version is not asked, because nothing is remembered of it', async () => {
  const user = await newUser()
  const id = await user.session({ notes: 'Mine' })
  const { object } = await callTool(user, 'update_session', { id, notes: 'Yours' }, '2025-11-25')
  expect(object.updated_fields).toEqual(['notes'])
})

describe('arguments of prompts are completed', () => {
  const complete = async (user: User, prompt: string, name: string, value: string, version?: '2025-11-25') => {
    const params = { ref: { type: 'ref/prompt', name: prompt }, argument: { name, value } }
    return (await ask(user, 'completion/complete', params, version)).completion.values
  }

  test('by the names of people', async () => {
    const user = await newUser()
    for (const person of ['Grace Hopper', 'Ada Lovelace'])
      await user.session({
        external_id: person,
        speakers: [{ label: 'X', person }],
        segments: [{ speaker: 'X', start: 0, end: 1, text: 'Hello.' }]
      })
    expect(await complete(user, 'prepare_meeting', 'person', 'hop')).toEqual(['Grace Hopper'])
    expect(await complete(user, 'prepare_meeting', 'person', 'hop', '2025-11-25')).toEqual(['Grace Hopper'])
    expect((await complete(user, 'prepare_meeting', 'person', '')).sort()).toEqual(['Ada Lovelace', 'Grace Hopper'])
    expect(await complete(user, 'prepare_meeting', 'person', 'nobody')).toEqual([])
  })

  test('by the titles of conversations', async () => {
    const user = await newUser()
    await user.session({ title: 'Battery review' })
    await user.session({ title: 'Launch', external_id: 'b' })
    expect(await complete(user, 'find_decision', 'topic', 'battery')).toEqual(['Battery review'])
    expect(await complete(user, 'find_decision', 'topic', '')).toHaveLength(2)
    expect(await complete(user, 'find_decision', 'topic', '?')).toEqual([])
  })

  test('of nobody else', async () => {
    const [user, stranger] = [await newUser(), await newUser()]
    await user.session({ title: 'Battery review' })
    expect(await complete(stranger, 'find_decision', 'topic', 'battery')).toEqual([])
  })

  test('and a prompt that is not there is an error of the protocol', async () => {
    const params = { ref: { type: 'ref/prompt', name: 'none' }, argument: { name: 'x', value: '' } }
    const { body } = await sendMessage(await newUser(), 'completion/complete', params)
    expect(body.error.code).toBe(-32602)
  })
})
