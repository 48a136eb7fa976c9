import { describe, expect, test } from 'vitest'
import { newUser } from '../../support/server.ts'

type User = Awaited<ReturnType<typeof newUser>>

async function ask(
  user: User,
  url: string,
  headers: Record<string, string> = { authorization: `Bearer ${user.token}` }
) {
  const reply = await user.app.inject({ method: 'GET', url, headers })
  return { status: reply.statusCode, headers: reply.headers, body: reply.body }
}

describe('WWW-Authenticate', () => {
  test('says Bearer on 401, with the error of the token', async () => {
    const user = await newUser()
    const challengeOf = async (headers: Record<string, string>) =>
      (await ask(user, '/v1/sessions', headers)).headers['www-authenticate']
    expect(await challengeOf({})).toBe('Bearer')
    expect(await challengeOf({ authorization: 'Basic eDp5' })).toBe('Bearer')
    expect(await challengeOf({ authorization: 'Bearer prl_unknown' })).toBe('Bearer error="invalid_token"')
  })

  test('names on 403 the scope that the token lacks, even for a field', async () => {
    const user = await newUser('sessions:read')
    const challenge = (scope: string) => `Bearer error="insufficient_scope", scope="${scope}"`
    expect((await user.send('/v1/events')).headers['www-authenticate']).toBe(challenge('events:read'))
    const body = { session_ids: ['ses_x'], include_transcript: true }
    expect((await user.ask('POST', '/v1/sessions/bulk', { body })).headers['www-authenticate']).toBe(
      challenge('transcripts:read')
    )
    const other = await newUser('account:read')
    expect((await other.send('/v1/folders')).headers['www-authenticate']).toBe(challenge('folders:read'))
  })

  test('is on no other answer', async () => {
    const user = await newUser()
    for (const url of ['/v1/sessions', '/v1/sessions/ses_x', '/v1/sessions?limit=0'])
      expect((await user.send(url)).headers['www-authenticate']).toBe(undefined)
  })
})

describe('error.param', () => {
  test('names the invalid parameter, if there is one', async () => {
    const user = await newUser()
    const id = await user.session()
    const errorOf = async (method: 'GET' | 'PATCH', url: string, payload?: object) => {
      const reply = await user.app.inject({
        method,
        url,
        headers: { authorization: `Bearer ${user.token}` },
        ...(payload && { payload })
      })
      return reply.json().error
    }
    expect(await errorOf('GET', '/v1/sessions?limit=0')).toEqual({
      code: 'invalid_request',
      message: 'limit: send a whole number from 1 to 100',
      param: 'limit'
    })
    expect((await errorOf('GET', '/v1/shared-sessions?limit=1')).param).toBe('limit')
    expect((await errorOf('PATCH', `/v1/sessions/${id}`, { action_items: [{ text: '' }] })).param).toBe(
      'action_items.0.text'
    )
    expect(await errorOf('PATCH', `/v1/sessions/${id}`, {})).not.toHaveProperty('param')
    expect(await errorOf('GET', '/v1/sessions/ses_x')).toEqual({ code: 'not_found', message: 'Session not found' })
  })

  test('names an invalid header as the documentation writes it', async () => {
    const { app, token, session } = await newUser()
    const id = await session()
    const paramOf = async (method: 'POST' | 'PATCH', url: string, payload: object, header: Record<string, string>) => {
      const reply = await app.inject({ method, url, headers: { authorization: `Bearer ${token}`, ...header }, payload })
      return [reply.statusCode, reply.json().error?.param]
    }
    const create = (name: string, key: string) => paramOf('POST', '/v1/folders', { name }, { 'idempotency-key': key })
    await create('One', 'key-1')
    expect(await create('Two', 'key-1')).toEqual([422, 'Idempotency-Key'])
    expect(await create('Two', 'with a space')).toEqual([400, 'Idempotency-Key'])
    expect(await paramOf('PATCH', `/v1/sessions/${id}`, { title: 'New' }, { 'if-match': 'x' })).toEqual([
      400,
      'If-Match'
    ])
  })
})

describe('an unknown query parameter', () => {
  const LIST = 'limit, cursor, since, until, title, type, folder, tag, tag_mode, include, order, updated_since, person'

  test.each([
    ['/v1/sessions?tags=a', 'tags: there is no such parameter; send tag'],
    ['/v1/sessions?tag[]=a', 'tag[]: there is no such parameter; send tag'],
    ['/v1/sessions?Limit=5', 'Limit: there is no such parameter; send limit'],
    ['/v1/sessions?tagMode=all', 'tagMode: there is no such parameter; send tag_mode'],
    ['/v1/sessions?folder_id=x', 'folder_id: there is no such parameter; send folder'],
    ['/v1/sessions?curser=2026-03-01', 'curser: there is no such parameter; send cursor'],
    ['/v1/events?limit=5&after=3', 'after: there is no such parameter; send one of cursor, limit, wait'],
    ['/v1/account?verbose=1', 'verbose: there is no such parameter; leave it out'],
    ['/v1/sessions/ses_x?__proto__=1', '__proto__: there is no such parameter; leave it out'],
    [`/v1/account?${'x'.repeat(500)}=1`, `${'x'.repeat(60)}: there is no such parameter; leave it out`]
  ])('%s is a 400 that names the most similar one', async (url, message) => {
    const user = await newUser()
    expect(await user.get(url)).toEqual({ status: 400, body: { error: { code: 'invalid_request', message } } })
  })

  test('without a similar one is a 400 that names all of the route', async () => {
    const user = await newUser()
    const { body } = await user.get('/v1/sessions?verbose=1')
    const [, names = ''] = /^verbose: there is no such parameter; send one of (.*)$/.exec(body.error.message) ?? []
    expect(names.split(', ').sort()).toEqual(expect.arrayContaining(LIST.split(', ').sort()))
  })

  test('is refused after token and scope, while an unknown field of a body is accepted', async () => {
    const user = await newUser('sessions:write')
    expect((await user.get('/v1/sessions?tags=a')).status).toBe(403)
    const id = await user.session()
    expect((await user.patch(`/v1/sessions/${id}`, { title: 'New', colour: 'red' })).status).toBe(200)
  })
})

test('a blank query parameter is a 400 that names it, on every path, and a blank folder or person a 404', async () => {
  const user = await newUser()
  const { paths } = (await user.get('/v1/openapi.json')).body
  type Operation = { parameters: { in: string; name: string; required: boolean }[] }
  const blank = Object.entries(paths as Record<string, Record<string, Operation>>).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { parameters }]) => {
      const query = parameters.filter(({ in: where }) => where === 'query').map(({ name }) => name)
      const url = path.replace('{format}', 'txt').replace(/\{\w+\}/g, 'x')
      return query.map(name => ({ method: method.toUpperCase() as 'GET', url: `${url}?${name}=%20`, name }))
    })
  )
  for (const { method, url, name } of blank) {
    const isUpload = url.includes('/upload')
    const named = isUpload && name !== 'file' ? `${url}&file=a.txt` : url
    const headers = { authorization: `Bearer ${user.token}`, ...(isUpload && { 'content-type': 'text/plain' }) }
    const reply = await user.app.inject({ method, url: named, headers, ...(isUpload && { payload: 'Ada: Hello' }) })
    const mayExist = !isUpload && ['folder', 'person'].includes(name)
    expect([named, reply.statusCode, reply.json().error?.param]).toEqual([
      named,
      mayExist ? 404 : 400,
      expect.stringMatching(new RegExp(`^${name}(\\.0)?$`))
    ])
  }
  expect(blank.length).toBeGreaterThan(50)
})

test('GET / leads to the sign-in of the console, whatever the token', async () => {
  const user = await newUser()
  const reply = await ask(user, '/', {})
  expect([reply.status, reply.headers.location]).toEqual([303, '/sign-in'])
})

describe('If-None-Match', () => {
  test('is answered with 304 and no body while the answer is the same, on every read that has an ETag', async () => {
    const user = await newUser()
    const id = await user.session({ folders: ['Clients'], speakers: [{ label: 'Ada', person: 'Ada' }] })
    const folder = (await user.get('/v1/folders')).body.folders[0].id
    const person = (await user.get('/v1/people')).body.people[0].id
    const reads = [
      '/v1/sessions',
      '/v1/sessions?order=updated',
      '/v1/people',
      `/v1/people/${person}/sessions`,
      '/v1/folders',
      `/v1/folders/${folder}`
    ]
    for (const url of reads) {
      const { status, headers } = await user.send(url)
      expect([url, status, headers.etag]).toEqual([url, 200, expect.stringMatching(/^W\/"r[\w-]{27}"$/)])
      const again = await user.send(url, { 'if-none-match': `"other", ${headers.etag}` })
      expect([again.status, again.body, again.headers.etag]).toEqual([304, '', headers.etag])
      expect(again.headers).not.toHaveProperty('content-type')
      expect(again.headers).toHaveProperty('x-ratelimit-remaining')
      expect((await user.send(url, { 'if-none-match': '*' })).status).toBe(304)
    }
    const transcript = await user.send(`/v1/sessions/${id}/transcript`)
    expect(transcript.headers.etag).toBe('"1"')
    const unchanged = await user.send(`/v1/sessions/${id}/transcript`, { 'if-none-match': '"1"' })
    expect([unchanged.status, unchanged.body]).toEqual([304, ''])
    const { headers } = await user.send(`/v1/sessions/${id}`)
    expect(headers.etag).toMatch(/^"s[\w-]{27}"$/)
    for (const tags of [
      headers.etag,
      `W/${headers.etag}`,
      `"x", ${String(headers.etag).replace(/"$/, '-gzip"')}`,
      '*'
    ]) {
      const again = await user.send(`/v1/sessions/${id}`, { 'if-none-match': String(tags) })
      expect([again.status, again.body, again.headers.etag]).toEqual([304, '', headers.etag])
    }
  })

  test('gets the whole answer after a change, even of folders', async () => {
    const user = await newUser()
    const id = await user.session()
    const path = `/v1/sessions/${id}`
    const { headers } = await user.send(path)
    const folder = await user.post('/v1/folders', { name: 'Clients' })
    await user.post(`${path}/folders/${folder.body.id}`)
    const changed = await user.send(path, { 'if-none-match': String(headers.etag) })
    expect([changed.status, changed.body.folder_ids]).toEqual([200, [folder.body.id]])
    expect(changed.headers.etag).not.toBe(headers.etag)
  })

  test('takes the version of the action items, while If-Match refuses the ETag of a list', async () => {
    const user = await newUser()
    const id = await user.session()
    expect((await user.send(`/v1/sessions/${id}/action-items`, { 'if-none-match': '"1"' })).status).toBe(304)
    expect((await user.send(`/v1/sessions/${id}/action-items`, { 'if-none-match': '"2"' })).status).toBe(200)
    const { headers } = await user.send('/v1/sessions')
    const refused = await user.patch(`/v1/sessions/${id}`, { title: 'New' }, { 'if-match': String(headers.etag) })
    expect([refused.status, refused.body.error.code]).toEqual([400, 'invalid_request'])
  })

  test('changes nothing for a stranger', async () => {
    const [user, stranger] = [await newUser(), await newUser()]
    const id = await user.session()
    expect((await stranger.send(`/v1/sessions/${id}`, { 'if-none-match': '*' })).status).toBe(404)
  })
})

describe('Link', () => {
  test('leads through all pages of a list with its filters', async () => {
    const user = await newUser()
    for (let turn = 0; turn < 3; turn++) await user.session({ tags: ['a b'] })
    for (const list of ['/v1/sessions?tag=a%20b&limit=2', '/v1/sessions?order=updated&limit=2', '/v1/events?limit=2']) {
      const first = await user.send(list)
      const [, next = ''] = /^<(\/v1\/[^>]*)>; rel="next"$/.exec(String(first.headers.link)) ?? []
      const last = await user.send(next)
      const [rows, more] = [first, last].map(({ body }) => body.sessions ?? body.events)
      expect([rows.length, more.length, last.headers.link]).toEqual([2, 1, undefined])
      expect(new Set([...rows, ...more].map(({ id }: { id: string }) => id)).size).toBe(3)
    }
  })

  test('keeps every parameter of the request, even one with a question mark', async () => {
    const user = await newUser()
    for (const external_id of ['1', '2']) await user.session({ external_id, folders: ['Why? Because'] })
    const { headers } = await user.send('/v1/sessions?folder=Why?+Because&limit=1')
    const [, query] = /^<[^?>]*\?([^>]*)>; rel="next"$/.exec(String(headers.link)) ?? []
    expect(Object.fromEntries(new URLSearchParams(query))).toEqual({
      folder: 'Why? Because',
      limit: '1',
      cursor: expect.any(String)
    })
  })
})
