import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { LIMITS } from '../../../src/contract/limits.ts'
import { openAdmissions } from '../../../src/features/access/admission.ts'
import { MAX_WAITING, openDatabase } from '../../../src/platform/db/open.ts'
import { migratedDatabase } from '../../support/process.ts'
import { buildTestApp, clock, newUserOf } from '../../support/server.ts'

const CHANGES = 300
const Body = z.object({ error: z.object({ code: z.string() }).optional() })
const SLOW = { timeout: 240_000 }

/** A user of an application that listens, with as many sessions, on a database with the limits of a server. */
async function served(sessions: number) {
  const { url, dataDir } = await migratedDatabase()
  const database = await openDatabase({
    url,
    dataDir,
    share: false,
    name: 'parlance test',
    ...MAX_WAITING,
    onError: () => {}
  })
  const { db, slow, replica } = database
  const rateLimits = { perMinute: 100_000, perDay: 1_000_000 }
  const app = await buildTestApp({ db, slow, replica, rateLimits, admissions: openAdmissions(db, clock, rateLimits) })
  onTestFinished(async () => {
    await app.close()
    await database.close()
  })
  const user = await newUserOf({ db, app })
  const ids: string[] = []
  for (let n = 0; n < sessions; n++) ids.push(await user.session({ title: `Session ${n}` }))
  const other = await newUserOf({ db, app })
  return { user, ids, other, origin: await app.listen({ port: 0, host: '127.0.0.1' }) }
}

test.each([
  ['one session', 1],
  ['as many sessions as the test makes', 30]
])('300 changes at once of %s are answered with 200, 429, or 503 with Retry-After', SLOW, async (_, sessions) => {
  const { user, ids, origin } = await served(sessions)
  const answers = await Promise.all(
    Array.from({ length: CHANGES }, async (_, n) => {
      const reply = await fetch(`${origin}/v1/sessions/${ids[n % ids.length]}`, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${user.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ title: `Title ${n}` })
      })
      const { error } = Body.parse(await reply.json())
      return `${reply.status} ${error?.code ?? ''} ${reply.headers.has('retry-after') ? 'retry later' : ''}`.trim()
    })
  )
  const allowed = ['200', '429 rate_limited retry later', '503 service_unavailable retry later']
  expect(answers.filter(answer => !allowed.includes(answer))).toEqual([])
  expect(answers).toContain('200')
  expect((await user.get(`/v1/sessions/${ids[0]}`)).status).toBe(200)
})

const authorized = (token: string) => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' })

test("a user's 400 changes at once leave the changes of others their places", SLOW, async () => {
  const { user, ids, other, origin } = await served(1)
  const theirs = await other.session()
  const change = async (token: string, id: string | undefined, title: string) => {
    const body = JSON.stringify({ title })
    const reply = await fetch(`${origin}/v1/sessions/${id}`, { method: 'PATCH', headers: authorized(token), body })
    return { status: reply.status, retryAfter: reply.headers.has('retry-after') }
  }
  const burst = Promise.all(Array.from({ length: 400 }, (_, n) => change(user.token, ids[0], `Title ${n}`)))
  const others = []
  for (let n = 0; n < 10; n++) others.push(await change(other.token, theirs, `Title ${n}`))
  expect(others.map(({ status }) => status)).toEqual(Array.from(others, () => 200))
  const refused = (await burst).filter(({ status }) => status === 503)
  expect(refused.length).toBeGreaterThan(0)
  expect(refused.every(({ retryAfter }) => retryAfter)).toBe(true)
})

test("a user's 180 large documents at once leave the documents of others their places", SLOW, async () => {
  const { user, other, origin } = await served(0)
  const segments = Array.from({ length: 1_500 }, (_, n) => ({
    speaker: 'Ada',
    text: `Segment ${n} ${'said '.repeat(30)}`
  }))
  const create = async (token: string) => {
    const body = JSON.stringify({ title: 'Long', segments })
    expect(body.length).toBeGreaterThan(LIMITS.openBodies.above)
    const reply = await fetch(`${origin}/v1/sessions`, { method: 'POST', headers: authorized(token), body })
    return { status: reply.status, body: await reply.text() }
  }
  const burst = Promise.all(Array.from({ length: 180 }, () => create(user.token)))
  const others = []
  for (let n = 0; n < 3; n++) others.push((await create(other.token)).status)
  expect(others).toEqual([202, 202, 202])
  expect((await burst).map(({ status }) => status)).toContain(503)
})
