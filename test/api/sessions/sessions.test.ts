// @module-tag both

import { describe, expect, test } from 'vitest'
import { acceptSession, addSession, NOW, newUser, SPOKEN } from '../../support/server.ts'

describe('GET /v1/sessions', () => {
  test('answers with an empty page when there is nothing', async () => {
    const user = await newUser('sessions:read')
    expect(await user.get('/v1/sessions')).toEqual({
      status: 200,
      body: { sessions: [], next_cursor: null, has_more: false }
    })
  })

  test('returns id, title, timestamp, duration, type and platform of each row', async () => {
    const user = await newUser('sessions:read')
    const id = await user.session({ timestamp: '2026-03-01T09:00:00Z', type: 'meeting', platform: 'zoom' })
    expect(await user.get('/v1/sessions')).toEqual({
      status: 200,
      body: {
        sessions: [
          {
            id,
            title: 'Weekly review',
            timestamp: '2026-03-01T09:00:00.000Z',
            duration_seconds: 9,
            type: 'meeting',
            platform: 'zoom',
            audio_deleted_at: null
          }
        ],
        next_cursor: null,
        has_more: false
      }
    })
  })

  test('returns complete phone metadata, for sessions of type phone only', async () => {
    const user = await newUser('sessions:read')
    await user.session({
      type: 'phone',
      phone: { direction: 'outbound', to_number: '+12025550123', status: 'completed' }
    })
    await user.session({ type: 'meeting', phone: { direction: 'inbound' } })
    const { body } = await user.get('/v1/sessions')
    expect(body.sessions.map((row: object) => ('phone' in row ? row.phone : 'absent'))).toEqual([
      'absent',
      {
        direction: 'outbound',
        to_number: '+12025550123',
        from_number: null,
        status: 'completed',
        ongoing: false,
        provider: null,
        contact_name: null
      }
    ])
  })

  test('shows only completed sessions of the caller, newest first', async () => {
    const user = await newUser('sessions:read')
    const stranger = await newUser('sessions:read')
    await stranger.session({ timestamp: '2026-03-01T12:00:00Z' })
    await acceptSession(user.id, { timestamp: '2026-03-01T11:00:00Z' })
    const older = await user.session({ timestamp: '2026-02-01T00:00:00Z' })
    const newer = await user.session({ timestamp: '2026-03-01T00:00:00Z' })
    expect(await idsOf(user, '/v1/sessions')).toEqual([newer, older])
  })

  test('lists a session without timestamp by the time of its import', async () => {
    const user = await newUser('sessions:read')
    const later = await user.session({ timestamp: '2026-03-03T00:00:00Z' })
    const undated = await user.session()
    const earlier = await user.session({ timestamp: '2026-03-01T00:00:00Z' })
    const { body } = await user.get('/v1/sessions')
    expect(body.sessions.map(({ id, timestamp }: { id: string; timestamp: string }) => [id, timestamp])).toEqual([
      [later, '2026-03-03T00:00:00.000Z'],
      [undated, null],
      [earlier, '2026-03-01T00:00:00.000Z']
    ])
  })

  test('returns only sessions of the requested type', async () => {
    const user = await newUser('sessions:read')
    const podcast = await user.session({ type: 'podcast' })
    await user.session({ type: 'meeting' })
    expect(await idsOf(user, '/v1/sessions?type=podcast')).toEqual([podcast])
  })

  test('takes since as an inclusive and cursor as an exclusive bound', async () => {
    const user = await newUser('sessions:read')
    const [first, second, third] = [await dated(user, 1), await dated(user, 2), await dated(user, 3)]
    expect(await idsOf(user, '/v1/sessions?since=2026-03-02T00:00:00Z')).toEqual([third, second])
    expect(await idsOf(user, '/v1/sessions?cursor=2026-03-02T00:00:00Z')).toEqual([first])
    expect(await idsOf(user, '/v1/sessions?since=2026-03-01&cursor=2026-03-03T00:00:00.000Z')).toEqual([second, first])
    expect(await idsOf(user, `/v1/sessions?since=${encodeURIComponent('2026-03-03T02:00:00+02:00')}`)).toEqual([third])
  })

  test.each([1, 2, 3, 7, 100])(
    'shows each session once, page by page of %i, when many share one instant and some have none',
    async limit => {
      const user = await newUser('sessions:read')
      const ids = new Set<string>()
      for (let index = 0; index < 17; index++) {
        ids.add(await user.session(index % 5 === 4 ? {} : { timestamp: '2026-03-01T10:00:00Z' }))
      }
      const seen = await allPages(user, limit)
      expect(seen).toHaveLength(ids.size)
      expect(new Set(seen)).toEqual(ids)
    }
  )

  test.each([
    ['limit=0', 'limit: send a whole number from 1 to 100'],
    ['limit=101', 'limit: send a whole number from 1 to 100'],
    ['limit=1e1', 'limit: send a whole number from 1 to 100'],
    ['limit=', 'limit: send a whole number from 1 to 100'],
    ['limit=5&limit=6', 'limit: send it once'],
    ['cursor=yesterday', 'cursor: send an ISO 8601 date such as 2026-03-02T10:00:00Z'],
    ['cursor=2026-02-30T00:00:00Z', 'cursor: send an ISO 8601 date such as 2026-03-02T10:00:00Z'],
    ['since=2026-13-01', 'since: send an ISO 8601 date such as 2026-03-02T10:00:00Z'],
    ['since=2026-03-01&since=2026-03-02', 'since: send it once'],
    ['type=call', 'type: send one of meeting, recording, phone, desktop, import, youtube, podcast'],
    ['include=own', 'include: send shared or deleted, or leave it out'],
    ['type=%00', 'type: send text without NUL characters and unpaired surrogates']
  ])('answers invalid_request to ?%s and names the parameter', async (query, message) => {
    const user = await newUser('sessions:read')
    expect(await user.get(`/v1/sessions?${query}`)).toEqual({
      status: 400,
      body: { error: { code: 'invalid_request', message } }
    })
  })
})

describe('GET /v1/sessions/{id}', () => {
  test('answers with everything but the transcript', async () => {
    const user = await newUser('sessions:read')
    const id = await user.session({
      notes: 'Bring cake',
      tags: ['weekly', 'Team'],
      favorite: true,
      language: 'de',
      folders: ['Clients']
    })
    const { status, body } = await user.get(`/v1/sessions/${id}`)
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        id,
        title: 'Weekly review',
        timestamp: null,
        duration_seconds: 9,
        type: 'import',
        platform: null,
        audio_deleted_at: null,
        created_at: NOW,
        updated_at: NOW,
        language: 'de',
        summary: '## Overview\n\nWelcome to the weekly review.',
        notes: 'Bring cake',
        tags: ['weekly', 'Team'],
        favorite: true,
        folder_ids: [expect.stringMatching(/^fld_/)],
        action_items: [item('Ben', "I'll send the offer.", 4.5)],
        action_items_version: 1,
        status: 'completed',
        failure_reason: null
      }
    })
  })

  test('serves a session that is still processing to its owner, without a summary', async () => {
    const user = await newUser('sessions:read')
    const id = await acceptSession(user.id)
    const { status, body } = await user.get(`/v1/sessions/${id}`)
    expect([status, body.summary, body.action_items]).toEqual([200, null, []])
  })
})

describe('GET /v1/sessions/{id}/transcript', () => {
  test('answers with text in speaker-labelled lines and with segments in seconds', async () => {
    const user = await newUser('transcripts:read')
    const id = await user.session({
      segments: [...SPOKEN, { speaker: 'Ben', start: 9, end: 11.25, text: 'By\n Friday.' }]
    })
    expect(await user.get(`/v1/sessions/${id}/transcript`)).toEqual({
      status: 200,
      body: {
        id,
        version: 1,
        transcript: "Ada: Welcome to the weekly review.\nBen: I'll send the offer. By Friday.",
        segments: [...SPOKEN, { speaker: 'Ben', start: 9, end: 11.25, text: 'By\n Friday.' }]
      }
    })
  })

  test('leaves out segments if the source has no times', async () => {
    const user = await newUser('transcripts:read')
    const id = await user.session({ segments: [{ speaker: 'Ada', text: 'Hello.' }] })
    expect(await user.get(`/v1/sessions/${id}/transcript`)).toEqual({
      status: 200,
      body: { id, transcript: 'Ada: Hello.', version: 1 }
    })
  })

  test('names the people behind the speaker labels', async () => {
    const user = await newUser('transcripts:read')
    const id = await user.session({
      speakers: [{ label: 'Speaker 1', person: 'Ada Lovelace' }],
      segments: [{ speaker: 'Speaker 1', text: 'Hello.' }]
    })
    const { body } = await user.get(`/v1/sessions/${id}/transcript`)
    expect(body.transcript).toBe('Ada Lovelace: Hello.')
  })
})

describe('GET /v1/sessions/{id}/action-items', () => {
  test('answers with the list, its version and an ETag of the version', async () => {
    const user = await newUser('sessions:read')
    const id = await user.session()
    const { status, body, headers } = await user.send(`/v1/sessions/${id}/action-items`)
    expect({ status, body, etag: headers.etag }).toEqual({
      status: 200,
      body: { session_id: id, action_items: [item('Ben', "I'll send the offer.", 4.5)], version: 1, updated_at: NOW },
      etag: '"1"'
    })
  })

  test('keeps the items of the source, with normalized due dates', async () => {
    const user = await newUser('sessions:read')
    const id = await user.session({
      timestamp: '2026-03-02T23:30:00Z',
      action_items: [
        { text: 'Send the offer', assignee: 'Ada', due_date: 'Friday', source_start: 12.5, completed: true }
      ]
    })
    const { body } = await user.get(`/v1/sessions/${id}/action-items`)
    expect(body.action_items).toEqual([
      { ...item('Ada', 'Send the offer', 12.5), due_date: '2026-03-06', completed: true }
    ])
  })
})

describe('GET /v1/account', () => {
  test('shows the owner of the token and the number of listed sessions', async () => {
    const user = await newUser('account:read')
    await user.session()
    await user.session()
    await acceptSession(user.id)
    expect(await user.get('/v1/account')).toEqual({
      status: 200,
      body: {
        user_id: user.id,
        subscription_active: true,
        session_count: 2,
        quotas: expect.anything(),
        retention: expect.anything(),
        token: expect.anything()
      }
    })
  })
})

function item(assignee: string, text: string, start: number) {
  const at = new Date(NOW).getTime()
  return {
    id: expect.stringMatching(/^ai_/),
    text,
    completed: false,
    source: 'agent',
    assignee,
    due_date: null,
    source_start: start,
    user_edited_at: null,
    created_at: at,
    updated_at: at
  }
}

type User = Awaited<ReturnType<typeof newUser>>

function dated(user: User, day: number) {
  return addSession(user.id, { timestamp: `2026-03-0${day}T00:00:00Z` })
}

async function idsOf(user: User, url: string) {
  const { body } = await user.get(url)
  return body.sessions.map(({ id }: { id: string }) => id)
}

async function allPages(user: User, limit: number) {
  const seen: string[] = []
  for (let cursor = ''; ; ) {
    const { body } = await user.get(`/v1/sessions?limit=${limit}${cursor}`)
    seen.push(...body.sessions.map(({ id }: { id: string }) => id))
    if (!body.has_more) return seen
    cursor = `&cursor=${body.next_cursor}`
  }
}
