// @module-tag both

import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { RouteDescription } from '../../../src/contract/routes/route.ts'
import { ROUTES } from '../../../src/contract/routes/routes.ts'
import { onPostgres } from '../../support/process.ts'
import { acceptSession, completeSession, newUser } from '../../support/server.ts'

type User = Awaited<ReturnType<typeof newUser>>

const line = (speaker: string, text: string, start: number | null = null, end: number | null = null) => ({
  speaker,
  text,
  start,
  end
})
const NOT_FOUND = { status: 404, body: { error: { code: 'not_found', message: 'Person not found' } } }
const NO_PERSON = { status: 404, body: { error: { code: 'not_found', message: 'person: person not found' } } }

/** A session in which Ada says much and Ben a little; the source knows who both are. */
const meeting = (fields: object = {}) => ({
  speakers: [
    { label: 'Speaker 1', person: 'Ada Lovelace', is_me: true, matched_by: 'voice' },
    { label: 'Speaker 2', person: 'Ben' }
  ],
  segments: [
    line('Speaker 1', 'Good morning.', 0, 1.5),
    line('Speaker 2', 'Hello.', 1.5, 2),
    line('Speaker 1', 'Let us go through the open offers once more.', 2, 6.25),
    line('Speaker 1', 'Who takes the first?', 6.25, 8),
    line('Speaker 1', 'Then that is settled.', 8, 9)
  ],
  ...fields
})

async function peopleOf(
  user: User
): Promise<{ id: string; name: string; is_me: boolean; recording_count: number; last_heard_at: string }[]> {
  const { status, body } = await user.get('/v1/people')
  expect(status).toBe(200)
  return body.people
}

async function idOf(user: User, name: string) {
  return (await peopleOf(user)).find(person => person.name === name)!.id
}

async function titles(user: User, path: string): Promise<string[]> {
  const { status, body } = await user.get(path)
  expect([status, body.error]).toEqual([200, undefined])
  return body.sessions.map(({ title }: { title: string }) => title)
}

describe('GET /v1/people', () => {
  test('answers with everyone in one answer also where they are thousands, which is then written in steps', async () => {
    const user = await newUser('sessions:read', 'folders:read')
    await user.db.execute(`insert into people (user_id, person_id, name, name_key, is_me, saved, recording_count, created_at, updated_at)
      select '${user.id}', 'per_' || n, 'Name ' || n, 'name ' || n, false, true, 0, now(), now() from generate_series(10001, 15000) n`)
    const { status, headers, body } = await user.send('/v1/people')
    expect([status, headers.etag]).toEqual([200, expect.stringMatching(/^W/)])
    expect(body.people.map(({ name }: { name: string }) => name)).toEqual(
      Array.from({ length: 5_000 }, (_, n) => `Name ${n + 10_001}`)
    )
    const again = await user.send('/v1/people', { 'if-none-match': String(headers.etag) })
    expect(again.status).toBe(304)
    const { body: page } = await user.get('/v1/people?limit=1')
    expect(page.people).toEqual(body.people.slice(0, 1))
  })

  test('every list that has pages only if the query asks for them is written in steps', () => {
    const whole = Object.values<RouteDescription>(ROUTES).filter(({ schema }) => {
      const answer = 'response' in schema ? schema.response[200] : undefined
      return answer instanceof z.ZodObject && answer.shape.has_more instanceof z.ZodOptional
    })
    expect(whole.map(({ url, config }) => [url, config.longList])).toEqual([
      ['/folders', 'folders'],
      ['/people', 'people']
    ])
  })

  test('answers in pages where `limit` is sent: everyone once, in the order of the whole list', async () => {
    const user = await newUser('sessions:read', 'people:write')
    await user.session(meeting({ timestamp: '2026-01-01T10:00:00Z' }))
    for (const [at, name] of ['Cy', 'Di', 'Ed'].entries())
      await user.session({
        timestamp: `2026-01-0${at + 2}`,
        speakers: [{ label: 'S', person: name }],
        segments: [line('S', 'Hi.')]
      })
    for (const name of ['Fay', 'Gus']) await user.post('/v1/people', { name })
    const everyone = await peopleOf(user)
    expect(everyone.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Ada Lovelace', 'Ben', 'Cy', 'Di', 'Ed', 'Fay', 'Gus'])
    )
    for (const limit of [1, 2, 3, 6, 7]) {
      const pages: { people: object[]; next_cursor: string | null; has_more: boolean }[] = []
      for (let next: string | null = ''; next !== null && pages.length < 8; next = pages.at(-1)!.next_cursor)
        pages.push((await user.get(`/v1/people?limit=${limit}${next && `&cursor=${encodeURIComponent(next)}`}`)).body)
      expect(pages.flatMap(({ people }) => people)).toEqual(everyone)
      expect(pages.map(({ people, has_more }) => [people.length, has_more])).toEqual(
        pages.map((_, at) => [Math.min(limit, 7 - at * limit), at < Math.ceil(7 / limit) - 1])
      )
    }
    const { headers, body } = await user.send('/v1/people?limit=2')
    expect(headers.link).toBe(`</v1/people?limit=2&cursor=${encodeURIComponent(body.next_cursor)}>; rel="next"`)
    expect(Object.keys((await user.get('/v1/people?cursor=me')).body)).toEqual(['people', 'next_cursor', 'has_more'])
    expect(Object.keys((await user.get('/v1/people')).body)).toEqual(['people'])
  })

  test.each([
    'limit=0',
    'limit=201',
    'cursor=x',
    'cursor=none_',
    'cursor=2026-02-30T10:00:00.000000Z_per_x',
    'cursor=me&cursor=me'
  ])('refuses %s and names the parameter', async query => {
    const { status, body } = await (await newUser('sessions:read')).get(`/v1/people?${query}`)
    expect([status, body.error.message]).toEqual([400, expect.stringMatching(`^${query.split('=')[0]}: send`)])
  })

  test('lists the people named by the sources: the owner first, then those heard most recently', async () => {
    const user = await newUser('sessions:read')
    await user.session(meeting({ timestamp: '2026-01-01T10:00:00Z' }))
    await user.session({
      timestamp: '2026-01-03T10:00:00Z',
      speakers: [{ label: 'S', person: 'Cy' }],
      segments: [line('S', 'Hi.', 0, 1)]
    })
    await user.session({
      timestamp: '2026-01-02T10:00:00Z',
      speakers: [{ label: 'S', person: 'Ben' }],
      segments: [line('S', 'Hi.', 0, 1)]
    })
    const person = (name: string, recordings: number, day: number, isMe = false) => ({
      id: expect.stringMatching(/^per_[0-9a-z]{26}$/),
      name,
      is_me: isMe,
      recording_count: recordings,
      last_heard_at: `2026-01-0${day}T10:00:00.000Z`
    })
    expect(await peopleOf(user)).toEqual([person('Ada Lovelace', 1, 1, true), person('Cy', 1, 3), person('Ben', 2, 2)])
  })

  test('is empty if no speaker has a name, because a label for a voice is none', async () => {
    const user = await newUser('sessions:read')
    await user.session({ segments: [line('Speaker 1', 'Hello.', 0, 1), line('Guest', 'Hello.', 1, 2)] })
    expect(await peopleOf(user)).toEqual([])
  })
})

describe('one person', () => {
  test('has a name in any case and width, in every session', async () => {
    const user = await newUser('sessions:read')
    for (const person of ['Zoë Straße', 'ZOË STRASSE', 'zoë straße']) {
      await user.session({ speakers: [{ label: 'S', person }], segments: [line('S', 'Hi.', 0, 1)] })
    }
    expect(await peopleOf(user)).toMatchObject([{ name: 'Zoë Straße', recording_count: 3 }])
  })

  test('is matched by name to a label', async () => {
    const user = await newUser('sessions:read')
    await user.session(meeting())
    await user.session({
      title: 'unnamed',
      segments: [line('BEN', 'I am back.', 0, 2), line('Guest', 'Me too.', 2, 3)]
    })
    const { body } = await user.get(`/v1/people/${await idOf(user, 'Ben')}/sessions`)
    expect(body.sessions[0]).toMatchObject({
      title: 'unnamed',
      name_in_session: 'BEN',
      matched_by: 'name',
      talk_seconds: 2
    })
    expect((await peopleOf(user)).map(({ name }) => name)).toEqual(['Ada Lovelace', 'Ben'])
  })

  test('is the owner under every name, and has the first name of the source', async () => {
    const user = await newUser('sessions:read')
    await user.session(meeting({ title: 'first' }))
    await user.session({
      title: 'second',
      speakers: [{ label: 'You', is_me: true }],
      segments: [line('You', 'Just me.', 0, 1)]
    })
    await user.session({
      title: 'third',
      speakers: [{ label: 'S', person: 'A. L.', is_me: true }],
      segments: [line('S', 'Hm.', 0, 1)]
    })
    expect((await peopleOf(user)).filter(({ is_me }) => is_me)).toMatchObject([
      { name: 'Ada Lovelace', recording_count: 3 }
    ])
    expect((await titles(user, '/v1/people/me/sessions')).sort()).toEqual(['first', 'second', 'third'])
  })

  test('has the words of both its labels', async () => {
    const user = await newUser('sessions:read')
    await user.session({
      speakers: [
        { label: 'A', person: 'Ada' },
        { label: 'B', person: 'ADA' }
      ],
      segments: [line('A', 'One two.', 0, 1), line('B', 'Three four five.', 1, 3.5)]
    })
    const { body } = await user.get(`/v1/people/${await idOf(user, 'Ada')}/sessions`)
    expect(body.sessions).toMatchObject([{ talk_seconds: 3.5, top_lines: ['Three four five.', 'One two.'] }])
  })

  test.runIf(onPostgres)('is made once by sessions that name them at once', { tags: ['postgres'] }, async () => {
    const user = await newUser('sessions:read')
    const names = ['Ada', 'Ben', 'Cy', 'Dee']
    const documents = Array.from({ length: 12 }, (_, turn) => {
      const speakers = names.map((_, at) => ({ label: `S${at}`, person: names[(at + turn) % names.length]! }))
      return { speakers, segments: speakers.map(({ label }, at) => line(label, 'Hi.', at, at + 1)) }
    })
    const ids = await Promise.all(documents.map(document => acceptSession(user.id, document)))
    await Promise.all(ids.map(id => completeSession(user.id, id)))
    const people = await peopleOf(user)
    expect(people.map(({ name, recording_count }) => [name, recording_count]).sort()).toEqual(
      names.map(name => [name, 12])
    )
  })
})

describe('GET /v1/people/{id}/sessions', () => {
  test('shows talk seconds, name in the session, kind of match, and the three longest lines', async () => {
    const user = await newUser('sessions:read')
    const id = await user.session(meeting({ title: 'Offers', type: 'phone' }))
    const { body } = await user.get('/v1/people/me/sessions')
    const { body: listed } = await user.get('/v1/sessions')
    expect(body).toEqual({
      person: (await peopleOf(user))[0],
      sessions: [
        {
          ...listed.sessions[0],
          id,
          talk_seconds: 8.5,
          name_in_session: 'Ada Lovelace',
          matched_by: 'voice',
          top_lines: ['Let us go through the open offers once more.', 'Then that is settled.', 'Who takes the first?']
        }
      ],
      next_cursor: null,
      has_more: false
    })
  })

  test('returns no seconds if the source has no times', async () => {
    const user = await newUser('sessions:read')
    await user.session({ speakers: [{ label: 'S', person: 'Ada' }], segments: [line('S', 'Hi.')] })
    const { body } = await user.get(`/v1/people/${await idOf(user, 'Ada')}/sessions`)
    expect(body.sessions).toMatchObject([{ talk_seconds: 0, top_lines: ['Hi.'] }])
  })

  test('pages through all of them, newest first, each once', async () => {
    const user = await newUser('sessions:read')
    const made = Array.from({ length: 7 }, (_, n) => `session ${n}`)
    for (const title of made) await user.session(meeting({ title }))
    const seen: string[] = []
    for (let cursor = ''; ; ) {
      const { body } = await user.get(`/v1/people/me/sessions?limit=3${cursor && `&cursor=${cursor}`}`)
      seen.push(...body.sessions.map(({ title }: { title: string }) => title))
      expect(body.has_more).toBe(body.next_cursor !== null)
      if (!body.has_more) break
      cursor = encodeURIComponent(body.next_cursor)
    }
    expect(seen).toEqual(made.reverse())
  })

  test('filters by type, from inclusive, to exclusive, together with the cursor', async () => {
    const user = await newUser('sessions:read')
    for (const [day, type] of [
      ['1', 'meeting'],
      ['2', 'phone'],
      ['3', 'meeting'],
      ['4', 'meeting']
    ] as const)
      await user.session(meeting({ title: `day ${day}`, type, timestamp: `2026-01-0${day}T00:00:00Z` }))
    const path = '/v1/people/me/sessions'
    expect(await titles(user, `${path}?type=phone`)).toEqual(['day 2'])
    expect(await titles(user, `${path}?from=2026-01-02&to=2026-01-04`)).toEqual(['day 3', 'day 2'])
    expect(await titles(user, `${path}?to=2026-01-04&cursor=2026-01-03T00:00:00Z`)).toEqual(['day 2', 'day 1'])
    expect(await titles(user, `${path}?to=2026-01-02&cursor=2026-01-03T00:00:00Z`)).toEqual(['day 1'])
  })

  test('returns 20 sessions by default, and 50 at most', async () => {
    const user = await newUser('sessions:read')
    for (let n = 0; n < 21; n++) await user.session(meeting())
    expect(await titles(user, '/v1/people/me/sessions')).toHaveLength(20)
    expect(await titles(user, '/v1/people/me/sessions?limit=50')).toHaveLength(21)
  })

  test.each([
    ['limit=51', 'limit: send a whole number from 1 to 50'],
    ['limit=0', 'limit: send a whole number from 1 to 50'],
    ['cursor=yesterday', 'cursor: send an ISO 8601 date such as 2026-03-02T10:00:00Z'],
    ['from=2026-02-30', 'from: send an ISO 8601 date such as 2026-03-02T10:00:00Z'],
    ['to=1&to=2', 'to: send it once'],
    ['type=call', 'type: send one of meeting, recording, phone, desktop, import, youtube, podcast']
  ])('refuses ?%s and says what to send', async (query, message) => {
    const user = await newUser('sessions:read')
    await user.session(meeting())
    expect(await user.get(`/v1/people/me/sessions?${query}`)).toEqual({
      status: 400,
      body: { error: { code: 'invalid_request', message } }
    })
  })

  test.each(['per_01m7x5r8n3k2vfd9w0c6ty4hbs', 'nobody', '%00'])(
    'answers not_found for the unknown person %s',
    async id => {
      const user = await newUser('sessions:read')
      const answer = await user.get(`/v1/people/${id}/sessions`)
      if (id === '%00') expect(answer.status).toBe(400)
      else expect(answer).toEqual(NOT_FOUND)
    }
  )
})

test('`me` says how to mark a person as the user while none is', async () => {
  const user = await newUser()
  const id = await user.session(meeting({ speakers: [] }))
  const missing = (message: string) => ({ status: 404, body: { error: { code: 'not_found', message } } })
  const alone = missing('No person is marked as the user; mark one with is_me: true')
  const named = (param: string) => missing(`${param}: no person is marked as the user; mark one with is_me: true`)
  expect(await user.get('/v1/people/me/sessions')).toEqual(alone)
  expect(await user.patch('/v1/people/me', { name: 'x' })).toEqual(alone)
  expect(await user.post('/v1/people/me/merge', { into: 'per_x' })).toEqual(alone)
  expect(await user.post('/v1/people/per_x/merge', { into: 'me' })).toEqual(named('into'))
  expect(await user.get('/v1/sessions?person=me')).toEqual(named('person'))
  expect(await user.get('/v1/action-items?person=me')).toEqual(named('person'))
  expect(await user.post('/v1/sessions/search', { query: 'hi', person: 'me' })).toEqual(named('person'))
  expect(await user.patch(`/v1/sessions/${id}/speakers`, { from: 'Speaker 1', person_id: 'me' })).toEqual(
    named('person_id')
  )
})

describe('GET /v1/sessions?person', () => {
  test('returns the sessions of a person, by id or as `me`, with every other filter', async () => {
    const user = await newUser('sessions:read')
    const alone = { speakers: [{ label: 'S', person: 'Ben' }], segments: [line('S', 'Hi.', 0, 1)] }
    await user.session(meeting({ title: 'both', tags: ['a'], folders: ['F'] }))
    await user.session({ ...alone, title: 'ben', tags: ['a', 'b'], folders: ['F'], type: 'phone' })
    await user.session({ title: 'nobody', tags: ['a'], folders: ['F'], segments: [line('Dan', 'Hi.', 0, 1)] })
    const ben = await idOf(user, 'Ben')
    const list = (query: string) => titles(user, `/v1/sessions?${query}`)
    expect(await list('person=me')).toEqual(['both'])
    expect(await list(`person=${ben}`)).toEqual(['ben', 'both'])
    expect(await list(`person=${ben}&type=phone`)).toEqual(['ben'])
    expect(await list(`person=${ben}&folder=f`)).toEqual(['ben', 'both'])
    expect(await list(`person=${ben}&tag=b,c`)).toEqual(['ben'])
    expect(await list(`person=me&tag=a,b&tag_mode=all`)).toEqual([])
    expect(await list(`person=${ben}&tag=a,b&tag_mode=all&folder=F&type=phone&since=2020-01-01`)).toEqual(['ben'])
    expect(await list(`person=${ben}&tag=a&folder=F&limit=1`)).toEqual(['ben'])
  })

  test('answers not_found for an unknown person, and takes one value', async () => {
    const user = await newUser('sessions:read')
    expect(await user.get('/v1/sessions?person=nobody')).toEqual(NO_PERSON)
    expect((await user.get('/v1/sessions?person=')).status).toBe(400)
    expect((await user.get('/v1/sessions?person=a&person=b')).body.error.message).toBe('person: send it once')
  })
})

describe('when a session is deleted', () => {
  test('its people have one session less, and were last heard in the newest remaining one', async () => {
    const user = await newUser()
    await user.session(meeting({ timestamp: '2026-01-01T00:00:00Z' }))
    const newer = await user.session(meeting({ timestamp: '2026-01-02T00:00:00Z' }))
    await user.delete(`/v1/sessions/${newer}`)
    expect(await peopleOf(user)).toMatchObject([
      { name: 'Ada Lovelace', recording_count: 1, last_heard_at: '2026-01-01T00:00:00.000Z' },
      { name: 'Ben', recording_count: 1, last_heard_at: '2026-01-01T00:00:00.000Z' }
    ])
  })

  test('a person known from it alone is removed, except the owner', async () => {
    const user = await newUser()
    const id = await user.session(meeting())
    await user.delete(`/v1/sessions/${id}`)
    expect(await peopleOf(user)).toMatchObject([
      { name: 'Ada Lovelace', is_me: true, recording_count: 0, last_heard_at: null }
    ])
    expect(await titles(user, '/v1/people/me/sessions')).toEqual([])
  })
})

describe('names with what meeting tools put behind them', () => {
  test('are one person, and stay in the transcript as they were written', async () => {
    const user = await newUser()
    const labels = [
      'Marta Lind (Guest)',
      'Marta Lind',
      'Marta Lind (External)',
      'marta lind (she/her)',
      'Marta Lind (hún/she)'
    ]
    const ids: string[] = []
    for (const label of labels) {
      const speakers = [{ label, person: label }]
      ids.push(
        await user.session({ speakers, segments: [{ speaker: label, start: 0, end: 3, text: 'About the mill.' }] })
      )
    }
    const { body } = await user.get('/v1/people')
    expect(body.people.map(({ name, recording_count }: Record<string, unknown>) => [name, recording_count])).toEqual([
      ['Marta Lind', labels.length]
    ])
    const transcripts = await Promise.all(ids.map(id => user.get(`/v1/sessions/${id}/transcript`)))
    expect(transcripts.map(read => read.body.segments[0].speaker)).toEqual(labels)
  })
})

describe('unknown speakers', () => {
  test.each(['Speaker', 'Speaker 1', 'SPEAKER_00'])('are no people and own no action item: %s', async speaker => {
    const user = await newUser()
    const segments = [{ speaker, start: 0, end: 3, text: "I'll send the letter to the bank by Friday." }]
    const id = await user.session({ timestamp: '2026-03-02T10:00:00Z', segments })
    const { body: session } = await user.get(`/v1/sessions/${id}`)
    expect(session.action_items.map(({ assignee }: { assignee: string | null }) => assignee)).toEqual([null])
    expect(await peopleOf(user)).toEqual([])
  })
})
