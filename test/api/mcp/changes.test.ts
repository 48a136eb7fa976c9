import { describe, expect, test } from 'vitest'
import { callTool } from '../../support/mcp.ts'
import { newUser } from '../../support/server.ts'

type User = Awaited<ReturnType<typeof newUser>>

const tagsOf = async (user: User, id: string) => (await user.get(`/v1/sessions/${id}`)).body.tags
const itemsOf = async (user: User, id: string) => (await user.get(`/v1/sessions/${id}/action-items`)).body.action_items

describe('create_action_item', () => {
  test('adds an item with its assignee and a day in words, after those that are there', async () => {
    const user = await newUser()
    const id = await user.session({ action_items: [{ text: 'Send it' }] })
    const call = { id: `${id}#7`, text: 'Call Ben', assignee: 'Ada', due_date: 'tomorrow' }
    const { object, text } = await callTool(user, 'create_action_item', call)
    const items = await itemsOf(user, id)
    expect(items.map((item: { text: string }) => item.text)).toEqual(['Send it', 'Call Ben'])
    expect(items[1]).toMatchObject({ id: object.id, assignee: 'Ada', source: 'user', completed: false })
    expect(items[1].due_date).toMatch(/^\d{4}-\d{2}-\d{2}$/)
    expect(text).toBe(`${object.id} is open. The action items of ${id} are now if_version ${object.if_version}.`)
    const done = { id: object.id, if_version: object.if_version }
    expect((await callTool(user, 'complete_action_item', done)).isError).toBe(false)
  })

  test('returns the open item that has the text, so that a repeated call adds nothing', async () => {
    const user = await newUser()
    const id = await user.session({})
    const { object } = await callTool(user, 'create_action_item', { id, text: 'Call Ben' })
    expect((await callTool(user, 'create_action_item', { id, text: 'Call Ben' })).object).toEqual(object)
    await callTool(user, 'complete_action_item', { id: object.id })
    const again = await callTool(user, 'create_action_item', { id, text: 'Call Ben' })
    expect(again.object.id).not.toBe(object.id)
    const texts = (await itemsOf(user, id)).map((item: { text: string }) => item.text)
    expect(texts.filter((text: string) => text === 'Call Ben')).toHaveLength(2)
  })

  test('is refused in a conversation that has as many items as it may have', async () => {
    const user = await newUser()
    const id = await user.session({ action_items: Array.from({ length: 200 }, (_, at) => ({ text: `Item ${at}` })) })
    expect(await callTool(user, 'create_action_item', { id, text: 'One more' })).toMatchObject({
      isError: true,
      text: 'the session has 200 action items already, and may have 200'
    })
    expect(await itemsOf(user, id)).toHaveLength(200)
  })

  test('refuses words that are not a day', async () => {
    const user = await newUser()
    const call = { id: await user.session({}), text: 'Call Ben', due_date: 'someday' }
    expect((await callTool(user, 'create_action_item', call)).text).toMatch(/^due_date: give /)
  })
})

describe('change_tags', () => {
  test('adds and removes single tags of several conversations, and repeating it changes nothing', async () => {
    const user = await newUser()
    const ids = [await user.session({ tags: ['old', 'kept'] }), await user.session({ external_id: 'b', tags: [] })]
    const call = { ids, add: ['new', 'new'], remove: ['old', 'absent'] }
    const { object, text } = await callTool(user, 'change_tags', call)
    expect(object).toEqual({
      sessions: [
        { id: ids[0], tags: ['kept', 'new'] },
        { id: ids[1], tags: ['new'] }
      ],
      unchanged: []
    })
    expect(text).toContain(`${ids[0]} has the tags "kept", "new"`)
    const before = (await user.get(`/v1/sessions/${ids[0]}`)).body.updated_at
    expect((await callTool(user, 'change_tags', call)).object).toEqual(object)
    expect((await user.get(`/v1/sessions/${ids[0]}`)).body).toMatchObject({ tags: ['kept', 'new'], updated_at: before })
    const { object: listed } = await callTool(user, 'list_sessions', { tags: ['new'] })
    expect(listed.sessions).toHaveLength(2)
  })

  test('leaves a conversation that is gone or has too many tags as it is, and says so', async () => {
    const user = await newUser()
    const full = Array.from({ length: 20 }, (_, at) => `t${at}`)
    const ids = [await user.session({ tags: full }), 'ses_none', await user.session({ external_id: 'b' })]
    const { object, text, isError } = await callTool(user, 'change_tags', { ids, add: ['new'] })
    expect([isError, object]).toEqual([
      false,
      {
        sessions: [{ id: ids[2], tags: ['new'] }],
        unchanged: [
          { id: ids[0], problem: 'add: the session would have 21 tags; give at most 20' },
          { id: 'ses_none', problem: 'Session not found' }
        ]
      }
    ])
    expect(text).toContain('ses_none is unchanged: Session not found')
    expect(await tagsOf(user, String(ids[0]))).toEqual(full)
  })

  test('needs a tag, each on one side only, and at most ten conversations', async () => {
    const user = await newUser()
    const id = await user.session({})
    for (const [args, text] of [
      [{ ids: [id] }, 'arguments: give at least one of add, remove'],
      [{ ids: [id], add: ['a'], remove: ['a'] }, 'remove: add has "a" too'],
      [{ ids: [], add: ['a'] }, 'ids: give at least one id'],
      [{ ids: Array.from({ length: 11 }, (_, at) => `ses_${at}`), add: ['a'] }, 'at most 10 conversations']
    ] as const)
      expect((await callTool(user, 'change_tags', args)).text).toContain(text)
  })
})

describe('correct_transcript', () => {
  const SEGMENTS = [
    { speaker: 'Ada', start: 0, end: 2, text: 'Welcome to Parlants.' },
    { speaker: 'Ada', start: 2, end: 4, text: 'We begin.' },
    { speaker: 'Ben', start: 100, end: 105, text: 'The battery is late.' }
  ]

  test('corrects segments by the indexes and the version that get_transcript shows', async () => {
    const user = await newUser()
    const id = await user.session({ segments: SEGMENTS })
    const { object: read, text: shown } = await callTool(user, 'get_transcript', { id, indexes: true })
    expect(read.segments).toEqual(SEGMENTS.map(({ speaker, start, text }, index) => ({ index, start, speaker, text })))
    expect(shown).toContain(`The transcript is at if_version ${read.if_version}.`)
    expect(shown).toContain('> [index 1, 00:00:02 #t=2] Ada: We begin.')
    const segments = [{ index: '0', text: 'Welcome to Parlance.', speaker: null }]
    const { object, text } = await callTool(user, 'correct_transcript', { id, segments, if_version: read.if_version })
    expect(object).toEqual({ id, corrected: [0], if_version: read.if_version + 1 })
    expect(text).toBe(`Corrected segments 0 of ${id}. The transcript is at if_version ${read.if_version + 1}.`)
    const { body } = await user.get(`/v1/sessions/${id}/transcript`)
    expect(body.segments[0]).toMatchObject({ speaker: 'Ada', text: 'Welcome to Parlance.' })
    const { object: part } = await callTool(user, 'get_transcript', { id, indexes: true, start: 50 })
    expect(part.segments.map(({ index }: { index: number }) => index)).toEqual([2])
  })

  test('shows indexes of a transcript without times too', async () => {
    const user = await newUser()
    const id = await user.session({ segments: [{ speaker: 'Ada', text: 'Hello.' }] })
    const { object, text } = await callTool(user, 'get_transcript', { id, indexes: 'true' })
    expect(object.segments).toEqual([{ index: 0, speaker: 'Ada', text: 'Hello.' }])
    expect(text).toContain('> [index 0] Ada: Hello.')
  })

  test('a segment of which an answer shows only a part has no index in its object', async () => {
    const user = await newUser()
    const long = { speaker: 'Ada', start: 0, end: 900, text: 'We go on. '.repeat(4_000) }
    const id = await user.session({ segments: [long] })
    const { object } = await callTool(user, 'get_transcript', { id, indexes: true })
    expect(object.segments.map(({ index }: { index?: number }) => index)).toEqual([undefined])
  })

  test('changes nothing after another correction, and says what to do', async () => {
    const user = await newUser()
    const id = await user.session({ segments: SEGMENTS })
    const { if_version: before } = (await callTool(user, 'get_transcript', { id, indexes: true })).object
    const segments = [{ index: 1, text: 'We start.' }]
    for (const if_version of [`"${before}"`, String(before)]) {
      const { isError } = await callTool(user, 'correct_transcript', { id, segments, if_version })
      expect(isError).toBe(if_version === String(before))
    }
    expect(await callTool(user, 'correct_transcript', { id, segments, if_version: before })).toMatchObject({
      isError: true,
      text: `if_version: the transcript is at version ${before + 1}; read it again; get_transcript with indexes shows the segments and the current if_version`
    })
  })

  test.each<[string, object, RegExp]>([
    [
      'without a version',
      { segments: [{ index: 0, text: 'x' }] },
      /^if_version: give the if_version that get_transcript shows/
    ],
    [
      'of any version',
      { segments: [{ index: 0, text: 'x' }], if_version: '*' },
      /^if_version: give the if_version that get_transcript shows/
    ],
    ['of no segment', { segments: [], if_version: 1 }, /^segments: give a list of 1 to 500/],
    [
      'of a segment that is not there',
      { segments: [{ index: 9, text: 'x' }], if_version: 1 },
      /^segments\.0\.index: the transcript has no line 9/
    ],
    ['that says nothing', { segments: [{ index: 0 }], if_version: 1 }, /^segments\.0: give the new text or speaker/],
    ['of times', { segments: [{ index: 0, start: 4 }], if_version: 1 }, /^segments\.0: leave out start/]
  ])('is refused %s', async (_, args, error) => {
    const user = await newUser()
    const id = await user.session({ segments: SEGMENTS })
    const { text, isError } = await callTool(user, 'correct_transcript', { id, ...args })
    expect([isError, text]).toEqual([true, expect.stringMatching(error)])
    expect(text).not.toMatch(/ETag|header|\*/i)
  })
})

test('get_stats counts the conversations of a period, whose days are those of the user', async () => {
  const user = await newUser()
  await user.session({ timestamp: '2026-03-02T10:00:00Z', duration_seconds: 600, platform: 'zoom' })
  await user.session({ external_id: 'b', timestamp: '2026-03-03T10:00:00Z', duration_seconds: 60 })
  const { object, text } = await callTool(user, 'get_stats', { since: '2026-03-02', until: '2026-03-02' })
  expect(object).toEqual({
    total_sessions: 1,
    total_duration_seconds: 600,
    by_type: [{ name: 'import', sessions: 1 }],
    by_platform: [{ name: 'zoom', sessions: 1 }]
  })
  expect(text).toContain('1 conversations of together 00:10:00 from 2026-03-02T00:00Z until 2026-03-03T00:00Z')
  expect((await callTool(user, 'get_stats', { since: '2026-03-02', until: '2026-03-03' })).object.total_sessions).toBe(
    2
  )
})

test('get_account says who the user is, what they have, and what the assistant may do', async () => {
  const user = await newUser()
  await user.session({})
  const { object, text } = await callTool(user, 'get_account')
  expect(object).toMatchObject({ time_zone: 'UTC', session_count: 1 })
  expect(object.today).toMatch(/^\d{4}-\d{2}-\d{2}$/)
  expect(object.scopes).toContain('sessions:read')
  expect(text).toContain('1 conversations')
})
