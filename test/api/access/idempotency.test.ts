// @module-tag both

import { randomUUID } from 'node:crypto'
import { describe, expect, inject, test } from 'vitest'
import { ALL_SCOPES } from '../../../src/contract/scopes.ts'
import { tryLockKey } from '../../../src/features/access/idempotency-keys.ts'
import { issueToken } from '../../../src/features/access/tokens.ts'
import { removeOldRows } from '../../../src/features/deletions/old-rows.ts'
import type { Database } from '../../../src/platform/db/open.ts'
import { DatabaseUnavailable } from '../../../src/platform/db/unavailable.ts'
import { ownServer } from '../../support/own-server.ts'
import { buildTestApp, clock, newUser, newUserOf, SPOKEN, testDatabase, testSender } from '../../support/server.ts'
import { newSharer } from '../../support/sharing.ts'

/** It runs one transaction at a time. */
const EMBEDDED = !('url' in inject('database'))

type User = Awaited<ReturnType<typeof newUser>>

/** Sends with a key, and returns what a client sees of it. */
async function sendWith(
  key: string,
  { ask }: Pick<User, 'ask'>,
  url: string,
  body?: unknown,
  more: Record<string, string> = {}
) {
  const {
    status,
    body: answer,
    headers
  } = await ask('POST', url, { body, headers: { 'idempotency-key': key, ...more } })
  return { status, body: answer, replayed: headers['idempotent-replayed'], location: headers.location }
}

const refused = (status: number, code: string) => ({
  status,
  body: { error: { code, message: expect.stringMatching(/^Idempotency-Key: /) } }
})

const HOOK = { url: 'http://127.0.0.1:1/hook', events: ['session.completed'] }
const BYTES = { 'content-type': 'application/octet-stream' }

test.each<[string, (user: User) => Promise<[string, unknown?, Record<string, string>?]>]>([
  ['an import', async () => ['/v1/sessions', { segments: SPOKEN }]],
  [
    'an upload',
    async () => ['/v1/sessions/upload?file=a.txt&title=Weekly', Buffer.from(`Ada: Hello ${randomUUID()}.`), BYTES]
  ],
  ['a folder', async () => ['/v1/folders', { name: 'Clients' }]],
  ['a webhook', async () => ['/v1/webhooks', HOOK]],
  ['a new secret', async user => [`/v1/webhooks/${(await user.post('/v1/webhooks', HOOK)).body.id}/rotate-secret`]],
  [
    'a replay',
    async user => [`/v1/webhooks/${(await user.post('/v1/webhooks', HOOK)).body.id}/replay`, { from_seq: 1 }]
  ],
  ['a link', async user => [`/v1/sessions/${await user.session()}/sharing/link`, {}]],
  [
    'a reset of links',
    async user => [`/v1/sessions/${await user.session()}/sharing/link/reset`, { remove_everyone: true }]
  ],
  ['invites', async user => [`/v1/sessions/${await user.session()}/sharing/invites`, { emails: ['cleo@example.com'] }]]
])('%s sent twice with a key is made once, and the second answer is the first', async (_, request) => {
  const user = await newSharer()
  const [url, body, headers] = await request(user)
  const first = await sendWith('key-1', user, url, body, headers)
  expect(first.status).toBeLessThan(300)
  expect(first.replayed).toBeUndefined()
  expect(await sendWith('key-1', user, url, body, headers)).toEqual({ ...first, replayed: 'true' })
})

test('a delivery that is retried twice with a key is queued once', async () => {
  const user = await newUser()
  const { body: hook } = await user.post('/v1/webhooks', HOOK)
  await user.session()
  const { body: feed } = await user.get('/v1/events')
  const url = `/v1/webhooks/${hook.id}/deliveries/${feed.events.at(-1).id}/retry`
  const first = await sendWith('key-1', user, url)
  expect(await sendWith('key-1', user, url)).toEqual({ ...first, status: 200, replayed: 'true' })
})

test('without a key, and with another key, each request makes something', async () => {
  const user = await newUser()
  const ids = [
    (await user.post('/v1/sessions', { segments: SPOKEN })).body.id,
    (await sendWith('a', user, '/v1/sessions', { segments: SPOKEN })).body.id,
    (await sendWith('b', user, '/v1/sessions', { segments: SPOKEN })).body.id
  ]
  expect(new Set(ids).size).toBe(3)
})

test('a form that is sent again with other boundaries is the same request, and another file is not', async () => {
  const user = await newUser()
  const form = (boundary: string, text: string) =>
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nAda: ${text}\r\n--${boundary}\r\n` +
        `Content-Disposition: form-data; name="title"\r\n\r\nWeekly\r\n--${boundary}--\r\n`
    )
  const type = (boundary: string) => ({ 'content-type': `multipart/form-data; boundary=${boundary}` })
  const url = '/v1/sessions/upload'
  const first = await sendWith('key-1', user, url, form('one', 'Hello.'), type('one'))
  expect(first.status).toBe(202)
  expect(await sendWith('key-1', user, url, form('two', 'Hello.'), type('two'))).toEqual({ ...first, replayed: 'true' })
  expect(await sendWith('key-1', user, url, form('two', 'Good-bye.'), type('two'))).toMatchObject(
    refused(422, 'invalid_request')
  )
})

test('a body with another order or other unknown fields is the same request', async () => {
  const user = await newUser()
  const first = await sendWith('key-1', user, '/v1/folders', { name: 'Clients', color: '#3366ff' })
  const again = await sendWith('key-1', user, '/v1/folders', { colour: 'blue', color: '#3366ff', name: 'Clients' })
  const warnings = ['colour: ignored, because the request takes no such field']
  expect(again).toEqual({ ...first, body: { ...first.body, warnings }, replayed: 'true' })
})

describe('a key with another request', () => {
  test.each<[string, string, object]>([
    ['another body', '/v1/folders', { name: 'Others' }],
    ['another path', '/v1/webhooks', HOOK]
  ])('is refused with %s, which makes nothing', async (_, url, body) => {
    const user = await newUser()
    await sendWith('key-1', user, '/v1/folders', { name: 'Clients' })
    expect(await sendWith('key-1', user, url, body)).toMatchObject(refused(422, 'invalid_request'))
    expect((await user.get('/v1/folders')).body.folders).toHaveLength(1)
    expect((await user.get('/v1/webhooks')).body.webhooks).toEqual([])
  })

  test('is refused with another query or another session in the path', async () => {
    const user = await newSharer()
    const [a, b] = [await user.session(), await user.session()]
    await sendWith('link', user, `/v1/sessions/${a}/sharing/link`, {})
    expect(await sendWith('link', user, `/v1/sessions/${b}/sharing/link`, {})).toMatchObject(
      refused(422, 'invalid_request')
    )
    await sendWith('file', user, '/v1/sessions/upload?file=a.txt', Buffer.from('Ada: Hi.'), BYTES)
    const other = await sendWith('file', user, '/v1/sessions/upload?file=a.txt&title=b', Buffer.from('Ada: Hi.'), BYTES)
    expect(other).toMatchObject(refused(422, 'invalid_request'))
  })
})

test('keys belong to a token: another user, and another token of the same user, use the same key for themselves', async () => {
  const [ada, ben] = [await newUser(), await newUser()]
  const { body: first } = await sendWith('key-1', ada, '/v1/sessions', { segments: SPOKEN })
  const { token } = await issueToken(ada.db, ada.id, 'second', ALL_SCOPES, clock.now())
  const second = await sendWith(
    'key-1',
    ada,
    '/v1/sessions',
    { segments: SPOKEN },
    { authorization: `Bearer ${token}` }
  )
  const other = await sendWith('key-1', ben, '/v1/sessions', { segments: SPOKEN })
  expect([second.status, second.replayed, other.status, other.replayed]).toEqual([202, undefined, 202, undefined])
  expect(new Set([first.id, second.body.id, other.body.id]).size).toBe(3)
})

test.skipIf(EMBEDDED)(
  'while the first request runs, the second is refused with Retry-After (the embedded database makes it wait)',
  async () => {
    const user = await newUser()
    await user.db.transaction(async tx => {
      expect(await tryLockKey(tx, user.id, { actor: user.tokenId, key: 'key-1' })).toBe(true)
      expect(await sendWith('key-1', user, '/v1/folders', { name: 'Clients' })).toMatchObject(refused(409, 'conflict'))
    })
    expect((await sendWith('key-1', user, '/v1/folders', { name: 'Clients' })).status).toBe(201)
  }
)

test('of 20 requests at once with one key, one makes the session; the others get its answer or a refusal with Retry-After', async () => {
  const user = await newUser()
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => sendWith('key-1', user, '/v1/sessions', { segments: SPOKEN }))
  )
  expect(answers.filter(({ status, replayed }) => status === 202 && replayed === undefined)).toHaveLength(1)
  expect(answers.filter(({ status }) => status !== 202 && status !== 409)).toEqual([])
  expect(new Set(answers.filter(({ status }) => status === 202).map(({ body }) => body.id)).size).toBe(1)
  const { rows } = await user.db.execute(`select count(*)::int as made from sessions where user_id = '${user.id}'`)
  expect(rows).toEqual([{ made: 1 }])
})

test('a request that is refused leaves its key free, and one whose commit fails makes nothing', async () => {
  const user = await newUser()
  expect((await sendWith('key-1', user, '/v1/sessions/ses_none/sharing/link', {})).status).toBe(404)
  const { db } = await testDatabase()
  const broken: Database = Object.assign(Object.create(db), {
    transaction: (run: Parameters<Database['transaction']>[0]) =>
      db.transaction(async tx => {
        await run(tx)
        throw new DatabaseUnavailable('connection_lost')
      })
  })
  const app = await buildTestApp({ db: broken })
  const send = {
    method: 'POST' as const,
    url: '/v1/webhooks',
    headers: { authorization: `Bearer ${user.token}`, 'idempotency-key': 'key-1' }
  }
  expect((await app.inject({ ...send, payload: HOOK })).statusCode).toBe(503)
  expect((await user.get('/v1/webhooks')).body.webhooks).toEqual([])
  const made = await sendWith('key-1', user, '/v1/webhooks', HOOK)
  expect([made.status, made.replayed]).toEqual([201, undefined])
})

test('a webhook that is sent again with its key gets its answer, also while no name server answers', async () => {
  const { db } = await testDatabase()
  let away = false
  const lookup = async () => {
    if (away) throw new Error('queryA ETIMEOUT')
    return [{ address: '127.0.0.1', family: 4 }]
  }
  const user = await newUserOf({ db, app: await buildTestApp({ sender: testSender({ lookup }) }) })
  const hook = { ...HOOK, url: 'http://receiver.example/hook' }
  const first = await sendWith('key-1', user, '/v1/webhooks', hook)
  away = true
  expect(await sendWith('key-1', user, '/v1/webhooks', hook)).toEqual({ ...first, status: 201, replayed: 'true' })
  expect(await sendWith('key-2', user, '/v1/webhooks', hook)).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringMatching(/^url: /) } }
  })
})

test('secrets in stored answers are encrypted, and are not returned by a server with another key', async () => {
  const user = await newUser()
  const { body } = await sendWith('key-1', user, '/v1/webhooks', HOOK)
  const { rows } = await user.db.execute<{ answer: string }>(
    `select answer from idempotency_keys where user_id = '${user.id}'`
  )
  expect(rows).toHaveLength(1)
  expect(Buffer.from(rows[0]!.answer, 'base64').toString('latin1') + rows[0]!.answer).not.toContain(body.secret)
  const app = await buildTestApp({ secretKey: 'another key of the server, for this test' })
  const reply = await newUserOf({ db: user.db, app }).then(() =>
    app.inject({
      method: 'POST',
      url: '/v1/webhooks',
      headers: { authorization: `Bearer ${user.token}`, 'idempotency-key': 'key-1' },
      payload: HOOK
    })
  )
  expect({ status: reply.statusCode, body: reply.json() }).toMatchObject(refused(409, 'conflict'))
  expect((await user.get('/v1/webhooks')).body.webhooks).toHaveLength(1)
})

test('after 24 hours a key is new, and expired answers are removed', async () => {
  const at = (ms: number) => new Date(clock.now().getTime() + ms)
  const DAY_MS = 86_400_000
  let passed = 0
  const user = await newUserOf(await ownServer({ clock: { now: () => at(passed) } }))
  const count = async () =>
    (await user.db.execute(`select from idempotency_keys where user_id = '${user.id}'`)).rows.length
  const post = async (ms: number, name: string) => {
    passed = ms
    const { status, replayed } = await sendWith('key-1', user, '/v1/folders', { name })
    return [status, replayed]
  }
  expect(await post(0, 'Clients')).toEqual([201, undefined])
  expect(await post(DAY_MS - 1, 'Clients')).toEqual([201, 'true'])
  expect(await post(DAY_MS, 'Others')).toEqual([201, undefined])
  const { signal } = new AbortController()
  await removeOldRows(user.db, at(2 * DAY_MS - 1), signal, 'idempotency_keys')
  expect(await count()).toBe(1)
  await removeOldRows(user.db, at(2 * DAY_MS), signal, 'idempotency_keys')
  expect(await count()).toBe(0)
})

test.each([
  ['an empty key', ''],
  ['a key of 256 characters', 'a'.repeat(256)],
  ['two keys', 'a, b']
])('an Idempotency-Key header with %s is refused', async (_, key) => {
  const user = await newUser()
  const { status, body } = await sendWith(key, user, '/v1/folders', { name: 'Clients' })
  expect([status, body.error.message]).toEqual([
    400,
    expect.stringContaining('Idempotency-Key: send 1 to 255 characters')
  ])
})

test('an answer that describes a permanently deleted session is erased, and its key stays used', async () => {
  const user = await newUser()
  const document = { segments: SPOKEN, external_id: 'a name nobody may find' }
  const { body } = await sendWith('key-1', user, '/v1/sessions', document)
  await user.delete(`/v1/sessions/${body.id}?permanently=false`)
  expect(await sendWith('key-1', user, '/v1/sessions', document)).toMatchObject({ status: 202, replayed: 'true' })
  const retried = await sendWith('key-2', user, `/v1/sessions/${body.id}/restore`)
  expect(retried.status).toBe(200)
  await user.delete(`/v1/sessions/${body.id}`)
  expect(await sendWith('key-1', user, '/v1/sessions', document)).toMatchObject(refused(409, 'conflict'))
  const { rows } = await user.db.execute(`select answer, about from idempotency_keys where user_id = '${user.id}'`)
  expect(rows).toEqual([
    { answer: '', about: body.id },
    { answer: '', about: body.id }
  ])
  expect((await user.get('/v1/sessions')).body.sessions).toEqual([])
})

test('an answer with the secret of a webhook is erased when the secret is rotated, and that of the rotation stays', async () => {
  const user = await newUser()
  const { body: webhook } = await sendWith('key-1', user, '/v1/webhooks', HOOK)
  const path = `/v1/webhooks/${webhook.id}/rotate-secret`
  const rotated = await sendWith('key-2', user, path)
  expect(await sendWith('key-1', user, '/v1/webhooks', HOOK)).toMatchObject(refused(409, 'conflict'))
  expect(await sendWith('key-2', user, path)).toEqual({ ...rotated, replayed: 'true' })
  await user.delete(`/v1/webhooks/${webhook.id}`)
  expect(await sendWith('key-2', user, path)).toMatchObject(refused(409, 'conflict'))
})
