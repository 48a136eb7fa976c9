// @module-tag both

import { once } from 'node:events'
import { request } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Quotas } from '../../../src/contract/quotas.ts'
import { findMiscounted } from '../../../src/features/accounts/recount.ts'
import { openArrivals } from '../../../src/features/events/arrivals.ts'
import type { Arrivals } from '../../../src/platform/ports/arrivals.ts'
import { askAdmin, buildTestAdminApi } from '../../support/admin-api.ts'
import { portOf } from '../../support/http.ts'
import { buildTestApp, completeSession, NO_QUOTAS, newUserOf, testDatabase } from '../../support/server.ts'
import { sound } from '../../support/sound.ts'

let arrivals: Arrivals | undefined

/** A user of an application with these quotas, and the operator's requests for them. */
async function limited(quotas: Partial<Quotas>) {
  const all = { ...NO_QUOTAS, ...quotas }
  const { db, commits } = await testDatabase()
  // Each would listen to the commits of this worker until its end.
  arrivals ??= openArrivals(db, commits)
  const services = { quotas: all, arrivals }
  const app = await buildTestApp({ ...services, transcribes: true })
  const admin = await buildTestAdminApi(services)
  const user = await newUserOf({ db, app })
  onTestFinished(async () => expect(await findMiscounted(db)).not.toContain(user.id))
  const askOperator = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) =>
    askAdmin(method, `/users/${user.id}${path}`, body, { app: admin })
  const used = async () => (await user.get('/v1/account')).body.quotas
  return { user, app, quotas: all, askOperator, used }
}

const refused = (message: string) => ({ status: 400, body: { error: { code: 'limit_exceeded', message } } })
const named = (name: string) => ({ name })
const spoken = (fields: object = {}) => ({
  title: 'Talk',
  segments: [{ speaker: 'Ada', text: 'Good morning.' }],
  ...fields
})

describe('the quota of folders', () => {
  test('lets the last folder in, and refuses the next one with the number', async () => {
    const { user, used } = await limited({ folders: 2 })
    const first = await user.post('/v1/folders', named('One'))
    expect([first.status, (await user.post('/v1/folders', named('Two'))).status]).toEqual([201, 201])
    const full = refused('name: your quota of folders is 2, and 2 are used; delete one first')
    expect(await user.post('/v1/folders', named('Three'))).toEqual(full)
    expect(await user.post('/v1/folders', named('ONE'))).toEqual(first)
    expect((await used()).folders).toEqual({ used: 2, limit: 2 })
    await user.delete(`/v1/folders/${first.body.id}`)
    await user.delete(`/v1/folders/${first.body.id}`)
    expect((await user.post('/v1/folders', named('Three'))).status).toBe(201)
    expect(await user.post('/v1/folders', named('Four'))).toEqual(full)
  })

  test('admits as many of twenty at once as it has room for', async () => {
    const { user, used } = await limited({ folders: 10 })
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, at) => user.post('/v1/folders', named(`Folder ${at}`)))
    )
    expect(all.filter(({ status }) => status === 201)).toHaveLength(10)
    expect(all.filter(({ status }) => status === 400)).toHaveLength(10)
    expect((await user.get('/v1/folders')).body.folders).toHaveLength(10)
    expect((await used()).folders).toEqual({ used: 10, limit: 10 })
  })

  test('counts those that an import creates, and refuses an import that creates too many as a whole', async () => {
    const { user, used } = await limited({ folders: 2 })
    expect((await user.post('/v1/sessions', spoken({ folders: ['One', 'Two', 'one'] }))).status).toBe(202)
    expect((await user.post('/v1/sessions', spoken({ folders: ['Two'] }))).status).toBe(202)
    expect(await user.post('/v1/sessions', spoken({ folders: ['Two', 'Three'], external_id: 'x' }))).toEqual(
      refused('folders: your quota of folders is 2, and 2 are used; delete one first')
    )
    expect(await used()).toMatchObject({ folders: { used: 2 }, sessions_per_day: { used: 2 } })
    expect((await user.get('/v1/sessions?status=processing')).body.sessions).toHaveLength(2)
    expect((await user.get('/v1/folders')).body.folders).toHaveLength(2)
  })

  test('takes nothing for the repetition of a request with its key', async () => {
    const { user, used } = await limited({ folders: 1 })
    const send = () => user.post('/v1/folders', named('One'), { 'idempotency-key': 'k1' })
    const first = await send()
    expect(await send()).toEqual(first)
    expect((await user.post('/v1/folders', named('Two'), { 'idempotency-key': 'k2' })).status).toBe(400)
    expect((await used()).folders).toEqual({ used: 1, limit: 1 })
  })
})

describe('the quota of people', () => {
  test('refuses the next person with the number, until one is merged or deleted', async () => {
    const { user, used } = await limited({ people: 2 })
    const [ada, countess] = [
      await user.post('/v1/people', named('Ada')),
      await user.post('/v1/people', named('Countess'))
    ]
    const full = refused('name: your quota of people is 2, and 2 are used; delete or merge some first')
    expect(await user.post('/v1/people', named('Ben'))).toEqual(full)
    expect((await user.post('/v1/people', named('ada'))).status).toBe(200)
    const merge = () => user.post(`/v1/people/${countess.body.id}/merge`, { into: ada.body.id })
    expect([(await merge()).status, (await merge()).status]).toEqual([200, 200])
    expect((await used()).people).toEqual({ used: 1, limit: 2 })
    const ben = await user.post('/v1/people', named('Ben'))
    expect([ben.status, await user.post('/v1/people', named('Cleo'))]).toEqual([201, full])
    expect((await user.delete(`/v1/people/${ben.body.id}`)).status).toBe(204)
    expect((await user.post('/v1/people', named('Cleo'))).status).toBe(201)
    expect(await user.post('/v1/people', named('Dora'))).toEqual(full)
  })

  test('refuses a correction that names a new person, and leaves the transcript as it is', async () => {
    const { user } = await limited({ people: 1 })
    const id = await user.session(spoken())
    await user.post('/v1/people', named('Ben'))
    const before = await user.get(`/v1/sessions/${id}/transcript`)
    expect(await user.patch(`/v1/sessions/${id}/speakers`, { from: 'Ada', name: 'Cleo' })).toEqual(
      refused('name: your quota of people is 1, and 1 are used; delete or merge some first')
    )
    expect(await user.get(`/v1/sessions/${id}/transcript`)).toEqual(before)
  })

  test('completes a session with more people, and makes as many of them as it has room for', async () => {
    const { user, quotas, used } = await limited({ people: 2 })
    const speakers = ['Ada', 'Ben', 'Cleo'].map(label => ({ label, person: label }))
    const segments = speakers.map(({ label }, at) => ({
      speaker: label,
      start: at,
      end: at + 1,
      text: 'Good morning.'
    }))
    const { body } = await user.post('/v1/sessions', spoken({ segments, speakers }))
    await completeSession(user.id, body.id, undefined, undefined, quotas)
    expect((await user.get(`/v1/sessions/${body.id}`)).body.status).toBe('completed')
    const { people } = (await user.get('/v1/people')).body
    expect(people.map(({ name }: { name: string }) => name).sort()).toEqual(['Ada', 'Ben'])
    expect((await used()).people).toEqual({ used: 2, limit: 2 })
    // Nobody named them, so they go with their session.
    await user.delete(`/v1/sessions/${body.id}`)
    expect((await used()).people).toEqual({ used: 0, limit: 2 })
  })
})

describe('the quota of sessions a day', () => {
  test('counts imports by UTC day, takes nothing for a repetition, and gives nothing back', async () => {
    const { user, used, quotas } = await limited({ sessions_per_day: 2 })
    const first = await user.post('/v1/sessions', spoken({ external_id: 'one' }))
    const again = await user.post('/v1/sessions', spoken({ external_id: 'one' }))
    expect([first.status, again.status, again.body.id]).toEqual([202, 200, first.body.id])
    expect((await user.post('/v1/sessions/upload?file=a.txt', 'Ada: Good morning.', FILE)).status).toBe(202)
    const full = refused('your quota of sessions a day is 2, and 2 are used; the next day begins at 00:00 UTC')
    expect(await user.post('/v1/sessions', spoken())).toEqual(full)
    expect(await user.post('/v1/sessions/upload?file=b.txt', 'Ada: Good evening.', FILE)).toEqual(full)
    expect((await user.post('/v1/sessions', spoken({ external_id: 'one' }))).status).toBe(200)
    expect((await user.post('/v1/sessions/upload?file=a.txt', 'Ada: Good morning.', FILE)).status).toBe(200)
    await user.delete(`/v1/sessions/${first.body.id}`)
    expect((await used()).sessions_per_day).toEqual({ used: 2, limit: 2 })

    const tomorrow = { now: () => new Date('2026-03-03T00:00:00.000Z') }
    const app = await buildTestApp({ quotas, clock: tomorrow, ...(arrivals && { arrivals }) })
    const headers = { authorization: `Bearer ${user.token}` }
    const next = await app.inject({ method: 'POST', url: '/v1/sessions', headers, payload: spoken() })
    expect(next.statusCode).toBe(202)
    const account = await app.inject({ url: '/v1/account', headers })
    expect(account.json().quotas.sessions_per_day).toEqual({ used: 1, limit: 2 })
    // A server whose clock is a moment behind counts on the day that has begun.
    expect((await user.post('/v1/sessions', spoken())).status).toBe(202)
    expect(await user.post('/v1/sessions', spoken())).toEqual(full)
  })

  test('admits as many of twenty imports at once as it has room for', async () => {
    const { user, used } = await limited({ sessions_per_day: 5 })
    const all = await Promise.all(Array.from({ length: 20 }, () => user.post('/v1/sessions', spoken())))
    expect(all.filter(({ status }) => status === 202)).toHaveLength(5)
    expect((await user.get('/v1/sessions?status=processing')).body.sessions).toHaveLength(5)
    expect((await used()).sessions_per_day).toEqual({ used: 5, limit: 5 })
  })
})

const FILE = { 'content-type': 'application/octet-stream' }

describe('the quota of stored bytes', () => {
  const size = sound('first').length
  const full = (used: number, limit = 2 * size) =>
    `file: your quota of bytes of recordings and transcripts is ${limit.toLocaleString('en')}, and ${used.toLocaleString('en')} are used; delete some sessions for good`

  test('takes recordings up to its last byte, and gives their room back when they are deleted', async () => {
    const { user, used, askOperator } = await limited({ bytes_stored: 2 * size })
    const upload = (name: string, bytes: string) =>
      user.post(`/v1/sessions/upload?file=${name}.mp3`, sound(bytes), FILE)
    const [first, second] = [await upload('a', 'first'), await upload('b', 'other')]
    expect([first.status, second.status]).toEqual([202, 202])
    expect(await upload('c', '!')).toEqual(refused(full(2 * size)))
    expect((await used()).bytes_stored).toEqual({ used: 2 * size, limit: 2 * size })
    await user.delete(`/v1/sessions/${first.body.id}?permanently=false`)
    expect((await used()).bytes_stored).toEqual({ used: 2 * size, limit: 2 * size })
    await user.delete(`/v1/sessions/${second.body.id}`)
    expect((await used()).bytes_stored).toEqual({ used: size, limit: 2 * size })
    const third = await upload('c', 'third')
    expect(third.status).toBe(202)
    await askOperator('DELETE', `/sessions/${third.body.id}/audio`)
    await askOperator('DELETE', `/sessions/${third.body.id}/audio`)
    expect((await used()).bytes_stored).toEqual({ used: size, limit: 2 * size })
  })

  test('lets a recording be sent again under the external id of its session, even without room', async () => {
    const { user } = await limited({ bytes_stored: size })
    const form = (externalId: string) =>
      `--x\r\nContent-Disposition: form-data; name="external_id"\r\n\r\n${externalId}\r\n--x\r\nContent-Disposition: form-data; name="file"; filename="a.mp3"\r\n\r\n${sound('first').toString('latin1')}\r\n--x--\r\n`
    const send = (externalId: string) =>
      user.post('/v1/sessions/upload', Buffer.from(form(externalId), 'latin1'), {
        'content-type': 'multipart/form-data; boundary=x'
      })
    const again = () => user.post('/v1/sessions/upload?file=a.mp3&external_id=one', sound('first'), FILE)
    expect([(await send('one')).status, (await send('one')).status, (await again()).status]).toEqual([202, 200, 200])
    expect(await send('two')).toEqual(refused(full(size, size)))
  })

  test('counts the bytes of a transcript until its session is deleted permanently', async () => {
    const bytes = JSON.stringify([{ speaker: 'Ada', start: null, end: null, text: 'Äpfel.' }]).length + 1
    const { user, used, askOperator } = await limited({ bytes_stored: 2 * bytes })
    const upload = (name: string) =>
      user.post(`/v1/sessions/upload?file=a.txt&external_id=${name}`, 'Ada: Äpfel.', FILE)
    const [first, second] = [await upload('one'), await upload('two')]
    expect([first.status, second.status, (await upload('one')).status]).toEqual([202, 202, 200])
    expect((await used()).bytes_stored).toEqual({ used: 2 * bytes, limit: 2 * bytes })
    const full = `your quota of bytes of recordings and transcripts is ${2 * bytes}, and ${2 * bytes} are used; delete some sessions for good`
    expect(await upload('three')).toEqual({ ...refused(full) })
    expect(await user.post('/v1/sessions', spoken())).toEqual({ ...refused(full) })
    expect((await askOperator('POST', '/sessions', spoken())).status).toBe(202)
    await user.delete(`/v1/sessions/${first.body.id}?permanently=false`)
    expect((await used()).bytes_stored.used).toBeGreaterThan(2 * bytes)
    await askOperator('PATCH', '', { quotas: { bytes_stored: 3 * bytes } })
    const before = (await used()).bytes_stored.used
    await user.delete(`/v1/sessions/${second.body.id}`)
    expect((await used()).bytes_stored.used).toBe(before - bytes)
  })

  test('lets no two uploads at once exceed it', async () => {
    const { user, used } = await limited({ bytes_stored: 1.5 * size })
    const all = await Promise.all(
      Array.from({ length: 6 }, (_, at) => user.post(`/v1/sessions/upload?file=${at}.mp3`, sound(`tune${at}`), FILE))
    )
    expect(all.map(({ status }) => status).sort()).toEqual([202, 400, 400, 400, 400, 400])
    expect((await used()).bytes_stored).toEqual({ used: size, limit: 1.5 * size })
  })

  test.each([
    ['at its header where the length is known', { 'content-length': 2 * size + 1 }, 0],
    ['where it crosses the limit, of unknown length', { 'transfer-encoding': 'chunked' }, 2 * size + 1]
  ])('refuses an upload %s, while the rest is still to come', async (_, headers, length) => {
    const { user, app } = await limited({ bytes_stored: 2 * size })
    await app.listen({ host: '127.0.0.1', port: 0 })
    onTestFinished(() => app.close())
    const sent = request({
      host: '127.0.0.1',
      port: portOf(app),
      method: 'POST',
      path: '/v1/sessions/upload?file=a.mp3',
      agent: false,
      headers: { authorization: `Bearer ${user.token}`, ...FILE, ...headers }
    })
    onTestFinished(() => void sent.destroy())
    sent.flushHeaders()
    if (length > 0) sent.write('s'.repeat(length))
    const [response] = await once(sent, 'response')
    const { error } = JSON.parse(Buffer.concat(await response.toArray()).toString())
    expect([response.statusCode, error]).toEqual([400, { code: 'limit_exceeded', message: full(0), param: 'file' }])
  })
})

describe('the operator', () => {
  test('sets quotas of a user and takes them back, which GET /v1/account shows', async () => {
    const { user, used, askOperator } = await limited({ folders: 2 })
    expect((await askOperator('PATCH', '', { quotas: { folders: 3, people: 7 } })).body.quotas).toEqual({
      bytes_stored: { used: 0, limit: null, is_default: true },
      sessions_per_day: { used: 0, limit: null, is_default: true },
      folders: { used: 0, limit: 3, is_default: false },
      people: { used: 0, limit: 7, is_default: false }
    })
    for (const name of ['One', 'Two', 'Three']) expect((await user.post('/v1/folders', named(name))).status).toBe(201)
    expect((await user.post('/v1/folders', named('Four'))).status).toBe(400)
    expect((await askOperator('PATCH', '', { name: 'Ada' })).body.quotas.folders.limit).toBe(3)
    await askOperator('PATCH', '', { quotas: { folders: 1 } })
    expect(await used()).toEqual({
      bytes_stored: { used: 0, limit: null },
      sessions_per_day: { used: 0, limit: null },
      folders: { used: 3, limit: 1 },
      people: { used: 0, limit: 7 },
      open_uploads: { limit: 8 }
    })
    expect(await user.post('/v1/folders', named('Four'))).toEqual(
      refused('name: your quota of folders is 1, and 3 are used; delete one first')
    )
    await askOperator('PATCH', '', { quotas: { folders: 0 } })
    expect((await user.post('/v1/folders', named('Four'))).status).toBe(201)
    const { body } = await askOperator('PATCH', '', { quotas: { folders: null } })
    expect(body.quotas.folders).toEqual({ used: 4, limit: 2, is_default: true })
    expect((await askOperator('GET', '')).body.quotas).toEqual(body.quotas)
    expect((await user.post('/v1/folders', named('Five'))).status).toBe(400)
  })

  test('may exceed the quota of a user, and what they create counts', async () => {
    const { used, askOperator } = await limited({ folders: 1, people: 1, sessions_per_day: 1 })
    for (const name of ['One', 'Two']) {
      expect((await askOperator('POST', '/folders', named(name))).status).toBe(201)
      expect((await askOperator('POST', '/people', named(name))).status).toBe(201)
      expect((await askOperator('POST', '/sessions', spoken({ folders: [`Of ${name}`] }))).status).toBe(202)
    }
    expect(await used()).toMatchObject({
      folders: { used: 4, limit: 1 },
      people: { used: 2, limit: 1 },
      sessions_per_day: { used: 2, limit: 1 }
    })
  })

  test.each([
    [{ folders: -1 }, 'quotas.folders'],
    [{ people: 1.5 }, 'quotas.people'],
    [{ bytes_stored: '10 GiB' }, 'quotas.bytes_stored'],
    [{ sessions_per_day: 2 ** 60 }, 'quotas.sessions_per_day'],
    [[], 'quotas'],
    ['none', 'quotas']
  ])('cannot set quotas to %j', async (quotas, field) => {
    const { askOperator } = await limited({})
    const { status, body } = await askOperator('PATCH', '', { quotas })
    expect([status, body.error.code, body.error.message]).toEqual([
      400,
      'invalid_request',
      expect.stringMatching(`^${field}: send `)
    ])
  })

  test('gives a new user quotas of their own, and learns of one that does not exist', async () => {
    const { body } = await askAdmin('POST', '/users', { quotas: { folders: 5, webhooks: 9 } })
    expect(body.quotas.folders).toEqual({ used: 0, limit: 5, is_default: false })
    expect(body.warnings).toEqual(['quotas.webhooks: ignored, because the request takes no such field'])
  })
})
