import { describe, expect, test } from 'vitest'
import { acceptSession, newUser } from '../../support/server.ts'

type User = Awaited<ReturnType<typeof newUser>>

const line = (speaker: string, text: string, start: number) => ({ speaker, text, start, end: start + 1 })
const refusal = (message: RegExp) => ({
  status: 400,
  body: { error: { code: 'invalid_request', message: expect.stringMatching(message) } }
})

/** Ada's words have the label Ben, and Ben's the label Ada. */
const confused = (fields: object = {}) => ({
  speakers: ['Ada', 'Ben'].map(person => ({ label: person, person })),
  segments: [line('Ben', 'I am Ada.', 0), line('Ada', 'And I am Ben, good morning.', 1), line('ben', 'Bye.', 2)],
  summary: "Ada greets everybody. Ben's goodbye is short, and Benny is not there.",
  action_items: [
    { text: 'Ada sends the offer', assignee: 'Ada', source_start: 1 },
    { text: 'Book a room', assignee: 'Ben', source_start: 0 }
  ],
  ...fields
})

async function speakersOf(user: User, session: string) {
  const { body } = await user.get(`/v1/sessions/${session}/transcript`)
  return body.segments.map(({ speaker }: { speaker: string }) => speaker)
}

async function heardOf(user: User) {
  const { people } = (await user.get('/v1/people')).body
  const heard = people.map(async ({ id, name }: { id: string; name: string }) => {
    const { sessions } = (await user.get(`/v1/people/${id}/sessions`)).body
    return [name, ...sessions.map(({ talk_seconds }: { talk_seconds: number }) => talk_seconds)]
  })
  return (await Promise.all(heard)).sort()
}

async function detailOf(user: User, session: string) {
  const { summary, action_items: items } = (await user.get(`/v1/sessions/${session}`)).body
  return [summary, ...items.map(({ text, assignee }: { text: string; assignee: string | null }) => [text, assignee])]
}

async function eventsOf(user: User): Promise<string[]> {
  return (await user.get('/v1/events?limit=200')).body.events.map(({ event }: { event: string }) => event)
}

describe('PATCH /v1/sessions/{id}/speakers with swap', () => {
  test('exchanges two speakers everywhere at once', async () => {
    const user = await newUser()
    const id = await user.session(confused())
    const { status, body } = await user.patch(`/v1/sessions/${id}/speakers`, { swap: ['ada', 'BEN'] })
    expect(status).toBe(200)
    expect(body).toEqual((await user.get(`/v1/sessions/${id}/transcript`)).body)
    expect(await speakersOf(user, id)).toEqual(['Ada', 'Ben', 'Ada'])
    expect(await heardOf(user)).toEqual([
      ['Ada', 2],
      ['Ben', 1]
    ])
    expect(await detailOf(user, id)).toEqual([
      "Ben greets everybody. Ada's goodbye is short, and Benny is not there.",
      ['Ben sends the offer', 'Ben'],
      ['Book a room', 'Ada']
    ])
    expect(await eventsOf(user)).toEqual(['session.completed', 'session.updated', 'session.action_items.updated'])
  })

  test('a second time exchanges them back', async () => {
    const user = await newUser()
    const id = await user.session(confused())
    const before = await detailOf(user, id)
    await user.patch(`/v1/sessions/${id}/speakers`, { swap: ['Ada', 'Ben'] })
    await user.patch(`/v1/sessions/${id}/speakers`, { swap: ['Ada', 'Ben'] })
    expect(await speakersOf(user, id)).toEqual(['Ben', 'Ada', 'Ben'])
    expect(await detailOf(user, id)).toEqual(before)
  })

  test('exchanges a person with an unknown voice', async () => {
    const user = await newUser()
    const segments = [line('Ada', 'Hello.', 0), line('Speaker 2', 'Good morning.', 1), line('Speaker 2', 'Bye.', 2)]
    const id = await user.session(confused({ segments, summary: 'Speaker 2 says goodbye.', action_items: [] }))
    await user.patch(`/v1/sessions/${id}/speakers`, { swap: ['Ada', 'Speaker 2'] })
    expect(await speakersOf(user, id)).toEqual(['Speaker 2', 'Ada', 'Ada'])
    expect(await heardOf(user)).toEqual([['Ada', 2]])
    expect(await detailOf(user, id)).toEqual(['Ada says goodbye.'])
  })

  test('loses no exchange of many at once', async () => {
    const user = await newUser()
    const id = await user.session(confused({ summary: 'Nothing.' }))
    const swaps = Array.from({ length: 7 }, () => user.patch(`/v1/sessions/${id}/speakers`, { swap: ['Ada', 'Ben'] }))
    expect((await Promise.all(swaps)).map(({ status }) => status)).toEqual(swaps.map(() => 200))
    expect(await speakersOf(user, id)).toEqual(['Ada', 'Ben', 'Ada'])
  })

  test.each([
    [{ swap: ['Ada'] }, /^swap: send a list of two speakers/],
    [{ swap: ['Ada', 'Ben', 'Cy'] }, /^swap: send a list of two speakers/],
    [{ swap: 'Ada' }, /^swap: send a list of two speakers/],
    [{ swap: ['Ada', ' '] }, /^swap\.1: send a speaker/],
    [{ swap: ['Ada', 'Nobody'] }, /^swap\.1: the transcript has no such speaker/],
    [{ swap: ['Ada', 'ADA'] }, /^swap: the two are one speaker/],
    [{ swap: ['Ada', 'Ben'], from: 'Ada' }, /^from: send swap alone/],
    [{ swap: ['Ada', 'Ben'], segments: [1] }, /^segments: send swap alone/]
  ])('refuses %j', async (body, message) => {
    const user = await newUser()
    const id = await user.session(confused())
    expect(await user.patch(`/v1/sessions/${id}/speakers`, body)).toMatchObject(refusal(message))
    expect(await speakersOf(user, id)).toEqual(['Ben', 'Ada', 'ben'])
  })

  test('needs a completed session of the user', async () => {
    const [user, stranger] = [await newUser(), await newUser()]
    const id = await user.session(confused())
    const swap = { swap: ['Ada', 'Ben'] }
    expect((await stranger.patch(`/v1/sessions/${id}/speakers`, swap)).status).toBe(404)
    expect((await user.patch(`/v1/sessions/${await acceptSession(user.id, confused())}/speakers`, swap)).status).toBe(
      409
    )
  })
})

describe('PATCH /v1/sessions/{id}/speakers with `name: null`', () => {
  test('takes the words from a person, who then owns no item and is not named', async () => {
    const user = await newUser()
    const id = await user.session(confused())
    expect((await user.patch(`/v1/sessions/${id}/speakers`, { from: 'Ben', name: null })).status).toBe(200)
    expect(await speakersOf(user, id)).toEqual(['Speaker', 'Ada', 'Speaker'])
    expect(await heardOf(user)).toEqual([['Ada', 1]])
    expect(await detailOf(user, id)).toEqual([
      "Ada greets everybody. Speaker's goodbye is short, and Benny is not there.",
      ['Ada sends the offer', 'Ada'],
      ['Book a room', null]
    ])
  })

  test('keeps a label that tells two unknown voices apart', async () => {
    const user = await newUser()
    const segments = [line('Speaker 1', 'Hello.', 0), line('Speaker 2', 'Good morning.', 1)]
    const id = await user.session(confused({ segments, speakers: [], summary: 'Talk.', action_items: [] }))
    await user.patch(`/v1/sessions/${id}/speakers`, { from: 'Speaker 2', name: null })
    expect(await speakersOf(user, id)).toEqual(['Speaker 1', 'Speaker 2'])
    expect(await eventsOf(user)).toEqual(['session.completed'])
  })

  test('never gives the words to a person whose label is the neutral one', async () => {
    const user = await newUser()
    const segments = [line('Ada', 'Hello.', 0), line('Speaker', 'Good morning.', 1)]
    const id = await user.session(confused({ segments, speakers: [{ label: 'Speaker', person: 'Speaker' }] }))
    await user.patch(`/v1/sessions/${id}/speakers`, { from: 'Ada', name: null })
    expect(await speakersOf(user, id)).toEqual(['Unknown speaker', 'Speaker'])
    expect(await heardOf(user)).toEqual([['Speaker', 1]])
  })

  test('takes only chosen segments', async () => {
    const user = await newUser()
    const id = await user.session(confused())
    await user.patch(`/v1/sessions/${id}/speakers`, { from: 'Ben', name: null, segments: [2] })
    expect(await speakersOf(user, id)).toEqual(['Ben', 'Ada', 'Speaker'])
    expect(await heardOf(user)).toEqual([
      ['Ada', 1],
      ['Ben', 1]
    ])
    expect((await detailOf(user, id))[2]).toEqual(['Book a room', 'Ben'])
  })
})

describe('a correction', () => {
  test('leaves one spelling of the person, whatever the transcript called them', async () => {
    const user = await newUser()
    const segments = ['ADA', 'Speaker 2', 'ada', 'Speaker 3'].map((name, at) => line(name, `Line ${at}.`, at))
    const id = await user.session(confused({ segments, speakers: [{ label: 'ADA', person: 'ADA' }] }))
    const ada = (await user.get('/v1/people')).body.people[0].id
    await user.patch(`/v1/people/${ada}`, { name: 'Ada King' })
    await user.patch(`/v1/sessions/${id}/speakers`, { from: 'Speaker 2', person_id: ada })
    expect(await speakersOf(user, id)).toEqual(['Ada King', 'Ada King', 'Ada King', 'Speaker 3'])
    expect(await heardOf(user)).toEqual([['Ada King', 3]])
  })

  test('renames the speaker in the summary and in the items, but no ordinary word', async () => {
    const user = await newUser()
    const segments = [line('Speaker 2', 'Hello.', 0), line('You', 'Good morning.', 1)]
    const summary = 'Speaker 2 greets. Speaker 23 and You do not. 你好 Speaker 2。'
    const action_items = [{ text: 'Ask Speaker 2 and you', assignee: 'You' }]
    const id = await user.session(confused({ segments, speakers: [], summary, action_items }))
    await user.patch(`/v1/sessions/${id}/speakers`, { from: 'Speaker 2', name: '$& Cleo' })
    await user.patch(`/v1/sessions/${id}/speakers`, { from: 'You', name: 'Ada' })
    expect(await detailOf(user, id)).toEqual([
      '$& Cleo greets. Speaker 23 and You do not. 你好 $& Cleo。',
      ['Ask $& Cleo and you', 'Ada']
    ])
  })

  test('of one who is called by a part of another’s name changes only their own', async () => {
    const user = await newUser()
    const segments = [line('Ada', 'Hello.', 0), line('Ada Lovelace', 'Good morning.', 1)]
    const summary = 'Ada Lovelace asks, Ada answers.'
    const id = await user.session(confused({ segments, speakers: [], summary, action_items: [] }))
    await user.patch(`/v1/sessions/${id}/speakers`, { swap: ['Ada', 'Ada Lovelace'] })
    expect(await detailOf(user, id)).toEqual(['Ada asks, Ada Lovelace answers.'])
  })
})
