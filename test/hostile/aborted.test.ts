import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { openAdmissions } from '../../src/features/access/admission.ts'
import { portOf } from '../support/http.ts'
import { buildTestApp, clock, newUserOf, testDatabase } from '../support/server.ts'

const LONG = process.env.SECURITY === 'long'
const [USERS, REQUESTS] = LONG ? [50, 50_000] : [16, 2_000]
const AT_ONCE = 24
const ABORTED = 0.2

/** Numbers by chance that are the same for the same seed. */
function dice(seed: number) {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

/** Stands in every text of a user's own, and names them. */
const markOf = (n: number) => `mark${n}mark`

test(`of ${REQUESTS} requests of ${USERS} users, a fifth of them given up at any moment, no answer has a word of another`, {
  timeout: 1_800_000
}, async () => {
  const opened = await testDatabase()
  const limits = { perMinute: 10_000_000, perDay: 10_000_000 }
  // As a server has them: the connections that many requests share.
  const admissions = openAdmissions(opened.db, clock, limits)
  const app = await buildTestApp({ admissions, slow: opened.slow, replica: opened.replica, rateLimits: limits })
  await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => app.close())
  const served = { db: opened.db, app }

  const users = await Promise.all(
    Array.from({ length: USERS }, async (_, n) => {
      const user = await newUserOf(served)
      const mark = markOf(n)
      const id = await user.session({
        title: mark,
        summary: mark,
        notes: mark,
        tags: [mark],
        folders: [mark],
        platform: mark,
        speakers: [{ label: 'Ada', person: mark }],
        segments: [{ speaker: 'Ada', start: 0, end: 2, text: `spoken ${mark}` }],
        action_items: [{ text: mark, assignee: mark }],
        media: { audio: `https://media.example/${mark}` }
      })
      const person = (await user.get('/v1/people')).body.people[0].id
      await user.post('/v1/webhooks', { url: `http://127.0.0.1:1/${mark}`, events: ['session.deleted'] })
      return { ...user, mark, session: id, person }
    })
  )
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
  onTestFinished(() => agent.destroy())
  const random = dice(20_230_320)
  const any = <T>(of: readonly T[]) => of[Math.floor(random() * of.length)]!

  type User = (typeof users)[number]
  const kinds: ((user: User) => { method: string; path: string; body?: object; hasMark: boolean })[] = [
    ({ session }) => ({ method: 'GET', path: `/v1/sessions/${session}`, hasMark: true }),
    ({ session }) => ({ method: 'GET', path: `/v1/sessions/${session}/transcript`, hasMark: true }),
    ({ session }) => ({ method: 'GET', path: `/v1/sessions/${session}/action-items`, hasMark: true }),
    ({ session }) => ({ method: 'GET', path: `/v1/sessions/${session}/media`, hasMark: true }),
    ({ mark }) => ({ method: 'GET', path: `/v1/sessions?tag=${mark}`, hasMark: true }),
    () => ({ method: 'GET', path: '/v1/sessions', hasMark: true }),
    () => ({ method: 'GET', path: '/v1/folders', hasMark: true }),
    () => ({ method: 'GET', path: '/v1/people', hasMark: true }),
    ({ person }) => ({ method: 'GET', path: `/v1/people/${person}/sessions`, hasMark: true }),
    () => ({ method: 'GET', path: '/v1/events?cursor=0&limit=3', hasMark: true }),
    () => ({ method: 'GET', path: '/v1/webhooks', hasMark: true }),
    () => ({ method: 'GET', path: '/v1/sessions/stats', hasMark: false }),
    () => ({ method: 'GET', path: '/v1/account', hasMark: false }),
    ({ mark }) => ({
      method: 'POST',
      path: '/v1/sessions/search',
      body: { query: mark, include_passages: true },
      hasMark: true
    }),
    () => ({ method: 'POST', path: '/v1/sessions/search', body: { query: 'spoken' }, hasMark: true }),
    ({ session }) => ({
      method: 'POST',
      path: '/v1/sessions/bulk',
      body: { session_ids: [session], include_transcript: true },
      hasMark: true
    }),
    ({ session, mark }) => ({
      method: 'PATCH',
      path: `/v1/sessions/${session}`,
      body: { title: mark, notes: `${mark} again` },
      hasMark: false
    }),
    ({ session, mark }) => ({
      method: 'PATCH',
      path: `/v1/sessions/${session}`,
      body: { title: 7, notes: mark },
      hasMark: false
    }),
    () => ({ method: 'GET', path: '/v1/sessions/ses_01jd0000000000000000000000', hasMark: false }),
    () => ({ method: 'GET', path: '/v1/sessions?limit=0', hasMark: false })
  ]

  const faults: string[] = []
  const counts = { answered: 0, aborted: 0 }

  /** Asks, and where it is to be given up does so before, while or after it is sent, or while the answer comes. */
  async function ask(user: User) {
    const { method, path, body, hasMark } = any(kinds)(user)
    const givenUpAfter = random() < ABORTED ? random() * 12 : undefined
    const payload = body && JSON.stringify(body)
    const headers = {
      authorization: `Bearer ${user.token}`,
      ...(payload && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(payload)) })
    }
    await new Promise<void>(resolve => {
      const sent = request({ port: portOf(app), host: '127.0.0.1', agent, method, path, headers }, answer => {
        let text = ''
        answer.on('data', chunk => (text += chunk))
        answer.on('error', () => {})
        answer.on('close', () => {
          const all = JSON.stringify(answer.headers) + text
          for (const [mark] of all.matchAll(/mark\d+mark/g))
            if (mark !== user.mark) faults.push(`${method} ${path} of ${user.mark} has ${mark}`)
          if (answer.headers['cache-control'] !== 'private, no-store') faults.push(`${method} ${path} may be kept`)
          if (answer.complete) counts.answered++
          if (answer.complete && hasMark && !text.includes(user.mark))
            faults.push(`${method} ${path} lacks what is the user's own: ${answer.statusCode}`)
          if ((answer.statusCode ?? 0) >= 500) faults.push(`${method} ${path}: ${answer.statusCode}`)
          resolve()
        })
      })
      sent.on('error', () => resolve())
      sent.on('close', () => resolve())
      if (payload && givenUpAfter !== undefined && random() < 0.3) sent.write(payload.slice(0, payload.length / 2))
      else sent.end(payload)
      if (givenUpAfter === undefined) return
      counts.aborted++
      void wait(givenUpAfter).then(() => sent.destroy())
    })
  }

  let begun = 0
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (begun++ < REQUESTS) await ask(any(users))
    })
  )
  expect(faults).toEqual([])
  expect(counts.aborted).toBeGreaterThan(REQUESTS * ABORTED * 0.8)
  expect(counts.answered).toBeGreaterThan(REQUESTS * (1 - ABORTED) * 0.95)

  // What is kept of each is their own as well.
  for (const user of users) {
    const { rows } =
      await opened.db.execute(`select row_to_json(s)::text as row from sessions s where user_id = '${user.id}'
      union all select body::text from events where user_id = '${user.id}'`)
    const marks = new Set(JSON.stringify(rows).match(/mark\d+mark/g))
    expect([...marks]).toEqual([user.mark])
  }
})
