import { describe, expect, test } from 'vitest'
import { openAdmissions } from '../../../src/features/access/admission.ts'
import { isWellFormed, makeToken } from '../../../src/features/access/token-format.ts'
import { findLastUses, issueToken, setRevoked } from '../../../src/features/access/tokens.ts'
import type { Database } from '../../../src/platform/db/open.ts'
import { buildTestApp, clock, NOW, newUser, newUserOf, testDatabase, testServer } from '../../support/server.ts'

const UNAUTHORIZED = {
  status: 401,
  body: { error: { code: 'unauthorized', message: 'Send the header Authorization: Bearer <token>' } }
}
const INVALID_TOKEN = {
  status: 401,
  body: { error: { code: 'invalid_token', message: 'The token is unknown, expired or revoked; send a current one' } }
}

describe('tokens', () => {
  test('consist of prl_, 30 base62 characters and a checksum of 6', () => {
    const token = makeToken()
    expect(token).toMatch(/^prl_[0-9A-Za-z]{36}$/)
    expect(isWellFormed(token)).toBe(true)
  })

  test('have a checksum that anyone can compute: CRC32 of the 30 characters in base62', () => {
    expect(isWellFormed(`prl_${'0'.repeat(30)}${checksumOf('0'.repeat(30))}`)).toBe(true)
  })

  test('are stored as a hash and a hint only', async () => {
    const { token, db } = await newUser()
    const dump = await db.execute(
      `select row_to_json(t)::text as row from tokens t union all select row_to_json(o)::text from token_owners o`
    )
    expect(JSON.stringify(dump.rows)).not.toContain(token.slice(8))
  })

  test('live for one year', async () => {
    const { id, db } = await newUser()
    const { expiresAt } = await issueToken(db, id, 'year', ['account:read'], clock.now())
    expect(expiresAt.toISOString()).toBe('2027-03-02T10:00:00.000Z')
  })
})

describe('Authorization', () => {
  test.each([
    ['no header', undefined, UNAUTHORIZED],
    ['another scheme', 'Basic dXNlcjpwYXNz', UNAUTHORIZED],
    ['no token', 'Bearer ', UNAUTHORIZED],
    ['two words after Bearer', 'Bearer a b', UNAUTHORIZED],
    ['junk', 'Bearer junk', INVALID_TOKEN],
    ['a token with a wrong checksum', `Bearer prl_${'0'.repeat(36)}`, INVALID_TOKEN],
    ['a well-formed token nobody has', `Bearer ${makeToken()}`, INVALID_TOKEN],
    ['a very long token', `Bearer ${'x'.repeat(8_000)}`, INVALID_TOKEN]
  ])('refuses %s', async (_, authorization, refusal) => {
    const { app } = await testServer()
    const reply = await app.inject({
      url: '/v1/account',
      headers: authorization === undefined ? {} : { authorization }
    })
    expect({ status: reply.statusCode, body: reply.json() }).toEqual(refusal)
  })

  test('takes the scheme in any case', async () => {
    const { app, token } = await newUser('account:read')
    const reply = await app.inject({ url: '/v1/account', headers: { authorization: `bearer ${token}` } })
    expect(reply.statusCode).toBe(200)
  })

  test('does not take a token from the query', async () => {
    const { app, token } = await newUser('account:read')
    const reply = await app.inject({ url: `/v1/account?access_token=${token}&token=${token}` })
    expect({ status: reply.statusCode, body: reply.json() }).toEqual(UNAUTHORIZED)
  })

  test('refuses junk without asking the database', async () => {
    const { db } = await testDatabase()
    let asked = 0
    const counting: Pick<Database, 'query' | 'isDistributed'> = {
      isDistributed: db.isDistributed,
      query: statement => {
        asked++
        return db.query(statement)
      }
    }
    const admissions = openAdmissions(counting, clock, { perMinute: 10, perDay: 10 })
    const app = await buildTestApp({ admissions })
    const known = await newUser('account:read')
    expect(
      (await app.inject({ url: '/v1/account', headers: { authorization: `Bearer prl_${'a'.repeat(36)}` } })).statusCode
    ).toBe(401)
    expect(asked).toBe(0)
    // Whose token it is, is asked once; whether it is valid and how often it was used, on every request.
    for (const statements of (await db.isDistributed()) ? [3, 5, 7] : [2, 3, 4]) {
      expect(
        (await app.inject({ url: '/v1/account', headers: { authorization: `Bearer ${known.token}` } })).statusCode
      ).toBe(200)
      expect(asked).toBe(statements)
    }
  })

  test('refuses an expired token from the very second it expires', async () => {
    const { db, id } = await newUser()
    const { token, expiresAt } = await issueToken(db, id, 'old', ['account:read'], clock.now())
    for (const [now, status] of [
      [expiresAt.getTime() - 1, 200],
      [expiresAt.getTime(), 401]
    ] as const) {
      const app = await buildTestApp({ clock: { now: () => new Date(now) } })
      const reply = await app.inject({ url: '/v1/account', headers: { authorization: `Bearer ${token}` } })
      expect(reply.statusCode).toBe(status)
    }
  })

  test('keeps the tokens of concurrent requests apart', async () => {
    const [first, second, revoked, expired] = [await newUser(), await newUser(), await newUser(), await newUser()]
    const { app, db } = first
    await setRevoked(db, revoked.id, revoked.tokenId, clock.now())
    const { token: old } = await issueToken(db, expired.id, 'old', ['account:read'], clock.now(), 0)
    const { token: other } = await issueToken(db, first.id, 'other', ['account:read'], clock.now())
    const ask = async (token: string) => {
      const reply = await app.inject({ url: '/v1/account', headers: { authorization: `Bearer ${token}` } })
      return [reply.statusCode, reply.json().user_id]
    }
    const asked = [first.token, revoked.token, second.token, old, other, makeToken()]
    // The second time the owners of the tokens are known.
    for (let turn = 0; turn < 2; turn++) {
      expect(await Promise.all(asked.map(ask))).toEqual([
        [200, first.id],
        [401, undefined],
        [200, second.id],
        [401, undefined],
        [200, first.id],
        [401, undefined]
      ])
    }
  })

  test('refuses a revoked token on the next request, at every application on the database', async () => {
    const { db, id, token, tokenId } = await newUser('account:read')
    const apps = [await buildTestApp(), await buildTestApp()]
    const statuses = () =>
      Promise.all(apps.map(async app => (await app.inject({ url: '/v1/account', headers: bearer(token) })).statusCode))
    expect(await statuses()).toEqual([200, 200])
    await setRevoked(db, id, tokenId, clock.now())
    expect(await statuses()).toEqual([401, 401])
  })
})

describe('scopes', () => {
  test('are declared by every route: a server does not start with a route without any', async () => {
    const app = await buildTestApp()
    app.get('/v1/forgotten', async () => 'open to all')
    await expect(app.ready()).rejects.toThrow('GET /v1/forgotten declares no scopes')
  })
})

function bearer(token: string) {
  return { authorization: `Bearer ${token}` }
}

function checksumOf(text: string) {
  const table = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  let crc = 0xffffffff
  for (const byte of Buffer.from(text)) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  let rest = (crc ^ 0xffffffff) >>> 0
  let sum = ''
  while (sum.length < 6) {
    sum = table[rest % 62] + sum
    rest = Math.floor(rest / 62)
  }
  return sum
}

describe('the expiry of a token', () => {
  const DAYS_30 = 30 * 86_400
  /** An answer to a request with a token that expires in so many seconds. */
  async function answerTo(seconds: number, url: string, rateLimits = { perMinute: 1_000, perDay: 1_000 }) {
    const { db } = await testDatabase()
    const app = await buildTestApp({ rateLimits })
    const user = await newUserOf({ db, app })
    const { token } = await issueToken(db, user.id, 'short', ['account:read'], clock.now(), seconds)
    const send = () => app.inject({ url, headers: { authorization: `Bearer ${token}` } })
    const { statusCode, headers } = await send()
    return { status: statusCode, header: headers['x-token-expires-at'], send }
  }

  test.each([
    ['a second before the last 30 days', DAYS_30 + 1, undefined],
    ['in the last 30 days', DAYS_30, '2026-04-01T10:00:00.000Z'],
    ['in its last minute', 60, '2026-03-02T10:01:00.000Z']
  ])('is in a header of each answer, %s', async (_, seconds, header) => {
    expect(await answerTo(seconds, '/v1/account')).toMatchObject({ status: 200, header })
    expect(await answerTo(seconds, '/v1/account?unknown=1')).toMatchObject({ status: 400, header })
    expect(await answerTo(seconds, '/v1/sessions')).toMatchObject({ status: 403, header })
    const { send } = await answerTo(seconds, '/v1/account', { perMinute: 1, perDay: 100 })
    const refused = await send()
    expect([refused.statusCode, refused.headers['x-token-expires-at']]).toEqual([429, header])
  })

  test('is not shown to others', async () => {
    const { app, db, id } = await newUser()
    const { token } = await issueToken(db, id, 'over', ['account:read'], clock.now(), 0)
    for (const headers of [{}, { authorization: `Bearer ${token}` }]) {
      const reply = await app.inject({ url: '/v1/account', headers })
      expect([reply.statusCode, reply.headers['x-token-expires-at']]).toEqual([401, undefined])
    }
    const reply = await app.inject({ url: '/v1/openapi.json', headers: { authorization: `Bearer ${token}` } })
    expect([reply.statusCode, reply.headers['x-token-expires-at']]).toEqual([200, undefined])
  })

  test('is in the account, with the scopes and the day of the last use of this token, and of no other', async () => {
    const user = await newUser()
    const { id, token } = await issueToken(user.db, user.id, 'script', ['account:read'], clock.now(), 3_600)
    const reply = await user.app.inject({ url: '/v1/account', headers: { authorization: `Bearer ${token}` } })
    const { rows } = await user.db.execute<{ day: string }>(`select (now() at time zone 'UTC')::date as day`)
    expect(reply.json()).toEqual({
      user_id: user.id,
      subscription_active: true,
      session_count: 0,
      quotas: expect.anything(),
      retention: expect.anything(),
      token: {
        id,
        name: 'script',
        scopes: ['account:read'],
        created_at: NOW,
        expires_at: '2026-03-02T11:00:00.000Z',
        last_used_at: `${rows[0]!.day}T00:00:00.000Z`
      }
    })
  })
})

describe('the last use of a token', () => {
  const lastUseOf = async ({ db, tokenId }: { db: Database; tokenId: string }) =>
    (await findLastUses(db, [tokenId])).get(tokenId)

  test('is kept through a crash of the database, and costs no statement of its own', async () => {
    const { db } = await testDatabase()
    const statements: string[] = []
    const counting: Pick<Database, 'query' | 'isDistributed'> = {
      isDistributed: db.isDistributed,
      query: statement => {
        statements.push(JSON.stringify(statement))
        return db.query(statement)
      }
    }
    const admissions = openAdmissions(counting, clock, { perMinute: 1_000, perDay: 1_000 })
    const user = await newUserOf({ db, app: await buildTestApp({ admissions }) })
    expect(await lastUseOf(user)).toBeUndefined()
    for (let turn = 0; turn < 5; turn++) await user.get('/v1/folders')
    const used = await lastUseOf(user)
    expect(used).toMatch(/^\d{4}-\d\d-\d\dT00:00:00\.000Z$/)
    // One look-up of the owner, and one statement for each request, which counts it.
    expect(statements).toHaveLength((await db.isDistributed()) ? 11 : 6)
    await admissions.stop()
    // A crash empties unlogged tables.
    await db.execute(`delete from rate_counters where token_id = '${user.tokenId}'`)
    expect(await lastUseOf(user)).toBe(used)
    await db.execute(`update rate_days set day = '2026-01-05' where token_id = '${user.tokenId}'`)
    expect(await lastUseOf(user)).toBe('2026-01-05T00:00:00.000Z')
  })
})
