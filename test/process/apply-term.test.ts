// @module-tag postgres
import { expect, test } from 'vitest'
import { UNLIMITED } from '../faults/load.ts'
import { endOf, migratedDatabase, newOwner, openPlace, type Place, rowsOf, serve, until } from '../support/process.ts'

const SESSIONS = 120

/** As after the half minute in which a job of a killed process is released and waits for its retry. */
async function releaseJobs(place: Place) {
  const { pool, close } = await openPlace(place)
  await pool.query(
    `update pgboss.job set state = 'retry', heartbeat_on = null, start_after = created_on where state = 'active'`
  )
  await close()
}

test('servers that are killed while they apply a term lose no session and change none twice', {
  timeout: 300_000
}, async () => {
  const fresh = await migratedDatabase()
  const place: Place = { ...fresh, environment: { ...fresh.environment, ...UNLIMITED, EMBEDDING_MODEL: 'none' } }
  const { token } = await newOwner(place)
  let server = await serve(place)

  async function ask(method: string, path: string, body?: object) {
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
    const reply = await fetch(`${server.url}/v1${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) })
    })
    const answer: Record<string, string | number> = JSON.parse(await reply.text())
    return { status: reply.status, body: answer }
  }

  const text = 'We moved everything to par lance, and par lance is good.'
  const segments = Array.from({ length: 20 }, (_, at) => ({ speaker: 'Ada', text: `${at}: ${text}` }))
  for (let count = 0; count < SESSIONS; count++) await ask('POST', '/sessions', { segments })
  const isEverythingIn = async () => {
    const [row] = await rowsOf(place, `select count(*)::int as n from sessions where state = 'completed'`)
    return row?.n === SESSIONS
  }
  await until('every session is completed', isEverythingIn, 120_000)
  const { body: term } = await ask('POST', '/terms', { heard: ['par lance'], meant: 'Parlance' })
  await ask('POST', `/terms/${term.id}/apply`)

  for (const share of [0.2, 0.5]) {
    await until('it has come so far', async () => {
      const { body } = await ask('GET', `/terms/${term.id}/apply`)
      return Number(body.sessions_changed) >= SESSIONS * share
    })
    server.kill('SIGKILL')
    await endOf(server)
    await releaseJobs(place)
    const [half] = await rowsOf(place, 'select status, sessions_changed from term_applications')
    const [changed] = await rowsOf(place, 'select count(*)::int as n from transcripts where version = 2')
    expect(half).toEqual({ status: 'running', sessions_changed: changed?.n })
    expect(changed?.n).toBeLessThan(SESSIONS)
    server = await serve(place)
  }

  await until(
    'it is completed',
    async () => (await ask('GET', `/terms/${term.id}/apply`)).body.status === 'completed',
    120_000
  )
  expect((await ask('GET', `/terms/${term.id}/apply`)).body).toMatchObject({
    sessions_total: SESSIONS,
    sessions_done: SESSIONS,
    sessions_changed: SESSIONS,
    lines_changed: SESSIONS * 20
  })
  expect(await rowsOf(place, 'select distinct version, original is null as lost from transcripts')).toEqual([
    { version: 2, lost: false }
  ])
  expect(
    await rowsOf(place, `select count(*)::int as n from transcripts where segments::text ilike '%par lance%'`)
  ).toEqual([{ n: 0 }])
  const events = await rowsOf(
    place,
    `select session_id, count(*)::int as n from events where type = 'session.updated' group by 1`
  )
  expect(events.map(({ n }) => n)).toEqual(Array(SESSIONS).fill(1))
})
