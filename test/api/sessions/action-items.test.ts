import { describe, expect, test } from 'vitest'
import { acceptSession, clock, newUser } from '../../support/server.ts'
import { trash } from '../../support/trash.ts'

type User = Awaited<ReturnType<typeof newUser>>

function item(text: string, fields: { due_date?: string; assignee?: string; completed?: boolean } = {}) {
  return { text, ...fields }
}

async function texts(user: User, query = '') {
  const { status, body } = await user.get(`/v1/action-items${query}`)
  expect([status, body.error]).toEqual([200, undefined])
  return body.action_items.map(({ text }: { text: string }) => text)
}

function refusal(status: number, code: string, message: string) {
  return { status, body: { error: { code, message } } }
}

const NOT_FOUND = refusal(404, 'not_found', 'Action item not found')

describe('GET /v1/action-items', () => {
  test('answers with an empty page when there is nothing', async () => {
    const user = await newUser('sessions:read')
    expect(await user.get('/v1/action-items')).toEqual({
      status: 200,
      body: { action_items: [], next_cursor: null, has_more: false }
    })
  })

  test('gives each item with its session and the version of the list', async () => {
    const user = await newUser('sessions:read')
    const id = await user.session({
      timestamp: '2026-03-01T09:00:00Z',
      action_items: [{ text: 'Send the offer', assignee: 'Ada', due_date: '2026-03-06', source_start: 4.5 }]
    })
    const { body: list } = await user.get(`/v1/sessions/${id}/action-items`)
    expect(await user.get('/v1/action-items')).toEqual({
      status: 200,
      body: {
        action_items: [
          {
            ...list.action_items[0],
            session: { id, title: 'Weekly review', timestamp: '2026-03-01T09:00:00.000Z' },
            version: list.version
          }
        ],
        next_cursor: null,
        has_more: false
      }
    })
  })

  test('lists the earliest due date first and items without one last, over sessions', async () => {
    const user = await newUser('sessions:read')
    await user.session({
      action_items: [item('March', { due_date: '2026-03-09' }), item('Never'), item('May', { due_date: '2026-05-01' })]
    })
    await user.session({ action_items: [item('April', { due_date: '2026-04-01' }), item('Some day')] })
    expect(await texts(user)).toEqual(['March', 'April', 'May', 'Never', 'Some day'])
  })

  test('pages without losing or repeating an item, with the same due dates too', async () => {
    const user = await newUser('sessions:read')
    for (const session of [1, 2, 3]) {
      await user.session({
        action_items: [
          ...[1, 2, 3].map(number =>
            item(`due ${session}.${number}`, { due_date: '2026-03-09', completed: number === 2 })
          ),
          ...[1, 2].map(number => item(`open ${session}.${number}`))
        ]
      })
    }
    const whole = await texts(user, '?status=all&limit=100')
    expect(whole.length).toBe(15)
    const paged: string[] = []
    for (let cursor = ''; ; ) {
      const { body } = await user.get(`/v1/action-items?status=all&limit=4${cursor}`)
      paged.push(...body.action_items.map(({ text }: { text: string }) => text))
      expect(body.has_more).toBe(body.next_cursor !== null)
      if (!body.has_more) break
      cursor = `&cursor=${body.next_cursor}`
    }
    expect(paged).toEqual(whole)
  })

  test('an item that becomes due earlier between two pages is not repeated', async () => {
    const user = await newUser()
    await user.session({
      action_items: ['a', 'b', 'c'].map((text, day) => item(text, { due_date: `2026-03-0${day + 1}` }))
    })
    const { body: first } = await user.get('/v1/action-items?limit=1')
    const last = (await user.get('/v1/action-items')).body.action_items[2]
    await user.patch(`/v1/action-items/${last.id}`, { due_date: '2026-02-01' })
    expect(await texts(user, `?cursor=${first.next_cursor}`)).toEqual(['b'])
  })

  test.each([
    ['', ['open']],
    ['?status=open', ['open']],
    ['?status=done', ['done']],
    ['?status=all', ['done', 'open']]
  ])('returns for %j the items of that status', async (query, expected) => {
    const user = await newUser('sessions:read')
    await user.session({ action_items: [item('open'), item('done', { completed: true })] })
    expect((await texts(user, query)).sort()).toEqual(expected)
  })

  test.each([
    ['due_before=2026-03-06', ['5th']],
    ['due_after=2026-03-06', ['6th', '7th']],
    ['due_after=2026-03-06&due_before=2026-03-07', ['6th']],
    ['due_after=2026-04-01', []]
  ])('returns for %s only items that are due then', async (query, expected) => {
    const user = await newUser('sessions:read')
    await user.session({
      action_items: [
        ...['5th', '6th', '7th'].map(text => item(text, { due_date: `2026-03-0${text[0]}` })),
        item('never')
      ]
    })
    expect(await texts(user, `?${query}`)).toEqual(expected)
  })

  test('compares `assignee` with names without case and width', async () => {
    const user = await newUser('sessions:read')
    await user.session({
      action_items: [item('hers', { assignee: 'Ada Straße' }), item('his', { assignee: 'Ben' }), item('nobody’s')]
    })
    for (const name of ['Ada Straße', 'ADA STRASSE', ' ada strasse ']) {
      expect(await texts(user, `?assignee=${encodeURIComponent(name)}`), name).toEqual(['hers'])
    }
    expect(await texts(user, '?assignee=Ada')).toEqual([])
  })

  test('returns for `person` the items of a former name too, until another person has that name', async () => {
    const user = await newUser('sessions:read', 'people:write')
    const { body: ada } = await user.post('/v1/people', { name: 'Ada' })
    await user.session({
      segments: [{ speaker: 'Ada', start: 0, end: 2, text: 'I will send it.' }],
      action_items: [item('hers', { assignee: 'Ada' }), item('his', { assignee: 'Ben' })]
    })
    await user.patch(`/v1/people/${ada.id}`, { name: 'Ada Lovelace' })
    expect(await texts(user, `?person=${ada.id}`)).toEqual(['hers'])
    const { body: other } = await user.post('/v1/people', { name: 'Ada' })
    expect(await texts(user, `?person=${ada.id}`)).toEqual([])
    expect(await texts(user, `?person=${other.id}`)).toEqual(['hers'])
    await user.post(`/v1/people/${other.id}/merge`, { into: ada.id })
    expect(await texts(user, `?person=${ada.id}`)).toEqual(['hers'])
  })

  test('returns for `person` the items of every name of the person, and combines it with `assignee`', async () => {
    const user = await newUser('sessions:read')
    await user.session({
      speakers: [{ label: 'Ada', person: 'Ada Lovelace', is_me: true }],
      action_items: [item('mine', { assignee: 'ada lovelace' }), item('his', { assignee: 'Ben' })]
    })
    const { body } = await user.get('/v1/people')
    const ada = body.people.find(({ name }: { name: string }) => name === 'Ada Lovelace')
    expect(await texts(user, '?person=me')).toEqual(['mine'])
    expect(await texts(user, `?person=${ada.id}`)).toEqual(['mine'])
    expect(await texts(user, '?person=me&assignee=Ada%20Lovelace')).toEqual(['mine'])
    expect(await texts(user, '?person=me&assignee=Ben')).toEqual([])
    expect(await user.get('/v1/action-items?person=per_x')).toEqual(
      refusal(404, 'not_found', 'person: person not found')
    )
  })

  test('returns for `folder` the items of its sessions, by id or name', async () => {
    const user = await newUser('sessions:read', 'folders:read')
    await user.session({
      folders: ['Clients'],
      action_items: [item('late', { due_date: '2026-05-01' }), item('soon', { due_date: '2026-03-05' })]
    })
    await user.session({ action_items: [item('elsewhere')] })
    const { body } = await user.get('/v1/folders')
    for (const folder of ['clients', body.folders[0].id])
      expect(await texts(user, `?folder=${folder}`)).toEqual(['soon', 'late'])
    expect(await user.get('/v1/action-items?folder=Nothing')).toEqual(
      refusal(404, 'not_found', 'folder: folder not found')
    )
  })

  test.each([301, 5_001])(
    'returns only the items of a folder with %i more sessions, in order',
    { timeout: 240_000 },
    async more => {
      const user = await newUser()
      await user.session({
        folders: ['Large'],
        action_items: [item('soon', { due_date: '2026-03-05' }), item('never')]
      })
      await user.session({ action_items: [item('elsewhere')] })
      const { body } = await user.get('/v1/folders')
      // On a busy machine, one statement would take longer than a statement may.
      for (let from = 1; from <= more; from += 500)
        await user.db.execute(`
          with made as (
            insert into sessions (user_id, session_id, state, title, sort_at, duration_seconds, type, created_at, updated_at)
            select '${user.id}', 'ses_' || n, 'completed', 'x', timestamptz '2020-01-01' + n * interval '1 second', 0, 'import', now(), now()
            from generate_series(${from}, ${Math.min(from + 499, more)}) n
            returning user_id, session_id, sort_at, type
          )
          insert into folder_sessions (user_id, session_id, folder_id, sort_at, type)
          select user_id, session_id, '${body.folders[0].id}', sort_at, type from made`)
      expect(await texts(user, '?folder=Large')).toEqual(['soon', 'never'])
      expect(await texts(user, '?folder=Large&updated_since=2020-01-01&status=all&due_before=2026-04-01')).toEqual([
        'soon'
      ])
    }
  )

  test('returns for `updated_since` the items that changed at or after that instant', async () => {
    const user = await newUser('sessions:read')
    await user.session({ action_items: [item('now')] })
    expect(await texts(user, `?updated_since=${clock.now().toISOString()}`)).toEqual(['now'])
    expect(await texts(user, `?updated_since=${new Date(clock.now().getTime() + 1).toISOString()}`)).toEqual([])
  })

  test('lists for `updated_since` in the order of changes, also of an assignee or a folder, and in pages', async () => {
    const user = await newUser()
    const items = ['third', 'first', 'fourth', 'second'].map((text, at) =>
      item(text, { due_date: `2026-03-0${at + 1}`, assignee: 'Ada' })
    )
    await user.session({ folders: ['Clients'], action_items: items })
    await user.db.execute(`
      update action_items a set updated_at = a.updated_at + made.turn * interval '1 second'
      from sessions s, jsonb_array_elements(s.action_items) listed, (values ('first', 1), ('second', 2), ('third', 3), ('fourth', 3)) made(text, turn)
      where a.user_id = '${user.id}' and s.user_id = a.user_id and s.session_id = a.session_id and listed ->> 'id' = a.item_id
        and listed ->> 'text' = made.text`)
    const since = `?updated_since=${clock.now().toISOString()}`
    const [third, fourth] = (await texts(user, since)).slice(2)
    expect([third, fourth].sort()).toEqual(['fourth', 'third'])
    for (const filter of ['', '&assignee=ada', '&folder=Clients', '&folder=Clients&assignee=Ada', '&status=all'])
      expect(await texts(user, since + filter)).toEqual(['first', 'second', third, fourth])
    const read: string[] = []
    for (let next: string | null = ''; next !== null && read.length < 9; ) {
      const { body } = await user.get(
        `/v1/action-items${since}&limit=1${next && `&cursor=${encodeURIComponent(next)}`}`
      )
      read.push(...body.action_items.map(({ text }: { text: string }) => text))
      next = body.next_cursor
    }
    expect(read).toEqual(['first', 'second', third, fourth])
  })

  test('leaves out for `updated_since` the other items of a session with a changed one, in a folder too', async () => {
    const user = await newUser()
    await user.session({ folders: ['Clients'], action_items: [item('changed'), item('unchanged')] })
    await user.db.execute(`
      update action_items a set updated_at = a.updated_at - interval '1 hour' from sessions s
      where a.user_id = '${user.id}' and s.user_id = a.user_id and s.session_id = a.session_id
        and a.item_id = s.action_items -> 1 ->> 'id'`)
    const since = `?updated_since=${clock.now().toISOString()}`
    expect([await texts(user, since), await texts(user, `${since}&folder=Clients`)]).toEqual([['changed'], ['changed']])
    expect(await texts(user)).toHaveLength(2)
  })

  test('reads only completed sessions of the caller outside the trash', async () => {
    const user = await newUser()
    const stranger = await newUser()
    await stranger.session({ action_items: [item('of a stranger')] })
    await acceptSession(user.id, { action_items: [item('processing')] })
    const trashed = await user.session({ action_items: [item('trashed')] })
    const deleted = await user.session({ action_items: [item('deleted')] })
    await user.session({ action_items: [item('kept')] })
    await trash({ db: user.db }, user.id, trashed)
    await user.delete(`/v1/sessions/${deleted}`)
    expect(await texts(user)).toEqual(['kept'])
  })

  test('follows what a PATCH of the session writes', async () => {
    const user = await newUser()
    const id = await user.session({
      action_items: [item('a', { due_date: '2026-03-05' }), item('b', { due_date: '2026-03-06' })]
    })
    const { body } = await user.get(`/v1/sessions/${id}/action-items`)
    const [, b] = body.action_items
    await user.patch(`/v1/sessions/${id}`, {
      action_items: [
        { id: b.id, text: 'b changed', due_date: '2026-03-04', assignee: 'Ben' },
        { text: 'c', completed: true }
      ]
    })
    expect(await texts(user, '?status=all')).toEqual(['b changed', 'c'])
    expect(await texts(user, '?assignee=ben')).toEqual(['b changed'])
    expect(await texts(user, '?status=done')).toEqual(['c'])
  })

  test('follows a corrected speaker', async () => {
    const user = await newUser()
    const id = await user.session({ action_items: [item('promised', { assignee: 'Ben' })] })
    await user.patch(`/v1/sessions/${id}/speakers`, { from: 'Ben', name: 'Ben Nevis' })
    expect([await texts(user, '?assignee=Ben%20Nevis'), await texts(user, '?assignee=Ben')]).toEqual([['promised'], []])
  })

  test.each([
    ['status=closed', 'status: send open, done or all'],
    ['limit=0', 'limit: send a whole number from 1 to 100'],
    ['limit=101', 'limit: send a whole number from 1 to 100'],
    ['due_before=2026-02-30', 'due_before: send a day such as 2026-03-06'],
    ['due_after=tomorrow', 'due_after: send a day such as 2026-03-06'],
    ['due_after=0000-01-01', 'due_after: send a day such as 2026-03-06'],
    ['due_after=2026-03-01&due_after=2026-03-02', 'due_after: send it once'],
    ['updated_since=x', 'updated_since: send an ISO 8601 date such as 2026-03-02T10:00:00Z'],
    ['cursor=x', 'cursor: send the next_cursor of the previous page, unchanged'],
    ['cursor=2026-03-02T10:00:00Z_ai_1', 'cursor: send the next_cursor of the previous page, unchanged'],
    ['updated_since=2026-03-01&cursor=none_ai_1', 'cursor: send the next_cursor of the previous page, unchanged'],
    ['updated_since=2026-03-01&cursor=2026-03-02_ai_1', 'cursor: send the next_cursor of the previous page, unchanged'],
    ['cursor=2026-02-30_ai_1', 'cursor: send the next_cursor of the previous page, unchanged'],
    ['assignee=', 'assignee: send the name of an assignee'],
    ['folder=', 'folder: send the id or the name of a folder']
  ])('refuses %s', async (query, message) => {
    const user = await newUser('sessions:read')
    expect(await user.get(`/v1/action-items?${query}`)).toEqual(refusal(400, 'invalid_request', message))
  })
})

describe('action items as CSV', () => {
  test('have a header, quoted cells and CRLF', async () => {
    const user = await newUser('sessions:read')
    await user.session({
      title: 'Review, "weekly"',
      timestamp: '2026-03-01T09:00:00Z',
      action_items: [{ text: 'Send\nthe offer', assignee: 'Ada', due_date: '2026-03-06', source_start: 4.5 }]
    })
    const answer = await user.send('/v1/action-items', { accept: 'text/csv' })
    const [{ id, session, version, updated_at }] = (await user.get('/v1/action-items')).body.action_items
    expect([answer.status, answer.headers['content-type'], answer.headers.vary]).toEqual([
      200,
      'text/csv; charset=utf-8',
      'Accept'
    ])
    expect(answer.body).toBe(
      'id,text,completed,source,assignee,due_date,source_start,user_edited_at,created_at,updated_at,session_id,session_title,session_timestamp,version\r\n' +
        `${id},"Send\nthe offer",false,agent,Ada,2026-03-06,4.5,,${updated_at},${updated_at},${session.id},"Review, ""weekly""",2026-03-01T09:00:00.000Z,${version}\r\n`
    )
  })

  test.each(['=1+1', '+1', '-1', '@SUM(A1)'])('make %j harmless', async text => {
    const user = await newUser('sessions:read')
    await user.session({ title: text, action_items: [item(text, { assignee: text })] })
    const { body } = await user.send('/v1/action-items', { accept: 'text/csv' })
    expect(body.split(`'${text}`).length).toBe(4)
  })

  test('lead to the next page by a Link header', async () => {
    const user = await newUser('sessions:read')
    await user.session({ action_items: [item('a', { due_date: '2026-03-05' }), item('b')] })
    const first = await user.send('/v1/action-items?limit=1&status=all', { accept: 'text/csv' })
    const [, next] = /^<(\/[^>]+)>; rel="next"$/.exec(String(first.headers.link)) ?? []
    const second = await user.send(String(next), { accept: 'text/csv' })
    expect([first.body, second.body].map(body => body.split('\r\n')[1].split(',')[1])).toEqual(['a', 'b'])
    expect(second.headers.link).toBeUndefined()
  })

  test('have the header alone when there is nothing', async () => {
    const user = await newUser('sessions:read')
    const { body } = await user.send('/v1/action-items', { accept: 'text/csv' })
    expect(body.split('\r\n').length).toBe(2)
  })
})

describe('PATCH /v1/action-items/{id}', () => {
  async function withItems() {
    const user = await newUser()
    const id = await user.session({
      action_items: [
        item('Send the offer', { assignee: 'Ada', due_date: '2026-03-06' }),
        item('Call the client', { due_date: '2026-03-07' })
      ]
    })
    const { body } = await user.get('/v1/action-items')
    const [first, second] = body.action_items
    return { user, id, first, second, path: `/v1/action-items/${first.id}` }
  }

  test('changes one item and answers with it, its session and the new version', async () => {
    const { user, id, first, second, path } = await withItems()
    const { headers, ...answer } = await user.ask('PATCH', path, {
      body: { text: 'Send it', due_date: 'tomorrow', completed: true }
    })
    const changed = {
      ...first,
      text: 'Send it',
      due_date: '2026-03-03',
      completed: true,
      user_edited_at: clock.now().getTime(),
      updated_at: clock.now().getTime(),
      version: first.version + 1
    }
    expect(answer).toEqual({ status: 200, body: changed })
    expect(headers.etag).toBe(`"${changed.version}"`)
    const { version, session: _, ...plain } = changed
    const { version: __, session: ___, ...other } = second
    const { body: list } = await user.get(`/v1/sessions/${id}/action-items`)
    expect([list.version, list.action_items]).toEqual([version, [plain, other]])
  })

  test('keeps what is not sent, and clears what is null', async () => {
    const { user, first, path } = await withItems()
    expect((await user.patch(path, { assignee: 'Ben' })).body).toMatchObject({
      text: first.text,
      assignee: 'Ben',
      due_date: '2026-03-06'
    })
    expect((await user.patch(path, { assignee: null, due_date: null })).body).toMatchObject({
      assignee: null,
      due_date: null
    })
    expect(await texts(user)).toEqual(['Call the client', 'Send the offer'])
  })

  test('records the events that a PATCH of the session records', async () => {
    const { user, id, path } = await withItems()
    await user.patch(path, { completed: true })
    const { body } = await user.get('/v1/events')
    const events = body.events.slice(-2)
    expect(events.map(({ event }: { event: string }) => event)).toEqual([
      'session.updated',
      'session.action_items.updated'
    ])
    const { body: detail } = await user.get(`/v1/sessions/${id}`)
    expect(events.map(({ data }: { data: { session: object } }) => data.session)).toEqual([detail, detail])
  })

  test('answers a change without effect with the item, and neither raises the version nor records an event', async () => {
    const { user, id, first, path } = await withItems()
    await user.patch(path, { completed: true, due_date: 'tomorrow' })
    const before = await user.get(`/v1/sessions/${id}`)
    const recorded = (await user.get('/v1/events')).body.events
    for (const body of [
      { completed: true },
      { due_date: 'tomorrow' },
      { text: first.text, assignee: 'Ada', due_date: '2026-03-03' }
    ]) {
      expect((await user.patch(path, body)).body).toMatchObject({
        id: first.id,
        completed: true,
        version: first.version + 1
      })
    }
    expect(await user.get(`/v1/sessions/${id}`)).toEqual(before)
    expect((await user.get('/v1/events')).body.events).toEqual(recorded)
    expect((await user.patch(path, { completed: true }, { 'if-match': String(first.version) })).status).toBe(409)
  })

  test('refuses a version that is no longer current, and takes the current one', async () => {
    const { user, first, path } = await withItems()
    const stale = { 'if-match': String(first.version) }
    expect((await user.patch(path, { completed: true }, stale)).status).toBe(200)
    expect(await user.patch(path, { completed: false }, stale)).toEqual(
      refusal(409, 'conflict', `If-Match: the action items are at version ${first.version + 1}; read them again`)
    )
    expect(
      (await user.patch(path, { completed: false }, { 'if-match': `"${first.version + 1}"` })).body.completed
    ).toBe(false)
  })

  test('keeps all of ten changes at once', async () => {
    const user = await newUser()
    await user.session({ action_items: Array.from({ length: 10 }, (_, number) => item(`item ${number}`)) })
    const { body } = await user.get('/v1/action-items')
    const answers = await Promise.all(
      body.action_items.map(({ id }: { id: string }) => user.patch(`/v1/action-items/${id}`, { completed: true }))
    )
    const version = body.action_items[0].version
    expect(answers.map(answer => answer.body.version).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 10 }, (_, n) => version + n + 1)
    )
    expect([await texts(user), (await texts(user, '?status=done')).length]).toEqual([[], 10])
  })

  test.each([
    [{}, 'body: send at least one of text, assignee, due_date, completed'],
    [{ note: 'x' }, 'body: send at least one of text, assignee, due_date, completed'],
    [[], 'body: send an object with at least one of text, assignee, due_date, completed'],
    [{ text: '' }, 'text: send a text of 1 to 2000 characters'],
    [{ completed: 'yes' }, 'completed: send true or false'],
    [{ assignee: 'x'.repeat(201) }, 'assignee: send a text of at most 200 characters']
  ])('refuses %j', async (body, message) => {
    const { user, path } = await withItems()
    expect(await user.patch(path, body)).toEqual(refusal(400, 'invalid_request', message))
  })

  test('refuses words that are not a date and names the field, even for an unknown item, as a PATCH of a session does', async () => {
    const { user, path } = await withItems()
    const { status, body } = await user.patch(path, { due_date: 'someday' })
    expect([status, body.error.code]).toEqual([400, 'invalid_request'])
    expect(body.error.message).toMatch(/^due_date: /)
    const ofUnknown = await user.patch('/v1/action-items/ai_unknown', { due_date: 'someday' })
    expect(ofUnknown).toEqual({ status, body })
    const ofUnknownSession = await user.patch('/v1/sessions/ses_unknown', {
      action_items: [{ text: 'Call', due_date: 'someday' }]
    })
    expect([ofUnknownSession.status, ofUnknownSession.body.error.code]).toEqual([400, 'invalid_request'])
  })

  test('answers not_found for removed items, and for those of a session in the trash', async () => {
    const { user, id, first, path } = await withItems()
    await user.patch(`/v1/sessions/${id}`, { action_items: [{ text: 'Another' }] })
    expect(await user.patch(path, { completed: true })).toEqual(NOT_FOUND)
    const [another] = (await user.get('/v1/action-items')).body.action_items
    await trash({ db: user.db }, user.id, id)
    expect(await user.patch(`/v1/action-items/${another.id}`, { completed: true })).toEqual(NOT_FOUND)
    expect(first.session.id).toBe(id)
  })
})
