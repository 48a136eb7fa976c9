// @module-tag both

import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openAdmissions } from '../../../src/features/access/admission.ts'
import { makeToken } from '../../../src/features/access/token-format.ts'
import { setRevoked } from '../../../src/features/access/tokens.ts'
import { type Database, openDatabase } from '../../../src/platform/db/open.ts'
import { clientAddress } from '../../../src/platform/net/client-address.ts'
import { inOneMinute } from '../../support/minute.ts'
import { buildTestApp, clock, newUser, testDatabase } from '../../support/server.ts'

const LIMITS = { perMinute: 60, perDay: 10_000 }

describe('the rate limit', () => {
  test('admits 60 requests of a token in a minute and shows on each how many are left', async () => {
    const app = await buildTestApp({ rateLimits: LIMITS })
    const { result: answers } = await inOneMinute(async () => requests(app, (await newUser('account:read')).token, 61))
    const left = answers.map(({ headers }) => Number(headers['x-ratelimit-remaining']))
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([...Array(60).fill(200), 429])
    expect(left).toEqual([...Array.from({ length: 60 }, (_, index) => 59 - index), 0])
    expect(answers.at(-1)?.json()).toEqual({
      error: {
        code: 'rate_limit_exceeded',
        message: expect.stringMatching(/^The limit of 60 requests is used up; try again in \d+ s$/)
      }
    })
  })

  test('shows the end of the minute in epoch seconds, and on a refusal the time to wait', async () => {
    const app = await buildTestApp({ rateLimits: { perMinute: 1, perDay: 10 }, clock: { now: () => new Date() } })
    const { result, minute } = await inOneMinute(async () => requests(app, (await newUser('account:read')).token, 2))
    const [passed, refused] = result
    const endOfMinute = (minute + 1) * 60
    expect(passed?.headers).toMatchObject({ 'x-ratelimit-limit': '1', 'x-ratelimit-reset': String(endOfMinute) })
    expect(refused?.headers).toMatchObject({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(endOfMinute) })
    const wait = Number(refused?.headers['retry-after'])
    expect(wait).toBeGreaterThanOrEqual(1)
    expect(wait).toBeLessThanOrEqual(60)
  })

  test('counts the day too, and shows the window that is nearer to its end', async () => {
    const app = await buildTestApp({ rateLimits: { perMinute: 100, perDay: 3 } })
    const { result: answers, minute } = await inOneMinute(async () =>
      requests(app, (await newUser('account:read')).token, 4)
    )
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 429])
    const midnight = (Math.floor(minute / 1_440) + 1) * 86_400
    expect(answers.at(-1)?.headers).toMatchObject({ 'x-ratelimit-limit': '3', 'x-ratelimit-reset': String(midnight) })
  })

  test('shows the same numbers as structured fields: the policy, what is left, and the seconds until the window ends', async () => {
    const app = await buildTestApp({ rateLimits: { perMinute: 3, perDay: 2 } })
    const { result: answers } = await inOneMinute(async () => requests(app, (await newUser('account:read')).token, 3))
    for (const { headers } of answers) {
      const { 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': remaining, 'x-ratelimit-reset': reset } = headers
      expect(headers['ratelimit-policy']).toBe(`"day";q=${limit};w=86400`)
      const [, left, seconds] = /^"day";r=(\d+);t=(\d+)$/.exec(String(headers.ratelimit)) ?? []
      expect(left).toBe(remaining)
      expect(Math.abs(Number(seconds) - (Number(reset) - clock.now().getTime() / 1_000))).toBeLessThan(60)
    }
  })

  test('does not count a refused request', async () => {
    const app = await buildTestApp({ rateLimits: { perMinute: 2, perDay: 1_000 } })
    const { result: rows } = await inOneMinute(async () => {
      const { token, tokenId, db } = await newUser('account:read')
      await requests(app, token, 20)
      return (await db.execute(`select minute_count, day_count from rate_counters where token_id = '${tokenId}'`)).rows
    })
    expect(rows).toEqual([{ minute_count: 2, day_count: 2 }])
  })

  test('is exact for concurrent requests over two applications', async () => {
    const first = await buildTestApp({ rateLimits: LIMITS })
    const second = await buildTestApp({ rateLimits: LIMITS, db: await ownConnection() })
    const { result: answers } = await inOneMinute(async () => {
      const { token } = await newUser('account:read')
      const send = (index: number) =>
        (index % 2 ? first : second).inject({ url: '/v1/account', headers: bearer(token) })
      return await Promise.all(Array.from({ length: 200 }, (_, index) => send(index)))
    })
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(60)
    expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(140)
  })

  test('starts again with the next minute and the next day', async () => {
    const app = await buildTestApp({ rateLimits: { perMinute: 1, perDay: 1 } })
    const { token, tokenId, db } = await newUser('account:read')
    await requests(app, token, 2)
    await db.execute(
      `update rate_counters set minute = minute - interval '1 minute', day = day - 1 where token_id = '${tokenId}'`
    )
    expect((await requests(app, token, 1))[0]?.statusCode).toBe(200)
  })

  test('is not used up for a day after the database’s clock was a day ahead and is set back', async () => {
    const app = await buildTestApp({ rateLimits: { perMinute: 2, perDay: 3 } })
    const { result: answers } = await inOneMinute(async () => {
      const { token, tokenId, db } = await newUser('account:read')
      await requests(app, token, 3)
      await db.execute(
        `update rate_counters set minute = minute + interval '1 day', day = day + 1 where token_id = '${tokenId}'`
      )
      return await requests(app, token, 3)
    })
    expect(answers.map(({ statusCode, headers }) => [statusCode, headers['x-ratelimit-remaining']])).toEqual([
      [200, '1'],
      [200, '0'],
      [429, '0']
    ])
  })

  test('keeps the day’s count after the counters are lost, as in a crash of the database', async () => {
    const { db } = await testDatabase()
    const limits = { perMinute: 10, perDay: 5 }
    const admissions = openAdmissions(db, clock, limits)
    const app = await buildTestApp({ rateLimits: limits, admissions })
    const { token, tokenId } = await newUser('account:read')
    await requests(app, token, 3)
    await admissions.stop()
    await db.execute(`delete from rate_counters where token_id = '${tokenId}'`)
    const answers = await requests(app, token, 3)
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 429])
  })

  test('is checked after the token and before the scope', async () => {
    const app = await buildTestApp({ rateLimits: { perMinute: 1, perDay: 10 } })
    const { result: answers } = await inOneMinute(async () => requests(app, (await newUser('sessions:read')).token, 2))
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([403, 429])
  })

  test('shows the token’s quota on an unknown path, which counts as a request and is never refused', async () => {
    const app = await buildTestApp({ rateLimits: { perMinute: 2, perDay: 10 } })
    const paths = ['/v1/nothing', '/v1/sessions/%zz', '/v1/nothing']
    const { result: answers } = await inOneMinute(async () => {
      const { token } = await newUser('account:read')
      const sent = []
      for (const url of paths) sent.push(await app.inject({ url, headers: bearer(token) }))
      return sent
    })
    expect(
      answers.map(({ statusCode, headers }) => [
        statusCode,
        headers['x-ratelimit-limit'],
        headers['x-ratelimit-remaining']
      ])
    ).toEqual([
      [404, '2', '1'],
      [400, '2', '0'],
      [404, '2', '0']
    ])
  })

  test('shows the quota of the token’s last request while the database is away', async () => {
    const { db } = await testDatabase()
    let away = false
    const failing: Pick<Database, 'query' | 'isDistributed'> = {
      isDistributed: db.isDistributed,
      query: statement =>
        away ? Promise.reject(Object.assign(new Error('away'), { code: 'ECONNREFUSED' })) : db.query(statement)
    }
    const limits = { perMinute: 5, perDay: 10 }
    let now = Date.now()
    const moving = { now: () => new Date(now) }
    const app = await buildTestApp({
      rateLimits: limits,
      clock: moving,
      admissions: openAdmissions(failing, moving, limits)
    })
    const { result: token, minute } = await inOneMinute(async () => {
      const user = await newUser('account:read')
      await requests(app, user.token, 2)
      return user.token
    })
    now = minute * 60_000
    away = true
    const shown = async (url: string, sent = token) => {
      const { statusCode, headers } = await app.inject({ url, headers: bearer(sent) })
      return [statusCode, headers['x-ratelimit-limit'], headers['x-ratelimit-remaining'], headers['retry-after']]
    }
    expect(await shown('/v1/account')).toEqual([503, '5', '3', '2'])
    expect(await shown('/v1/nothing')).toEqual([404, '5', '3', undefined])
    now += 60_000
    expect(await shown('/v1/account')).toEqual([503, '5', '5', '2'])
    // Nobody can say whose this one is.
    expect(await shown('/v1/account', makeToken())).toEqual([503, '50', '50', '2'])
  })
})

describe('requests without a valid token', () => {
  test('get a 401 up to ten times the limit of a token, by client address, then a 429', async () => {
    const app = await buildTestApp({ rateLimits: { perMinute: 2, perDay: 10 } })
    const from = (remoteAddress: string, headers = {}) => app.inject({ url: '/v1/account', remoteAddress, headers })
    const answers = []
    for (let index = 0; index < 21; index++) answers.push(await from('10.0.0.1', index % 2 ? {} : bearer('junk')))
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([...Array(20).fill(401), 429])
    expect(answers.at(-1)?.json().error.message).toMatch(
      /^The limit of 20 requests from your address is used up; try again in \d+ s$/
    )
    expect((await from('10.0.0.2')).statusCode).toBe(401)
    const { token } = await newUser('account:read')
    expect((await from('10.0.0.2', bearer(token))).statusCode).toBe(200)
  })

  test('do not share a quota with documents and pages', async () => {
    const app = await buildTestApp({ rateLimits: { perMinute: 1, perDay: 10 } })
    const statuses = async (url: string, count: number) => {
      const seen = []
      for (let index = 0; index < count; index++) seen.push((await app.inject(url)).statusCode)
      return seen
    }
    expect(await statuses('/v1/account', 11)).toEqual([...Array(10).fill(401), 429])
    expect(await statuses('/v1/openapi.json', 11)).toEqual([...Array(10).fill(200), 429])
    expect(await statuses('/v1/nothing', 1)).toEqual([404])
  })

  test('do not reach the database beyond the limit, unless their token was valid a moment ago', async () => {
    const { db } = await testDatabase()
    let asked = 0
    const counting: Pick<Database, 'query' | 'isDistributed'> = {
      isDistributed: db.isDistributed,
      query: statement => {
        asked++
        return db.query(statement)
      }
    }
    const limits = { perMinute: 3, perDay: 100 }
    const app = await buildTestApp({ rateLimits: limits, admissions: openAdmissions(counting, clock, limits) })
    const [known, stranger, revoked] = [await newUser(), await newUser(), await newUser()]
    for (const { token } of [known, revoked]) expect((await requests(app, token, 1))[0]?.statusCode).toBe(200)
    await setRevoked(db, revoked.id, revoked.tokenId, clock.now())
    expect((await requests(app, revoked.token, 1))[0]?.statusCode).toBe(401)
    for (let index = 0; index < 29; index++) await requests(app, makeToken(), 1)
    const before = asked
    const answers = [makeToken(), stranger.token, revoked.token].map(token => requests(app, token, 1))
    expect((await Promise.all(answers)).map(([answer]) => answer?.statusCode)).toEqual([429, 429, 429])
    expect(asked).toBe(before)
    expect((await requests(app, known.token, 1))[0]?.statusCode).toBe(200)
    const { statusCode } = await app.inject({
      url: '/v1/account',
      remoteAddress: '10.0.0.9',
      headers: bearer(stranger.token)
    })
    expect(statusCode).toBe(200)
  })
})

describe('the client address that counts is', () => {
  test.each<[string, false | number | string[], string | undefined, string]>([
    ['that of the connection, unless a proxy is trusted', false, '10.9.9.9', '10.0.0.1'],
    ['the last of the header behind one proxy', 1, '10.9.9.9, 10.8.8.8', '10.8.8.8'],
    ['the last but one behind two', 2, '10.9.9.9, 10.8.8.8, 10.7.7.7', '10.8.8.8'],
    [
      'the last that is not of a trusted network',
      ['10.0.0.0/24', '10.7.7.7'],
      '10.9.9.9, 10.8.8.8, 10.7.7.7',
      '10.8.8.8'
    ],
    ['that of the connection when it is not of a trusted network', ['10.2.0.0/24'], '10.9.9.9', '10.0.0.1'],
    ['that of the proxy when the header names none', 1, 'unknown', '10.0.0.1'],
    ['that of the proxy when there is no header', 1, undefined, '10.0.0.1'],
    ['a /64 of IPv6', 1, '2001:db8:1:2:3::4', '2001:db8:1:2::/64']
  ])('%s', async (_, trustProxy, forwarded, client) => {
    const app = await buildTestApp({}, { trustProxy })
    app.get('/v1/probe', { config: { scopes: 'public' }, schema: { hide: true } }, async request => ({
      client: clientAddress(request)
    }))
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
    expect((await app.inject({ url: '/v1/probe', remoteAddress: '10.0.0.1', headers })).json()).toEqual({ client })
  })
})

async function requests(app: Awaited<ReturnType<typeof buildTestApp>>, token: string, count: number) {
  const answers = []
  for (let index = 0; index < count; index++)
    answers.push(await app.inject({ url: '/v1/account', headers: bearer(token) }))
  return answers
}

function bearer(token: string) {
  return { authorization: `Bearer ${token}` }
}

/** A second connection, as another process would have. The embedded engine is reached by its one. */
async function ownConnection() {
  const where = inject('database')
  if (!('url' in where)) return (await testDatabase()).db
  const opened = await openDatabase({ url: where.url, dataDir: '', share: false, name: 'other', onError: () => {} })
  onTestFinished(() => opened.close())
  return opened.db
}
