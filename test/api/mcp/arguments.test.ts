import { describe, expect, test } from 'vitest'
import { callTool } from '../../support/mcp.ts'
import { newUser, PUBLIC_URL } from '../../support/server.ts'

type User = Awaited<ReturnType<typeof newUser>>

const SEGMENTS = [
  { speaker: 'Ada', start: 0, end: 5, text: 'Good morning.' },
  { speaker: 'Ben', start: 100, end: 105, text: 'The battery is late.' }
]

async function shownVersion(user: User, id: string) {
  return /if_version (s[\w-]+)/.exec((await callTool(user, 'get_session', { id })).text)?.[1] ?? ''
}

async function newItem(user: User) {
  const id = await user.session({ action_items: [{ text: 'Send it' }] })
  return { id, item: (await user.get(`/v1/sessions/${id}/action-items`)).body.action_items[0].id }
}

describe('if_version', () => {
  test.each<[string, (shown: string) => string]>([
    ['bare, as get_session shows it', shown => shown],
    ['between quotation marks', shown => `"${shown}"`]
  ])('of a conversation is taken %s', async (_, written) => {
    const user = await newUser()
    const id = await user.session({ title: 'Old' })
    const before = written(await shownVersion(user, id))
    const changed = await callTool(user, 'update_session', { id, title: 'New', if_version: before })
    expect(changed.text).toContain('Changed title')
    const stale = await callTool(user, 'update_session', { id, title: 'Other', if_version: before })
    expect(stale).toMatchObject({
      isError: true,
      text: 'if_version: the session has changed since; read it again; get_session shows the current one'
    })
    expect((await user.get(`/v1/sessions/${id}`)).body.title).toBe('New')
  })

  test.each<[string, (shown: number) => unknown]>([
    ['a number', shown => shown],
    ['text', shown => String(shown)],
    ['text between quotation marks', shown => `"${shown}"`]
  ])('of action items is taken as %s', async (_, written) => {
    const user = await newUser()
    const { id, item } = await newItem(user)
    const [, shown] = /if_version (\d+)/.exec((await callTool(user, 'list_action_items')).text) ?? []
    const if_version = written(Number(shown))
    const change = { id: item, if_version }
    expect((await callTool(user, 'complete_action_item', change)).text).toContain('is done')
    const stale = await callTool(user, 'complete_action_item', { ...change, completed: false })
    expect(stale.isError).toBe(true)
    expect(stale.text).toMatch(/^if_version: the action items are at version \d+; .*list_action_items/)
    expect((await callTool(user, 'update_session', { id, title: 'x', if_version })).isError).toBe(true)
  })

  test('that is no version is an error that says which tool shows one', async () => {
    const user = await newUser()
    const { id, item } = await newItem(user)
    for (const [tool, args, shows] of [
      ['update_session', { id, title: 'x' }, 'get_session'],
      ['complete_action_item', { id: item }, 'list_action_items']
    ] as const) {
      const { text, isError } = await callTool(user, tool, { ...args, if_version: 'latest' })
      expect(isError).toBe(true)
      expect(text).toContain(`if_version: give the if_version that ${shows} shows`)
      expect(text).not.toMatch(/ETag|header|\*/i)
    }
  })
})

describe('the id of a conversation', () => {
  test.each<[string, (id: string) => string]>([
    ['of a second, as search returns it', id => `${id}#100`],
    ['in a link to cite', id => `${PUBLIC_URL}/s/${id}`],
    ['in a link to a second', id => `${PUBLIC_URL}/s/${id}#t=100`],
    ['in the URI of a resource', id => `session://${id}`],
    ['with spaces around it', id => ` ${id} `]
  ])('is taken %s, by every tool that takes one', async (_, written) => {
    const user = await newUser()
    const session = await user.session({ title: 'Planning', segments: SEGMENTS })
    const folder = (await user.post('/v1/folders', { name: 'Clients' })).body.id
    const id = written(session)
    expect((await callTool(user, 'get_session', { id })).text).toContain('"Planning"')
    expect((await callTool(user, 'get_transcript', { id })).text).toContain('The battery is late.')
    expect((await callTool(user, 'fetch', { id })).object.text).toContain('The battery is late.')
    expect((await callTool(user, 'update_session', { id, title: 'Plan' })).text).toBe(`Changed title of ${session}.`)
    const added = await callTool(user, 'add_to_folder', { id, folder })
    expect(added.text).toBe(`${session} is in ${folder}.`)
    expect((await callTool(user, 'get_sessions', { ids: [id] })).object.sessions).toMatchObject([{ id: session }])
    expect((await callTool(user, 'change_tags', { ids: [id], add: ['a'] })).object.sessions[0].tags).toEqual(['a'])
    const correction = { segments: [{ index: 0, text: 'Good evening.' }], if_version: 1 }
    expect((await callTool(user, 'correct_transcript', { id, ...correction })).object.id).toBe(session)
    const item = (await callTool(user, 'create_action_item', { id, text: 'Call Ben' })).object
    expect(item.session_id).toBe(session)
    const { object } = await callTool(user, 'list_action_items', { id })
    expect(object.action_items.map(({ id: listed }: { id: string }) => listed)).toContain(item.id)
  })

  test('begins the transcript at its second, unless the call names a part', async () => {
    const user = await newUser()
    const id = `${await user.session({ segments: SEGMENTS })}#100`
    expect((await callTool(user, 'get_transcript', { id })).text).not.toContain('Good morning.')
    expect((await callTool(user, 'get_transcript', { id, start: 0 })).text).toContain('Good morning.')
    expect((await callTool(user, 'get_transcript', { id, end: 50 })).text).toContain('Good morning.')
  })

  test('that nothing has is an error that names the tools with ids', async () => {
    const user = await newUser()
    const id = await user.session({})
    const [sessions, folders] = ['search_sessions and list_sessions have the ids', 'list_folders has the ids']
    const readable = `${sessions}, list_shared_sessions those of others`
    for (const [tool, args, text] of [
      ['get_session', { id: 'ses_none' }, `Session not found; ${readable}`],
      ['get_transcript', { id: 'ses_none#7' }, `Session not found; ${readable}`],
      ['fetch', { id: 'ses_none' }, `Session not found; ${readable}`],
      ['update_session', { id: 'ses_none', title: 'x' }, `Session not found; ${sessions}`],
      ['create_action_item', { id: 'ses_none', text: 'x' }, `Session not found; ${sessions}`],
      [
        'correct_transcript',
        { id: 'ses_none', segments: [{ index: 0, text: 'x' }], if_version: 1 },
        `Session not found; ${sessions}`
      ],
      ['complete_action_item', { id: 'ai_none' }, 'Action item not found; list_action_items has the ids'],
      [
        'add_to_folder',
        { id, folder: 'fld_none' },
        `folder: folder not found; ${folders} and names, create_folder makes one`
      ],
      ['list_sessions', { folder: 'none' }, 'folder: folder not found; list_folders has the ids and names'],
      [
        'list_sessions',
        { person: 'per_00000000000000000000000000' },
        'person: person not found; list_people has the ids and names'
      ],
      [
        'search_sessions',
        { query: 'x', folder: 'none' },
        'folder: folder not found; list_folders has the ids and names'
      ]
    ] as const)
      expect(await callTool(user, tool, args), tool).toMatchObject({ isError: true, text })
  })
})

describe('arguments', () => {
  test('null and an empty text mean that they are left out', async () => {
    const user = await newUser()
    const id = await user.session({ title: 'Keep', notes: 'Keep', tags: ['a'], segments: SEGMENTS })
    for (const none of [null, '']) {
      const listed = await callTool(user, 'list_sessions', {
        limit: none,
        cursor: none,
        since: none,
        folder: none,
        tags: none
      })
      expect(listed.text).toContain(id)
      const found = await callTool(user, 'search_sessions', { query: 'battery', limit: none, person: none, tags: none })
      expect(found.text).toContain(id)
      expect((await callTool(user, 'get_transcript', { id, start: none, cursor: none })).isError).toBe(false)
      const changed = await callTool(user, 'update_session', {
        id,
        title: none,
        notes: none,
        tags: none,
        favorite: true
      })
      expect(changed.isError).toBe(false)
    }
    expect((await user.get(`/v1/sessions/${id}`)).body).toMatchObject({ title: 'Keep', notes: 'Keep', tags: ['a'] })
  })

  test('of a change may be all left out, which is an error that names those of the tool', async () => {
    const user = await newUser()
    const id = await user.session({})
    expect(await callTool(user, 'update_session', { id, title: '' })).toMatchObject({
      isError: true,
      text: 'arguments: give at least one of title, notes, tags, favorite'
    })
  })

  test('that are blank empty title and notes', async () => {
    const user = await newUser()
    const id = await user.session({ title: 'Old', notes: 'Old' })
    expect((await callTool(user, 'update_session', { id, notes: ' ' })).text).toBe(`Changed notes of ${id}.`)
    expect((await user.get(`/v1/sessions/${id}`)).body).toMatchObject({ title: 'Old', notes: '' })
  })

  test('take numbers and booleans as text, and text as numbers', async () => {
    const user = await newUser()
    const { id, item } = await newItem(user)
    await user.session({ title: 'Numbers', segments: [{ speaker: 'Ada', start: 0, end: 5, text: 'Room 42 is free.' }] })
    expect((await callTool(user, 'list_sessions', { limit: 1 })).text).toContain('Conversations: 1')
    expect((await callTool(user, 'list_sessions', { limit: '1' })).text).toContain('Conversations: 1')
    const found = await callTool(user, 'search_sessions', { query: 42, limit: '5', interpret: 'false' })
    expect(found.text).toContain('Numbers')
    await callTool(user, 'complete_action_item', { id: item, completed: 'true' })
    expect((await callTool(user, 'complete_action_item', { id: item, completed: 'false' })).text).toContain('is open')
    await callTool(user, 'update_session', { id, title: 2026, favorite: 'true' })
    expect((await user.get(`/v1/sessions/${id}`)).body).toMatchObject({ title: '2026', favorite: true })
  })

  test('of another form are errors that say what to give', async () => {
    const user = await newUser()
    for (const [args, text] of [
      [{ query: 'x', limit: 'ten' }, 'limit: give a whole number from 1 to'],
      [{ query: 'x', interpret: 'maybe' }, 'interpret: give true or false'],
      [{ query: null }, 'query: give a text of 1 to']
    ] as const)
      expect((await callTool(user, 'search_sessions', args)).text).toContain(text)
  })
})
