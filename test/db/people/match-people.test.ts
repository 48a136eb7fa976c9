// @module-tag both

import { expect, test } from 'vitest'
import { everyScope } from '../../../src/features/access/actor.ts'
import { openAttempts } from '../../../src/features/library/open-attempts.ts'
import { createPerson, updatePerson } from '../../../src/features/people/change-person.ts'
import { correctSpeaker } from '../../../src/features/people/correct-speaker.ts'
import { matchPeople } from '../../../src/features/people/match-people.ts'
import { mergePeople } from '../../../src/features/people/merge.ts'
import { parseDocument } from '../../../src/features/transcript-formats/parse.ts'
import { clock, NO_QUEUE, NO_QUOTAS, newUser } from '../../support/server.ts'
import { restore, trash } from '../../support/trash.ts'

type User = Awaited<ReturnType<typeof newUser>>

const line = (speaker: string, text: string, start: number, end: number) => ({ speaker, text, start, end })
/** Labels that are listed without a person: this document says of nobody who they are. */
const unnamed = (...labels: string[]) => ({
  speakers: labels.map(label => ({ label })),
  segments: labels.map((label, at) => line(label, `Said by ${label}.`, at * 10, at * 10 + 5))
})
const VTT =
  'WEBVTT\n\n00:00.000 --> 00:02.000\n<v Ada Lovelace>Welcome.\n\n00:02.000 --> 00:04.000\n<v Speaker 2>Thanks.\n'
const NEVER = new AbortController().signal

async function peopleOf(user: User) {
  const { people } = (await user.get('/v1/people')).body
  return people.map(({ name, recording_count }: { name: string; recording_count: number }) => [name, recording_count])
}

async function sessionsOf(user: User, name: string) {
  const { people } = (await user.get('/v1/people')).body
  const { id } = people.find((person: { name: string }) => person.name === name)
  const { sessions } = (await user.get(`/v1/people/${id}/sessions`)).body
  expect((await user.get(`/v1/sessions?person=${id}`)).body.sessions.map((row: { id: string }) => row.id)).toEqual(
    sessions.map((row: { id: string }) => row.id)
  )
  return sessions as { id: string; matched_by: string; talk_seconds: number; name_in_session: string }[]
}

async function unknownOf(user: User) {
  return (
    await user.db.execute(`select name_key from unknown_speakers where user_id = '${user.id}' order by 1`)
  ).rows.map(row => row.name_key)
}

async function eventsOf(user: User) {
  return (await user.get('/v1/events')).body.events.map(({ event }: { event: string }) => event)
}

test('people are the same in every order of import', async () => {
  const imports = [
    parseDocument('a.vtt', VTT).document,
    unnamed('ADA LOVELACE', 'Speaker 2'),
    { ...unnamed('Dan'), speakers: [{ label: 'Dan', person: 'Ben' }] }
  ]
  const orders = [
    [0, 1, 2],
    [1, 0, 2],
    [2, 1, 0]
  ]
  for (const order of orders) {
    const user = await newUser()
    for (const at of order) await user.session({ ...imports[at], timestamp: `2026-01-0${at + 1}T10:00:00Z` })
    await matchPeople({ db: user.db, attempts: openAttempts(user.db) }, NEVER)
    expect(await peopleOf(user)).toEqual([
      ['Ben', 1],
      ['Ada Lovelace', 2]
    ])
    expect(await sessionsOf(user, 'Ada Lovelace')).toMatchObject([
      { matched_by: 'name', talk_seconds: 5, name_in_session: 'ADA LOVELACE' },
      { matched_by: 'name', talk_seconds: 2, name_in_session: 'Ada Lovelace' }
    ])
  }
})

test('a session that ended the process three times is left out, and the others are matched', async () => {
  const user = await newUser()
  const poison = await user.session(unnamed('Ada'))
  const id = await user.session(unnamed('ADA'))
  // Before there is a person, because a test in another process may match the people of all users.
  await user.db.execute(
    `update sessions set open_attempts = 3 where user_id = '${user.id}' and session_id = '${poison}'`
  )
  await createPerson({ db: user.db, clock, quotas: NO_QUOTAS }, everyScope(user.id, 'command'), {
    name: 'Ada',
    is_me: false
  })
  await matchPeople({ db: user.db, attempts: openAttempts(user.db) }, NEVER)
  expect(await sessionsOf(user, 'Ada')).toMatchObject([{ id }])
})

test('a person who is added, renamed or merged later is matched in older sessions once, without an event', async () => {
  const user = await newUser()
  const id = await user.session(unnamed('Ada', 'ben', 'Countess'))
  await matchPeople({ db: user.db, attempts: openAttempts(user.db) }, NEVER)
  expect([await peopleOf(user), await unknownOf(user)]).toEqual([[], ['ada', 'ben', 'countess']])
  const [services, actor] = [{ db: user.db, clock, jobs: NO_QUEUE, quotas: NO_QUOTAS }, everyScope(user.id, 'command')]
  const ada = await createPerson(services, actor, { name: 'Ada', is_me: true })
  const other = await createPerson({ db: user.db, clock, quotas: NO_QUOTAS }, everyScope(user.id, 'command'), {
    name: 'Benjamin',
    is_me: false
  })
  await updatePerson(services, actor, other.person.id, { name: 'Ben' })
  const countess = await createPerson({ db: user.db, clock, quotas: NO_QUOTAS }, everyScope(user.id, 'command'), {
    name: 'Countess',
    is_me: false
  })
  await mergePeople(services, actor, countess.person.id, { into: ada.person.id })
  for (let turn = 0; turn < 2; turn++) {
    await matchPeople({ db: user.db, attempts: openAttempts(user.db) }, NEVER)
    expect(await sessionsOf(user, 'Ada')).toMatchObject([{ id, talk_seconds: 10 }])
    expect(await sessionsOf(user, 'Ben')).toMatchObject([{ id, talk_seconds: 5, name_in_session: 'ben' }])
    expect(await peopleOf(user)).toEqual([
      ['Ada', 1],
      ['Ben', 1]
    ])
  }
  expect(await unknownOf(user)).toEqual([])
  expect((await user.post('/v1/sessions/search', { query: 'Ben' })).body.results).toMatchObject([{ id }])
  expect(await eventsOf(user)).toEqual(['session.completed'])
})

test('no person is matched after a user’s correction, in a deleted session, or with another owner', async () => {
  const [user, stranger] = [await newUser(), await newUser()]
  const [corrected, trashed] = [
    await user.session(unnamed('Ada')),
    await user.session({ ...unnamed('Ada'), external_id: 'b' })
  ]
  await stranger.session(unnamed('Ada'))
  await correctSpeaker(
    { db: user.db, clock, jobs: NO_QUEUE, quotas: NO_QUOTAS },
    everyScope(user.id, 'command'),
    corrected,
    {
      from: 'Ada',
      name: null
    }
  )
  await trash({ db: user.db }, user.id, trashed)
  await createPerson({ db: user.db, clock, quotas: NO_QUOTAS }, everyScope(user.id, 'command'), {
    name: 'Ada',
    is_me: false
  })
  await matchPeople({ db: user.db, attempts: openAttempts(user.db) }, NEVER)
  expect(await sessionsOf(user, 'Ada')).toEqual([])
  await restore({ db: user.db }, user.id, trashed)
  await matchPeople({ db: user.db, attempts: openAttempts(user.db) }, NEVER)
  expect(await sessionsOf(user, 'Ada')).toMatchObject([{ id: trashed }])
  expect(await peopleOf(stranger)).toEqual([])
})

test('an unknown name is removed with its session, and their number is limited', async () => {
  const user = await newUser()
  const id = await user.session(unnamed(...Array.from({ length: 300 }, (_, at) => `Name ${at}`)))
  expect(await unknownOf(user)).toHaveLength(200)
  await user.delete(`/v1/sessions/${id}`)
  expect(await unknownOf(user)).toEqual([])
})

test('runs that overlap count a session once', async () => {
  const user = await newUser()
  const id = await user.session(unnamed('Ada'))
  await createPerson({ db: user.db, clock, quotas: NO_QUOTAS }, everyScope(user.id, 'command'), {
    name: 'Ada',
    is_me: false
  })
  await Promise.all([1, 2, 3].map(() => matchPeople({ db: user.db, attempts: openAttempts(user.db) }, NEVER)))
  expect(await sessionsOf(user, 'Ada')).toMatchObject([{ id, talk_seconds: 5 }])
  expect(await peopleOf(user)).toEqual([['Ada', 1]])
})
