// @module-tag both

import { describe, expect, test } from 'vitest'
import { newId } from '../../../src/platform/core/ids.ts'
import { buildTestApp, NOW, newUser } from '../../support/server.ts'
import { claim, inviteTo, linkTo, newSharer, sharedSession, UNKNOWN_LINK, type User } from '../../support/sharing.ts'
import { trash } from '../../support/trash.ts'

const NOT_FOUND = { status: 404, body: { error: { code: 'not_found', message: 'Session not found' } } }
const SECRET_URL = /^http:\/\/parlance\.test\/join\/[A-Za-z0-9_-]{43}$/
const IN_30_DAYS = '2026-04-01T10:00:00.000Z'

/** Each of the six operations, on that session. */
const OPERATIONS = (id: string): Record<string, (user: User) => Promise<{ status: number; body: unknown }>> => ({
  'GET sharing': user => user.get(`/v1/sessions/${id}/sharing`),
  'POST link': user => user.post(`/v1/sessions/${id}/sharing/link`),
  'POST link/reset': user => user.post(`/v1/sessions/${id}/sharing/link/reset`, {}),
  'POST invites': user => user.post(`/v1/sessions/${id}/sharing/invites`, { emails: ['cleo@example.com'] }),
  'DELETE invites': user => user.delete(`/v1/sessions/${id}/sharing/invites`, { email: 'cleo@example.com' }),
  'DELETE people': user => user.delete(`/v1/sessions/${id}/sharing/people/${user.id}`)
})
const NAMES = Object.keys(OPERATIONS(''))

/** A sharer on an application whose clock the test moves. */
async function timedSharer() {
  const owner = await newSharer()
  let now = new Date(NOW)
  const app = await buildTestApp({ clock: { now: () => now } })
  const ask = (method: 'POST' | 'GET' | 'DELETE') => async (url: string, body?: object) => {
    const headers = { authorization: `Bearer ${owner.token}` }
    const reply = await app.inject({ method, url, headers, ...(body && { payload: body }) })
    return { status: reply.statusCode, body: reply.json(), headers: reply.headers }
  }
  return {
    ...owner,
    get: ask('GET'),
    post: ask('POST'),
    del: ask('DELETE'),
    now: () => now,
    wait: (ms: number) => {
      now = new Date(now.getTime() + ms)
    }
  }
}

describe('who may', () => {
  test.each(NAMES)('%s: a recipient gets no_access, and not_found once removed', async name => {
    const { owner, recipient, id, sharing } = await sharedSession()
    expect(await OPERATIONS(id)[name]!(recipient)).toEqual({
      status: 403,
      body: { error: { code: 'no_access', message: 'Only the owner of the session manages its sharing' } }
    })
    await owner.delete(`${sharing}/people/${recipient.id}`)
    expect(await OPERATIONS(id)[name]!(recipient)).toEqual(NOT_FOUND)
  })

  test.each(NAMES)('%s: a recipient gets not_found while the session is in the trash', async name => {
    const { owner, recipient, id } = await sharedSession()
    await trash({ db: owner.db }, owner.id, id)
    expect(await OPERATIONS(id)[name]!(recipient)).toEqual(NOT_FOUND)
  })

  test.each(['POST link', 'POST link/reset', 'POST invites'])(
    '%s: a user without an e-mail address gets account_required',
    async name => {
      const user = await newUser()
      const id = await user.session()
      expect(await OPERATIONS(id)[name]!(user)).toMatchObject({
        status: 403,
        body: { error: { code: 'account_required' } }
      })
    }
  )

  test.each(['POST link', 'POST link/reset', 'POST invites'])(
    '%s: a user with an unverified address gets sender_unverified',
    async name => {
      const user = await newSharer({ emailVerifiedAt: null })
      const id = await user.session()
      expect(await OPERATIONS(id)[name]!(user)).toMatchObject({
        status: 403,
        body: { error: { code: 'sender_unverified' } }
      })
    }
  )

  test('a user without a verified address can read and end access', async () => {
    const { owner, recipient, id, sharing } = await sharedSession()
    await owner.db.execute(`update users set email_verified_at = null, email = null where user_id = '${owner.id}'`)
    expect((await owner.get(sharing)).status).toBe(200)
    expect((await owner.delete(`${sharing}/invites?email=a@example.com`)).status).toBe(200)
    expect((await owner.delete(`${sharing}/people/${recipient.id}`)).body).toEqual({ removed: true, id: recipient.id })
    expect((await recipient.get(`/v1/shared-sessions/${owner.id}/${id}`)).status).toBe(404)
  })
})

describe('GET /v1/sessions/{id}/sharing', () => {
  test('is empty for a session that was never shared', async () => {
    const owner = await newUser('sharing:manage')
    const id = await owner.session()
    expect(await owner.get(`/v1/sessions/${id}/sharing`)).toEqual({
      status: 200,
      body: { people: [], pending_invites: [], link: { url: null } }
    })
  })

  test('names recipients with the sources of their access, and pending invites; never a link', async () => {
    const { owner, recipient, sharing } = await sharedSession()
    await owner.post(`${sharing}/invites`, { emails: ['Cleo@Example.com'] })
    expect((await owner.get(sharing)).body).toEqual({
      people: [{ id: recipient.id, name: 'Ben', email: recipient.email, shared_at: NOW, sources: ['link'] }],
      pending_invites: [
        {
          email: 'cleo@example.com',
          sent_at: NOW,
          last_sent_at: NOW,
          send_count: 1,
          invite_id: expect.stringMatching(/^inv_[0-9a-z]{26}$/)
        }
      ],
      link: { url: null }
    })
  })

  test('shows an owner nothing of the sharing of another session', async () => {
    const { owner } = await sharedSession()
    const other = await owner.session({ title: 'Other' })
    expect((await owner.get(`/v1/sessions/${other}/sharing`)).body).toMatchObject({ people: [], pending_invites: [] })
  })
})

test('somebody with an invite who joins through the link uses it up, unless the mailbox is not proven to be theirs', async () => {
  const [owner, ben, cleo] = [await newSharer(), await newSharer(), await newSharer({ emailVerifiedAt: null })]
  const id = await owner.session()
  const path = `/v1/sessions/${id}/sharing`
  await owner.post(`${path}/invites`, { emails: [ben.email, cleo.email] })
  const link = await linkTo(owner, id)
  await claim(ben, link)
  await claim(cleo, link)
  const { people, pending_invites } = (await owner.get(path)).body
  const sources = new Map(people.map(({ id, sources }: Record<string, unknown>) => [id, sources]))
  expect([sources.get(ben.id), sources.get(cleo.id)]).toEqual([['invite', 'link'], ['link']])
  expect(pending_invites).toEqual([expect.objectContaining({ email: cleo.email })])
})

describe('POST /v1/sessions/{id}/sharing/link', () => {
  test('answers with a new link each time, valid for 30 days; earlier links stay valid', async () => {
    const owner = await newSharer()
    const id = await owner.session()
    const answers = [
      await owner.post(`/v1/sessions/${id}/sharing/link`),
      await owner.post(`/v1/sessions/${id}/sharing/link`, {})
    ]
    for (const { status, body } of answers)
      expect([status, body]).toEqual([200, { url: expect.stringMatching(SECRET_URL), expires_at: IN_30_DAYS }])
    const [first, second] = answers.map(({ body }) => body.url)
    expect(first).not.toBe(second)
    for (const url of [first, second])
      expect(await claim(await newUser(), url)).toEqual({ ownerId: owner.id, sessionId: id })
  })

  test('stores nothing from which the link could be made again', async () => {
    const owner = await newSharer()
    const url = await linkTo(owner, await owner.session())
    const secret = url.split('/').at(-1)!
    for (const table of ['share_links', 'share_secrets', 'session_shares']) {
      const { rows } = await owner.db.execute(`select t::text as row from ${table} t where user_id = '${owner.id}'`)
      expect(rows.length).toBe(1)
      expect(JSON.stringify(rows)).not.toContain(secret)
      expect(JSON.stringify(rows)).not.toContain(Buffer.from(secret, 'base64url').toString('hex'))
    }
  })

  test('shares the session alone', async () => {
    const { owner, id } = await sharedSession()
    await owner.session({ title: 'Other' })
    await linkTo(owner, id)
    const { rows } = await owner.db.execute(`select session_id from session_shares where user_id = '${owner.id}'`)
    expect(rows).toEqual([{ session_id: id }])
  })

  test('shares a session that is still processing', async () => {
    const owner = await newSharer()
    const id = await owner.session()
    await owner.db.execute(`update sessions set state = 'processing' where user_id = '${owner.id}'`)
    expect((await owner.post(`/v1/sessions/${id}/sharing/link`)).status).toBe(200)
  })

  test.each([[[]], ['x'], [1]])('refuses the body %j', async body => {
    const owner = await newSharer()
    const id = await owner.session()
    const headers = { 'content-type': 'application/json' }
    const answer = await owner.ask('POST', `/v1/sessions/${id}/sharing/link`, { body: JSON.stringify(body), headers })
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request', message: 'body: send no body, or {}' } }
    })
  })
})

describe('POST /v1/sessions/{id}/sharing/link/reset', () => {
  test.each([undefined, {}, { remove_everyone: false }])(
    'with %j ends every link, and keeps the recipients',
    async body => {
      const { owner, recipient, sharing, path } = await sharedSession()
      const [first, second] = [
        await linkTo(owner, path.split('/').at(-1)!),
        await linkTo(owner, path.split('/').at(-1)!)
      ]
      const reset = await owner.post(`${sharing}/link/reset`, body)
      expect(reset).toEqual({
        status: 200,
        body: { url: expect.stringMatching(SECRET_URL), expires_at: IN_30_DAYS, removed: 0 }
      })
      const late = await newUser()
      for (const url of [first, second]) await expect(claim(late, url)).rejects.toMatchObject(UNKNOWN_LINK)
      expect((await recipient.get(path)).status).toBe(200)
      await claim(late, reset.body.url)
      expect((await late.get(path)).status).toBe(200)
    }
  )

  test('with remove_everyone ends all access and pending invites, and counts the recipients', async () => {
    const { owner, recipient, id, sharing, path } = await sharedSession()
    const second = await newUser()
    await claim(second, await linkTo(owner, id))
    await owner.post(`${sharing}/invites`, { emails: ['cleo@example.com'] })
    const reset = await owner.post(`${sharing}/link/reset`, { remove_everyone: true })
    expect(reset.body.removed).toBe(2)
    expect((await owner.get(sharing)).body).toEqual({ people: [], pending_invites: [], link: { url: null } })
    for (const former of [recipient, second]) {
      expect((await former.get(path)).status).toBe(404)
      expect((await former.get('/v1/shared-sessions')).body.sessions).toEqual([])
      expect((await former.get('/v1/sessions?include=shared')).body.sessions).toEqual([])
    }
    expect((await owner.post(`${sharing}/link/reset`, { remove_everyone: true })).body.removed).toBe(0)
    // The new link is for everyone again.
    const again = await owner.post(`${sharing}/link/reset`)
    await claim(recipient, again.body.url)
    expect((await recipient.get(path)).status).toBe(200)
  })

  test('keeps the links of other sessions', async () => {
    const { owner, sharing } = await sharedSession()
    const other = await linkTo(owner, await owner.session({ title: 'Other' }))
    await owner.post(`${sharing}/link/reset`, { remove_everyone: true })
    await claim(await newUser(), other)
  })

  test.each([
    [{ remove_everyone: 'yes' }, 'remove_everyone: send true or false'],
    [{ remove_everyone: null }, 'remove_everyone: send true or false'],
    [{ remove_all: true }, 'body: leave out remove_all; this body takes no other fields'],
    [{ remove_everyone: true, extra: 1 }, 'body: leave out extra; this body takes no other fields'],
    [[], 'body: send {} or {"remove_everyone": true}']
  ])('refuses the body %j, and resets nothing', async (body, message) => {
    const { owner, recipient, sharing, path } = await sharedSession()
    expect(await owner.post(`${sharing}/link/reset`, body)).toEqual({
      status: 400,
      body: { error: { code: 'invalid_request', message } }
    })
    expect((await recipient.get(path)).status).toBe(200)
  })
})

describe('DELETE /v1/sessions/{id}/sharing/people/{recipient_id}', () => {
  test('ends access at once; others keep it, and a second request is not_found', async () => {
    const { owner, recipient, id, sharing, path } = await sharedSession()
    const other = await newUser()
    await claim(other, await linkTo(owner, id))
    expect(await owner.delete(`${sharing}/people/${recipient.id}`)).toEqual({
      status: 200,
      body: { removed: true, id: recipient.id }
    })
    for (const part of ['', '/transcript', '/action-items', '/media'])
      expect((await recipient.get(path + part)).status).toBe(404)
    expect((await other.get(path)).status).toBe(200)
    expect((await owner.get(sharing)).body.people).toMatchObject([{ id: other.id }])
    expect(await owner.delete(`${sharing}/people/${recipient.id}`)).toEqual({
      status: 404,
      body: { error: { code: 'not_found', message: 'Recipient not found' } }
    })
  })

  test('leaves the session in the lists of the others', async () => {
    const { owner, recipient, id, sharing } = await sharedSession()
    const other = await newUser()
    await claim(other, await linkTo(owner, id))
    await owner.delete(`${sharing}/people/${recipient.id}`)
    const listed = async (user: User) =>
      (await user.get('/v1/shared-sessions')).body.sessions.map((one: { id: string }) => one.id)
    expect([await listed(recipient), await listed(other)]).toEqual([[], [id]])
  })

  test('counts for its session only: a newer link brings back a recipient whom another session has lost as well', async () => {
    const { owner, recipient, id, sharing, path } = await sharedSession()
    const other = await owner.session({ title: 'Other' })
    await owner.delete(`${sharing}/people/${recipient.id}`)
    await claim(recipient, await linkTo(owner, id))
    await owner.delete(`${sharing}/people/${recipient.id}`)
    await claim(recipient, await linkTo(owner, other))
    await owner.delete(`/v1/sessions/${other}/sharing/people/${recipient.id}`)
    await claim(recipient, await linkTo(owner, id))
    expect((await recipient.get(path)).status).toBe(200)
  })

  test('lets a removed recipient return by a newer link only', async () => {
    const { owner, recipient, id, sharing, path } = await sharedSession()
    const older = await linkTo(owner, id)
    await owner.delete(`${sharing}/people/${recipient.id}`)
    await expect(claim(recipient, older)).rejects.toMatchObject(UNKNOWN_LINK)
    await claim(await newUser(), older)
    await claim(recipient, await linkTo(owner, id))
    expect((await recipient.get(path)).status).toBe(200)
  })

  test.each(['x', newId('usr')])('answers not_found for the recipient %s', async unknown => {
    const { owner, sharing } = await sharedSession()
    expect((await owner.delete(`${sharing}/people/${unknown}`)).status).toBe(404)
  })
})

describe('POST /v1/sessions/{id}/sharing/invites', () => {
  const sent = async (owner: User, id: string, emails: string[], message?: string) =>
    (await owner.post(`/v1/sessions/${id}/sharing/invites`, { emails, ...(message !== undefined && { message }) })).body

  test('invites each address once, in lower case and without spaces, and returns the expiry', async () => {
    const owner = await newSharer()
    const id = await owner.session()
    expect(await sent(owner, id, [' Cleo@Example.com', 'dan@example.com', 'cleo@example.com'])).toEqual({
      sent: ['cleo@example.com', 'dan@example.com'],
      skipped: [{ email: 'cleo@example.com', reason: 'already_invited' }],
      expires_at: IN_30_DAYS
    })
  })

  test('takes addresses of international domains, each spelling in its ASCII form', async () => {
    const owner = await newSharer()
    const id = await owner.session()
    expect(
      await sent(owner, id, [
        'Cleo@MÜNCHEN.example',
        'cleo@xn--mnchen-3ya.example',
        'dan@例え。テスト',
        'x@ü.1',
        'x@mün/chen.de'
      ])
    ).toEqual({
      sent: ['cleo@xn--mnchen-3ya.example', 'dan@xn--r8jz45g.xn--zckzah'],
      skipped: [
        { email: 'cleo@xn--mnchen-3ya.example', reason: 'already_invited' },
        { email: 'x@ü.1', reason: 'invalid_email' },
        { email: 'x@mün/chen.de', reason: 'invalid_email' }
      ],
      expires_at: IN_30_DAYS
    })
    const { body } = await owner.delete(`/v1/sessions/${id}/sharing/invites`, { email: 'cleo@münchen.example' })
    expect(body).toEqual({ cancelled: true })
  })

  test('skips the owner, recipients, recent invites and invalid addresses, each with its reason', async () => {
    const { owner, recipient, id } = await sharedSession()
    await sent(owner, id, ['cleo@example.com'])
    const nonsense = [
      'x',
      'a@b',
      'Cleo <cleo@example.com>',
      'a@example.com\r\nBcc: all@example.com',
      'a@example.com, b@example.com'
    ]
    const answer = await sent(owner, id, [owner.email.toUpperCase(), recipient.email, 'cleo@example.com', ...nonsense])
    expect(answer).toEqual({
      sent: [],
      skipped: [
        { email: owner.email, reason: 'self' },
        { email: recipient.email, reason: 'already_shared' },
        { email: 'cleo@example.com', reason: 'already_invited' },
        ...nonsense.map(email => ({ email, reason: 'invalid_email' }))
      ],
      expires_at: null
    })
  })

  test('sends the same invite again an hour after the last mail, with a higher send_count and a new time', async () => {
    const owner = await timedSharer()
    const path = `/v1/sessions/${await owner.session()}/sharing`
    const invite = { emails: ['cleo@example.com'] }
    await owner.post(`${path}/invites`, invite)
    const [first] = (await owner.get(path)).body.pending_invites
    owner.wait(3_599_999)
    expect((await owner.post(`${path}/invites`, invite)).body.skipped).toMatchObject([{ reason: 'already_invited' }])
    owner.wait(1)
    expect((await owner.post(`${path}/invites`, invite)).body).toMatchObject({
      sent: ['cleo@example.com'],
      expires_at: '2026-04-01T11:00:00.000Z'
    })
    expect((await owner.get(path)).body.pending_invites).toEqual([
      { ...first, last_sent_at: '2026-03-02T11:00:00.000Z', send_count: 2 }
    ])
    owner.wait(3_599_999)
    expect((await owner.post(`${path}/invites`, invite)).body.sent).toEqual([])
  })

  test('sends the invite of a removed recipient again at once, and of nobody else', async () => {
    const { owner, recipient, id, sharing } = await sharedSession()
    // The link leaves the invite to a mailbox that is not proven to be theirs.
    const leaving = await newSharer({ emailVerifiedAt: null })
    const invite = await inviteTo(owner, id, leaving.email)
    await sent(owner, id, ['cleo@example.com'])
    await claim(leaving, await linkTo(owner, id))
    await owner.delete(`${sharing}/people/${leaving.id}`)
    await owner.delete(`${sharing}/people/${recipient.id}`)
    await expect(claim(leaving, invite)).rejects.toMatchObject(UNKNOWN_LINK)
    const emails = ['cleo@example.com', leaving.email]
    expect(await sent(owner, id, emails)).toMatchObject({
      sent: [leaving.email],
      skipped: [{ email: 'cleo@example.com', reason: 'already_invited' }]
    })
    expect(await sent(owner, id, emails)).toMatchObject({ sent: [] })
    await claim(leaving, invite)
    expect((await leaving.get(`/v1/shared-sessions/${owner.id}/${id}`)).status).toBe(200)
  })

  test('replaces an expired invite, which is no longer pending, by a new one', async () => {
    const owner = await timedSharer()
    const path = `/v1/sessions/${await owner.session()}/sharing`
    await owner.post(`${path}/invites`, { emails: ['cleo@example.com'] })
    const [first] = (await owner.get(path)).body.pending_invites
    owner.wait(30 * 86_400_000)
    expect((await owner.get(path)).body.pending_invites).toEqual([])
    expect((await owner.del(`${path}/invites?email=cleo@example.com`)).body).toEqual({ cancelled: false })
    await owner.post(`${path}/invites`, { emails: ['cleo@example.com'] })
    const [second] = (await owner.get(path)).body.pending_invites
    expect(second.send_count).toBe(1)
    expect(second.invite_id).not.toBe(first.invite_id)
  })

  const EMAILS = 'emails: send 1 to 10 addresses'
  const EMAIL = 'emails.0: send a text of 1 to 320 characters'
  test.each([
    [{}, EMAILS],
    [{ emails: [] }, EMAILS],
    [{ emails: 'cleo@example.com' }, EMAILS],
    [{ emails: Array.from({ length: 11 }, (_, n) => `${n}@example.com`) }, EMAILS],
    [{ emails: [''] }, EMAIL],
    [{ emails: ['a'.repeat(321)] }, EMAIL],
    [{ emails: [7] }, EMAIL],
    [{ emails: ['a@example.com'], message: '😀'.repeat(501) }, 'message: send a text of at most 500 characters'],
    [{ emails: ['a@example.com'], message: null }, 'message: send a text of at most 500 characters'],
    [{ emails: ['a@example.com'], message: '\0' }, 'message: send text without NUL characters and unpaired surrogates'],
    [{ emails: ['a@example.com'], subject: 'x' }, 'body: leave out subject; this body takes no other fields'],
    [undefined, 'body: send {"emails": […]}']
  ])('refuses %j', async (body, message) => {
    const owner = await newSharer()
    const id = await owner.session()
    expect(await owner.post(`/v1/sessions/${id}/sharing/invites`, body)).toEqual({
      status: 400,
      body: { error: { code: 'invalid_request', message } }
    })
  })

  test('takes ten addresses, one of 320 characters and a message of 500', async () => {
    const owner = await newSharer()
    const id = await owner.session()
    const ten = Array.from({ length: 10 }, (_, n) => `p${n}@example.com`)
    expect((await sent(owner, id, ten, '😀'.repeat(500))).sent).toEqual(ten)
    const long = `a@${'b'.repeat(318)}`
    expect((await sent(owner, id, [long])).skipped).toEqual([{ email: long, reason: 'invalid_email' }])
  })
})

describe('DELETE /v1/sessions/{id}/sharing/invites', () => {
  async function invited() {
    const owner = await newSharer()
    const path = `/v1/sessions/${await owner.session()}/sharing`
    await owner.post(`${path}/invites`, { emails: ['cleo@example.com'] })
    const [invite] = (await owner.get(path)).body.pending_invites
    const pending = async () => (await owner.get(path)).body.pending_invites.length
    return { owner, path, invite, pending }
  }

  test.each([
    ['a body', '', { email: ' Cleo@example.com ' }],
    ['?email=', '?email=CLEO@example.com', undefined],
    ['?email= and an empty object', '?email=cleo@example.com', {}],
    ['both, where they are one address', '?email=cleo@example.com', { email: 'CLEO@example.com' }],
    ['?email= and a JSON content type without a body', '?email=cleo%40example.com', '']
  ])('cancels by %s, once', async (_, query, body) => {
    const { owner, path, pending } = await invited()
    const headers = { 'content-type': 'application/json' }
    const cancel = () => owner.ask('DELETE', `${path}/invites${query}`, body === undefined ? {} : { body, headers })
    expect((await cancel()).body).toEqual({ cancelled: true })
    expect(await pending()).toBe(0)
    expect((await cancel()).body).toEqual({ cancelled: false })
  })

  test('with an invite_id cancels that invite only', async () => {
    const { owner, path, invite, pending } = await invited()
    const cancel = (invite_id: string) => owner.delete(`${path}/invites`, { email: 'cleo@example.com', invite_id })
    expect((await cancel(newId('inv'))).body).toEqual({ cancelled: false })
    expect((await cancel('x'.repeat(1_500))).body).toEqual({ cancelled: false })
    expect(await pending()).toBe(1)
    expect((await cancel(invite.invite_id)).body).toEqual({ cancelled: true })
    expect(await pending()).toBe(0)
  })

  test('with ?email= and an invite_id in the body cancels that invite only', async () => {
    const { owner, path, invite } = await invited()
    const cancel = (invite_id: string) => owner.delete(`${path}/invites?email=cleo@example.com`, { invite_id })
    expect((await cancel(newId('inv'))).body).toEqual({ cancelled: false })
    expect((await cancel(invite.invite_id)).body).toEqual({ cancelled: true })
  })

  test('cancels nothing for an unknown address', async () => {
    const { owner, path, pending } = await invited()
    expect((await owner.delete(`${path}/invites`, { email: 'dan@example.com' })).body).toEqual({ cancelled: false })
    expect(await pending()).toBe(1)
  })

  test.each([
    ['', undefined, 'email: send it in the body, or as ?email='],
    ['', {}, 'email: send it in the body, or as ?email='],
    [
      '?email=cleo@example.com',
      { email: 'dan@example.com' },
      'email: the body and ?email= name two addresses; send one'
    ],
    ['', { email: 'x' }, 'email: send an e-mail address'],
    ['', { email: `${'a'.repeat(320)}@example.com` }, 'email: send an e-mail address'],
    ['', { email: 'a@example.com', invite_id: '' }, 'invite_id: send a text of 1 to 1500 characters'],
    ['', { email: 'a@example.com', invite_id: 'x'.repeat(1_501) }, 'invite_id: send a text of 1 to 1500 characters'],
    ['?email=x', undefined, 'email: send an e-mail address'],
    ['?email=a@example.com&email=b@example.com', undefined, 'email: send it once'],
    ['', [], 'body: send {"email": …}, or ?email=']
  ])('refuses %s with the body %j', async (query, body, message) => {
    const { owner, path } = await invited()
    expect(await owner.delete(`${path}/invites${query}`, body)).toEqual({
      status: 400,
      body: { error: { code: 'invalid_request', message } }
    })
  })
})

describe('sharing_rate_limited', () => {
  test('answers the 31st change of any kind in a minute; the next minute starts again', async () => {
    const owner = await timedSharer()
    const path = `/v1/sessions/${await owner.session()}/sharing`
    owner.wait(30_000)
    for (let n = 0; n < 28; n++) expect((await owner.post(`${path}/link`)).status).toBe(200)
    expect((await owner.del(`${path}/invites?email=a@example.com`)).status).toBe(200)
    expect((await owner.post(`${path}/link/reset`, {})).status).toBe(200)
    const refused = await owner.post(`${path}/invites`, { emails: ['a@example.com'] })
    expect([refused.status, refused.body.error.code, refused.headers['retry-after']]).toEqual([
      429,
      'sharing_rate_limited',
      '30'
    ])
    expect((await owner.get(path)).body.pending_invites).toEqual([])
    owner.wait(30_000)
    expect((await owner.post(`${path}/link`)).status).toBe(200)
  })

  test('is not reset by a change that began in the minute before, or on the day before', async () => {
    const owner = await timedSharer()
    const path = `/v1/sessions/${await owner.session()}/sharing`
    owner.wait(14 * 3_600_000)
    const emails = Array.from({ length: 10 }, (_, n) => `p${n}@example.com`)
    expect((await owner.post(`${path}/invites`, { emails })).body.sent).toEqual(emails)
    for (let n = 1; n < 30; n++) expect((await owner.post(`${path}/link`)).status).toBe(200)
    owner.wait(-1)
    expect((await owner.post(`${path}/link`)).status).toBe(429)
    owner.wait(1)
    expect((await owner.post(`${path}/link`)).status).toBe(429)
    const { rows } = await owner.db.execute(`select writes, invites from share_counters where user_id = '${owner.id}'`)
    expect(rows).toEqual([{ writes: 30, invites: 10 }])
  })

  test('counts no refused change', async () => {
    const owner = await timedSharer()
    const path = `/v1/sessions/${await owner.session()}/sharing`
    for (let n = 0; n < 40; n++) await owner.del(`${path}/people/${newId('usr')}`)
    for (let n = 0; n < 40; n++) await owner.post(`/v1/sessions/${newId('ses')}/sharing/link`)
    expect((await owner.post(`${path}/link`)).status).toBe(200)
  })

  test('answers the 201st invite of a day and sends none of that request; skipped invites do not count', async () => {
    const owner = await timedSharer()
    const path = `/v1/sessions/${await owner.session()}/sharing`
    const invite = (from: number, count: number) =>
      owner.post(`${path}/invites`, { emails: Array.from({ length: count }, (_, n) => `p${from + n}@example.com`) })
    for (let from = 0; from < 190; from += 10) expect((await invite(from, 10)).body.sent).toHaveLength(10)
    expect((await invite(180, 10)).body.skipped).toHaveLength(10)
    expect((await invite(190, 9)).body.sent).toHaveLength(9)
    const refused = await invite(199, 2)
    expect([refused.status, refused.body.error.code, refused.headers['retry-after']]).toEqual([
      429,
      'sharing_rate_limited',
      String(14 * 3_600)
    ])
    expect((await owner.get(path)).body.pending_invites).toHaveLength(199)
    expect((await invite(199, 1)).status).toBe(200)
    owner.wait(14 * 3_600_000)
    expect((await invite(201, 1)).status).toBe(200)
  })
})
