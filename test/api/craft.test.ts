import { describe, expect, test } from 'vitest'
import { newUser } from '../support/server.ts'

type User = Awaited<ReturnType<typeof newUser>>

async function ask(user: User, url: string, headers: Record<string, string> = { authorization: `Bearer ${user.token}` }) {
  const reply = await user.app.inject({ method: 'GET', url, headers })
  return { status: reply.statusCode, headers: reply.headers, body: reply.body }
}

describe('WWW-Authenticate', () => {
  test('says Bearer on 401, and what is wrong with the token', async () => {
    const user = await newUser()
    const challengeOf = async (headers: Record<string, string>) => (await ask(user, '/v1/sessions', headers)).headers['www-authenticate']
    expect(await challengeOf({})).toBe('Bearer')
    expect(await challengeOf({ authorization: 'Basic eDp5' })).toBe('Bearer')
    expect(await challengeOf({ authorization: 'Bearer prl_unknown' })).toBe('Bearer error="invalid_token"')
  })

  test('names on 403 the scope that the token lacks, that of a field too', async () => {
    const user = await newUser('sessions:read')
    const challenge = (scope: string) => `Bearer error="insufficient_scope", scope="${scope}"`
    expect((await user.send('/v1/events')).headers['www-authenticate']).toBe(challenge('events:read'))
    const body = { session_ids: ['ses_x'], include_transcript: true }
    expect((await user.ask('POST', '/v1/sessions/bulk', { body })).headers['www-authenticate']).toBe(challenge('transcripts:read'))
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
  test('names the parameter at fault, where it is one', async () => {
    const user = await newUser()
    const id = await user.session()
    const errorOf = async (method: 'GET' | 'PATCH', url: string, payload?: object) => {
      const reply = await user.app.inject({ method, url, headers: { authorization: `Bearer ${user.token}` }, ...(payload && { payload }) })
      return reply.json().error
    }
    expect(await errorOf('GET', '/v1/sessions?limit=0')).toEqual({
      code: 'invalid_request',
      message: 'limit: send a whole number from 1 to 100',
      param: 'limit'
    })
    expect((await errorOf('GET', '/v1/shared-sessions?limit=1')).param).toBe('limit')
    expect((await errorOf('PATCH', `/v1/sessions/${id}`, { action_items: [{ text: '' }] })).param).toBe('action_items.0.text')
    expect(await errorOf('PATCH', `/v1/sessions/${id}`, {})).not.toHaveProperty('param')
    expect(await errorOf('GET', '/v1/sessions/ses_x')).toEqual({ code: 'not_found', message: 'Session not found' })
  })
})

describe('an unknown query parameter', () => {
  const LIST = 'limit, cursor, since, type, folder, tag, tag_mode, include, order, updated_since, person'

  test.each([
    ['/v1/sessions?tags=a', 'tags: there is no such parameter; send tag'],
    ['/v1/sessions?tag[]=a', 'tag[]: there is no such parameter; send tag'],
    ['/v1/sessions?Limit=5', 'Limit: there is no such parameter; send limit'],
    ['/v1/sessions?tagMode=all', 'tagMode: there is no such parameter; send tag_mode'],
    ['/v1/sessions?folder_id=x', 'folder_id: there is no such parameter; send folder'],
    ['/v1/sessions?curser=2026-03-01', 'curser: there is no such parameter; send cursor'],
    ['/v1/events?limit=5&after=3', 'after: there is no such parameter; send one of cursor, limit'],
    ['/v1/account?verbose=1', 'verbose: there is no such parameter; leave it out'],
    ['/v1/sessions/ses_x?__proto__=1', '__proto__: there is no such parameter; leave it out'],
    [`/v1/account?${'x'.repeat(500)}=1`, `${'x'.repeat(60)}: there is no such parameter; leave it out`]
  ])('%s is 400 with the nearest one', async (url, message) => {
    const user = await newUser()
    expect(await user.get(url)).toEqual({ status: 400, body: { error: { code: 'invalid_request', message } } })
  })

  test('without a near one is 400 with all of the route', async () => {
    const user = await newUser()
    const { body } = await user.get('/v1/sessions?until=2026-03-01')
    const [, names = ''] = /^until: there is no such parameter; send one of (.*)$/.exec(body.error.message) ?? []
    expect(names.split(', ').sort()).toEqual(expect.arrayContaining(LIST.split(', ').sort()))
  })

  test('comes after token and scope, and an unknown field of a body stays accepted', async () => {
    const user = await newUser('sessions:write')
    expect((await user.get('/v1/sessions?tags=a')).status).toBe(403)
    const id = await user.session()
    expect((await user.patch(`/v1/sessions/${id}`, { title: 'New', colour: 'red' })).status).toBe(200)
  })
})

test('GET / leads to the API reference', async () => {
  const user = await newUser()
  const reply = await ask(user, '/', {})
  expect([reply.status, reply.headers.location]).toEqual([302, '/v1/docs/'])
})
