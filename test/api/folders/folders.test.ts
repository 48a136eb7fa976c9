import { describe, expect, test } from 'vitest'
import { newId } from '../../../src/platform/core/ids.ts'
import { folders } from '../../../src/platform/db/schema/index.ts'
import { folderKey } from '../../../src/platform/text/fold.ts'
import { onPostgres } from '../../support/process.ts'
import { withoutParam } from '../../support/refusal.ts'
import { validatorsOf } from '../../support/schemas.ts'
import { buildTestApp, NOW, newUser } from '../../support/server.ts'

/** The warnings about fields that are ignored; none without such a field. */
const ignoring = (names: string[]) =>
  names.length > 0 ? { warnings: names.map(name => `${name}: ignored, because the request takes no such field`) } : {}

const NOT_FOUND = { status: 404, body: { error: { code: 'not_found', message: 'Folder not found' } } }
const LATER = '2026-03-02T10:05:00.000Z'

const NAME = 'name: send a name of 1 to 100 characters that is not blank'
const COLOR = 'color: send a colour as #RRGGBB, or null for none'
const ORDER = 'order: send a whole number from 0 to 9007199254740991'
const OBJECT = 'body: send a JSON object with the fields of the folder'

const BAD_NAMES: [string, unknown][] = [
  ['an empty name', ''],
  ['a name of spaces', ' \t\n\u3000'],
  ['a name of characters that cannot be seen', '\u200b\u00ad\u3164'],
  ['a name of 101 characters', 'x'.repeat(101)],
  ['a name of 101 emoji', '🎈'.repeat(101)],
  ['a name that is a number', 7],
  ['a name that is null', null]
]

const BAD_COLORS: [string, unknown][] = [
  ['a colour by name', 'red'],
  ['a colour of three digits', '#fff'],
  ['a colour of eight digits', '#ffffff00'],
  ['a colour with something after it', '#ffffff\n'],
  ['a colour that is a number', 16_777_215]
]

describe('GET /v1/folders', () => {
  test('answers with no folders when the user has none, even if others have some', async () => {
    const stranger = await newUser()
    await stranger.post('/v1/folders', { name: 'Clients' })
    const user = await newUser('folders:read')
    expect(await user.get('/v1/folders')).toEqual({ status: 200, body: { folders: [] } })
  })

  test('shows pinned folders first, then those with an order by it, then the others by name in any case', async () => {
    const user = await newUser()
    const made: [string, object][] = [
      ['beta', {}],
      ['Second', { order: 20 }],
      ['pinned Beta', { pinned: true }],
      ['Third', { order: 9_007_199_254_740_991 }],
      ['Alpha', {}],
      ['First', { order: 3, pinned: false }],
      ['Pinned alpha', { pinned: true }],
      ['zebra of the same order', { order: 20 }],
      ['Pinned with an order', { order: 1000, pinned: true }],
      ['Zero', { order: 0 }],
      ['alpha 2', { sort_order: 'title' }]
    ]
    for (const [name, change] of made) await folderOf(user, name, change)
    const { body } = await user.get('/v1/folders')
    expect(body.folders.map(({ name }: { name: string }) => name)).toEqual([
      'Pinned with an order',
      'Pinned alpha',
      'pinned Beta',
      'Zero',
      'First',
      'Second',
      'zebra of the same order',
      'Third',
      'Alpha',
      'alpha 2',
      'beta'
    ])
  })

  test.each([1, 2, 3, 200])(
    'answers in pages of %i where `limit` is sent, in the order of the whole list',
    async limit => {
      const user = await newUser()
      const made: [string, object][] = [
        ['plain', {}],
        ['Ordered_1', { order: 9_007_199_254_740_991 }],
        ['tab\there', {}],
        ['Ordered_0', { order: 0 }],
        ['pinned_none_x', { pinned: true }],
        ['Ärger', { pinned: false }],
        ['Pinned first', { pinned: true, order: 5 }]
      ]
      for (const [name, change] of made) await folderOf(user, name, change)
      await (await newUser()).post('/v1/folders', { name: 'of a stranger' })
      const pages: { folders: object[]; next_cursor: string | null; has_more: boolean }[] = []
      for (let next: string | null = ''; next !== null && pages.length < 9; next = pages.at(-1)!.next_cursor)
        pages.push((await user.get(`/v1/folders?limit=${limit}${next && `&cursor=${encodeURIComponent(next)}`}`)).body)
      expect({ folders: pages.flatMap(({ folders }) => folders) }).toEqual((await user.get('/v1/folders')).body)
      expect(pages.map(({ has_more }) => has_more)).toEqual(pages.map((_, at) => at < Math.ceil(7 / limit) - 1))
    }
  )

  test('links to the next page, which follows even where the folder before it is deleted meanwhile', async () => {
    const user = await newUser()
    const [first] = [await folderOf(user, 'a'), await folderOf(user, 'b')]
    const { body, headers } = await user.send('/v1/folders?limit=1')
    expect([body.folders[0].name, headers.link]).toEqual(['a', '</v1/folders?limit=1&cursor=other_none_a>; rel="next"'])
    await user.delete(`/v1/folders/${first}`)
    const { body: second } = await user.get(`/v1/folders?cursor=${body.next_cursor}`)
    expect(second).toEqual({ folders: [expect.objectContaining({ name: 'b' })], next_cursor: null, has_more: false })
  })

  test.each([
    ['limit=0', 'limit: send a whole number from 1 to 200'],
    ['limit=201', 'limit: send a whole number from 1 to 200'],
    ['cursor=pinned_1_a&cursor=pinned_1_a', 'cursor: send it once'],
    ...['cursor=', 'cursor=x', 'cursor=other_none_', 'cursor=pinned_1.5_a'].map(query => [
      query,
      'cursor: send the next_cursor of the previous page, unchanged'
    ])
  ])('refuses %s', async (query, message) => {
    const user = await newUser('folders:read')
    expect(await user.get(`/v1/folders?${query}`)).toEqual(refused(String(message)))
  })

  test('leaves out fields that were never set', async () => {
    const user = await newUser()
    const id = newId('fld')
    await user.db.insert(folders).values({ userId: user.id, folderId: id, name: 'Old', nameKey: folderKey('Old') })
    const old = { id, name: 'Old', color: null, session_count: 0 }
    expect(await user.get('/v1/folders')).toEqual({ status: 200, body: { folders: [old] } })
    expect(await user.get(`/v1/folders/${id}`)).toEqual({ status: 200, body: old })
  })
})

describe('GET /v1/folders/{id}', () => {
  test('answers with every field that is set', async () => {
    const user = await newUser()
    const values = {
      name: 'Clients',
      color: '#00ff00',
      pinned: true,
      order: 7,
      createdAt: new Date(NOW),
      updatedAt: new Date(LATER)
    }
    const [id, opened] = [newId('fld'), new Date('2026-03-03T08:00:00.5Z')]
    const named = { userId: user.id, folderId: id, nameKey: folderKey(values.name) }
    await user.db.insert(folders).values({ ...named, ...values, sortOrder: 'oldest', lastOpenedAt: opened })
    expect(await user.get(`/v1/folders/${id}`)).toEqual({
      status: 200,
      body: {
        id,
        name: 'Clients',
        color: '#00ff00',
        session_count: 0,
        created_at: NOW,
        updated_at: LATER,
        pinned: true,
        sort_order: 'oldest',
        order: 7,
        last_opened_at: '2026-03-03T08:00:00.500Z'
      }
    })
  })
})

describe('POST /v1/folders', () => {
  test('trims the name and stamps both timestamps', async () => {
    const user = await newUser()
    const made = await user.post('/v1/folders', { name: ' \u3000 Clients\n', color: '#00fFa0' })
    expect(made).toEqual({
      status: 201,
      body: {
        id: expect.stringMatching(/^fld_[0-9a-z]{26}$/),
        name: 'Clients',
        color: '#00fFa0',
        session_count: 0,
        created_at: NOW,
        updated_at: NOW
      }
    })
    expect(await user.get(`/v1/folders/${made.body.id}`)).toEqual({ status: 200, body: made.body })
  })

  test('takes 100 characters with spaces around them, and so does the document', async () => {
    const user = await newUser('folders:write')
    const name = `  ${'x'.repeat(100)}  `
    const { status, body } = await user.post('/v1/folders', { name })
    expect([status, body.name]).toEqual([201, name.trim()])
    const document = JSON.parse(JSON.stringify(user.app.swagger()))
    const isTaken = validatorsOf(document)({ $ref: '#/components/schemas/FolderCreateInput' })
    expect([isTaken({ name }), isTaken({ name: '' }), isTaken({ name: ' '.repeat(201) })]).toEqual([true, false, false])
  })

  test.each([
    ['without a colour', { name: 'Clients' }],
    ['with the colour null', { name: 'Clients', color: null }],
    [
      'with fields that it does not know',
      { name: 'Clients', id: 'fld_x', user_id: 'usr_x', session_count: 9, pinned: true }
    ]
  ])('makes a folder without a colour of a request %s', async (_, body) => {
    const user = await newUser()
    const plain = {
      id: expect.any(String),
      name: 'Clients',
      color: null,
      session_count: 0,
      created_at: NOW,
      updated_at: NOW
    }
    const warnings = ignoring(Object.keys(body).filter(name => !['name', 'color'].includes(name)))
    expect(await user.post('/v1/folders', body)).toEqual({ status: 201, body: { ...plain, ...warnings } })
  })

  test.each([
    ['in case', 'Clients', 'cLIENTS'],
    ['by nothing', 'Clients', '  Clients'],
    ['in case beyond one letter', 'STRASSE', 'straße'],
    ['in case at the end of a word', 'ΟΔΟΣ', 'οδος'],
    ['in how an accent is written', 'Caf\u00e9', 'CAFE\u0301'],
    ['by a canonical equivalent', '\u212bngström', '\u00c5ngström']
  ])('answers with the existing folder, unchanged, when the name differs only %s', async (_, first, second) => {
    const user = await newUser()
    const made = await user.post('/v1/folders', { name: first, color: '#00ff00' })
    const again = await at(LATER, user)
    expect(await again('POST', '/v1/folders', { name: second, color: '#ff0000' })).toEqual(made)
    expect((await user.get('/v1/folders')).body.folders).toEqual([made.body])
  })

  test.each([
    ['m²', 'M2'],
    ['½', '1⁄2'],
    ['Clients', 'ＣＬＩＥＮＴＳ'],
    ['Ⅳ', 'IV']
  ])('keeps %j and %j apart, which only look alike, also in filters and imports', async (first, second) => {
    const user = await newUser()
    const made = [await folderOf(user, first), await folderOf(user, second)]
    expect(new Set(made).size).toBe(2)
    const id = await user.session({ folders: [second] })
    expect((await user.get(`/v1/sessions/${id}`)).body.folder_ids).toEqual([made[1]])
    const listed = async (name: string) =>
      (await user.get(`/v1/sessions?folder=${encodeURIComponent(name)}`)).body.sessions.length
    expect([await listed(first), await listed(second)]).toEqual([0, 1])
    expect(await user.patch(`/v1/folders/${made[0]}`, { name: `${second} ` })).toMatchObject({ status: 400 })
    expect(await user.patch(`/v1/folders/${made[0]}`, { name: first.toLowerCase() })).toMatchObject({ status: 200 })
  })

  test.runIf(onPostgres)(
    'answers many requests at once, whose names differ only in case, with one folder',
    { tags: ['postgres'] },
    async () => {
      const user = await newUser()
      const others = await Promise.all(Array.from({ length: 6 }, (_, n) => folderOf(user, `Other ${n}`)))
      const cased = (n: number) =>
        [...'Clients'].map((letter, at) => ((n >> at) & 1 ? letter.toUpperCase() : letter)).join('')
      const made = Promise.all(Array.from({ length: 24 }, (_, n) => user.post('/v1/folders', { name: cased(n) })))
      const renamed = Promise.all(others.map((id, n) => user.patch(`/v1/folders/${id}`, { name: cased(n + 24) })))
      const { body } = await made.then(() => user.get('/v1/folders'))
      const [one, ...more] = body.folders.filter(
        ({ name }: { name: string }) => folderKey(name) === folderKey('clients')
      )
      expect(more).toEqual([])
      expect((await made).map(({ body }) => body)).toEqual(Array(24).fill(one))
      const taken = refused('name: another folder has this name; send a different one')
      expect(await renamed).toEqual(others.map(id => (id === one.id ? { status: 200, body: one } : taken)))
    }
  )

  test('keeps names apart that differ in an accent, and those of different users', async () => {
    const [user, stranger] = [await newUser(), await newUser()]
    const ids = [await folderOf(user, 'Cafe'), await folderOf(user, 'Café'), await folderOf(stranger, 'Cafe')]
    expect(new Set(ids).size).toBe(3)
  })

  test.each([
    ['a letter', 'x'],
    ['100 letters between spaces', `  ${'x'.repeat(100)}  `],
    ['100 emoji', '🎈'.repeat(100)],
    ['100 characters that each stand for a phrase', '\ufdfa'.repeat(100)]
  ])('takes a name of %s', async (_, name) => {
    const user = await newUser()
    expect(await user.post('/v1/folders', { name })).toMatchObject({ status: 201, body: { name: name.trim() } })
  })

  test.each<[string, object, string]>([
    ['no name', { color: '#ffffff' }, NAME],
    ...BAD_NAMES.map(([what, name]): [string, object, string] => [what, { name }, NAME]),
    ...BAD_COLORS.map(([what, color]): [string, object, string] => [what, { name: 'Clients', color }, COLOR]),
    ['a list', [{ name: 'Clients' }], OBJECT],
    ['NUL in the name', { name: 'a\0b' }, 'name: send text without NUL characters and unpaired surrogates'],
    [
      'half a character in the name',
      { name: 'a\ud83c' },
      'name: send text without NUL characters and unpaired surrogates'
    ]
  ])('refuses %s and says what to send', async (_, body, message) => {
    const user = await newUser()
    expect(await user.post('/v1/folders', body)).toEqual(refused(message))
    expect((await user.get('/v1/folders')).body).toEqual({ folders: [] })
  })

  test('needs folders:write, and says so before it looks at the body', async () => {
    const user = await newUser('folders:read', 'sessions:read', 'sessions:write')
    expect(await user.post('/v1/folders', { name: '' })).toEqual(forbidden('folders:write'))
  })
})

describe.each(['POST', 'PATCH'] as const)('%s', method => {
  test.each([
    ['no body', undefined],
    ['an empty body', ''],
    ['null', 'null'],
    ['a text', '"Clients"']
  ])('answers invalid_request to %s', async (_, body) => {
    const user = await newUser()
    const path = { POST: '/v1/folders', PATCH: `/v1/folders/${newId('fld')}` }[method]
    const { status, body: answer } = await user.ask(method, path, {
      body,
      headers: { 'content-type': 'application/json' }
    })
    expect({ status, body: answer }).toEqual(refused(OBJECT))
  })
})

describe('PATCH /v1/folders/{id}', () => {
  test.each([
    ['renames', { name: ' Customers ' }, { name: 'Customers' }],
    ['renames to its own name in another case', { name: 'CLIENTS' }, { name: 'CLIENTS' }],
    ['recolours', { color: '#FF0000' }, { color: '#FF0000' }],
    ['clears the colour', { color: null }, { color: null }],
    ['pins', { pinned: true }, { pinned: true }],
    ['unpins what was not pinned', { pinned: false }, { pinned: false }],
    ['sets how its sessions are sorted', { sort_order: 'oldest' }, { sort_order: 'oldest' }],
    ['places first', { order: 0 }, { order: 0 }],
    ['places last', { order: 9_007_199_254_740_991 }, { order: 9_007_199_254_740_991 }],
    ['takes a value that it has already', { color: '#00ff00' }, {}],
    ['ignores what it does not know', { pinned: true, session_count: 3, created_at: LATER }, { pinned: true }],
    [
      'takes all at once',
      { name: 'A', color: null, pinned: true, sort_order: 'title', order: 2 },
      { name: 'A', color: null, pinned: true, sort_order: 'title', order: 2 }
    ]
  ])('%s, moves updated_at and leaves the rest', async (_, patch, changed) => {
    const user = await newUser()
    const { body: before } = await user.post('/v1/folders', { name: 'Clients', color: '#00ff00' })
    const later = await at(LATER, user)
    const after = { ...before, ...changed, updated_at: LATER }
    const warnings = ignoring(Object.keys(patch).filter(name => ['session_count', 'created_at'].includes(name)))
    expect(await later('PATCH', `/v1/folders/${before.id}`, patch)).toEqual({
      status: 200,
      body: { ...after, ...warnings }
    })
    expect(await user.get(`/v1/folders/${before.id}`)).toEqual({ status: 200, body: after })
  })

  test('keeps pinned as false after it was true', async () => {
    const user = await newUser()
    const id = await folderOf(user, 'Clients', { pinned: true })
    expect((await user.patch(`/v1/folders/${id}`, { pinned: false })).body).toHaveProperty('pinned', false)
    expect((await user.get(`/v1/folders/${id}`)).body).toHaveProperty('pinned', false)
  })

  test('frees a name for another folder', async () => {
    const user = await newUser()
    const id = await folderOf(user, 'Clients')
    await user.patch(`/v1/folders/${id}`, { name: 'Customers' })
    expect(await folderOf(user, 'Clients')).not.toBe(id)
    expect(await folderOf(user, 'CUSTOMERS')).toBe(id)
  })

  test('refuses the name of another folder in any case, and changes nothing', async () => {
    const [user, stranger] = [await newUser(), await newUser()]
    await folderOf(stranger, 'Ideas')
    await folderOf(user, 'Straße')
    const id = await folderOf(user, 'Clients')
    const before = await user.get('/v1/folders')
    const taken = refused('name: another folder has this name; send a different one')
    const later = await at(LATER, user)
    expect(await later('PATCH', `/v1/folders/${id}`, { name: 'STRASSE', pinned: true })).toEqual(taken)
    expect(await user.get('/v1/folders')).toEqual(before)
    expect(await user.patch(`/v1/folders/${newId('fld')}`, { name: 'Clients' })).toEqual(NOT_FOUND)
    expect((await user.patch(`/v1/folders/${id}`, { name: 'Ideas' })).status).toBe(200)
  })

  test.each<[string, unknown, string]>([
    ['nothing', {}, 'body: send at least one of name, color, pinned, sort_order, order and keep'],
    [
      'unknown fields only',
      { colour: '#ffffff' },
      'body: send at least one of name, color, pinned, sort_order, order and keep'
    ],
    ...BAD_NAMES.map(([what, name]): [string, object, string] => [what, { name }, NAME]),
    ...BAD_COLORS.map(([what, color]): [string, object, string] => [what, { color }, COLOR]),
    ['pinned as a text', { pinned: 'true' }, 'pinned: send true or false'],
    ['pinned null', { pinned: null }, 'pinned: send true or false'],
    ['another sort_order', { sort_order: 'name' }, 'sort_order: send one of newest, oldest, title'],
    ['sort_order null', { sort_order: null }, 'sort_order: send one of newest, oldest, title'],
    ['a negative order', { order: -1 }, ORDER],
    ['an order that is not whole', { order: 1.5 }, ORDER],
    ['an order that is too large', { order: 9_007_199_254_740_992 }, ORDER],
    ['an order as a text', { order: '1' }, ORDER],
    ['order null', { order: null }, ORDER]
  ])('refuses %s before it looks for the folder', async (_, body, message) => {
    const user = await newUser('folders:write')
    expect(await user.patch(`/v1/folders/${newId('fld')}`, body)).toEqual(refused(message))
  })

  test('needs folders:write', async () => {
    const user = await newUser('folders:read', 'sessions:write')
    expect(await user.patch('/v1/folders/x', {})).toEqual(forbidden('folders:write'))
  })
})

describe('DELETE /v1/folders/{id}', () => {
  test('answers 204 without a body, and keeps the sessions', async () => {
    const user = await newUser()
    const session = await user.session({ folders: ['Clients', 'Ideas'] })
    const [clients, ideas] = [await folderOf(user, 'Clients'), await folderOf(user, 'Ideas')]
    const { status, body, headers } = await user.ask('DELETE', `/v1/folders/${clients}`)
    expect([status, body, headers['content-type']]).toEqual([204, '', undefined])
    expect((await user.get('/v1/folders')).body.folders).toMatchObject([{ id: ideas, session_count: 1 }])
    expect((await user.get(`/v1/sessions/${session}`)).body.folder_ids).toEqual([ideas])
    expect(await user.delete(`/v1/folders/${clients}`)).toEqual(NOT_FOUND)
  })

  test('needs folders:write', async () => {
    const user = await newUser('folders:read', 'sessions:delete')
    expect(await user.delete('/v1/folders/x')).toEqual(forbidden('folders:write'))
  })
})

type User = Awaited<ReturnType<typeof newUser>>

/** Ways to send the user's requests when it is that late. */
async function at(instant: string, user: User) {
  const app = await buildTestApp({ clock: { now: () => new Date(instant) } })
  return async (method: 'POST' | 'PATCH', url: string, payload: object) => {
    const reply = await app.inject({ method, url, headers: { authorization: `Bearer ${user.token}` }, payload })
    return { status: reply.statusCode, body: withoutParam(reply.json()) }
  }
}

async function folderOf(user: User, name: string, change?: object) {
  const { body } = await user.post('/v1/folders', { name })
  if (change && Object.keys(change).length > 0) await user.patch(`/v1/folders/${body.id}`, change)
  return body.id as string
}

function refused(message: string) {
  return { status: 400, body: { error: { code: 'invalid_request', message } } }
}

function forbidden(scopes: string) {
  return {
    status: 403,
    body: { error: { code: 'insufficient_scope', message: `The token lacks the scope ${scopes}` } }
  }
}
