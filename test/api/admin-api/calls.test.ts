import { describe, expect, test } from 'vitest'
import { CALL_TRANSITIONS, type CallState } from '../../../src/contract/admin/call.ts'
import { CALL_STATES } from '../../../src/contract/session.ts'
import { newAppUser } from '../../support/admin-api.ts'
import { onPostgres } from '../../support/process.ts'
import { completeSession, NOW, SPOKEN } from '../../support/server.ts'

type User = Awaited<ReturnType<typeof newAppUser>>
const code = (status: number, code: string) => ({ status, body: { error: { code } } })

/** A call that has come to that status. */
async function callThatIs(user: User, status: CallState) {
  const { body } = await user.adminApi.post('/calls', { direction: 'outbound', to_number: '+4930123456' })
  const path: Record<CallState, CallState[]> = {
    ringing: [],
    in_progress: ['in_progress'],
    completed: ['in_progress', 'completed'],
    missed: ['missed'],
    failed: ['failed']
  }
  for (const next of path[status])
    expect((await user.adminApi.patch(`/calls/${body.id}`, { status: next })).status).toBe(200)
  return body.id as string
}

describe('a call', () => {
  test('is served by its id while it goes on, with its status, and listed with what was said when it is completed', async () => {
    const user = await newAppUser()
    const { status, body } = await user.adminApi.post('/calls', {
      direction: 'outbound',
      to_number: '+4930123456',
      provider: 'twilio',
      contact_name: 'Ben'
    })
    const phone = {
      direction: 'outbound',
      to_number: '+4930123456',
      from_number: null,
      status: 'ringing',
      ongoing: true,
      provider: 'twilio',
      contact_name: 'Ben'
    }
    expect([status, body]).toMatchObject([
      201,
      { type: 'phone', title: 'Call with Ben', timestamp: NOW, state: 'processing', duration_seconds: 0, phone }
    ])
    const url = `/calls/${body.id}`
    const seen = async () => (await user.get(`/v1/sessions/${body.id}`)).body
    expect(await seen()).toMatchObject({ phone, summary: null })
    expect((await user.adminApi.patch(url, { status: 'in_progress' })).body.phone).toEqual({
      ...phone,
      status: 'in_progress'
    })
    expect((await user.get('/v1/sessions')).body.sessions).toEqual([])
    const ended = await user.adminApi.patch(url, {
      status: 'completed',
      segments: SPOKEN,
      speakers: [{ label: 'Ada', person: 'Ada' }],
      language: 'en'
    })
    expect(ended).toMatchObject({
      status: 200,
      body: { state: 'processing', duration_seconds: 9, phone: { ...phone, status: 'completed', ongoing: false } }
    })
    expect(await user.events()).toEqual([])
    await completeSession(user.id, body.id)
    expect((await user.get('/v1/sessions')).body.sessions).toMatchObject([
      { id: body.id, phone: { status: 'completed', ongoing: false } }
    ])
    expect((await user.get(`/v1/sessions/${body.id}/transcript`)).body.transcript).toContain('Ada: Welcome')
    expect((await user.get('/v1/people')).body.people).toMatchObject([
      { name: 'Ada', recording_count: 1 },
      { name: 'Ben', recording_count: 1 }
    ])
    expect(await user.events()).toEqual(['session.completed'])
  })

  test('that is inbound has the user’s verified number as to_number, and nobody as from_number', async () => {
    const user = await newAppUser()
    const inbound = { direction: 'inbound', from_number: '+4930999999' }
    expect((await user.adminApi.post('/calls', { ...inbound, to_number: '+1' })).body.phone).toMatchObject({
      to_number: null,
      from_number: null
    })
    await user.adminApi.patch('', { verified_caller_id: '+12025550123' })
    expect((await user.adminApi.post('/calls', { ...inbound, to_number: '+1' })).body.phone).toMatchObject({
      to_number: '+12025550123',
      from_number: null
    })
    const imported = await user.session({ type: 'phone', phone: { ...inbound, status: 'completed' } })
    expect((await user.get(`/v1/sessions/${imported}`)).body.phone).toMatchObject({
      to_number: '+12025550123',
      from_number: null
    })
  })

  test.each(['missed', 'failed'] as const)(
    'that is %s without speech is in no list and records no event',
    async status => {
      const user = await newAppUser()
      const id = await callThatIs(user, status)
      expect((await user.adminApi.get(`/sessions/${id}`)).body).toMatchObject({
        state: 'failed',
        failure: `The call ${status === 'missed' ? 'was missed' : 'failed'}`,
        phone: { status, ongoing: false }
      })
      expect((await user.get('/v1/sessions')).body.sessions).toEqual([])
      expect((await user.get(`/v1/sessions/${id}`)).body.phone).toMatchObject({ status, ongoing: false })
      expect(await user.adminApi.post(`/sessions/${id}/retry`)).toEqual({
        status: 409,
        body: { error: { code: 'conflict', message: 'The session has no speech to process' } }
      })
      expect(await user.events()).toEqual([])
    }
  )

  test('that failed in the middle keeps what was said', async () => {
    const user = await newAppUser()
    const id = await callThatIs(user, 'in_progress')
    expect((await user.adminApi.patch(`/calls/${id}`, { status: 'failed', segments: SPOKEN })).body.state).toBe(
      'processing'
    )
    await completeSession(user.id, id)
    expect((await user.get('/v1/sessions')).body.sessions).toMatchObject([
      { id, phone: { status: 'failed', ongoing: false } }
    ])
  })

  test('that is completed without speech is not listed, because it has no summary', async () => {
    const user = await newAppUser()
    const id = await callThatIs(user, 'completed')
    await completeSession(user.id, id)
    expect((await user.adminApi.get(`/sessions/${id}`)).body).toMatchObject({
      state: 'failed',
      failure: expect.stringMatching(/^There is no speech/),
      phone: { status: 'completed', ongoing: false }
    })
    expect((await user.get('/v1/sessions')).body.sessions).toEqual([])
    expect((await user.get(`/v1/sessions/${id}`)).status).toBe(200)
  })

  const moves = CALL_STATES.flatMap(from => CALL_STATES.map(to => [from, to] as const))

  test.each(moves.filter(([from, to]) => from !== to && CALL_TRANSITIONS[from].includes(to)))(
    'may go from %s to %s',
    async (from, to) => {
      const user = await newAppUser()
      const id = await callThatIs(user, from)
      expect((await user.adminApi.patch(`/calls/${id}`, { status: to })).body.phone.status).toBe(to)
    }
  )

  test.each(moves.filter(([from, to]) => from !== to && !CALL_TRANSITIONS[from].includes(to)))(
    'may not go from %s to %s',
    async (from, to) => {
      const user = await newAppUser()
      const id = await callThatIs(user, from)
      const before = await user.adminApi.get(`/sessions/${id}`)
      expect(await user.adminApi.patch(`/calls/${id}`, { status: to })).toEqual({
        status: 409,
        body: { error: { code: 'conflict', message: `status: a call that is ${from} cannot become ${to}` } }
      })
      expect(await user.adminApi.get(`/sessions/${id}`)).toEqual(before)
    }
  )

  test.each(CALL_STATES)('stays unchanged when its status %s is sent again', async status => {
    const user = await newAppUser()
    const id = await callThatIs(user, status)
    const before = await user.adminApi.get(`/sessions/${id}`)
    expect(await user.adminApi.patch(`/calls/${id}`, { status })).toEqual(before)
  })

  test('that was imported with its transcript has ended, whatever its status', async () => {
    const user = await newAppUser()
    const phone = { direction: 'outbound', status: 'in_progress', ongoing: true }
    const id = await user.session({ type: 'phone', phone })
    const { body: waiting } = await user.post('/v1/sessions', { type: 'phone', phone, segments: SPOKEN })
    for (const each of [id, waiting.id]) {
      for (const status of ['completed', 'failed'])
        expect(await user.adminApi.patch(`/calls/${each}`, { status, segments: SPOKEN })).toMatchObject(
          code(409, 'conflict')
        )
    }
    expect((await user.get('/v1/sessions')).body.sessions).toMatchObject([{ id, phone, duration_seconds: 9 }])
  })

  test('with a known external_id changes nothing', async () => {
    const user = await newAppUser()
    const { body } = await user.adminApi.post('/calls', { external_id: 'CA1', direction: 'outbound' })
    expect(await user.adminApi.post('/calls', { external_id: 'CA1', direction: 'inbound' })).toEqual({
      status: 200,
      body
    })
  })

  test.runIf(onPostgres)('takes one of two final statuses that are sent at once', { tags: ['postgres'] }, async () => {
    const user = await newAppUser()
    const id = await callThatIs(user, 'ringing')
    const both = await Promise.all(['missed', 'failed'].map(status => user.adminApi.patch(`/calls/${id}`, { status })))
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
  })

  test('that was deleted before its end continues after its restoration', async () => {
    const user = await newAppUser()
    const id = await callThatIs(user, 'in_progress')
    await user.adminApi.delete(`/sessions/${id}`)
    expect(await user.adminApi.patch(`/calls/${id}`, { status: 'completed' })).toMatchObject(code(404, 'not_found'))
    await user.adminApi.post(`/sessions/${id}/restore`)
    expect((await user.adminApi.get(`/sessions/${id}`)).body).toMatchObject({
      state: 'processing',
      phone: { status: 'in_progress', ongoing: true }
    })
    expect((await user.adminApi.patch(`/calls/${id}`, { status: 'completed' })).status).toBe(200)
  })

  test.each([
    [{}, 'direction: send inbound or outbound'],
    [{ direction: 'in' }, 'direction: send inbound or outbound'],
    [{ direction: 'inbound', status: 'completed' }, 'status: send ringing or in_progress'],
    [{ direction: 'inbound', timestamp: 'yesterday' }, 'timestamp: send'],
    [{ direction: 'inbound', contact_name: 7 }, 'contact_name: send']
  ])('cannot begin with %j', async (body, message) => {
    const user = await newAppUser()
    expect(await user.adminApi.post('/calls', body)).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining(message) } }
    })
  })

  test('takes segments only at its end, and its status changes only as that of a call', async () => {
    const user = await newAppUser()
    const id = await callThatIs(user, 'ringing')
    expect(await user.adminApi.patch(`/calls/${id}`, { status: 'in_progress', segments: SPOKEN })).toMatchObject({
      status: 400,
      body: { error: { message: 'segments: send it when the call has ended' } }
    })
    expect(await user.adminApi.patch(`/calls/${id}`, { status: 'gone' })).toMatchObject(code(400, 'invalid_request'))
    expect(await user.adminApi.patch(`/calls/${id}`, { status: 'missed', media: { audio: 'a.mp3' } })).toMatchObject(
      code(400, 'invalid_request')
    )
    const meeting = await user.session({ type: 'meeting' })
    expect(await user.adminApi.patch(`/calls/${meeting}`, { status: 'missed' })).toEqual({
      status: 404,
      body: { error: { code: 'not_found', message: 'Call not found' } }
    })
  })
})
