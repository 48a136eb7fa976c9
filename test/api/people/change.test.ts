// @module-tag both

import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/platform/db/drizzle.ts'
import { onPostgres } from '../../support/process.ts'
import { acceptSession, newUser } from '../../support/server.ts'

type User = Awaited<ReturnType<typeof newUser>>

const line = (speaker: string, text: string, start: number | null = null, end: number | null = null) => ({
  speaker,
  text,
  start,
  end
})
const refusal = (status: number, code: string, message: string | RegExp = /./) => ({
  status,
  body: { error: { code, message: expect.stringMatching(message) } }
})
const NO_PERSON = refusal(404, 'not_found', 'Person not found')

const meeting = (fields: object = {}) => ({
  speakers: [{ label: 'Speaker 1', person: 'Ada' }],
  segments: [
    line('Speaker 1', 'Good morning.', 0, 2),
    line('Speaker 2', 'Hello there, all of you.', 2, 5),
    line('Speaker 1', 'Well.', 5, 6),
    line('speaker 2', 'I send the offer.', 6, 7)
  ],
  action_items: [
    { text: 'Send the offer', assignee: 'Speaker 2', source_start: 6 },
    { text: 'Greet everybody', assignee: 'speaker 2', source_start: 2 },
    { text: 'Book a room', assignee: 'Ada', source_start: 5 }
  ],
  ...fields
})

async function peopleOf(user: User): Promise<{ id: string; name: string; is_me: boolean; recording_count: number }[]> {
  return (await user.get('/v1/people')).body.people
}

async function idOf(user: User, name: string) {
  return (await peopleOf(user)).find(person => person.name === name)!.id
}

async function speakersOf(user: User, session: string) {
  const { body } = await user.get(`/v1/sessions/${session}/transcript`)
  return body.segments.map(({ speaker }: { speaker: string }) => speaker)
}

async function assigneesOf(user: User, session: string) {
  const { body } = await user.get(`/v1/sessions/${session}/action-items`)
  return [body.version, ...body.action_items.map(({ assignee }: { assignee: string }) => assignee)]
}

async function eventsOf(user: User): Promise<string[]> {
  return (await user.get('/v1/events?limit=200')).body.events.map(({ event }: { event: string }) => event)
}

describe('POST /v1/people', () => {
  test('adds a person, whom later imports match by name', async () => {
    const user = await newUser()
    const { status, body } = await user.post('/v1/people', { name: ' Ada  Lovelace ', is_me: true })
    expect([status, body]).toEqual([
      201,
      { id: expect.stringMatching(/^per_/), name: 'Ada Lovelace', is_me: true, recording_count: 0, last_heard_at: null }
    ])
    await user.session(meeting({ speakers: [{ label: 'Speaker 1', person: 'ada lovelace' }] }))
    expect(await peopleOf(user)).toMatchObject([{ id: body.id, recording_count: 1 }])
  })

  test('answers 200 with the person who has the name, in any case', async () => {
    const user = await newUser()
    const { body } = await user.post('/v1/people', { name: 'Ada' })
    expect(await user.post('/v1/people', { name: 'ADA' })).toEqual({ status: 200, body })
  })

  test('answers a repeated Idempotency-Key with the first answer', async () => {
    const user = await newUser()
    const create = (name: string) => user.post('/v1/people', { name }, { 'idempotency-key': 'one' })
    const first = await create('Ada')
    expect(first.status).toBe(201)
    expect(await create('Ada')).toEqual(first)
    expect(await create('Ben')).toMatchObject({ status: 422 })
  })

  test('makes one person of many requests at once', async () => {
    const user = await newUser()
    const made = await Promise.all(Array.from({ length: 6 }, () => user.post('/v1/people', { name: 'Ada' })))
    expect(made.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 201])
    expect(await peopleOf(user)).toHaveLength(1)
  })

  test.runIf(onPostgres)('adds the person again who is deleted at this moment', { tags: ['postgres'] }, async () => {
    const user = await newUser()
    const { body: before } = await user.post('/v1/people', { name: 'Ben' })
    const { status, body } = await user.db
      .transaction(async tx => {
        await tx.execute(sql`select from people where user_id = ${user.id} for update`)
        const answer = user.post('/v1/people', { name: 'Ben' })
        // On a cluster it is the worker that waits for the lock.
        const waiting = sql`select from pg_stat_activity
          where datname = current_database() and state = 'active' and query like 'update "people" set "saved"%'`
        await expect
          .poll(async () => (await user.db.execute(waiting)).rows.length, { timeout: 60_000 })
          .toBeGreaterThan(0)
        await tx.execute(sql`delete from people where user_id = ${user.id}`)
        return { answer }
      })
      .then(({ answer }) => answer)
    expect([status, body]).toEqual([201, { ...before, id: expect.not.stringContaining(before.id) }])
  })

  test('refuses a second person who is the user', async () => {
    const user = await newUser()
    await user.post('/v1/people', { name: 'Ada', is_me: true })
    expect(await user.post('/v1/people', { name: 'Ben', is_me: true })).toMatchObject(
      refusal(409, 'conflict', /^is_me: .*merge/)
    )
  })

  test.each([[{}], [{ name: ' ' }], [{ name: 'x'.repeat(201) }], [{ name: 7 }], [{ name: 'Ada', is_me: 'yes' }]])(
    'refuses %j',
    async body => {
      const user = await newUser()
      expect(await user.post('/v1/people', body)).toMatchObject(refusal(400, 'invalid_request', /^(name|is_me): send/))
    }
  )
})

describe('PATCH /v1/people/{id}', () => {
  test('renames a person, and matches new speakers by the new name', async () => {
    const user = await newUser()
    const id = await user.session(meeting())
    const ada = await idOf(user, 'Ada')
    expect(await user.patch(`/v1/people/${ada}`, { name: 'Ada King' })).toMatchObject({
      status: 200,
      body: { id: ada, name: 'Ada King' }
    })
    await user.session(meeting({ speakers: [{ label: 'Speaker 1', person: 'Ada King' }] }))
    expect(await peopleOf(user)).toMatchObject([{ id: ada, name: 'Ada King', recording_count: 2 }])
    expect(await speakersOf(user, id)).toContain('Ada')
  })

  test('changes whether the person is the user, and keeps the name', async () => {
    const user = await newUser()
    await user.session(meeting())
    const ada = await idOf(user, 'Ada')
    expect(await user.patch(`/v1/people/${ada}`, { is_me: true })).toMatchObject({
      status: 200,
      body: { name: 'Ada', is_me: true }
    })
    expect((await user.get('/v1/people/me/sessions')).body.person.id).toBe(ada)
    expect(await user.patch('/v1/people/me', { is_me: false })).toMatchObject({
      status: 200,
      body: { id: ada, is_me: false }
    })
    expect(await user.patch('/v1/people/me', { name: 'x' })).toEqual(expect.objectContaining({ status: 404 }))
  })

  test('refuses a second person who is the user, also of two at once', async () => {
    const user = await newUser()
    const [a, b] = [
      (await user.post('/v1/people', { name: 'A' })).body.id,
      (await user.post('/v1/people', { name: 'B' })).body.id
    ]
    const answers = await Promise.all([a, b].map(id => user.patch(`/v1/people/${id}`, { is_me: true })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect((await peopleOf(user)).filter(({ is_me }) => is_me)).toHaveLength(1)
  })

  test('refuses the name of another person, and a body without a change', async () => {
    const user = await newUser()
    await user.post('/v1/people', { name: 'Ben' })
    const { id } = (await user.post('/v1/people', { name: 'Ada' })).body
    expect(await user.patch(`/v1/people/${id}`, { name: 'BEN' })).toMatchObject(
      refusal(400, 'invalid_request', /^name: another person/)
    )
    expect(await user.patch(`/v1/people/${id}`, {})).toMatchObject(
      refusal(400, 'invalid_request', /send name, is_me or both/)
    )
  })
})

describe('POST /v1/people/{id}/merge', () => {
  test('moves sessions and name to the other, and names the other from then on', async () => {
    const user = await newUser()
    await user.session(meeting())
    const [ada, countess] = [await idOf(user, 'Ada'), (await user.post('/v1/people', { name: 'Countess' })).body.id]
    const merged = await user.post(`/v1/people/${ada}/merge`, { into: countess })
    expect(merged).toMatchObject({ status: 200, body: { id: countess, name: 'Countess', recording_count: 1 } })
    expect(await user.post(`/v1/people/${ada}/merge`, { into: countess })).toEqual(merged)
    expect(await user.get(`/v1/people/${ada}/sessions`)).toMatchObject({
      status: 404,
      body: { error: { merged_into: countess } }
    })
  })

  test('takes `me` on both sides', async () => {
    const user = await newUser()
    const me = (await user.post('/v1/people', { name: 'Ada', is_me: true })).body.id
    const other = (await user.post('/v1/people', { name: 'A.' })).body.id
    expect((await user.post(`/v1/people/${other}/merge`, { into: 'me' })).body).toMatchObject({ id: me, is_me: true })
  })

  test('refuses the same person, a stranger’s and none', async () => {
    const [user, stranger] = [await newUser(), await newUser()]
    const [mine, theirs] = [
      (await user.post('/v1/people', { name: 'A' })).body.id,
      (await stranger.post('/v1/people', { name: 'A' })).body.id
    ]
    expect(await user.post(`/v1/people/${mine}/merge`, { into: mine })).toMatchObject(
      refusal(400, 'invalid_request', /^into: /)
    )
    expect(await user.post(`/v1/people/${mine}/merge`, { into: theirs })).toMatchObject(
      refusal(404, 'not_found', 'into: person not found')
    )
    expect(await user.post(`/v1/people/${theirs}/merge`, { into: mine })).toMatchObject(NO_PERSON)
    expect(await user.post(`/v1/people/${mine}/merge`, {})).toMatchObject(
      refusal(400, 'invalid_request', /^into: send/)
    )
  })
})

describe('PATCH /v1/sessions/{id}/speakers', () => {
  test('gives a whole label to a person, everywhere at once, and answers with the transcript', async () => {
    const user = await newUser()
    const id = await user.session(meeting())
    const { status, body } = await user.patch(`/v1/sessions/${id}/speakers`, { from: 'SPEAKER 2', name: 'Ben' })
    expect(status).toBe(200)
    expect(body).toEqual((await user.get(`/v1/sessions/${id}/transcript`)).body)
    expect(await speakersOf(user, id)).toEqual(['Ada', 'Ben', 'Ada', 'Ben'])
    expect(await assigneesOf(user, id)).toEqual([2, 'Ben', 'Ben', 'Ada'])
    const [heard] = (await user.get(`/v1/people/${await idOf(user, 'Ben')}/sessions`)).body.sessions
    expect(heard).toMatchObject({
      talk_seconds: 4,
      name_in_session: 'Ben',
      matched_by: 'manual',
      top_lines: ['Hello there, all of you.', 'I send the offer.']
    })
    const exported = await user.post('/v1/sessions/bulk', { session_ids: [id], include_transcript: true })
    expect(exported.body.sessions[0].transcript).toContain('Ben: Hello there')
    expect(await eventsOf(user)).toEqual(['session.completed', 'session.updated', 'session.action_items.updated'])
  })

  test('takes a label and finds assignees with any spaces around them', async () => {
    const user = await newUser()
    const id = await user.session(meeting())
    const items = (await user.get(`/v1/sessions/${id}`)).body.action_items
    await user.patch(`/v1/sessions/${id}`, { action_items: [{ ...items[0], assignee: '  Speaker\u00a02 ' }] })
    expect(await assigneesOf(user, id)).toEqual([2, 'Speaker 2'])
    expect((await user.patch(`/v1/sessions/${id}/speakers`, { from: ' Speaker 2\t', name: ' Ben ' })).status).toBe(200)
    expect(await speakersOf(user, id)).toEqual(['Ada', 'Ben', 'Ada', 'Ben'])
    expect(await assigneesOf(user, id)).toEqual([3, 'Ben'])
  })

  test('gives chosen segments to a person, with the action items that come from them', async () => {
    const user = await newUser()
    const id = await user.session(meeting())
    expect(
      (await user.patch(`/v1/sessions/${id}/speakers`, { from: 'Speaker 2', name: 'Ben', segments: [3] })).status
    ).toBe(200)
    expect(await speakersOf(user, id)).toEqual(['Ada', 'Speaker 2', 'Ada', 'Ben'])
    expect(await assigneesOf(user, id)).toEqual([2, 'Ben', 'speaker 2', 'Ada'])
    expect((await user.get(`/v1/people/${await idOf(user, 'Ben')}/sessions`)).body.sessions).toMatchObject([
      { talk_seconds: 1 }
    ])
  })

  test('leaves the rest of a person’s words with them', async () => {
    const user = await newUser()
    const id = await user.session(meeting())
    const ben = (await user.post('/v1/people', { name: 'Ben' })).body.id
    await user.patch(`/v1/sessions/${id}/speakers`, { from: 'Ada', person_id: ben, segments: [2] })
    expect(await speakersOf(user, id)).toEqual(['Ada', 'Speaker 2', 'Ben', 'speaker 2'])
    expect((await user.get(`/v1/people/${await idOf(user, 'Ada')}/sessions`)).body.sessions).toMatchObject([
      { talk_seconds: 2 }
    ])
    expect((await user.get(`/v1/people/${ben}/sessions`)).body.sessions).toMatchObject([{ talk_seconds: 1 }])
  })

  test('records only `session.updated` if no action item changes, and nothing if nothing changes', async () => {
    const user = await newUser()
    const id = await user.session(meeting({ action_items: [] }))
    const { body: before } = await user.get(`/v1/sessions/${id}`)
    await user.patch(`/v1/sessions/${id}/speakers`, { from: 'Ada', name: 'Ada' })
    expect((await user.get(`/v1/sessions/${id}`)).body).toEqual(before)
    await user.patch(`/v1/sessions/${id}/speakers`, { from: 'Speaker 2', name: 'Ben' })
    expect(await eventsOf(user)).toEqual(['session.completed', 'session.updated'])
    expect((await user.get('/v1/sessions?order=updated')).body.sessions).toMatchObject([
      { id, updated_at: expect.any(String) }
    ])
  })

  test('takes `me` for the user', async () => {
    const user = await newUser()
    await user.post('/v1/people', { name: 'Eve', is_me: true })
    const id = await user.session(meeting())
    await user.patch(`/v1/sessions/${id}/speakers`, { from: 'Speaker 2', person_id: 'me' })
    expect((await user.get('/v1/people/me/sessions')).body.sessions).toMatchObject([{ id, name_in_session: 'Eve' }])
  })

  test('corrects a transcript without times, whose segments are its turns', async () => {
    const user = await newUser()
    const id = await user.session(
      meeting({ segments: [line('A', 'One.'), line('B', 'Two.'), line('A', 'Three.')], speakers: [], action_items: [] })
    )
    const { body } = await user.patch(`/v1/sessions/${id}/speakers`, { from: 'A', name: 'Cy', segments: [2] })
    expect(body).toEqual({ id, transcript: 'A: One.\nB: Two.\nCy: Three.', version: 2 })
  })

  test('is found by the new name', async () => {
    const user = await newUser()
    const id = await user.session(meeting())
    await user.patch(`/v1/sessions/${id}/speakers`, { from: 'Speaker 2', name: 'Zacharias' })
    const { body } = await user.post('/v1/sessions/search', { query: 'Zacharias' })
    expect(body.results.map(({ id }: { id: string }) => id)).toEqual([id])
  })

  test('refuses a speaker and segments that the transcript does not have, and creates no person for them', async () => {
    const user = await newUser()
    const url = `/v1/sessions/${await user.session(meeting())}/speakers`
    expect(await user.patch(url, { from: 'Nobody', name: 'Ben' })).toMatchObject(
      refusal(400, 'invalid_request', /^from: the transcript has no such speaker/)
    )
    expect(await user.patch(url, { from: 'Ada', name: 'Ben', segments: [1] })).toMatchObject(
      refusal(400, 'invalid_request', /^segments: .* 1;/)
    )
    expect(await user.patch(url, { from: 'Ada', name: 'Ben', segments: [0, 4] })).toMatchObject(
      refusal(400, 'invalid_request', /^segments: .* 4;/)
    )
    expect((await peopleOf(user)).map(({ name }) => name)).toEqual(['Ada'])
  })

  test.each([
    [{ from: 'Ada' }, /either name or person_id/],
    [{ from: 'Ada', name: 'Ben', person_id: 'me' }, /either name or person_id/],
    [{ name: 'Ben' }, /^from: send/],
    [{ from: ' ', name: 'Ben' }, /^from: send a speaker/],
    [{ from: 'Ada', name: 'Ben', segments: [] }, /^segments: send/],
    [{ from: 'Ada', name: 'Ben', segments: [-1] }, /^segments\.0: send/],
    [{ from: 'Ada', name: 'Ben', segments: [0.5] }, /^segments\.0: send/],
    [{ from: 'Ada', person_id: null }, /^person_id: send/]
  ])('refuses %j', async (body, message) => {
    const user = await newUser()
    expect(await user.patch(`/v1/sessions/${await user.session(meeting())}/speakers`, body)).toMatchObject(
      refusal(400, 'invalid_request', message)
    )
  })

  test('refuses people and sessions of others, and a session in processing', async () => {
    const [user, stranger] = [await newUser(), await newUser()]
    const id = await user.session(meeting())
    const theirs = (await stranger.post('/v1/people', { name: 'Ben' })).body.id
    expect(await user.patch(`/v1/sessions/${id}/speakers`, { from: 'Ada', person_id: theirs })).toMatchObject(
      refusal(404, 'not_found', 'person_id: person not found')
    )
    expect(await stranger.patch(`/v1/sessions/${id}/speakers`, { from: 'Ada', name: 'Ben' })).toMatchObject(
      refusal(404, 'not_found', 'Session not found')
    )
    const processing = await acceptSession(user.id, meeting())
    expect(await user.patch(`/v1/sessions/${processing}/speakers`, { from: 'Ada', name: 'Ben' })).toMatchObject(
      refusal(409, 'conflict')
    )
  })

  test('loses no correction of many at once', async () => {
    const user = await newUser()
    const labels = Array.from({ length: 8 }, (_, index) => `Speaker ${index}`)
    const segments = labels.map((label, index) => line(label, `Words of ${label}.`, index, index + 1))
    const id = await user.session(meeting({ segments, speakers: [], action_items: [] }))
    await Promise.all(
      labels.map((from, index) => user.patch(`/v1/sessions/${id}/speakers`, { from, name: `Person ${index}` }))
    )
    expect(await speakersOf(user, id)).toEqual(labels.map((_, index) => `Person ${index}`))
  })

  test('follows a merge that happens at the same time', async () => {
    const user = await newUser()
    const id = await user.session(meeting())
    const [a, b] = [
      (await user.post('/v1/people', { name: 'A' })).body.id,
      (await user.post('/v1/people', { name: 'B' })).body.id
    ]
    const [corrected, merged] = await Promise.all([
      user.patch(`/v1/sessions/${id}/speakers`, { from: 'Speaker 2', name: 'A' }),
      user.post(`/v1/people/${a}/merge`, { into: b })
    ])
    expect([corrected.status, merged.status]).toEqual([200, 200])
    expect((await peopleOf(user)).find(person => person.id === b)).toMatchObject({ recording_count: 1 })
  })
})
