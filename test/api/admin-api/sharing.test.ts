import { describe, expect, test } from 'vitest'
import { askAdmin, buildTestAdminApi } from '../../support/admin-api.ts'
import { newUser } from '../../support/server.ts'
import { ALL_SHARED, inviteTo, linkTo, newSharer, sharedSession } from '../../support/sharing.ts'

const claims = (id: string, url: unknown) => askAdmin('POST', `/users/${id}/claims`, { url })
const refused = (status: number, code: string) => ({ status, body: { error: { code } } })

describe('claiming', () => {
  test('a link gives the user access, and a second time changes nothing', async () => {
    const [owner, recipient] = [await newSharer(), await newUser()]
    const id = await owner.session()
    const url = await linkTo(owner, id)
    const claimed = {
      status: 200,
      body: { owner_id: owner.id, session_id: id, session_url: `http://parlance.test/shared/${owner.id}/${id}` }
    }
    expect(await claims(recipient.id, url)).toEqual(claimed)
    expect(await claims(recipient.id, url)).toEqual(claimed)
    expect((await recipient.get('/v1/shared-sessions')).body.sessions).toMatchObject([{ id, owner: { id: owner.id } }])
    expect((await recipient.get(`/v1/shared-sessions/${owner.id}/${id}`)).status).toBe(200)
    expect((await owner.get(`/v1/sessions/${id}/sharing`)).body.people).toMatchObject([
      { id: recipient.id, sources: ['link'] }
    ])
  })

  test('an invite gives access to one user', async () => {
    const [owner, recipient, other] = [await newSharer(), await newSharer(), await newUser()]
    const id = await owner.session()
    const url = await inviteTo(owner, id, recipient.email)
    expect((await claims(recipient.id, url)).status).toBe(200)
    expect(await claims(other.id, url)).toMatchObject(refused(404, 'not_found'))
    expect((await owner.get(`/v1/sessions/${id}/sharing`)).body).toMatchObject({
      people: [{ id: recipient.id, sources: ['invite'] }],
      pending_invites: []
    })
  })

  test('an own, unknown, reset or expired link, and that of a deleted session, is refused', async () => {
    const [owner, recipient] = [await newSharer(), await newUser()]
    const id = await owner.session()
    const url = await linkTo(owner, id)
    expect(await claims(owner.id, url)).toMatchObject(refused(400, 'invalid_request'))
    const late = await buildTestAdminApi({ clock: { now: () => new Date('2026-04-01T10:00:00Z') } })
    expect(await askAdmin('POST', `/users/${recipient.id}/claims`, { url }, { app: late })).toMatchObject(
      refused(404, 'not_found')
    )
    await askAdmin('DELETE', `/users/${owner.id}/sessions/${id}`)
    expect(await claims(recipient.id, url)).toMatchObject(refused(404, 'not_found'))
    await askAdmin('POST', `/users/${owner.id}/sessions/${id}/restore`)
    await owner.post(`/v1/sessions/${id}/sharing/link/reset`, {})
    for (const one of [url, 'http://parlance.test/join/nothing', 'x'])
      expect(await claims(recipient.id, one)).toMatchObject(refused(404, 'not_found'))
    for (const one of ['', 7, undefined])
      expect(await claims(recipient.id, one)).toMatchObject(refused(400, 'invalid_request'))
    expect((await recipient.get('/v1/shared-sessions')).body.sessions).toEqual([])
  })
})

describe('below the path of a user the operator has the routes of /v1', () => {
  const media = { audio: 'https://media.example/a.mp3' }

  test.each(['', '/transcript', '/action-items', '/media'])('to read a shared session%s', async part => {
    const { owner, recipient, id, path } = await sharedSession({ media })
    const own = await recipient.get(`${path}${part}`)
    expect(own.status).toBe(200)
    const shared = `/shared-sessions/${owner.id}/${id}${part}`
    expect(await askAdmin('GET', `/users/${recipient.id}${shared}`)).toEqual(own)
    expect(await askAdmin('GET', `/users/${owner.id}${shared}`)).toMatchObject(refused(404, 'not_found'))
  })

  test('to list shared sessions', async () => {
    const { recipient } = await sharedSession()
    const own = await recipient.get('/v1/shared-sessions?limit=20')
    expect(own.body.sessions).toHaveLength(1)
    expect(await askAdmin('GET', `/users/${recipient.id}/shared-sessions?limit=20`)).toEqual(own)
    expect(await askAdmin('GET', `/users/${recipient.id}/shared-sessions?cursor=x`)).toMatchObject(
      refused(400, 'validation_error')
    )
  })

  test('to make a link, invite, cancel, remove and reset', async () => {
    const [owner, recipient] = [await newSharer(), await newUser()]
    const id = await owner.session()
    const sharing = `/users/${owner.id}/sessions/${id}/sharing`
    const link = await askAdmin('POST', `${sharing}/link`)
    expect(link).toMatchObject({ status: 200, body: { url: expect.stringContaining('/join/') } })
    expect((await claims(recipient.id, link.body.url)).status).toBe(200)
    expect(await askAdmin('POST', `${sharing}/invites`, { emails: ['cleo@example.com'] })).toMatchObject({
      status: 200,
      body: { sent: ['cleo@example.com'], skipped: [] }
    })
    expect(await askAdmin('GET', sharing)).toEqual(await owner.get(`/v1/sessions/${id}/sharing`))
    expect(await askAdmin('DELETE', `${sharing}/invites?email=cleo@example.com`)).toEqual({
      status: 200,
      body: { cancelled: true }
    })
    expect(await askAdmin('DELETE', `${sharing}/people/${recipient.id}`)).toEqual({
      status: 200,
      body: { removed: true, id: recipient.id }
    })
    expect(await askAdmin('POST', `${sharing}/link/reset`, { remove_everyone: true })).toMatchObject({
      status: 200,
      body: { removed: 0 }
    })
    expect((await claims(recipient.id, link.body.url)).status).toBe(404)
  })

  test('to make a link once for each idempotency key', async () => {
    const owner = await newSharer()
    const url = `/users/${owner.id}/sessions/${await owner.session()}/sharing/link`
    const headers = { 'idempotency-key': 'link-1' }
    const first = await askAdmin('POST', url, {}, { headers })
    expect(await askAdmin('POST', url, {}, { headers })).toEqual(first)
  })

  test('and the rules of /v1: a recipient manages nothing, and the owner needs a verified address', async () => {
    const { recipient, id } = await sharedSession()
    const of = (user: string, session: string) => `/users/${user}/sessions/${session}/sharing/link`
    expect(await askAdmin('POST', of(recipient.id, id))).toMatchObject(refused(403, 'no_access'))
    const unverified = await newUser()
    expect(await askAdmin('POST', of(unverified.id, await unverified.session()))).toMatchObject(
      refused(403, 'account_required')
    )
    expect(await askAdmin('POST', of('usr_0', id))).toMatchObject(refused(404, 'not_found'))
  })
})

describe('what is shared of a session', () => {
  test('is everything until it is changed, also for existing recipients', async () => {
    const { owner, recipient, id } = await sharedSession()
    const url = `/users/${owner.id}/sessions/${id}/share-scope`
    expect(await askAdmin('GET', url)).toEqual({ status: 200, body: { session_id: id, scope: ALL_SHARED } })
    const less = { ...ALL_SHARED, summary: false, audio: false }
    expect(await askAdmin('PATCH', url, { summary: false, audio: false })).toEqual({
      status: 200,
      body: { session_id: id, scope: less }
    })
    expect(await askAdmin('GET', url)).toEqual({ status: 200, body: { session_id: id, scope: less } })
    const { body } = await recipient.get(`/v1/shared-sessions/${owner.id}/${id}`)
    expect(body.scope).toEqual(less)
    expect(body).not.toHaveProperty('summary')
    expect((await askAdmin('PATCH', url, { summary: true })).body.scope).toEqual({ ...less, summary: true })
    expect((await owner.get('/v1/events')).body.events.map(({ event }: { event: string }) => event)).toEqual([
      'session.completed'
    ])
  })

  test('can be changed by the owner of an existing session, and takes true and false', async () => {
    const { owner, recipient, id } = await sharedSession()
    const url = (user: string, session = id) => `/users/${user}/sessions/${session}/share-scope`
    expect(await askAdmin('PATCH', url(recipient.id), { audio: false })).toMatchObject(refused(404, 'not_found'))
    expect(await askAdmin('GET', url(owner.id, 'ses_0'))).toMatchObject(refused(404, 'not_found'))
    expect(await askAdmin('PATCH', url(owner.id), {})).toMatchObject(refused(400, 'invalid_request'))
    expect(await askAdmin('PATCH', url(owner.id), { audio: 'no' })).toMatchObject(refused(400, 'invalid_request'))
  })
})

test('a deleted session is shared with nobody until it is restored', async () => {
  const { owner, recipient, id } = await sharedSession()
  const seen = async () => {
    const paths = ['', '/transcript', '/action-items'].map(path =>
      recipient.get(`/v1/shared-sessions/${owner.id}/${id}${path}`)
    )
    const own = [
      owner.get(`/v1/sessions/${id}/sharing`),
      owner.post(`/v1/sessions/${id}/sharing/link`),
      owner.delete(`/v1/sessions/${id}/sharing/people/usr_0`)
    ]
    const answers = (await Promise.all([...paths, ...own])).map(({ status }) => status)
    return [answers, (await recipient.get('/v1/shared-sessions')).body.sessions.length]
  }
  await askAdmin('DELETE', `/users/${owner.id}/sessions/${id}`)
  expect(await seen()).toEqual([[404, 404, 404, 404, 404, 404], 0])
  expect(await askAdmin('GET', `/users/${owner.id}/sessions/${id}/share-scope`)).toMatchObject(
    refused(404, 'not_found')
  )
  await askAdmin('POST', `/users/${owner.id}/sessions/${id}/restore`)
  expect(await seen()).toEqual([[200, 200, 200, 200, 200, 404], 1])
})
