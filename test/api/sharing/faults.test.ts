import { describe, expect, onTestFinished, test } from 'vitest'
import { makeSecret } from '../../../src/features/sharing/claim.ts'
import { openDatabase } from '../../../src/platform/db/open.ts'
import { migratedDatabase, onPostgres, openPlace } from '../../support/process.ts'
import { addSession, buildTestApp, newUserOf } from '../../support/server.ts'
import { newSharer } from '../../support/sharing.ts'

const SHARED = '/v1/shared-sessions/usr_x/ses_x'
const SHARING = '/v1/sessions/ses_x/sharing'
const ROUTES = [
  ['GET', '/v1/shared-sessions', undefined],
  ['GET', SHARED, undefined],
  ['GET', `${SHARED}/transcript`, undefined],
  ['GET', `${SHARED}/action-items`, undefined],
  ['GET', `${SHARED}/media`, undefined],
  ['GET', SHARING, undefined],
  ['POST', `${SHARING}/link`, {}],
  ['POST', `${SHARING}/link/reset`, {}],
  ['POST', `${SHARING}/invites`, { emails: ['cleo@example.com'] }],
  ['DELETE', `${SHARING}/invites`, { email: 'cleo@example.com' }],
  ['DELETE', `${SHARING}/people/usr_x`, undefined]
] as const

test.each(ROUTES)(
  '%s %s answers sharing_unavailable with Retry-After while the database is away',
  async (method, url, body) => {
    const { token } = await newSharer()
    const app = await away()
    const reply = await app.inject({
      method,
      url,
      headers: { authorization: `Bearer ${token}` },
      ...(body && { payload: body })
    })
    expect({ status: reply.statusCode, body: reply.json(), retry: reply.headers['retry-after'] }).toEqual({
      status: 503,
      body: { error: { code: 'sharing_unavailable', message: 'The server cannot answer this now; try again' } },
      retry: '2'
    })
  }
)

test('the page of a link has Retry-After while the database is away', async () => {
  const reply = await (await away()).inject(`/join/${makeSecret()}`)
  expect([reply.statusCode, reply.headers['retry-after']]).toEqual([503, '2'])
  expect(reply.body).toContain('This did not work')
})

/** An application whose database cannot be reached. */
async function away() {
  const nowhere = {
    url: 'postgres://nobody@127.0.0.1:1/none',
    dataDir: '',
    share: false,
    name: 'gone',
    onError: () => {}
  }
  const gone = await openDatabase(nowhere)
  const app = await buildTestApp({ db: gone.db })
  onTestFinished(async () => {
    await app.close()
    await gone.close()
  })
  return app
}

describe('while shared sessions cannot be read', () => {
  /** A user of a database in which the tables of sharing are no more. */
  async function crippled(statement: string) {
    const { db, pool } = await openPlace(await migratedDatabase(), { poolSize: 4 })
    const { openAdmissions } = await import('../../../src/features/access/admission.ts')
    const rateLimits = { perMinute: 1_000, perDay: 1_000 }
    const admissions = openAdmissions(db, { now: () => new Date() }, rateLimits)
    const app = await buildTestApp({ db, admissions, rateLimits })
    onTestFinished(async () => {
      await app.close()
      await admissions.stop()
    })
    const user = await newUserOf({ db, app })
    const id = await addSession(user.id, {}, undefined, db)
    await pool.query(statement)
    return { ...user, id, pool }
  }

  test('each route answers internal, with the request’s id and nothing of the error', async () => {
    const { app, token } = await crippled('drop table session_shares, shared_with cascade')
    const headers = { authorization: `Bearer ${token}`, 'x-request-id': 'request-1234' }
    const error = { code: 'internal', message: 'The server failed; quote the request id request-1234' }
    const answers: unknown[] = []
    // Only what needs those tables.
    for (const [method, url, body] of ROUTES.filter(([, url]) => url !== SHARING)) {
      const reply = await app.inject({ method, url, headers, ...(body && { payload: body }) })
      answers.push({ url, status: reply.statusCode, body: reply.json() })
    }
    expect(answers).toEqual(
      ROUTES.filter(([, url]) => url !== SHARING).map(([, url]) => ({ url, status: 500, body: { error } }))
    )
  })

  test('the list of sessions has the own ones, and shared_error says that it is incomplete', async () => {
    const { get, id } = await crippled('drop table shared_with')
    const { status, body } = await get('/v1/sessions?include=shared')
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        sessions: [expect.objectContaining({ id, access: 'owner' })],
        next_cursor: null,
        has_more: false,
        shared_error: 'sharing_unavailable'
      }
    })
    expect((await get('/v1/sessions')).body).not.toHaveProperty('shared_error')
  })

  // The embedded database has one session, so that whoever holds a lock there keeps everybody out.
  test.runIf(onPostgres)('the list does not wait long for them', { tags: ['postgres'] }, async () => {
    const { get, id, pool } = await crippled('select 1')
    const blocker = await pool.connect()
    await blocker.query('begin')
    await blocker.query('lock table shared_with in access exclusive mode')
    const { status, body } = await get('/v1/sessions?include=shared').finally(async () => {
      await blocker.query('rollback')
      blocker.release()
    })
    expect([status, body.sessions, body.shared_error]).toEqual([
      200,
      [expect.objectContaining({ id })],
      'sharing_unavailable'
    ])
    expect((await get('/v1/sessions?include=shared')).body).not.toHaveProperty('shared_error')
  })
})
