import { describe, expect, test } from 'vitest'
import type { ActionItem } from '../../../src/contract/action-item.ts'
import { updateUser } from '../../../src/features/access/queries.ts'
import { acceptSession, buildTestApp, completeSession, NOW, newUser } from '../../support/server.ts'

const NOW_MS = Date.parse(NOW)
const LATER = '2026-03-04T23:30:00.000Z'
const ONE_DAY =
  'send one date, best as YYYY-MM-DD, or words that name one day: Friday, March 6, the 15th, in 2 weeks, end of the month'
const LATER_MS = Date.parse(LATER)

type User = Awaited<ReturnType<typeof newUser>>

function refused(message: string) {
  return { status: 400, body: { error: { code: 'invalid_request', message } } }
}

/** A session with two items that the service found. */
async function sessionWithItems(user: User) {
  const id = await user.session({
    action_items: [
      { text: 'Send the offer', assignee: 'Ada', due_date: '2026-03-06', source_start: 4.5 },
      { text: 'Book a room', completed: true }
    ]
  })
  const { body } = await user.get(`/v1/sessions/${id}/action-items`)
  return { id, path: `/v1/sessions/${id}`, items: body.action_items as ActionItem[] }
}

/** The same request at another time. */
async function patchAt(user: User, instant: string, path: string, body: object) {
  const app = await buildTestApp({ clock: { now: () => new Date(instant) } })
  const reply = await app.inject({
    method: 'PATCH',
    url: path,
    headers: { authorization: `Bearer ${user.token}` },
    payload: body
  })
  return { status: reply.statusCode, body: reply.json() }
}

async function itemsOf(user: User, path: string): Promise<ActionItem[]> {
  return (await user.get(`${path}/action-items`)).body.action_items
}

async function eventsOf(user: User) {
  const { rows } = await user.db.execute(`select type, body from events where user_id = '${user.id}' order by seq`)
  return rows.map(({ type, body }) => ({ type, session: JSON.parse(String(body)).data.session }))
}

describe('PATCH /v1/sessions/{id}', () => {
  test('writes every sent field and names them in the order of the contract', async () => {
    const user = await newUser()
    const { id, path } = await sessionWithItems(user)
    const sent = { action_items: [], favorite: true, tags: ['b', 'a', 'b'], notes: '', title: 'New' }
    expect(await user.patch(path, sent)).toEqual({
      status: 200,
      body: {
        id,
        updated_fields: ['title', 'notes', 'tags', 'favorite', 'action_items'],
        updated_at: NOW,
        action_items_version: 2
      }
    })
    expect((await user.get(path)).body).toMatchObject({
      title: 'New',
      notes: '',
      tags: ['b', 'a'],
      favorite: true,
      action_items: []
    })
  })

  test('keeps the other fields, and returns no version if no items were written', async () => {
    const user = await newUser()
    const id = await user.session({ notes: 'Keep me', tags: ['x'] })
    const before = (await user.get(`/v1/sessions/${id}`)).body
    expect(await user.patch(`/v1/sessions/${id}`, { favorite: true, summary: 'Not yours', colour: 'red' })).toEqual({
      status: 200,
      body: {
        id,
        updated_fields: ['favorite'],
        updated_at: NOW,
        warnings: ['summary', 'colour'].map(name => `${name}: ignored, because the request takes no such field`)
      }
    })
    expect((await user.get(`/v1/sessions/${id}`)).body).toEqual({ ...before, favorite: true })
  })

  test('replaces the whole list of items; known ones keep created_at, source and source_start, new ones get an id', async () => {
    const user = await newUser()
    const { path, items } = await sessionWithItems(user)
    await patchAt(user, LATER, path, {
      action_items: [
        { text: 'Call the client', assignee: 'Ben' },
        { id: items[0]!.id, text: 'Send the final offer', source: 'user' }
      ]
    })
    expect(await itemsOf(user, path)).toEqual([
      {
        id: expect.stringMatching(/^ai_/),
        text: 'Call the client',
        completed: false,
        source: 'user',
        assignee: 'Ben',
        due_date: null,
        source_start: null,
        user_edited_at: null,
        created_at: LATER_MS,
        updated_at: LATER_MS
      },
      { ...items[0], text: 'Send the final offer', user_edited_at: LATER_MS, updated_at: LATER_MS }
    ])
  })

  test('keeps the omitted fields of a known item: completed, assignee and due date', async () => {
    const user = await newUser()
    const { path, items } = await sessionWithItems(user)
    await patchAt(user, LATER, path, { action_items: items.map(({ id, text }) => ({ id, text })) })
    expect(await itemsOf(user, path)).toEqual(items)
  })

  test.each<[string, object, boolean]>([
    ['another text', { text: 'Send it' }, true],
    ['another due date', { due_date: '2026-03-09' }, true],
    ['a cleared due date', { due_date: null }, true],
    ['a due date cleared by an empty text', { due_date: '' }, true],
    ['the same due date in words', { due_date: 'Friday' }, false],
    ['the same due date with a time', { due_date: '2026-03-06T18:00:00+09:00' }, false],
    ['another assignee', { assignee: null }, false],
    ['a tick', { completed: true }, false]
  ])('stamps user_edited_at when text or normalized due date change: %s', async (_, change, edited) => {
    const user = await newUser()
    const { path, items } = await sessionWithItems(user)
    const { id, text } = items[0]!
    await patchAt(user, '2026-03-04T12:00:00Z', path, { action_items: [{ id, text, ...change }] })
    const [item] = await itemsOf(user, path)
    expect(item?.user_edited_at).toBe(edited ? Date.parse('2026-03-04T12:00:00Z') : null)
    expect(item?.created_at).toBe(NOW_MS)
  })

  test.each([
    ['the 15th', '2026-03-15'],
    ['2 weeks', '2026-03-16'],
    ['in a year', '2027-03-02'],
    ['end of the month', '2026-03-31'],
    ['13/03/2026', '2026-03-13']
  ])('reads the one day that %j names', async (words, day) => {
    const user = await newUser()
    const { path } = await sessionWithItems(user)
    expect((await user.patch(path, { action_items: [{ text: 'a', due_date: words }] })).status).toBe(200)
    expect((await itemsOf(user, path)).map(({ due_date }) => due_date)).toEqual([day])
  })

  test('reads a due date in words on the calendar day of the user', async () => {
    const user = await newUser()
    const { path } = await sessionWithItems(user)
    await updateUser(user.db, user.id, { timeZone: 'Asia/Tokyo' })
    // In Tokyo it is Thursday the 5th already.
    await patchAt(user, LATER, path, {
      action_items: [
        { text: 'a', due_date: 'today' },
        { text: 'b', due_date: 'Thursday' }
      ]
    })
    expect((await itemsOf(user, path)).map(({ due_date }) => due_date)).toEqual(['2026-03-05', '2026-03-05'])
    await updateUser(user.db, user.id, { timeZone: 'America/Los_Angeles' })
    await patchAt(user, LATER, path, {
      action_items: [
        { text: 'a', due_date: 'tomorrow' },
        { text: 'b', due_date: 'March 4' }
      ]
    })
    expect((await itemsOf(user, path)).map(({ due_date }) => due_date)).toEqual(['2026-03-05', '2026-03-04'])
  })

  test('makes a new item for an unknown id, even one of another session', async () => {
    const user = await newUser()
    const [here, there] = [await sessionWithItems(user), await sessionWithItems(user)]
    await user.patch(here.path, {
      action_items: [
        { id: there.items[0]!.id, text: 'x' },
        { id: 'mine', text: 'y', source: 'agent' }
      ]
    })
    const items = await itemsOf(user, here.path)
    expect(items.map(({ source, source_start }) => [source, source_start])).toEqual([
      ['user', null],
      ['agent', null]
    ])
    expect(items.map(({ id }) => id)).not.toContain(there.items[0]!.id)
    expect(new Set([...items, ...here.items, ...there.items].map(({ id }) => id)).size).toBe(6)
  })

  test('raises the version by one with every write of items, and answers with it as the ETag', async () => {
    const user = await newUser()
    const { path } = await sessionWithItems(user)
    const versions = []
    for (let turn = 0; turn < 3; turn++) {
      const { headers, body } = await user.ask('PATCH', path, { body: { action_items: [{ text: 'same' }] } })
      versions.push([headers.etag, body.action_items_version])
    }
    expect(versions).toEqual([
      ['"2"', 2],
      ['"3"', 3],
      ['"4"', 4]
    ])
    expect((await user.ask('PATCH', path, { body: { title: 'x' } })).headers.etag).toBe('"4"')
    expect((await user.get(`${path}/action-items`)).body).toMatchObject({ version: 4, updated_at: NOW })
  })

  test.each(['1', '"1"', 'W/"1"', '*', ' "1" ', '"1-gzip"', '"7", W/"1"', '"2",1', '"7-br" , "1-gzip"'])(
    'writes when If-Match is %s and the version is 1',
    async match => {
      const user = await newUser()
      const { path } = await sessionWithItems(user)
      expect((await user.patch(path, { action_items: [] }, { 'if-match': match })).status).toBe(200)
    }
  )

  test('answers conflict when If-Match differs, on any field, and writes nothing', async () => {
    const user = await newUser()
    const { path, items } = await sessionWithItems(user)
    const answer = {
      status: 409,
      body: { error: { code: 'conflict', message: 'If-Match: the action items are at version 1; read them again' } }
    }
    expect(await user.patch(path, { action_items: [] }, { 'if-match': '"2"' })).toEqual(answer)
    expect(await user.patch(path, { title: 'x' }, { 'if-match': '0' })).toEqual(answer)
    expect(await itemsOf(user, path)).toEqual(items)
    expect(await eventsOf(user)).toHaveLength(1)
  })

  test.each(['', 'seven', '1.0', '-1', '"1', '"1" "2"', '"1",', '**', 'W/"rAAAAAAAAAAAAAAAAAAAAAAAAAAA"'])(
    'refuses If-Match %j',
    async match => {
      const user = await newUser()
      const { path } = await sessionWithItems(user)
      expect(await user.patch(path, { title: 'x' }, { 'if-match': match })).toEqual(
        refused('If-Match: send the version or ETag you have read, such as "7", or *')
      )
    }
  )

  test('lets one of fifty writers with the same If-Match win', async () => {
    const user = await newUser()
    const { path } = await sessionWithItems(user)
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        user.patch(path, { action_items: [{ text: `writer ${n}` }] }, { 'if-match': '"1"' })
      )
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(49).fill(409)])
    const winner = answers.findIndex(({ status }) => status === 200)
    expect((await itemsOf(user, path)).map(({ text }) => text)).toEqual([`writer ${winner}`])
    expect((await eventsOf(user)).map(({ type }) => type)).toEqual([
      'session.completed',
      'session.updated',
      'session.action_items.updated'
    ])
  })

  test('records session.updated for every change, and session.action_items.updated with items, both with the state after it', async () => {
    const user = await newUser()
    const { path } = await sessionWithItems(user)
    await user.patch(path, { title: 'One' })
    await user.patch(path, { title: 'Two', action_items: [{ text: 'x' }] })
    const detail = (await user.get(path)).body
    const events = await eventsOf(user)
    expect(events.map(({ type, session }) => [type, session.title])).toEqual([
      ['session.completed', 'Weekly review'],
      ['session.updated', 'One'],
      ['session.updated', 'Two'],
      ['session.action_items.updated', 'Two']
    ])
    expect(events.at(-1)?.session).toEqual(detail)
    expect(events.at(-2)?.session).toEqual(detail)
  })

  test('answers a change without effect with an empty list, keeps updated_at and records no event', async () => {
    const user = await newUser()
    const { id, path } = await sessionWithItems(user)
    const written = { title: 'One', notes: 'n', tags: ['a', 'b'], favorite: true }
    await user.patch(path, written)
    const before = await user.ask('GET', path)
    const recorded = await eventsOf(user)
    for (const body of [written, { title: 'One' }, { notes: 'n' }, { tags: ['a', 'b', 'a'] }, { favorite: true }]) {
      expect(await patchAt(user, LATER, path, body)).toEqual({
        status: 200,
        body: { id, updated_fields: [], updated_at: NOW }
      })
    }
    const repeated = await user.ask('PATCH', path, { body: { title: 'One' } })
    expect(repeated.headers.etag).toBe('"1"')
    expect((await user.ask('GET', path)).body).toEqual(before.body)
    expect(await eventsOf(user)).toEqual(recorded)
    expect((await user.patch(path, { title: 'One' }, { 'if-match': '"7"' })).status).toBe(409)
  })

  test('names only the fields whose value changed; tags in another order have changed', async () => {
    const user = await newUser()
    const id = await user.session({ notes: 'n', tags: ['a', 'b'] })
    const path = `/v1/sessions/${id}`
    const { title } = (await user.get(path)).body
    expect(await patchAt(user, LATER, path, { title, notes: 'n', tags: ['b', 'a'], favorite: false })).toEqual({
      status: 200,
      body: { id, updated_fields: ['tags'], updated_at: LATER }
    })
    expect((await patchAt(user, LATER, path, { title: `${title} `, notes: '' })).body.updated_fields).toEqual([
      'title',
      'notes'
    ])
    expect((await eventsOf(user)).map(({ type }) => type)).toEqual([
      'session.completed',
      'session.updated',
      'session.updated'
    ])
  })

  test('treats missing notes and empty notes as different', async () => {
    const user = await newUser()
    const path = `/v1/sessions/${await user.session()}`
    expect((await user.get(path)).body.notes).toBe(null)
    expect((await user.patch(path, { notes: '' })).body.updated_fields).toEqual(['notes'])
    expect((await user.patch(path, { notes: '' })).body.updated_fields).toEqual([])
  })

  test('counts equal action items as a write: the version rises and both events are recorded', async () => {
    const user = await newUser()
    const { id, path, items } = await sessionWithItems(user)
    const { title } = (await user.get(path)).body
    expect(await user.patch(path, { title, action_items: items.map(({ id, text }) => ({ id, text })) })).toMatchObject({
      status: 200,
      body: { id, updated_fields: ['action_items'], action_items_version: 2 }
    })
    const events = await eventsOf(user)
    expect(events.map(({ type }) => type)).toEqual([
      'session.completed',
      'session.updated',
      'session.action_items.updated'
    ])
    expect(events.map(({ session }) => session.action_items_version)).toEqual([1, 2, 2])
  })

  test('changes a value once when two requests send it at once', async () => {
    const user = await newUser()
    const path = `/v1/sessions/${await user.session()}`
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => user.patch(path, { title: 'Same', favorite: true }))
    )
    expect(answers.map(({ body }) => body.updated_fields.length).sort()).toEqual([...Array(19).fill(0), 2])
    expect((await eventsOf(user)).map(({ type }) => type)).toEqual(['session.completed', 'session.updated'])
  })

  test('writes a session that is still processing, and its completion keeps what was written', async () => {
    const user = await newUser()
    const id = await acceptSession(user.id)
    const written = { title: 'Mine', tags: ['t'], notes: 'n', favorite: true, action_items: [{ text: 'do it' }] }
    expect((await user.patch(`/v1/sessions/${id}`, written)).status).toBe(200)
    await completeSession(user.id, id)
    expect((await user.get(`/v1/sessions/${id}`)).body).toMatchObject({
      title: 'Mine',
      tags: ['t'],
      notes: 'n',
      favorite: true,
      action_items: [{ text: 'do it', source: 'user' }],
      action_items_version: 1,
      summary: expect.any(String)
    })
  })

  test('takes the largest body the limits allow, each character escaped', async () => {
    const user = await newUser()
    const id = await user.session()
    const escaped = (length: number) => '\\ud83d\\ude00'.repeat(length)
    const item = `{"text":"${escaped(2000)}","assignee":"${escaped(200)}","due_date":"${`${' '.repeat(90)}2026-03-06`.replaceAll(/./g, one => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)}"}`
    const tags = Array.from({ length: 20 }, (_, n) => `"${escaped(98)}${String(n).padStart(2, '0')}"`)
    const body = `{"title":"${escaped(500)}","notes":"${escaped(50_000)}","tags":[${tags}],"favorite":true,"action_items":[${Array(200).fill(item)}]}`
    expect(body.length).toBeGreaterThan(6_000_000)
    const reply = await user.app.inject({
      method: 'PATCH',
      url: `/v1/sessions/${id}`,
      headers: { authorization: `Bearer ${user.token}`, 'content-type': 'application/json' },
      payload: body
    })
    expect([reply.statusCode, reply.json().updated_fields]).toEqual([
      200,
      ['title', 'notes', 'tags', 'favorite', 'action_items']
    ])
    const { notes, action_items: items } = (await user.get(`/v1/sessions/${id}`)).body
    expect([[...notes].length, items.length, [...items[199].text].length, items[199].due_date]).toEqual([
      50_000,
      200,
      2_000,
      '2026-03-06'
    ])
  })

  const ONE_OF = 'title, notes, tags, favorite, action_items, keep'
  test.each<[unknown, string]>([
    [{}, `body: send at least one of ${ONE_OF}`],
    [{ summary: 'x' }, `body: send at least one of ${ONE_OF}`],
    [undefined, `body: send an object with at least one of ${ONE_OF}`],
    [[], `body: send an object with at least one of ${ONE_OF}`],
    [{ title: null }, 'title: send a text of at most 500 characters'],
    [{ title: 'x'.repeat(501) }, 'title: send a text of at most 500 characters'],
    [{ notes: 'x'.repeat(50_001) }, 'notes: send a text of at most 50000 characters'],
    [{ tags: 'a' }, 'tags: send a list of at most 20 tags'],
    [{ tags: Array.from({ length: 21 }, (_, n) => `t${n}`) }, 'tags: send a list of at most 20 tags'],
    [{ tags: ['ok', 'x'.repeat(101)] }, 'tags.1: send a text of 1 to 100 characters that is not blank'],
    [{ tags: [''] }, 'tags.0: send a text of 1 to 100 characters that is not blank'],
    [{ favorite: 'yes' }, 'favorite: send true or false'],
    [{ action_items: {} }, 'action_items: send a list of at most 200 items'],
    [{ action_items: Array(201).fill({ text: 'x' }) }, 'action_items: send a list of at most 200 items'],
    [{ action_items: ['x'] }, 'action_items.0: send an object with the text of the item'],
    [{ action_items: [{}] }, 'action_items.0.text: send a text of 1 to 2000 characters'],
    [{ action_items: [{ text: '' }] }, 'action_items.0.text: send a text of 1 to 2000 characters'],
    [{ action_items: [{ text: 'x'.repeat(2001) }] }, 'action_items.0.text: send a text of 1 to 2000 characters'],
    [
      { action_items: [{ text: 'x', assignee: 'x'.repeat(201) }] },
      'action_items.0.assignee: send a text of at most 200 characters'
    ],
    [{ action_items: [{ text: 'x', source: 'robot' }] }, 'action_items.0.source: send agent or user'],
    [
      { action_items: [{ text: 'x', id: 7 }] },
      'action_items.0.id: send the id of an item of this session, or leave it out'
    ],
    [
      { action_items: [{ text: 'x', due_date: 'x'.repeat(101) }] },
      'action_items.0.due_date: send a text of at most 100 characters'
    ],
    [{ action_items: [{ text: 'x' }, { text: 'x', due_date: 'soon' }] }, `action_items.1.due_date: ${ONE_DAY}`],
    [{ action_items: [{ text: 'x', due_date: '2026-02-30' }] }, `action_items.0.due_date: ${ONE_DAY}`],
    [{ action_items: [{ text: 'x', due_date: 'next week' }] }, `action_items.0.due_date: ${ONE_DAY}`],
    [{ action_items: [{ text: 'x', due_date: 'end of the quarter' }] }, `action_items.0.due_date: ${ONE_DAY}`],
    [{ action_items: [{ text: 'x', due_date: '02/03/2026' }] }, `action_items.0.due_date: ${ONE_DAY}`],
    [{ action_items: [{ text: 'x', due_date: 'Monday or Tuesday' }] }, `action_items.0.due_date: ${ONE_DAY}`],
    [
      {
        action_items: [
          { text: 'x', id: 'a' },
          { text: 'y', id: 'a' }
        ]
      },
      'action_items.1.id: send each id once'
    ],
    [{ title: 'a\u0000b' }, 'title: send text without NUL characters and unpaired surrogates'],
    [
      { action_items: [{ text: '\ud800' }] },
      'action_items.0.text: send text without NUL characters and unpaired surrogates'
    ]
  ])('refuses %j and says what to send', async (body, message) => {
    const user = await newUser()
    const id = await user.session()
    expect(await user.patch(`/v1/sessions/${id}`, body)).toEqual(refused(message))
  })

  test('counts characters, not their halves: 500 emoji are a title', async () => {
    const user = await newUser()
    const id = await user.session()
    expect((await user.patch(`/v1/sessions/${id}`, { title: '😀'.repeat(500) })).status).toBe(200)
    expect((await user.patch(`/v1/sessions/${id}`, { title: '😀'.repeat(501) })).status).toBe(400)
  })
})
