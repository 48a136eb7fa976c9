import { expect, test } from 'vitest'
import type { Database } from '../../../src/platform/db/open.ts'
import { DatabaseUnavailable } from '../../../src/platform/db/unavailable.ts'
import { askAdmin, buildTestAdminApi } from '../../support/admin-api.ts'
import { newUser, testDatabase } from '../../support/server.ts'

/** A database whose connection is lost with the end of the first transaction. */
function lostAfterCommit(db: Database): Database {
  let lost = false
  const guarded = <Args extends unknown[], Result>(ask: (...args: Args) => Result) => {
    return (...args: Args) => {
      if (lost) throw new DatabaseUnavailable('connection_lost')
      return ask(...args)
    }
  }
  const transaction: Database['transaction'] = async run => {
    const result = await db.transaction(run)
    lost = true
    return result
  }
  const reads = {
    select: guarded(db.select.bind(db)),
    execute: guarded(db.execute.bind(db)),
    query: guarded(db.query.bind(db))
  }
  return Object.assign(Object.create(db), reads, { transaction: guarded(transaction) })
}

const TALK = { title: 'Weekly review', segments: [{ speaker: 'Ada', text: 'Welcome.' }] }
const CALL = { direction: 'inbound' }

type User = Awaited<ReturnType<typeof newUser>>
const made = async (user: User, path: string, body: object) =>
  (await askAdmin('POST', `/users/${user.id}${path}`, body)).body.id

/** The fields of the session that each answer has. */
const ACCEPTED = ['id', 'status', 'external_id']
const CHANGED = ['id', 'updated_at']

test.each<
  [string, number, readonly string[] | undefined, (user: User) => Promise<['POST' | 'PATCH', string, object?]>]
>([
  ['an import', 202, ACCEPTED, async () => ['POST', '/sessions', TALK]],
  ['a call that begins', 201, undefined, async () => ['POST', '/calls', CALL]],
  [
    'a call that moves on',
    200,
    undefined,
    async user => ['PATCH', `/calls/${await made(user, '/calls', CALL)}`, { status: 'in_progress' }]
  ],
  ['a change', 200, CHANGED, async user => ['PATCH', `/sessions/${await user.session()}`, { title: 'Another' }]],
  [
    'a change of nothing',
    200,
    CHANGED,
    async user => ['PATCH', `/sessions/${await user.session({ title: 'Same' })}`, { title: 'Same' }]
  ],
  ['a restoration', 200, ACCEPTED, async user => ['POST', `/sessions/${await user.session()}/restore`]],
  ['a retry', 202, ACCEPTED, async user => ['POST', `/sessions/${await made(user, '/sessions', TALK)}/retry`]]
])(
  '%s that is committed is answered as such, though the database is lost afterwards',
  async (_, status, fields, request) => {
    const user = await newUser()
    const [method, path, body] = await request(user)
    const app = await buildTestAdminApi({ db: lostAfterCommit((await testDatabase()).db) })
    const answer = await askAdmin(method, `/users/${user.id}${path}`, body, { app })
    expect(answer.status).toBe(status)
    const { body: session } = await askAdmin('GET', `/users/${user.id}/sessions/${answer.body.id}`)
    const shown = fields ? Object.fromEntries(fields.map(field => [field, session[field]])) : session
    expect(answer.body).toMatchObject(shown)
  }
)

test('a person who is added, and a speaker who is corrected, are answered though the database is lost afterwards', async () => {
  const user = await newUser()
  const { db } = await testDatabase()
  const app = await buildTestAdminApi({ db: lostAfterCommit(db) })
  const added = await askAdmin('POST', `/users/${user.id}/people`, { name: 'Ada' }, { app })
  expect(added.status).toBe(201)
  expect((await askAdmin('GET', `/users/${user.id}/people/${added.body.id}`)).body).toEqual(added.body)
  const session = `/users/${user.id}/sessions/${await user.session({ segments: TALK.segments })}`
  const correction = { from: 'Ada', person_id: added.body.id }
  const other = await buildTestAdminApi({ db: lostAfterCommit(db) })
  expect((await askAdmin('PATCH', `${session}/speakers`, correction, { app: other })).status).toBe(200)
  const { body } = await askAdmin('GET', `${session}/people`)
  expect(body).toMatchObject({ people: [{ person: { id: added.body.id, name: 'Ada' } }] })
})

test('a rename, a merge and a deletion are answered though the database is lost afterwards', async () => {
  const user = await newUser()
  const { db } = await testDatabase()
  const [ada, bob] = [await made(user, '/people', { name: 'Ada' }), await made(user, '/people', { name: 'Bob' })]
  const changes = [
    ['PATCH', `/users/${user.id}/people/${bob}`, { name: 'Ben' }, { id: bob, name: 'Ben' }],
    ['POST', `/users/${user.id}/people/${bob}/merge`, { into: ada }, { id: ada, name: 'Ada' }]
  ] as const
  for (const [method, path, body, person] of changes) {
    const app = await buildTestAdminApi({ db: lostAfterCommit(db) })
    expect(await askAdmin(method, path, body, { app })).toMatchObject({ status: 200, body: person })
  }
  const app = await buildTestAdminApi({ db: lostAfterCommit(db) })
  expect((await askAdmin('DELETE', `/users/${user.id}/people/${ada}`, undefined, { app })).status).toBe(204)
})

test('45 imports at once with one timestamp are all accepted, each at an instant of its own', async () => {
  const user = await newUser()
  const imports = Array.from({ length: 45 }, (_, n) =>
    askAdmin('POST', `/users/${user.id}/sessions`, { ...TALK, external_id: `${n}`, timestamp: '2026-03-02T09:00:00Z' })
  )
  const statuses = (await Promise.all(imports)).map(({ status }) => status)
  expect(statuses).toEqual(Array.from({ length: 45 }, () => 202))
  const { rows } = await user.db.execute(
    `select count(distinct sort_at)::integer as instants from sessions where user_id = '${user.id}'`
  )
  expect(rows).toEqual([{ instants: 45 }])
})
