import { describe, expect, test } from 'vitest'
import { ALL_SCOPES } from '../../../src/contract/scopes.ts'
import { newId } from '../../../src/platform/core/ids.ts'
import type { Db } from '../../../src/platform/db/open.ts'
import { askAdmin, newAppUser } from '../../support/admin-api.ts'
import { NOW, newUser } from '../../support/server.ts'

const address = () => `${newId('usr')}@example.test`

describe('POST /app/v1/users', () => {
  test('adds a user with the sent fields, and with defaults for the others', async () => {
    const email = address()
    const sent = {
      email,
      name: ' Ada ',
      time_zone: 'europe/berlin',
      email_verified: true,
      subscription_active: false,
      verified_caller_id: '+12025550123'
    }
    const made = await askAdmin('POST', '/users', sent)
    const id = expect.stringMatching(/^usr_[0-9a-z]{26}$/)
    expect(made).toEqual({
      status: 201,
      body: {
        ...sent,
        id,
        name: 'Ada',
        time_zone: 'Europe/Berlin',
        guest: false,
        operator: false,
        quotas: expect.anything(),
        retention: expect.anything(),
        created_at: NOW
      }
    })
    expect(await askAdmin('GET', `/users/${made.body.id}`)).toEqual({ ...made, status: 200 })
    expect((await askAdmin('POST', '/users', {})).body).toEqual({
      id,
      email: null,
      name: null,
      time_zone: 'UTC',
      email_verified: false,
      guest: false,
      operator: false,
      subscription_active: true,
      verified_caller_id: null,
      quotas: expect.anything(),
      retention: expect.anything(),
      created_at: NOW
    })
  })

  test('allows an e-mail address for one user only, in any case and with spaces around it', async () => {
    const email = address()
    const { body: first } = await askAdmin('POST', '/users', { email: ` ${email.toUpperCase()} ` })
    expect(first.email).toBe(email)
    expect(await askAdmin('POST', '/users', { email })).toEqual({
      status: 400,
      body: {
        error: { code: 'invalid_request', message: 'email: another user has this address; send one of their own' }
      }
    })
    const both = await Promise.all([1, 2, 3].map(() => askAdmin('POST', '/users', { email: `2${email}` })))
    expect(both.map(({ status }) => status).sort()).toEqual([201, 400, 400])
  })

  test.each([
    ['email', 'not-an-address'],
    ['email', `${'a'.repeat(320)}@example.test`],
    ['name', ' '],
    ['name', 'a'.repeat(101)],
    ['time_zone', 'Mars/Olympus'],
    ['email_verified', 'yes'],
    ['subscription_active', 1],
    ['verified_caller_id', '12025550123'],
    ['verified_caller_id', '+1202555012345678']
  ])('refuses %s: %j, naming the field', async (field, value) => {
    const { status, body } = await askAdmin('POST', '/users', { [field]: value })
    expect([status, body.error.code, body.error.message]).toEqual([
      400,
      'invalid_request',
      expect.stringMatching(`^${field}: send `)
    ])
  })

  test('refuses to mark a missing address as verified', async () => {
    const { status, body } = await askAdmin('POST', '/users', { email_verified: true })
    expect([status, body.error.message]).toEqual([
      400,
      'email_verified: there is no e-mail address to verify; send email with it'
    ])
  })
})

describe('GET /app/v1/users', () => {
  test('finds the user who has an address, in any case', async () => {
    const { body: made } = await askAdmin('POST', '/users', { email: address() })
    const found = { users: [made], next_cursor: null, has_more: false }
    expect((await askAdmin('GET', `/users?email=${made.email.toUpperCase()}`)).body).toEqual(found)
    expect((await askAdmin('GET', `/users?email=${address()}`)).body.users).toEqual([])
  })

  test('lists all users page by page, each once, in the order of their creation', async () => {
    const made = [await newUser(), await newUser(), await newUser()].map(({ id }) => id)
    const seen: string[] = []
    let cursor = ''
    do {
      const { status, body } = await askAdmin('GET', `/users?limit=100${cursor && `&cursor=${cursor}`}`)
      expect([status, body.has_more]).toEqual([200, body.next_cursor !== null])
      seen.push(...body.users.map(({ id }: { id: string }) => id))
      cursor = body.next_cursor
    } while (cursor)
    expect(seen).toEqual([...new Set(seen)])
    expect(seen.filter(id => made.some(one => one === id))).toEqual(made)
  })

  test.each(['0', '101', 'x'])('refuses limit=%s', async limit => {
    expect(await askAdmin('GET', `/users?limit=${limit}`)).toMatchObject({
      status: 400,
      body: { error: { message: 'limit: send a whole number from 1 to 100' } }
    })
  })
})

describe('PATCH /app/v1/users/{user_id}', () => {
  test('changes the sent fields and keeps the others', async () => {
    const { body: before } = await askAdmin('POST', '/users', { email: address(), name: 'Ada', email_verified: true })
    const change = {
      name: null,
      time_zone: 'Asia/Tokyo',
      subscription_active: false,
      verified_caller_id: '+4930123456'
    }
    expect(await askAdmin('PATCH', `/users/${before.id}`, change)).toEqual({
      status: 200,
      body: { ...before, ...change }
    })
    expect((await askAdmin('GET', `/users/${before.id}`)).body).toEqual({ ...before, ...change })
  })

  test('takes effect at once in the account of /v1', async () => {
    const user = await newAppUser()
    await user.adminApi.patch('', { subscription_active: false })
    expect((await user.get('/v1/account')).body.subscription_active).toBe(false)
  })

  test('makes another address unverified, keeps the same one verified, and takes both fields at once', async () => {
    const email = address()
    const { body: user } = await askAdmin('POST', '/users', { email, email_verified: true })
    const patch = async (body: object) => (await askAdmin('PATCH', `/users/${user.id}`, body)).body.email_verified
    expect(await patch({ email })).toBe(true)
    expect(await patch({ email: `2${email}` })).toBe(false)
    expect(await patch({ email_verified: true })).toBe(true)
    expect(await patch({ email: `3${email}`, email_verified: true })).toBe(true)
    expect(await patch({ email_verified: false })).toBe(false)
    expect(await patch({ email: null })).toBe(false)
  })

  test('keeps the fields of two changes at once', async () => {
    const users = await Promise.all(
      Array.from({ length: 10 }, () => askAdmin('POST', '/users', { email: address(), name: 'Ada' }))
    )
    for (const { body: user } of users) {
      const change = { email: address(), name: 'Ben' }
      await Promise.all([
        askAdmin('PATCH', `/users/${user.id}`, { email: change.email }),
        askAdmin('PATCH', `/users/${user.id}`, { name: change.name })
      ])
      expect((await askAdmin('GET', `/users?email=${change.email}`)).body.users).toEqual([{ ...user, ...change }])
    }
  })

  test('refuses the address of another user, and frees an address that a user gives up', async () => {
    const [mine, theirs] = [address(), address()]
    const { body: user } = await askAdmin('POST', '/users', { email: mine })
    await askAdmin('POST', '/users', { email: theirs })
    expect((await askAdmin('PATCH', `/users/${user.id}`, { email: theirs, name: 'x' })).status).toBe(400)
    expect((await askAdmin('GET', `/users/${user.id}`)).body).toEqual(user)
    await askAdmin('PATCH', `/users/${user.id}`, { email: null })
    expect((await askAdmin('POST', '/users', { email: mine })).status).toBe(201)
  })

  test('refuses a body that changes nothing', async () => {
    const user = await newAppUser()
    expect(await user.adminApi.patch('', {})).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('send at least one of email') } }
    })
    expect((await user.adminApi.patch('')).status).toBe(400)
  })
})

describe('tokens', () => {
  test('are issued with a name and scopes, work at once and for a year, and are listed without their secret', async () => {
    const user = await newAppUser()
    const { status, body } = await user.adminApi.post('/tokens', {
      name: 'script',
      scopes: ['account:read', 'account:read']
    })
    const made = {
      id: expect.stringMatching(/^tok_/),
      name: 'script',
      scopes: ['account:read'],
      created_at: NOW,
      expires_at: '2027-03-02T10:00:00.000Z'
    }
    expect([status, body]).toEqual([201, { ...made, token: expect.stringMatching(/^prl_\w{36}$/) }])
    const headers = { authorization: `Bearer ${body.token}` }
    expect((await user.app.inject({ url: '/v1/account', headers })).statusCode).toBe(200)
    expect((await user.app.inject({ url: '/v1/sessions', headers })).statusCode).toBe(403)
    const { tokens } = (await user.adminApi.get('/tokens')).body
    const listed = { ...made, id: body.id, hint: body.token.slice(0, 8), revoked_at: null }
    expect(tokens[1]).toEqual({ ...listed, last_used_at: await today(user.db) })
    expect(tokens[0]).toMatchObject({ id: user.tokenId, last_used_at: null })
    expect(JSON.stringify(tokens)).not.toContain(body.token.slice(8))
  })

  test('expire at the requested second, after a minute at least and a year at most', async () => {
    const user = await newAppUser()
    const expiry = async (expires_in: unknown) => {
      const { status, body } = await user.adminApi.post('/tokens', {
        name: 'script',
        scopes: ['account:read'],
        expires_in
      })
      return [status, body.expires_at ?? body.error.message]
    }
    const refusal = [400, 'expires_in: send a whole number of seconds from 60 (a minute) to 31536000 (a year)']
    expect(await expiry(60)).toEqual([201, '2026-03-02T10:01:00.000Z'])
    expect(await expiry(31_536_000)).toEqual([201, '2027-03-02T10:00:00.000Z'])
    for (const wrong of [59, 31_536_001, 90.5, -60, '30d', null]) expect(await expiry(wrong)).toEqual(refusal)
  })

  test('are refused as soon as they are revoked; a second revocation changes nothing', async () => {
    const user = await newAppUser()
    const { body } = await user.adminApi.post('/tokens', { name: 'script', scopes: ALL_SCOPES })
    for (let turn = 0; turn < 2; turn++) {
      expect(await user.adminApi.delete(`/tokens/${body.id}`)).toEqual({
        status: 200,
        body: { id: body.id, revoked: true }
      })
    }
    expect(
      (await user.app.inject({ url: '/v1/account', headers: { authorization: `Bearer ${body.token}` } })).statusCode
    ).toBe(401)
    expect((await user.adminApi.get('/tokens')).body.tokens[1].revoked_at).toBe(NOW)
  })

  test('of another user are not found', async () => {
    const [user, other] = [await newAppUser(), await newUser()]
    expect(await user.adminApi.delete(`/tokens/${other.tokenId}`)).toEqual({
      status: 404,
      body: { error: { code: 'not_found', message: 'Token not found' } }
    })
    expect((await other.get('/v1/account')).status).toBe(200)
  })

  test.each([
    ['name', { scopes: ['account:read'] }],
    ['scopes', { name: 'x' }],
    ['scopes', { name: 'x', scopes: [] }],
    ['scopes.0', { name: 'x', scopes: ['everything'] }]
  ])('refuse a bad %s', async (field, body) => {
    const user = await newAppUser()
    expect(await user.adminApi.post('/tokens', body)).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringMatching(`^${field}: send `) } }
    })
  })
})

/** The beginning of the database's day, on which it counts requests. */
async function today(db: Db) {
  const { rows } = await db.execute<{ day: string }>(`select (now() at time zone 'UTC')::date as day`)
  return `${rows[0]!.day}T00:00:00.000Z`
}
