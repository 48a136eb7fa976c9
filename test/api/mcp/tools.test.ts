import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { updateUser } from '../../../src/features/access/queries.ts'
import { ask, callTool } from '../../support/mcp.ts'
import { clock, newUser, PUBLIC_URL } from '../../support/server.ts'

type User = Awaited<ReturnType<typeof newUser>>

interface Listed {
  name: string
  inputSchema: object
  outputSchema: object
}

const listed = async (user: User): Promise<Listed[]> => (await ask(user, 'tools/list')).tools

const turns = (count: number, text: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => ({
    speaker: at % 2 ? 'Ben' : 'Ada',
    start: at * 6,
    end: at * 6 + 6,
    text: text(at)
  }))

/** Every schema in a schema, itself included. */
function partsOf(schema: object): Record<string, unknown>[] {
  const { properties = {}, items } = schema as { properties?: Record<string, object>; items?: object }
  return [
    schema as Record<string, unknown>,
    ...[...Object.values(properties), ...(items ? [items] : [])].flatMap(partsOf)
  ]
}

describe('the list of tools', () => {
  test('has at most 20,000 characters', async () => {
    const { tools } = await ask(await newUser(), 'tools/list')
    expect(JSON.stringify({ tools }).length).toBeLessThanOrEqual(20_000)
  })

  test('has schemas of the few keywords that every converter takes, and that compile in strict mode', async () => {
    const ajv = new Ajv({ strict: true })
    for (const { name, inputSchema, outputSchema } of await listed(await newUser())) {
      for (const schema of [inputSchema, outputSchema]) {
        ajv.compile(schema)
        for (const part of partsOf(schema)) {
          expect(['object', 'array', 'string', 'number', 'integer', 'boolean'], name).toContain(part.type)
          const known = ['type', 'description', 'enum', 'minimum', 'maximum', 'required', 'properties', 'items']
          expect(
            Object.keys(part).filter(key => ![...known, 'additionalProperties'].includes(key)),
            name
          ).toEqual([])
        }
      }
      expect(inputSchema, name).toMatchObject({ type: 'object', additionalProperties: false })
    }
  })

  test('has one name for one thing', async () => {
    const names = (await listed(await newUser())).flatMap(({ inputSchema }) =>
      Object.keys((inputSchema as { properties: object }).properties)
    )
    expect(
      names.filter(name => ['session_id', 'folder_id', 'tag', 'updated_since', 'from', 'to'].includes(name))
    ).toEqual([])
  })
})

test('every tool answers with an object of the shape that it lists', async () => {
  const user = await newUser()
  const id = await user.session({
    title: 'Planning',
    summary: '# Sum\nWe plan.',
    notes: 'Note',
    tags: ['a'],
    segments: turns(6, () => 'The battery lasts two days.'),
    action_items: [{ text: 'Send it', assignee: 'Ada', due_date: '2026-03-06' }]
  })
  const item = (await user.get(`/v1/sessions/${id}/action-items`)).body.action_items[0].id
  const args: Record<string, object> = {
    search: { query: 'battery' },
    fetch: { id },
    search_sessions: { query: 'battery', passages: 4 },
    list_sessions: { brief: true },
    get_session: { id },
    get_sessions: { ids: [id, 'ses_none'] },
    get_transcript: { id },
    update_session: { id, favorite: true },
    change_tags: { ids: [id, 'ses_none'], add: ['b'], remove: ['a'] },
    correct_transcript: { id, segments: [{ index: 0, text: 'The battery lasts a day.' }], if_version: 1 },
    create_action_item: { id, text: 'Call Ben' },
    complete_action_item: { id: item },
    update_action_item: { id: item, text: 'Send all' },
    create_folder: { name: 'Clients' },
    add_to_folder: { id, folder: 'clients' }
  }
  const ajv = new Ajv({ strict: true })
  for (const { name, outputSchema } of await listed(user)) {
    const { object, isError, text } = await callTool(user, name, args[name] ?? {})
    const validate = ajv.compile(outputSchema)
    expect({ name, isError, text: isError && text, ok: validate(object), errors: validate.errors }).toEqual({
      name,
      isError: false,
      text: false,
      ok: true,
      errors: null
    })
  }
})

describe('a person', () => {
  const withPerson = (user: User, name: string) =>
    user.session({
      external_id: name,
      title: `Of ${name}`,
      speakers: [{ label: 'Ada', person: name }],
      segments: turns(2, () => 'Hello.')
    })

  test('may be named by a part of the name that fits nobody else', async () => {
    const user = await newUser()
    const id = await withPerson(user, 'Grace Hopper')
    await withPerson(user, 'Ada Lovelace')
    const { object, text } = await callTool(user, 'list_sessions', { person: 'hopper' })
    expect(object.sessions.map((row: { id: string }) => row.id)).toEqual([id])
    expect(object.sessions[0].participants).toContain('Grace Hopper')
    expect(text).toContain('with "Ben", "Grace Hopper"')
    const { object: people } = await callTool(user, 'list_people', { name: 'lovel' })
    expect(people.people.map(({ name }: { name: string }) => name)).toEqual(['Ada Lovelace'])
  })

  test('whose name fits several is an error that lists them with their ids', async () => {
    const user = await newUser()
    await withPerson(user, 'Ada Lovelace')
    await withPerson(user, 'Ada Byron')
    const { text, isError } = await callTool(user, 'list_sessions', { person: 'ada' })
    expect(isError).toBe(true)
    expect(text).toMatch(/^person: several people fit: .*"Ada Lovelace" \(per_\w+\).*; give one of these ids/)
    expect(text).toContain('"Ada Byron"')
  })

  test('whom nobody has is an error that says where the names are', async () => {
    const { text } = await callTool(await newUser(), 'search_sessions', { query: 'x', person: 'Nobody' })
    expect(text).toBe('person: nobody has this name; list_people has the ids and names')
  })
})

describe('days', () => {
  test('are those of the user, and the last one is included', async () => {
    const user = await newUser()
    await updateUser(user.db, user.id, { timeZone: 'America/New_York' })
    const id = await user.session({ title: 'Late', timestamp: '2026-03-03T03:30:00Z' })
    const idsOf = async (args: object) =>
      (await callTool(user, 'list_sessions', args)).object.sessions.map((row: { id: string }) => row.id)
    expect(await idsOf({ since: '2026-03-02', until: '2026-03-02' })).toEqual([id])
    expect(await idsOf({ since: '2026-03-03' })).toEqual([])
    expect(await idsOf({ until: '2026-03-02T22:00' })).toEqual([])
    expect((await callTool(user, 'list_sessions')).text).toContain('2026-03-02T22:30-05:00')
  })

  test('a client that introduces itself learns the day and the time zone', async () => {
    const { instructions } = await ask(await newUser(), 'server/discover')
    expect(instructions).toContain(`Today is ${clock.now().toISOString().slice(0, 10)} in the time zone UTC`)
  })
})

test('a passage has at most 400 characters, with the sentence that answers', async () => {
  const user = await newUser()
  await user.session({
    title: 'Review',
    language: 'en',
    segments: turns(200, at =>
      at === 135 ? 'The battery lasts two days.' : `We talk at length about item ${at} of it.`
    )
  })
  const { object } = await callTool(user, 'search_sessions', { query: 'battery', passages: 4 })
  const passages: { text: string }[] = object.results[0].passages
  expect(passages[0]?.text).toContain('The battery lasts two days.')
  expect(Math.max(...passages.map(({ text }) => text.length))).toBeLessThanOrEqual(400)
  const none = await callTool(user, 'search_sessions', { query: 'battery', passages: 0 })
  expect(none.text).not.toContain('Passage')
})

test('segments of one speaker that follow each other are one line', async () => {
  const user = await newUser()
  const said = ['One.', 'Two.', 'Three.'].map((text, at) => ({
    speaker: at < 2 ? 'Ada' : 'Ben',
    start: at,
    end: at + 1,
    text
  }))
  const id = await user.session({ segments: said })
  const { object } = await callTool(user, 'get_transcript', { id })
  expect(object).toEqual({
    id,
    url: `${PUBLIC_URL}/s/${id}`,
    segments: [
      { start: 0, speaker: 'Ada', text: 'One. Two.' },
      { start: 2, speaker: 'Ben', text: 'Three.' }
    ]
  })
})

test('list_sessions finds words of a title and shows the beginning of the summary', async () => {
  const user = await newUser()
  const id = await user.session({ title: 'Onboarding of Acme', summary: '# Call\nAcme begins in May.' })
  await user.session({ title: 'Other', external_id: 'other' })
  const { object } = await callTool(user, 'list_sessions', { title: 'acme onboarding', brief: true })
  expect(object.sessions).toMatchObject([{ id, brief: 'Acme begins in May.' }])
})

test('get_sessions reads several conversations, and names those that are not there', async () => {
  const user = await newUser()
  const ids = []
  for (const name of ['a', 'b'])
    ids.push(await user.session({ title: name, summary: `Sum ${name}. ${'s '.repeat(20_000)}`, external_id: name }))
  const { object, text } = await callTool(user, 'get_sessions', { ids: [...ids, 'ses_none'] })
  expect(object.sessions.map(({ id }: { id: string }) => id)).toEqual(ids)
  expect(object.missing).toEqual(['ses_none'])
  expect(text.length).toBeLessThanOrEqual(24_000)
  expect(text).toContain(`get_session of ${ids[0]} has it`)
  const many = await callTool(user, 'get_sessions', { ids: Array.from({ length: 11 }, (_, at) => `ses_${at}`) })
  expect(many).toMatchObject({ isError: true, text: 'ids: give a list of at most 10 conversations' })
})

test('list_action_items filters by conversation, words and the period of the conversation', async () => {
  const user = await newUser()
  const one = await user.session({
    timestamp: '2026-03-02T10:00:00Z',
    action_items: [{ text: 'Send the OFFER' }, { text: 'Call Ben' }]
  })
  await user.session({
    external_id: 'two',
    timestamp: '2026-04-02T10:00:00Z',
    action_items: [{ text: 'Send the invoice' }]
  })
  const textsOf = async (args: object) =>
    (await callTool(user, 'list_action_items', args)).object.action_items
      .map(({ text }: { text: string }) => text)
      .sort()
  expect(await textsOf({ id: `${one}#7` })).toEqual(['Call Ben', 'Send the OFFER'])
  expect(await textsOf({ query: 'offer send' })).toEqual(['Send the OFFER'])
  expect(await textsOf({ since: '2026-04-01' })).toEqual(['Send the invoice'])
  expect(await textsOf({ query: 'send', until: '2026-03-02' })).toEqual(['Send the OFFER'])
})

test('a folder is created once, and a conversation is put into it by its name', async () => {
  const user = await newUser()
  const id = await user.session({})
  const { object } = await callTool(user, 'create_folder', { name: 'Clients' })
  expect((await callTool(user, 'create_folder', { name: 'clients' })).object.id).toBe(object.id)
  expect((await callTool(user, 'add_to_folder', { id, folder: 'CLIENTS' })).object.folder_ids).toEqual([object.id])
})

test('update_action_item changes text, assignee and due date', async () => {
  const user = await newUser()
  const id = await user.session({ action_items: [{ text: 'Send it' }] })
  const { id: item } = (await user.get(`/v1/sessions/${id}/action-items`)).body.action_items[0]
  await callTool(user, 'update_action_item', { id: item, text: 'Send all', assignee: 'Ben', due_date: '2026-03-06' })
  const { body } = await user.get(`/v1/sessions/${id}/action-items`)
  expect(body.action_items[0]).toMatchObject({ text: 'Send all', assignee: 'Ben', due_date: '2026-03-06' })
  await callTool(user, 'update_action_item', { id: item, due_date: ' ', assignee: ' ' })
  const cleared = (await user.get(`/v1/sessions/${id}/action-items`)).body.action_items[0]
  expect([cleared.assignee || null, cleared.due_date]).toEqual([null, null])
})
