import { describe, expect, test } from 'vitest'
import { openAttempts } from '../../../src/features/library/open-attempts.ts'
import { matchPeople } from '../../../src/features/people/match-people.ts'
import { sql } from '../../../src/platform/db/drizzle.ts'
import { newAppUser } from '../../support/admin-api.ts'
import { onPostgres } from '../../support/process.ts'
import { acceptSession, completeSession, newUser } from '../../support/server.ts'

type User = Awaited<ReturnType<typeof newAppUser>>

const line = (speaker: string, text: string, start = 0, end = start + 1) => ({ speaker, text, start, end })
const NOT_FOUND = { status: 404, body: { error: { code: 'not_found', message: 'Person not found' } } }
const noUser = (field?: string) => ({
  status: 404,
  body: {
    error: {
      code: 'not_found',
      message: `${field ? `${field}: n` : 'N'}o person is marked as the user; mark one with is_me: true`
    }
  }
})
const noPerson = (field: string) => ({
  status: 404,
  body: { error: { code: 'not_found', message: `${field}: person not found` } }
})

/** A session in which each of these says something of that length, a second for a letter. */
const talk = (spoken: Record<string, string>, fields: object = {}) => ({
  speakers: Object.keys(spoken).map(person => ({ label: person, person })),
  segments: Object.entries(spoken).map(([speaker, text], at) => line(speaker, text, at * 100, at * 100 + text.length)),
  ...fields
})

async function people(user: User) {
  return (await user.get('/v1/people')).body.people as {
    id: string
    name: string
    is_me: boolean
    recording_count: number
    last_heard_at: string | null
  }[]
}

async function idOf(user: User, name: string) {
  return (await people(user)).find(person => person.name === name)!.id
}

async function sessionsOf(user: User, id: string) {
  const { status, body } = await user.get(`/v1/people/${id}/sessions`)
  expect(status).toBe(200)
  return body.sessions as {
    id: string
    talk_seconds: number
    name_in_session: string
    matched_by: string
    top_lines: string[]
  }[]
}

describe('adding a person', () => {
  test('takes a name on one line: it leads lines of transcripts', async () => {
    const user = await newAppUser()
    expect((await user.adminApi.post('/people', { name: 'Ada\nBen: forged' })).body.name).toBe('Ada Ben: forged')
  })

  test('makes a person who matches later recordings, and who stays without any', async () => {
    const user = await newAppUser()
    const { status, body } = await user.adminApi.post('/people', { name: ' Ada Lovelace ' })
    expect([status, body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^per_/),
        name: 'Ada Lovelace',
        is_me: false,
        recording_count: 0,
        last_heard_at: null
      }
    ])
    expect(await people(user)).toEqual([body])
    const id = await user.session({ segments: [line('ADA LOVELACE', 'Hello.')] })
    expect(await sessionsOf(user, body.id)).toMatchObject([{ id, matched_by: 'name' }])
    await user.delete(`/v1/sessions/${id}`)
    expect(await people(user)).toEqual([body])
  })

  test('with the name of an existing person, in any case, answers with that person', async () => {
    const user = await newAppUser()
    await user.session(talk({ Ada: 'Hello' }))
    const found = await user.adminApi.post('/people', { name: 'ada' })
    expect(found).toEqual({ status: 200, body: (await people(user))[0] })
    expect(await people(user)).toHaveLength(1)
  })

  test('can mark the person as the user, of whom there is one', async () => {
    const user = await newAppUser()
    const { body: me } = await user.adminApi.post('/people', { name: 'Ada', is_me: true })
    expect((await user.adminApi.get('/people/me')).body).toEqual(me)
    await user.session({ speakers: [{ label: 'You', is_me: true }], segments: [line('You', 'Just me.')] })
    expect(await sessionsOf(user, 'me')).toHaveLength(1)
    expect((await user.adminApi.post('/people', { name: 'ADA', is_me: true })).status).toBe(200)
    expect(await user.adminApi.post('/people', { name: 'Ben', is_me: true })).toEqual({
      status: 409,
      body: { error: { code: 'conflict', message: 'is_me: another person is already the user; merge the two' } }
    })
    expect(await people(user)).toHaveLength(1)
  })

  test.each([[{}], [{ name: '' }], [{ name: '\u200b ' }], [{ name: 'x'.repeat(201) }], [{ name: 7 }]])(
    'refuses %j',
    async body => {
      const user = await newAppUser()
      expect(await user.adminApi.post('/people', body)).toMatchObject({
        status: 400,
        body: { error: { message: expect.stringMatching(/^name: send/) } }
      })
    }
  )

  test.runIf(onPostgres)('of one name by many at once makes one person', { tags: ['postgres'] }, async () => {
    const user = await newAppUser()
    const made = await Promise.all(Array.from({ length: 8 }, () => user.adminApi.post('/people', { name: 'Ada' })))
    expect(new Set(made.map(({ body }) => body.id)).size).toBe(1)
    expect(made.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201])
  })
})

describe('renaming a person', () => {
  test('changes the name everywhere, and later speakers are recognised by it', async () => {
    const user = await newAppUser()
    await user.session(talk({ Ben: 'Hello' }))
    const id = await idOf(user, 'Ben')
    expect(await user.adminApi.patch(`/people/${id}`, { name: 'Benjamin' })).toMatchObject({
      status: 200,
      body: { id, name: 'Benjamin', recording_count: 1 }
    })
    await user.session(talk({ BENJAMIN: 'Hello' }))
    expect((await sessionsOf(user, id)).map(({ name_in_session }) => name_in_session).sort()).toEqual([
      'BENJAMIN',
      'Ben'
    ])
    expect(await user.events()).toEqual(['session.completed', 'session.completed'])
  })

  test('accepts the same name in another case, and refuses the name of another person', async () => {
    const user = await newAppUser()
    await user.session(talk({ Ada: 'Hello', Ben: 'Hi' }))
    const id = await idOf(user, 'Ben')
    expect((await user.adminApi.patch(`/people/${id}`, { name: 'BEN' })).body.name).toBe('BEN')
    expect(await user.adminApi.patch(`/people/${id}`, { name: 'ada' })).toEqual({
      status: 400,
      body: {
        error: {
          code: 'invalid_request',
          message: 'name: another person has this name; send a different one, or merge the two'
        }
      }
    })
  })

  test('of a stranger’s person, or of nobody, is 404', async () => {
    const [user, other] = [await newAppUser(), await newAppUser()]
    const { body } = await other.adminApi.post('/people', { name: 'Ada' })
    expect(await user.adminApi.patch(`/people/${body.id}`, { name: 'x' })).toEqual(NOT_FOUND)
    expect(await user.adminApi.patch('/people/me', { name: 'x' })).toEqual(noUser())
    expect(await user.adminApi.get('/people/me')).toEqual(noUser())
    expect(await user.adminApi.get('/people/per_0')).toEqual(NOT_FOUND)
  })
})

describe('merging a person into another', () => {
  test('moves every session, and adds up both people in a common session', async () => {
    const user = await newAppUser()
    const both = await user.session(
      talk({ Ada: 'four', Countess: 'longer line' }, { timestamp: '2026-01-01T10:00:00Z' })
    )
    const alone = await user.session(talk({ Countess: 'hello' }, { timestamp: '2026-01-02T10:00:00Z' }))
    const [ada, countess] = [await idOf(user, 'Ada'), await idOf(user, 'Countess')]
    const merged = await user.adminApi.post(`/people/${countess}/merge`, { into: ada })
    expect(merged).toEqual({
      status: 200,
      body: { id: ada, name: 'Ada', is_me: false, recording_count: 2, last_heard_at: '2026-01-02T10:00:00.000Z' }
    })
    expect(await people(user)).toEqual([merged.body])
    expect(await sessionsOf(user, ada)).toMatchObject([
      { id: alone, talk_seconds: 5, name_in_session: 'Countess' },
      { id: both, talk_seconds: 15, name_in_session: 'Countess', top_lines: ['longer line', 'four'] }
    ])
    expect((await user.get(`/v1/sessions?person=${ada}`)).body.sessions).toHaveLength(2)
    expect(await user.events()).toEqual(['session.completed', 'session.completed'])
  })

  test('makes the old id answer 404 with error.merged_into, on /v1 and here, also after a second merge', async () => {
    const user = await newAppUser()
    await user.session(talk({ A: 'x', B: 'y', C: 'z' }))
    const [a, b, c] = [await idOf(user, 'A'), await idOf(user, 'B'), await idOf(user, 'C')]
    const now = (id: string, answer = NOT_FOUND) => ({
      status: 404,
      body: { error: { ...answer.body.error, merged_into: id } }
    })
    await user.adminApi.post(`/people/${a}/merge`, { into: b })
    expect(await user.get(`/v1/people/${a}/sessions`)).toEqual(now(b))
    expect(await user.get(`/v1/sessions?person=${a}`)).toEqual(now(b, noPerson('person')))
    await user.adminApi.post(`/people/${b}/merge`, { into: c })
    expect(await user.get(`/v1/people/${a}/sessions`)).toEqual(now(c))
    expect(await user.adminApi.get(`/people/${a}`)).toEqual(now(c))
    expect(await user.adminApi.patch(`/people/${a}`, { name: 'x' })).toEqual(now(c))
    expect(await user.adminApi.post(`/people/${c}/merge`, { into: a })).toEqual(now(c, noPerson('into')))
    expect(await user.adminApi.post(`/people/${a}/merge`, { into: b })).toEqual(now(c, noPerson('into')))
    expect((await sessionsOf(user, c))[0]).toMatchObject({ talk_seconds: 3 })
  })

  test('a second time changes nothing', async () => {
    const user = await newAppUser()
    await user.session(talk({ A: 'x', B: 'y' }))
    const [a, b] = [await idOf(user, 'A'), await idOf(user, 'B')]
    const first = await user.adminApi.post(`/people/${a}/merge`, { into: b })
    expect(await user.adminApi.post(`/people/${a}/merge`, { into: b })).toEqual(first)
    expect(await sessionsOf(user, b)).toMatchObject([{ talk_seconds: 2 }])
  })

  test('keeps the mark of the user, and the old name is still recognised', async () => {
    const user = await newAppUser()
    await user.session({ speakers: [{ label: 'Me', person: 'Ada', is_me: true }], segments: [line('Me', 'Hi.')] })
    await user.session(talk({ Countess: 'hello' }))
    const countess = await idOf(user, 'Countess')
    expect((await user.adminApi.post('/people/me/merge', { into: countess })).body).toMatchObject({
      id: countess,
      is_me: true
    })
    await user.session(talk({ ada: 'again' }))
    await user.session({ speakers: [{ label: 'Y', is_me: true }], segments: [line('Y', 'Me.')] })
    expect(await people(user)).toMatchObject([{ id: countess, is_me: true, recording_count: 4 }])
    const third = (await user.adminApi.post('/people', { name: 'Ben' })).body.id
    expect((await user.adminApi.post(`/people/${third}/merge`, { into: 'me' })).body.id).toBe(countess)
  })

  test('frees the name of the merged person for a rename', async () => {
    const user = await newAppUser()
    await user.session(talk({ A: 'x', B: 'y', C: 'z' }))
    const [a, b, c] = [await idOf(user, 'A'), await idOf(user, 'B'), await idOf(user, 'C')]
    await user.adminApi.post(`/people/${a}/merge`, { into: b })
    expect((await user.adminApi.patch(`/people/${c}`, { name: 'A' })).status).toBe(200)
    await user.session(talk({ A: 'x' }))
    expect(await sessionsOf(user, c)).toHaveLength(2)
  })

  test('is refused into the same person, an unknown person and a person of another user', async () => {
    const [user, other] = [await newAppUser(), await newAppUser()]
    const { body: mine } = await user.adminApi.post('/people', { name: 'Ada' })
    const { body: theirs } = await other.adminApi.post('/people', { name: 'Ada' })
    expect(await user.adminApi.post(`/people/${mine.id}/merge`, { into: mine.id })).toMatchObject({ status: 400 })
    expect(await user.adminApi.post(`/people/${mine.id}/merge`, { into: theirs.id })).toEqual(noPerson('into'))
    expect(await user.adminApi.post(`/people/${theirs.id}/merge`, { into: mine.id })).toEqual(NOT_FOUND)
    expect(await user.adminApi.post(`/people/${mine.id}/merge`, { into: 'me' })).toEqual(noUser('into'))
    expect(await user.adminApi.post(`/people/${mine.id}/merge`, {})).toMatchObject({
      status: 400,
      body: { error: { message: 'into: send the id of a person, or me' } }
    })
  })

  test.runIf(onPostgres)(
    'loses no session and counts correctly while sessions are completed and deleted',
    { tags: ['postgres'] },
    async () => {
      const user = await newAppUser()
      const kept = await Promise.all(
        Array.from({ length: 6 }, (_, at) => user.session(talk({ A: 'x', B: 'yy' }, { title: `kept ${at}` })))
      )
      const going = await Promise.all(Array.from({ length: 6 }, () => user.session(talk({ A: 'x' }))))
      const coming = await Promise.all(Array.from({ length: 6 }, () => acceptSession(user.id, talk({ A: 'x' }))))
      const [a, b] = [await idOf(user, 'A'), await idOf(user, 'B')]
      const work = await Promise.all([
        ...coming.map(id => completeSession(user.id, id).then(() => 200)),
        user.adminApi.post(`/people/${a}/merge`, { into: b }).then(({ status }) => status),
        ...going.map(id => user.delete(`/v1/sessions/${id}`).then(({ status }) => status))
      ])
      expect(new Set(work)).toEqual(new Set([200]))
      expect(await people(user)).toMatchObject([{ id: b, recording_count: kept.length + coming.length }])
      expect((await sessionsOf(user, b)).map(({ id }) => id).sort()).toEqual([...kept, ...coming].sort())
    }
  )

  test.runIf(onPostgres)('in both directions at once succeeds in one', { tags: ['postgres'] }, async () => {
    const user = await newAppUser()
    await user.session(talk({ A: 'x', B: 'y' }))
    const [a, b] = [await idOf(user, 'A'), await idOf(user, 'B')]
    const both = await Promise.all([
      user.adminApi.post(`/people/${a}/merge`, { into: b }),
      user.adminApi.post(`/people/${b}/merge`, { into: a })
    ])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 404])
    expect(await people(user)).toHaveLength(1)
  })
})

describe('correcting a speaker in one session', () => {
  const meeting = () => ({
    speakers: [{ label: 'S1', person: 'Ada' }],
    segments: [
      line('S1', 'Good morning.', 0, 2),
      line('Speaker 2', 'Hello there, all of you.', 2, 5),
      line('S1', 'Well.', 5, 6),
      line('speaker 2', 'Bye.', 6, 7)
    ]
  })

  test('gives the speaker’s words to the person in that session only, and computes talk seconds and lines again', async () => {
    const user = await newAppUser()
    const [id, other] = [await user.session(meeting()), await user.session(meeting())]
    const corrected = await user.adminApi.patch(`/sessions/${id}/speakers`, { from: 'SPEAKER 2', name: 'Ben' })
    expect(corrected).toEqual({ status: 200, body: (await user.get(`/v1/sessions/${id}/transcript`)).body })
    const { status, body } = await user.adminApi.get(`/sessions/${id}/people`)
    expect([status, body]).toMatchObject([
      200,
      {
        session_id: id,
        people: [
          {
            person: { name: 'Ben', recording_count: 1 },
            talk_seconds: 4,
            name_in_session: 'Ben',
            matched_by: 'manual',
            top_lines: ['Hello there, all of you.', 'Bye.']
          },
          { person: { name: 'Ada', recording_count: 2 }, talk_seconds: 3, name_in_session: 'Ada', matched_by: 'name' }
        ]
      }
    ])
    expect((await user.get(`/v1/sessions/${id}/transcript`)).body.transcript).toContain('Ben: Hello there')
    expect((await user.get(`/v1/sessions/${other}/transcript`)).body.transcript).toContain('Speaker 2: Hello there')
    expect((await user.adminApi.get(`/sessions/${other}/people`)).body.people).toHaveLength(1)
    expect(await user.events()).toEqual(['session.completed', 'session.completed', 'session.updated'])
  })

  test('takes the words from the former person, who is removed if none are left', async () => {
    const user = await newAppUser()
    const id = await user.session(meeting())
    const { body: ben } = await user.adminApi.post('/people', { name: 'Ben' })
    await user.adminApi.patch(`/sessions/${id}/speakers`, { from: 'Ada', person_id: ben.id })
    expect(await people(user)).toMatchObject([{ id: ben.id, recording_count: 1 }])
    expect(await sessionsOf(user, ben.id)).toMatchObject([{ talk_seconds: 3, top_lines: ['Good morning.', 'Well.'] }])
    await user.adminApi.patch(`/sessions/${id}/speakers`, { from: 'Ben', name: null })
    expect(await people(user)).toMatchObject([{ id: ben.id, recording_count: 0, last_heard_at: null }])
  })

  test('keeps the correction of a failed session that is processed again, even to an unknown speaker, until a person is named', async () => {
    const user = await newAppUser()
    await user.session(meeting())
    const id = await acceptSession(user.id, meeting())
    await user.db.execute(sql`update sessions set state = 'failed' where user_id = ${user.id} and session_id = ${id}`)
    const url = `/sessions/${id}/speakers`
    const names = async () =>
      (await user.adminApi.get(`/sessions/${id}/people`)).body.people.map(
        ({ person }: { person: { name: string } }) => person.name
      )
    expect((await user.adminApi.patch(url, { from: 'ada', name: null })).status).toBe(200)
    expect((await user.adminApi.patch(url, { from: 'Speaker 2', name: 'Ben' })).status).toBe(200)
    expect((await user.post(`/v1/sessions/${id}/retry`)).status).toBe(202)
    await completeSession(user.id, id)
    await matchPeople({ db: user.db, attempts: openAttempts(user.db) }, new AbortController().signal)
    expect(await names()).toEqual(['Ben'])
    expect((await user.get(`/v1/sessions/${id}/transcript`)).body.transcript).toContain('Speaker: Good morning.')
    await user.adminApi.patch(url, { from: 'Speaker', person_id: await idOf(user, 'Ada') })
    expect(await names()).toEqual(['Ben', 'Ada'])
  })

  test('is not assumed for `matched_by: manual` in a document that names no person', async () => {
    const user = await newAppUser()
    await user.session(meeting())
    const speakers = [{ label: 'Ada', matched_by: 'manual' }]
    await user.session({ speakers, segments: [line('Ada', 'Hello again.')] })
    expect(await people(user)).toMatchObject([{ name: 'Ada', recording_count: 2 }])
  })

  test('adds the words to those that the person already has', async () => {
    const user = await newAppUser()
    const id = await user.session(meeting())
    await user.adminApi.patch(`/sessions/${id}/speakers`, { from: 'Speaker 2', person_id: await idOf(user, 'Ada') })
    expect(await sessionsOf(user, await idOf(user, 'Ada'))).toMatchObject([
      { talk_seconds: 7, top_lines: ['Hello there, all of you.', 'Good morning.', 'Well.'], matched_by: 'manual' }
    ])
  })

  test('keeps the other people, even those renamed or merged since', async () => {
    const user = await newAppUser()
    const id = await user.session(talk({ A: 'xx', B: 'yyy', C: 'z', 'Speaker 9': 'last' }))
    const [a, b, c] = [await idOf(user, 'A'), await idOf(user, 'B'), await idOf(user, 'C')]
    await user.adminApi.post(`/people/${a}/merge`, { into: b })
    await user.adminApi.patch(`/people/${c}`, { name: 'Cy' })
    await user.adminApi.patch(`/sessions/${id}/speakers`, { from: 'Speaker 9', name: 'Dee' })
    const { body } = await user.adminApi.get(`/sessions/${id}/people`)
    expect(
      body.people.map(({ person, talk_seconds }: { person: { name: string }; talk_seconds: number }) => [
        person.name,
        talk_seconds
      ])
    ).toEqual([
      ['B', 5],
      ['Dee', 4],
      ['Cy', 1]
    ])
  })

  test('accepts the user as `me`', async () => {
    const user = await newAppUser()
    await user.adminApi.post('/people', { name: 'Ada L.', is_me: true })
    const id = await user.session(meeting())
    await user.adminApi.patch(`/sessions/${id}/speakers`, { from: 'Speaker 2', person_id: 'me' })
    expect(await sessionsOf(user, 'me')).toMatchObject([{ id, name_in_session: 'Ada L.' }])
  })

  test('is refused for an unknown person, and while the session is processing', async () => {
    const [user, other] = [await newAppUser(), await newUser()]
    const id = await user.session(meeting())
    const url = `/sessions/${id}/speakers`
    const code = (status: number, code: string) => ({ status, body: { error: { code } } })
    expect(await user.adminApi.patch(url, { from: 'Nobody', name: 'Ben' })).toMatchObject(code(400, 'invalid_request'))
    expect(await user.adminApi.patch(url, { from: 'Ada', person_id: 'per_0' })).toEqual(noPerson('person_id'))
    expect(await user.adminApi.patch(url, { from: 'Ada', person_id: 'me' })).toEqual(noUser('person_id'))
    expect(await user.adminApi.patch(url, { from: 'Ada' })).toMatchObject(code(400, 'invalid_request'))
    expect(await user.adminApi.patch(url, { from: 'Ada', name: 'x', person_id: 'me' })).toMatchObject(
      code(400, 'invalid_request')
    )
    const theirs = await other.session(meeting())
    expect(await user.adminApi.patch(`/sessions/${theirs}/speakers`, { from: 'Ada', name: 'New' })).toMatchObject(
      code(404, 'not_found')
    )
    expect((await people(user)).map(({ name }) => name)).toEqual(['Ada'])
    const processing = await acceptSession(user.id, meeting())
    expect(await user.adminApi.patch(`/sessions/${processing}/speakers`, { from: 'Ada', name: null })).toMatchObject(
      code(409, 'conflict')
    )
  })
})
