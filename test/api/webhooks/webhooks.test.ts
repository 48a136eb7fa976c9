import { createHmac } from 'node:crypto'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { describe, expect, test } from 'vitest'
import { SessionDetail } from '../../../src/contract/session.ts'
import { findAttempts } from '../../../src/features/webhooks/delivery/queries.ts'
import { onPostgres } from '../../support/process.ts'
import { type Answer, startReceiver } from '../../support/receiver.ts'
import { buildTestApp, NOW, newUser, newUserOf, testDatabase, testSender } from '../../support/server.ts'

const NOT_FOUND = { status: 404, body: { error: { code: 'not_found', message: 'Webhook not found' } } }
const UNKNOWN = 'whk_01m7x4k2p9d8ct5n1w6r0zbfyq'
const LATER = '2026-03-02T10:05:00.000Z'
const HOOK = { url: 'http://127.0.0.1:9/hook', events: ['session.completed'] }

type User = Awaited<ReturnType<typeof newUser>>

function refusal(message: string, code = 'invalid_request') {
  return { status: 400, body: { error: { code, message } } }
}

async function hookOf(user: User, fields: object = {}) {
  const { status, body } = await user.post('/v1/webhooks', { ...HOOK, ...fields })
  expect(status).toBe(201)
  return body
}

/** The user's requests, five minutes later. */
async function later(user: User) {
  const at = { now: () => new Date(LATER) }
  const app = await buildTestApp({ clock: at, sender: testSender({}, at) })
  return (method: 'PATCH' | 'POST' | 'DELETE', url: string, payload?: object) =>
    app
      .inject({ method, url, headers: { authorization: `Bearer ${user.token}` }, ...(payload && { payload }) })
      .then(reply => reply.json())
}

describe('POST /v1/webhooks', () => {
  test('answers with 201 and the webhook, with its secret for the only time', async () => {
    const user = await newUser('webhooks:manage')
    const made = await user.post('/v1/webhooks', {
      url: 'http://127.0.0.1:9/hook?a=b',
      events: ['session.deleted', 'session.completed']
    })
    const expected = {
      id: expect.stringMatching(/^whk_[0-9a-z]{26}$/),
      url: 'http://127.0.0.1:9/hook?a=b',
      events: ['session.deleted', 'session.completed'],
      payload: 'full',
      header_names: [],
      active: true,
      failure_count: 0,
      last_delivery_at: null,
      last_delivery_status: null,
      created_at: NOW,
      updated_at: NOW
    }
    expect(made).toEqual({
      status: 201,
      body: { ...expected, secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) }
    })
    expect(await user.get('/v1/webhooks')).toEqual({ status: 200, body: { webhooks: [expected] } })
  })

  test('keeps an event that is named twice once', async () => {
    const user = await newUser()
    const { events } = await hookOf(user, { events: ['session.updated', 'session.updated'] })
    expect(events).toEqual(['session.updated'])
  })

  test.each([
    ['no body', undefined, 'body: send a JSON object with url and events'],
    ['a list', [], 'body: send a JSON object with url and events'],
    ['no url', { events: HOOK.events }, 'url: send a URL of at most 2048 characters'],
    ['a url that is a number', { ...HOOK, url: 7 }, 'url: send a URL of at most 2048 characters'],
    [
      'a url of 2049 characters',
      { ...HOOK, url: HOOK.url.padEnd(2_049, 'x') },
      'url: send a URL of at most 2048 characters'
    ],
    [
      'a url that is none',
      { ...HOOK, url: 'example.com/hook' },
      'url: send a URL that begins with http:// or https://'
    ],
    [
      'another protocol',
      { ...HOOK, url: 'ftp://example.com/' },
      'url: send a URL that begins with http:// or https://'
    ],
    [
      'a password in the url',
      { ...HOOK, url: 'http://a:b@127.0.0.1/' },
      'url: send a URL without a user name or password'
    ],
    [
      'a host that does not exist',
      { ...HOOK, url: 'https://nothing.invalid/' },
      /^url: the name nothing.invalid does not resolve to an address/
    ],
    ['no events', { url: HOOK.url }, /^events: send a list of at least one of session.completed, /],
    ['an empty list of events', { ...HOOK, events: [] }, /^events: send a list of at least one of session.completed, /],
    [
      'a text as events',
      { ...HOOK, events: 'session.completed' },
      /^events: send a list of at least one of session.completed, /
    ],
    [
      'an unknown event',
      { ...HOOK, events: ['session.completed', 'webhook.test'] },
      /^events\.1: send one of session.completed, /
    ]
  ])('refuses %s with 400 and says what to send', async (_, body, message) => {
    const user = await newUser()
    const expected = typeof message === 'string' ? message : expect.stringMatching(message)
    expect(await user.post('/v1/webhooks', body)).toEqual(refusal(expected))
    expect((await user.get('/v1/webhooks')).body.webhooks).toEqual([])
  })

  test('refuses http and addresses that are not public unless the operator allows them', async () => {
    const { db } = await testDatabase()
    const sender = testSender({ allowHttp: false, allowedCidrs: [] })
    const user = await newUserOf({ db, app: await buildTestApp({ sender }) })
    const post = (url: string) => user.post('/v1/webhooks', { ...HOOK, url })
    expect(await post('http://example.com/')).toEqual(refusal('url: send a URL that begins with https://'))
    for (const url of [
      'https://127.0.0.1/',
      'https://localhost/',
      'https://[::1]/',
      'https://169.254.169.254/',
      'https://db.internal/'
    ])
      expect(await post(url)).toEqual(
        refusal('url: send the URL of a host on the public internet, or in a network of WEBHOOK_ALLOWED_CIDRS')
      )
  })

  test('allows five for each user and answers the sixth with limit_exceeded', async () => {
    const user = await newUser()
    for (let number = 0; number < 5; number++) await hookOf(user)
    const refused = refusal('You have 5 webhooks, which is the limit; delete one first', 'limit_exceeded')
    expect(await user.post('/v1/webhooks', HOOK)).toEqual(refused)
    await hookOf(await newUser())
    const { body } = await user.get('/v1/webhooks')
    await user.delete(`/v1/webhooks/${body.webhooks[0].id}`)
    await hookOf(user)
  })

  test.runIf(onPostgres)('allows five of twenty requests at once', { tags: ['postgres'] }, async () => {
    const user = await newUser()
    const answers = await Promise.all(Array.from({ length: 20 }, () => user.post('/v1/webhooks', HOOK)))
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(5).fill(201), ...Array(15).fill(400)])
  })
})

describe('a foreign, a deleted and an unknown webhook', () => {
  const requests: [string, (user: User, id: string) => Promise<unknown>][] = [
    ['PATCH', (user, id) => user.patch(`/v1/webhooks/${id}`, { active: false })],
    ['DELETE', (user, id) => user.delete(`/v1/webhooks/${id}`)],
    ['POST rotate-secret', (user, id) => user.post(`/v1/webhooks/${id}/rotate-secret`)],
    ['POST test', (user, id) => user.post(`/v1/webhooks/${id}/test`)],
    ['GET deliveries', (user, id) => user.get(`/v1/webhooks/${id}/deliveries`)],
    ['POST replay', (user, id) => user.post(`/v1/webhooks/${id}/replay`, { from_seq: 1 })],
    ['POST retry', (user, id) => user.post(`/v1/webhooks/${id}/deliveries/evt_01m7x9h2v8e7ksp4d0f6t3yxqa/retry`)]
  ]

  test.each(requests)('are the same 404 to %s', async (_, ask) => {
    const [user, stranger] = [await newUser(), await newUser()]
    const receiver = await startReceiver()
    const { id } = await hookOf(user, { url: receiver.url })
    const deleted = await hookOf(stranger)
    await stranger.delete(`/v1/webhooks/${deleted.id}`)
    for (const other of [id, deleted.id, UNKNOWN, 'x', '%00']) {
      const answer = await ask(stranger, other)
      expect(other === '%00' ? { status: 404 } : answer).toEqual(other === '%00' ? { status: 404 } : NOT_FOUND)
    }
    expect(receiver.received).toEqual([])
    expect((await user.get('/v1/webhooks')).body.webhooks).toMatchObject([{ id, active: true }])
  })
})

describe('PATCH /v1/webhooks/{id}', () => {
  test('changes the fields that are sent and leaves the others', async () => {
    const user = await newUser()
    const { secret: _, ...made } = await hookOf(user)
    const ask = await later(user)
    const moved = { ...made, url: 'http://127.0.0.1:10/', updated_at: LATER }
    expect(await ask('PATCH', `/v1/webhooks/${made.id}`, { url: 'http://127.0.0.1:10' })).toEqual(moved)
    const other = { ...moved, events: ['session.deleted'] }
    expect(await ask('PATCH', `/v1/webhooks/${made.id}`, { events: ['session.deleted'] })).toEqual(other)
    expect(await ask('PATCH', `/v1/webhooks/${made.id}`, { active: false })).toEqual({ ...other, active: false })
    expect((await user.get('/v1/webhooks')).body.webhooks).toEqual([{ ...other, active: false }])
  })

  test.each([
    ['nothing', {}, 'body: send at least one of url, events, payload, headers and active'],
    ['only unknown fields', { secret: 'mine' }, 'body: send at least one of url, events, payload, headers and active'],
    ['no events', { events: [] }, /^events: send a list of at least one/],
    ['active as a text', { active: 'false' }, 'active: send true or false'],
    ['a url that is none', { url: 'nowhere' }, /^url: send a URL that begins with/]
  ])('refuses %s with 400 and changes nothing', async (_, body, message) => {
    const user = await newUser()
    const { secret, ...made } = await hookOf(user)
    const expected = typeof message === 'string' ? message : expect.stringMatching(message)
    expect(await user.patch(`/v1/webhooks/${made.id}`, body)).toEqual(refusal(expected))
    expect((await user.get('/v1/webhooks')).body.webhooks).toEqual([made])
  })
})

describe('DELETE /v1/webhooks/{id}', () => {
  test('deletes the webhook with its waiting deliveries', async () => {
    const user = await newUser()
    const { id } = await hookOf(user)
    await user.session()
    expect((await user.get(`/v1/webhooks/${id}/deliveries`)).body.deliveries).toMatchObject([{ status: 'pending' }])
    expect(await user.delete(`/v1/webhooks/${id}`)).toEqual({ status: 200, body: { deleted: true, id } })
    expect((await user.get('/v1/webhooks')).body.webhooks).toEqual([])
    const { pool } = await testDatabase()
    for (const table of ['webhook_deliveries', 'webhook_queue', 'webhook_attempts'])
      expect((await pool.query(`select 1 from ${table} where webhook_id = $1`, [id])).rowCount, table).toBe(0)
  })
})

describe('POST /v1/webhooks/{id}/rotate-secret', () => {
  test('answers with the webhook and a new secret, for the only time', async () => {
    const user = await newUser()
    const { secret, ...made } = await hookOf(user)
    const ask = await later(user)
    const rotated = await ask('POST', `/v1/webhooks/${made.id}/rotate-secret`)
    expect(rotated).toEqual({ ...made, updated_at: LATER, secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) })
    expect(rotated.secret).not.toBe(secret)
    expect((await user.get('/v1/webhooks')).body.webhooks).toEqual([{ ...made, updated_at: LATER }])
  })

  test('signs with the new secret at once, and with the previous one for 24 hours in the header that takes several', async () => {
    let now = new Date()
    const at = { now: () => now }
    const { db } = await testDatabase()
    const user = await newUserOf({ db, app: await buildTestApp({ clock: at, sender: testSender({}, at) }) })
    const receiver = await startReceiver()
    const { id, secret: first } = await hookOf(user, { url: receiver.url })
    const { secret: second } = (await user.post(`/v1/webhooks/${id}/rotate-secret`)).body
    const delivered = async () => {
      await user.post(`/v1/webhooks/${id}/test`)
      return receiver.received.at(-1)!
    }
    const during = await delivered()
    for (const secret of [first, second])
      expect(() => new StandardWebhook(secret).verify(during.body, during.headers)).not.toThrow()
    const content = `${during.headers['x-svc-webhook-id']}.${during.headers['x-svc-webhook-timestamp']}.${during.body}`
    expect(during.headers['x-svc-webhook-signature']).toBe(createHmac('sha256', second).update(content).digest('hex'))
    now = new Date(now.getTime() + 24 * 3_600_000)
    expect((await delivered()).headers['webhook-signature']!.split(' ')).toHaveLength(1)
  })

  test('keeps only the last two secrets valid after two rotations', async () => {
    const { db } = await testDatabase()
    const at = { now: () => new Date() }
    const user = await newUserOf({ db, app: await buildTestApp({ clock: at, sender: testSender({}, at) }) })
    const receiver = await startReceiver()
    const { id, secret: first } = await hookOf(user, { url: receiver.url })
    await user.post(`/v1/webhooks/${id}/rotate-secret`)
    await user.post(`/v1/webhooks/${id}/rotate-secret`)
    await user.post(`/v1/webhooks/${id}/test`)
    const { body, headers } = receiver.received[0]!
    expect(headers['webhook-signature']!.split(' ')).toHaveLength(2)
    expect(() => new StandardWebhook(first).verify(body, headers)).toThrow()
  })
})

describe('POST /v1/webhooks/{id}/test', () => {
  test('sends one signed test event with a sample session and says that it arrived', async () => {
    const { db } = await testDatabase()
    const at = { now: () => new Date() }
    const user = await newUserOf({ db, app: await buildTestApp({ clock: at, sender: testSender({}, at) }) })
    const receiver = await startReceiver()
    const { id, secret } = await hookOf(user, { url: `${receiver.url}?key=1` })
    const tested = await user.post(`/v1/webhooks/${id}/test`)
    expect(tested).toEqual({
      status: 200,
      body: {
        success: true,
        event: 'webhook.test',
        webhook_id: id,
        delivered_at: expect.stringMatching(/^\d{4}-.*Z$/),
        status: 204,
        error: null,
        reason: null,
        duration_ms: expect.any(Number)
      }
    })
    expect(receiver.received).toHaveLength(1)
    const { body, headers, path } = receiver.received[0]!
    expect(path).toBe('/hook?key=1')
    const sent = JSON.parse(body)
    expect(Object.keys(sent)).toEqual(['id', 'event', 'created_at', 'data'])
    expect(sent).toMatchObject({ id: headers['x-svc-webhook-id'], event: 'webhook.test' })
    expect(SessionDetail.strict().safeParse(sent.data.session).error).toBeUndefined()
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'Parlance-Webhooks/1.0' })
    expect(new StandardWebhook(secret).verify(body, headers)).toEqual(sent)
    expect(() => new SvixWebhook(secret).verify(body, headers)).not.toThrow()
    for (const Verifier of [StandardWebhook, SvixWebhook])
      expect(() => new Verifier(secret).verify(`${body} `, headers)).toThrow()
  })

  test('says that it did not arrive, with 200, and counts no failure', async () => {
    const user = await newUser()
    const receiver = await startReceiver(() => 500)
    const { id } = await hookOf(user, { url: receiver.url })
    expect(await user.post(`/v1/webhooks/${id}/test`)).toMatchObject({
      status: 200,
      body: { success: false, event: 'webhook.test' }
    })
    expect(receiver.received).toHaveLength(1)
    const [hook] = (await user.get('/v1/webhooks')).body.webhooks
    expect(hook).toMatchObject({
      failure_count: 0,
      active: true,
      last_delivery_at: NOW,
      last_delivery_status: 500,
      updated_at: NOW
    })
    await receiver.close()
    expect(await user.post(`/v1/webhooks/${id}/test`)).toMatchObject({ status: 200, body: { success: false } })
    expect((await user.get('/v1/webhooks')).body.webhooks).toMatchObject([
      { failure_count: 0, last_delivery_status: null }
    ])
  })

  test.each<[string, Answer, { status: number | null; error: string; reason: string }]>([
    [
      'a status',
      503,
      { status: 503, error: 'http_error', reason: 'The receiver did not answer with a 2xx: it answered with 503' }
    ],
    [
      'a redirect',
      302,
      { status: 302, error: 'redirect', reason: 'The receiver redirects, which is not followed: it answered with 302' }
    ],
    [
      'a connection that breaks off',
      response => void response.socket?.destroy(),
      { status: null, error: 'reset', reason: 'The connection broke off before an answer' }
    ]
  ])(
    'returns the reason of the failure %s, to the owner without the receiver’s answer, and to the operator with it',
    async (_, answer, why) => {
      const user = await newUser()
      const receiver = await startReceiver(() =>
        typeof answer === 'number'
          ? response => response.writeHead(answer, { location: '/x' }).end('said by the receiver')
          : answer
      )
      const { id } = await hookOf(user, { url: receiver.url })
      const tested = await user.post(`/v1/webhooks/${id}/test`)
      expect(tested).toMatchObject({ status: 200, body: { success: false, ...why, duration_ms: expect.any(Number) } })
      expect(JSON.stringify(tested)).not.toMatch(/127\.0\.0\.1|said by/)
      await user.post(`/v1/webhooks/${id}/test`)
      const attempts = await findAttempts(user.db, user.id, id, 10)
      const said = why.status === null ? '' : 'said by the receiver'
      expect(attempts).toHaveLength(2)
      for (const one of attempts)
        expect(one).toMatchObject({ event: 'webhook.test', ...why, ended: 'failed', answer: said })
      const log = (await user.get(`/v1/webhooks/${id}/deliveries`)).body.deliveries
      expect(log).toMatchObject([{ attempts: [why] }, { attempts: [why] }])
      expect(JSON.stringify(log)).not.toMatch(/127\.0\.0\.1|said by/)
    }
  )

  test('names a closed port, a name that does not resolve, and an address that is not public', async () => {
    const user = await newUser()
    const closed = await startReceiver()
    await closed.close()
    const refused = await hookOf(user, { url: closed.url })
    expect((await user.post(`/v1/webhooks/${refused.id}/test`)).body).toMatchObject({ status: null, error: 'refused' })
    const answers = new Map([
      ['gone.example', []],
      ['inside.example', [{ address: '10.1.2.3', family: 4 }]]
    ])
    const lookup = async (name: string) => answers.get(name) ?? []
    const strict = await buildTestApp({ sender: testSender({ allowHttp: true, allowedCidrs: [], lookup }) })
    for (const [url, why] of [
      ['http://gone.example/', { error: 'dns', reason: 'The host name does not resolve to an address' }],
      [
        'http://inside.example/',
        {
          error: 'blocked_address',
          reason: 'The address of the host is not public, and not in WEBHOOK_ALLOWED_CIDRS of the server'
        }
      ]
    ] as const) {
      await user.db.execute(`update webhooks set url = '${url}' where webhook_id = '${refused.id}'`)
      const headers = { authorization: `Bearer ${user.token}` }
      const reply = await strict.inject({ method: 'POST', url: `/v1/webhooks/${refused.id}/test`, headers })
      expect(reply.json()).toMatchObject({ success: false, status: null, ...why })
      expect(reply.body).not.toContain('10.1.2.3')
    }
  })

  test('logs each of ten requests at once', async () => {
    const user = await newUser()
    const receiver = await startReceiver()
    const { id } = await hookOf(user, { url: receiver.url })
    await Promise.all(Array.from({ length: 10 }, () => user.post(`/v1/webhooks/${id}/test`)))
    const { deliveries } = (await user.get(`/v1/webhooks/${id}/deliveries`)).body
    const sent = receiver.received.map(one => one.id)
    expect(deliveries.map((one: { id: string }) => one.id).toSorted()).toEqual(sent.toSorted())
  })

  test('is in the delivery log, below the events of the feed and above those outside of it', async () => {
    const user = await newUser()
    const receiver = await startReceiver()
    const events = ['session.created', 'session.completed']
    const { id } = await hookOf(user, { url: receiver.url, events })
    await user.session()
    await user.post(`/v1/webhooks/${id}/test`)
    receiver.answer = () => 503
    await user.post(`/v1/webhooks/${id}/test`)
    const tests = receiver.received.map(one => ({
      id: one.id,
      seq: null,
      event: 'webhook.test',
      next_attempt_at: null
    }))
    const attempt = { attempted_at: NOW, duration_ms: expect.any(Number) }
    const reason = 'The receiver did not answer with a 2xx: it answered with 503'
    const failed = {
      ...tests[1],
      status: 'failed',
      attempts: [{ ...attempt, status: 503, error: 'http_error', reason }]
    }
    const arrived = {
      ...tests[0],
      status: 'delivered',
      attempts: [{ ...attempt, status: 204, error: null, reason: null }]
    }
    const log = async (query: string) => (await user.get(`/v1/webhooks/${id}/deliveries?${query}`)).body
    const all = await log('limit=10')
    expect(all.deliveries.slice(1, 3)).toEqual([failed, arrived])
    expect(all.deliveries.map((one: { event: string }) => one.event)).toEqual([
      'session.completed',
      'webhook.test',
      'webhook.test',
      'session.created'
    ])
    expect(await log('event=webhook.test')).toEqual({
      deliveries: [failed, arrived],
      next_cursor: null,
      has_more: false
    })
    expect((await log('status=delivered')).deliveries).toEqual([arrived])
    expect((await log('status=pending&event=webhook.test')).deliveries).toEqual([])
    const pages = []
    for (let cursor = ''; cursor !== '&cursor=null'; ) {
      const page = await log(`limit=1${cursor}`)
      pages.push(...page.deliveries)
      cursor = `&cursor=${page.next_cursor}`
    }
    expect(pages).toEqual(all.deliveries)
    const retried = await user.post(`/v1/webhooks/${id}/deliveries/${failed.id}/retry`)
    expect(retried).toEqual({ status: 404, body: { error: { code: 'not_found', message: 'Delivery not found' } } })
  })

  test('is sent also when the webhook is turned off, and is not in the feed', async () => {
    const user = await newUser()
    const receiver = await startReceiver()
    const { id } = await hookOf(user, { url: receiver.url })
    await user.patch(`/v1/webhooks/${id}`, { active: false })
    expect(await user.post(`/v1/webhooks/${id}/test`)).toMatchObject({ body: { success: true } })
    expect((await user.get('/v1/events')).body.events).toEqual([])
  })

  test('sends nothing to an address that is not public, even if the operator allowed it when the webhook was made', async () => {
    const user = await newUser()
    const receiver = await startReceiver()
    const { id } = await hookOf(user, { url: receiver.url })
    const strict = await buildTestApp({ sender: testSender({ allowHttp: true, allowedCidrs: [] }) })
    const reply = await strict.inject({
      method: 'POST',
      url: `/v1/webhooks/${id}/test`,
      headers: { authorization: `Bearer ${user.token}` }
    })
    expect(reply.json()).toMatchObject({ success: false })
    expect(receiver.connections).toBe(0)
  })
})

describe('the secret', () => {
  test('is only in the answers that make it, and not readable in the database', async () => {
    const user = await newUser()
    const { id, secret } = await hookOf(user)
    const { secret: second } = (await user.post(`/v1/webhooks/${id}/rotate-secret`)).body
    await user.session()
    const answers = await Promise.all([
      user.get('/v1/webhooks'),
      user.patch(`/v1/webhooks/${id}`, { active: true }),
      user.post(`/v1/webhooks/${id}/test`),
      user.get(`/v1/webhooks/${id}/deliveries`),
      user.post(`/v1/webhooks/${id}/replay`, { from_seq: 1 }),
      user.get('/v1/events')
    ])
    const { pool } = await testDatabase()
    const stored = await pool.query('select * from webhooks where webhook_id = $1', [id])
    const seen = JSON.stringify([answers, stored.rows])
    for (const one of [secret, second]) for (const form of encodings(one)) expect(seen).not.toContain(form)
  })
})

describe('the payload', () => {
  test('is thin where the webhook says so, and a change makes it full again', async () => {
    const user = await newUser()
    const receiver = await startReceiver()
    const { id, payload } = await hookOf(user, { url: receiver.url, payload: 'thin' })
    expect(payload).toBe('thin')
    const sample = async () => {
      await user.post(`/v1/webhooks/${id}/test`)
      return JSON.parse(receiver.received.at(-1)!.body)
    }
    expect(await sample()).toEqual({
      id: expect.stringMatching(/^evt_/),
      event: 'webhook.test',
      created_at: expect.any(String),
      data: { session: { id: expect.stringMatching(/^ses_/) } }
    })
    expect((await user.patch(`/v1/webhooks/${id}`, { events: ['session.updated'] })).body.payload).toBe('thin')
    expect((await user.patch(`/v1/webhooks/${id}`, { payload: 'full' })).body.payload).toBe('full')
    expect((await sample()).data.session).toHaveProperty('title')
  })

  test.each([['small'], [''], [1], [null]])('is refused if it is %j', async payload => {
    const user = await newUser()
    const refused = refusal('payload: send one of full, thin')
    expect(await user.post('/v1/webhooks', { ...HOOK, payload })).toEqual(refused)
    const { id } = await hookOf(user)
    expect(await user.patch(`/v1/webhooks/${id}`, { payload })).toEqual(refused)
  })
})

describe('headers of one’s own', () => {
  const SENT = { 'X-Api-Key': 'hush-1', Authorization: 'Bearer hush-2' }
  const delivered = async (user: User, id: string, receiver: Awaited<ReturnType<typeof startReceiver>>) => {
    const { body } = await user.post(`/v1/webhooks/${id}/test`)
    return body.success ? receiver.received.at(-1)!.headers : body
  }

  test('are sent with each delivery, and their values are neither returned nor readable in the database', async () => {
    const user = await newUser()
    const receiver = await startReceiver()
    const made = await hookOf(user, { url: receiver.url, headers: SENT })
    expect(made.header_names).toEqual(['Authorization', 'X-Api-Key'])
    const headers = await delivered(user, made.id, receiver)
    expect(headers).toMatchObject({
      'x-api-key': 'hush-1',
      authorization: 'Bearer hush-2',
      'content-type': 'application/json',
      'user-agent': 'Parlance-Webhooks/1.0',
      'webhook-id': expect.stringMatching(/^evt_/)
    })
    const { pool } = await testDatabase()
    const answers = [
      made,
      await user.get('/v1/webhooks'),
      await user.get(`/v1/webhooks/${made.id}/deliveries`),
      await user.post(`/v1/webhooks/${made.id}/rotate-secret`),
      await user.patch(`/v1/webhooks/${made.id}`, { active: true }),
      (await pool.query('select * from webhooks where webhook_id = $1', [made.id])).rows
    ]
    expect(JSON.stringify(answers)).not.toContain('hush')
    expect((await user.get('/v1/webhooks')).body.webhooks[0].header_names).toEqual(['Authorization', 'X-Api-Key'])
  })

  test('are replaced, kept and removed by a change', async () => {
    const user = await newUser()
    const receiver = await startReceiver()
    const { id } = await hookOf(user, { url: receiver.url, headers: SENT })
    const change = async (body: object) => (await user.patch(`/v1/webhooks/${id}`, body)).body.header_names
    expect(await change({ headers: { 'x-other': 'a b' } })).toEqual(['x-other'])
    expect(await delivered(user, id, receiver)).toMatchObject({ 'x-other': 'a b' })
    expect(receiver.received.at(-1)!.headers).not.toHaveProperty('x-api-key')
    expect(await change({ events: ['session.updated'] })).toEqual(['x-other'])
    expect(await delivered(user, id, receiver)).toMatchObject({ 'x-other': 'a b' })
    expect(await change({ headers: {} })).toEqual([])
    expect(await delivered(user, id, receiver)).not.toHaveProperty('x-other')
  })

  test('do not go to another origin unless they are sent again', async () => {
    const user = await newUser()
    const [receiver, other] = [await startReceiver(), await startReceiver()]
    const { id } = await hookOf(user, { url: receiver.url, headers: SENT })
    const refused = refusal('headers: the url has another origin; send the headers again, or {} to remove them')
    expect(await user.patch(`/v1/webhooks/${id}`, { url: other.url })).toEqual(refused)
    expect((await user.get('/v1/webhooks')).body.webhooks[0].url).toBe(receiver.url)
    expect(await user.patch(`/v1/webhooks/${id}`, { url: `${receiver.url}/elsewhere` })).toMatchObject({ status: 200 })
    expect(await user.patch(`/v1/webhooks/${id}`, { url: other.url, headers: {} })).toMatchObject({ status: 200 })
    expect(await delivered(user, id, other)).not.toHaveProperty('x-api-key')
  })

  const many = Object.fromEntries(Array.from({ length: 11 }, (_, number) => [`x-${number}`, 'y']))
  const NAMES = 'headers: send names of at most 100 letters, digits and hyphens, each once'
  const TAKEN = 'headers: send other names: those of the connection, the body, the client and the signature are taken'
  const value = (name: string) =>
    `headers.${name}: send a value of at most 1000 visible ASCII characters, with single spaces between them at most`
  test.each<[string, unknown, string]>([
    ['eleven', many, 'headers: send an object of at most 10 header names with their values'],
    ['a list', ['x'], 'headers: send an object of at most 10 header names with their values'],
    ['a text', 'x: y', 'headers: send an object of at most 10 header names with their values'],
    ...['', 'x y', 'x_y', 'x:', 'x\r\ny', 'ü', `x${'x'.repeat(100)}`].map((name): [string, unknown, string] => [
      JSON.stringify(name),
      { [name]: 'y' },
      NAMES
    ]),
    ['a name in two cases', { 'X-A': 'y', 'x-a': 'y' }, NAMES],
    ...[
      'Connection',
      'Transfer-Encoding',
      'TE',
      'upgrade',
      'Keep-Alive',
      'Proxy-Authorization',
      'trailer',
      'Host',
      'Content-Length',
      'content-type',
      'User-Agent',
      'Expect',
      'Content-Encoding',
      'webhook-id',
      'Webhook-Signature',
      'webhook-timestamp',
      'X-Svc-Webhook-Signature',
      'x-svc-webhook-id'
    ].map((name): [string, unknown, string] => [name, { [name]: 'y' }, TAKEN]),
    ['an empty value', { 'X-A': '' }, value('X-A')],
    ['a line break in a value', { 'X-A': 'y\r\nX-B: z' }, value('X-A')],
    ['a space at the end of a value', { 'X-A': 'y ' }, value('X-A')],
    ['a value that is not ASCII', { 'X-A': 'ü' }, value('X-A')],
    ['a value of 1001 characters', { 'X-A': 'y'.repeat(1_001) }, value('X-A')],
    ['a number as a value', { 'X-A': 1 }, value('X-A')]
  ])('are refused: %s', async (_, headers, message) => {
    const user = await newUser()
    expect(await user.post('/v1/webhooks', { ...HOOK, headers })).toEqual(refusal(message))
    const { id } = await hookOf(user)
    expect(await user.patch(`/v1/webhooks/${id}`, { headers })).toEqual(refusal(message))
    expect((await user.get('/v1/webhooks')).body.webhooks).toMatchObject([{ header_names: [] }])
  })

  test('may be ten of the largest size', async () => {
    const user = await newUser()
    const receiver = await startReceiver()
    const headers = Object.fromEntries(
      Array.from({ length: 10 }, (_, n) => [`x${n}`.padEnd(100, 'x'), 'y'.repeat(1_000)])
    )
    const { id } = await hookOf(user, { url: receiver.url, headers })
    expect(await delivered(user, id, receiver)).toMatchObject(headers)
  })

  test('that this server cannot decrypt end the attempt before it is sent, until they are set again', async () => {
    const user = await newUser()
    const receiver = await startReceiver()
    const { id } = await hookOf(user, { url: receiver.url, headers: SENT })
    await user.db.execute(`update webhooks set headers = secret where webhook_id = '${id}'`)
    expect(await delivered(user, id, receiver)).toMatchObject({
      success: false,
      error: 'unreadable_headers',
      reason: 'This server cannot decrypt the headers of the webhook; send them again: PATCH /v1/webhooks/{id}'
    })
    expect(receiver.received).toEqual([])
    await user.patch(`/v1/webhooks/${id}`, { headers: SENT })
    expect(await delivered(user, id, receiver)).toMatchObject({ 'x-api-key': 'hush-1' })
  })
})

/** Of a text, and of the bytes that a secret stands for. */
function encodings(secret: string) {
  const bytes = [Buffer.from(secret), Buffer.from(secret.slice('whsec_'.length), 'base64')]
  return bytes.flatMap(one => [
    one.toString('base64').replace(/=+$/, ''),
    one.toString('base64url'),
    one.toString('hex'),
    one.toString('latin1')
  ])
}
