import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openAdmissions } from '../../src/accounts/admission.ts'
import { openDatabase } from '../../src/db/open.ts'
import { buildTestApp, clock, newUser, testDatabase } from '../support/server.ts'

const LIMITS = { perMinute: 60, perDay: 10_000 }

describe('the rate limit', () => {
  test('lets 60 requests of a token pass in a minute and tells on each how many are left', async () => {
    const app = await buildTestApp({ rateLimits: LIMITS })
    const { token } = await newUser('account:read')
    await startOfMinute()
    const answers = await requests(app, token, 61)
    const left = answers.map(({ headers }) => Number(headers['x-ratelimit-remaining']))
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([...Array(60).fill(200), 429])
    expect(left).toEqual([...Array.from({ length: 60 }, (_, index) => 59 - index), 0])
    expect(answers.at(-1)?.json()).toEqual({
      error: { code: 'rate_limit_exceeded', message: expect.stringMatching(/^The limit of 60 requests is used up; try again in \d+ s$/) }
    })
  })

  test('says when the minute ends, in epoch seconds, and on a refusal how long to wait', async () => {
    const app = await buildTestApp({ rateLimits: { perMinute: 1, perDay: 10 }, clock: { now: () => new Date() } })
    const { token } = await newUser('account:read')
    const now = await startOfMinute()
    const [passed, refused] = await requests(app, token, 2)
    const endOfMinute = (Math.floor(now / 60_000) + 1) * 60
    expect(passed?.headers).toMatchObject({ 'x-ratelimit-limit': '1', 'x-ratelimit-reset': String(endOfMinute) })
    expect(refused?.headers).toMatchObject({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(endOfMinute) })
    const wait = Number(refused?.headers['retry-after'])
    expect(wait).toBeGreaterThanOrEqual(1)
    expect(wait).toBeLessThanOrEqual(60)
  })

  test('counts the day too, and shows the window that is nearer to its end', async () => {
    const app = await buildTestApp({ rateLimits: { perMinute: 100, perDay: 3 } })
    const { token } = await newUser('account:read')
    const answers = await requests(app, token, 4)
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 429])
    const midnight = (Math.floor(Date.now() / 86_400_000) + 1) * 86_400
    expect(answers.at(-1)?.headers).toMatchObject({ 'x-ratelimit-limit': '3', 'x-ratelimit-reset': String(midnight) })
  })

  test('a refused request uses nothing up', async () => {
    const app = await buildTestApp({ rateLimits: { perMinute: 2, perDay: 1_000 } })
    const { token, tokenId, db } = await newUser('account:read')
    await startOfMinute()
    await requests(app, token, 20)
    const { rows } = await db.execute(`select minute_count, day_count from rate_counters where token_id = '${tokenId}'`)
    expect(rows).toEqual([{ minute_count: 2, day_count: 2 }])
  })

  test('is exact when requests come at once, over two applications', async () => {
    const first = await buildTestApp({ rateLimits: LIMITS })
    const second = await buildTestApp({ rateLimits: LIMITS, db: await ownConnection() })
    const { token } = await newUser('account:read')
    await startOfMinute()
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => (index % 2 ? first : second).inject({ url: '/v1/account', headers: bearer(token) }))
    )
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(60)
    expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(140)
  })

  test('begins anew with the next minute and the next day', async () => {
    const app = await buildTestApp({ rateLimits: { perMinute: 1, perDay: 1 } })
    const { token, tokenId, db } = await newUser('account:read')
    await requests(app, token, 2)
    await db.execute(`update rate_counters set minute = minute - interval '1 minute', day = day - 1 where token_id = '${tokenId}'`)
    expect((await requests(app, token, 1))[0]?.statusCode).toBe(200)
  })

  test('is not spent for a day by a clock of the database that was a day ahead and is set back', async () => {
    const app = await buildTestApp({ rateLimits: { perMinute: 2, perDay: 3 } })
    const { token, tokenId, db } = await newUser('account:read')
    await requests(app, token, 3)
    await db.execute(`update rate_counters set minute = minute + interval '1 day', day = day + 1 where token_id = '${tokenId}'`)
    const answers = await requests(app, token, 3)
    expect(answers.map(({ statusCode, headers }) => [statusCode, headers['x-ratelimit-remaining']])).toEqual([
      [200, '1'],
      [200, '0'],
      [429, '0']
    ])
  })

  test('remembers the day after the counters are lost, as in a crash of the database', async () => {
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

  test('comes after the token and before the scope', async () => {
    const app = await buildTestApp({ rateLimits: { perMinute: 1, perDay: 10 } })
    const { token } = await newUser('sessions:read')
    const answers = await requests(app, token, 2)
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([403, 429])
  })

  test('counts requests without a valid token by client address', async () => {
    const app = await buildTestApp({ rateLimits: { perMinute: 2, perDay: 10 } })
    const from = (remoteAddress: string, url = '/v1/account') => app.inject({ url, remoteAddress })
    const statuses = [await from('10.0.0.1'), await from('10.0.0.1'), await from('10.0.0.1'), await from('10.0.0.2')]
    expect(statuses.map(({ statusCode }) => statusCode)).toEqual([401, 401, 429, 401])
    const { token } = await newUser('account:read')
    const known = await app.inject({ url: '/v1/account', remoteAddress: '10.0.0.1', headers: bearer(token) })
    expect(known.statusCode).toBe(200)
    expect((await from('10.0.0.1', '/v1/nothing')).statusCode).toBe(404)
    expect((await from('10.0.0.1', '/v1/openapi.json')).statusCode).toBe(429)
  })
})

async function requests(app: Awaited<ReturnType<typeof buildTestApp>>, token: string, count: number) {
  const answers = []
  for (let index = 0; index < count; index++) answers.push(await app.inject({ url: '/v1/account', headers: bearer(token) }))
  return answers
}

function bearer(token: string) {
  return { authorization: `Bearer ${token}` }
}

/** Waits out the last seconds of a minute: a test that counts within one must not run over its end. */
async function startOfMinute() {
  while (Date.now() % 60_000 > 50_000) await new Promise(wake => setTimeout(wake, 250))
  return Date.now()
}

/** A second connection, as another process would have. The embedded engine is reached by its one. */
async function ownConnection() {
  const where = inject('database')
  if (!('url' in where)) return (await testDatabase()).db
  const opened = await openDatabase({ url: where.url, dataDir: '', share: false, name: 'other', onError: () => {} })
  onTestFinished(() => opened.close())
  return opened.db
}
