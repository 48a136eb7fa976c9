import { expect, test } from 'vitest'
import { everyScope } from '../../../src/features/access/actor.ts'
import { reindexSession } from '../../../src/features/ingest/reindex.ts'
import { deletePerson, forgetPerson } from '../../../src/features/people/delete-person.ts'
import { sql } from '../../../src/platform/db/drizzle.ts'
import { plainAi } from '../../support/ai.ts'
import { clock, NO_QUEUE, newUser } from '../../support/server.ts'
import { restore, trash } from '../../support/trash.ts'

type User = Awaited<ReturnType<typeof newUser>>

const talk = (...people: string[]) => ({
  speakers: people.map(person => ({ label: person, person })),
  segments: people.map((speaker, at) => ({ speaker, text: `Line ${at}.`, start: at, end: at + 1 })),
  summary: `${people[0]} greets everybody.`,
  action_items: [{ text: 'Send the offer', assignee: people[0] }]
})

async function peopleOf(user: User): Promise<{ id: string; name: string; recording_count: number }[]> {
  return (await user.get('/v1/people')).body.people
}

async function idOf(user: User, name: string) {
  return (await peopleOf(user)).find(person => person.name === name)!.id
}

async function speakersOf(user: User, session: string) {
  return (await user.get(`/v1/sessions/${session}/transcript`)).body.segments.map(
    ({ speaker }: { speaker: string }) => speaker
  )
}

test('what a deleted person said stays, and nobody is known to have said it', async () => {
  const user = await newUser()
  const [both, alone] = [await user.session(talk('Zacharias', 'Ben')), await user.session(talk('Zacharias'))]
  const id = await idOf(user, 'Zacharias')
  expect(await user.delete(`/v1/people/${id}`)).toEqual({ status: 204, body: '' })
  expect((await peopleOf(user)).map(({ name }) => name)).toEqual(['Ben'])
  expect([await speakersOf(user, both), await speakersOf(user, alone)]).toEqual([['Speaker', 'Ben'], ['Speaker']])
  const { summary, action_items: items } = (await user.get(`/v1/sessions/${both}`)).body
  expect([summary, items[0].assignee]).toEqual(['Speaker greets everybody.', null])
  for (const session of [both, alone])
    await reindexSession({ db: user.db, ai: plainAi() }, user.id, session, new AbortController().signal)
  const { body } = await user.post('/v1/sessions/search', { query: 'Zacharias' })
  expect(JSON.stringify(body.results)).not.toContain('Zacharias')
  const { rows } = await user.db.execute(
    sql`select from search_terms where user_id = ${user.id} and term like 'zachari%'`
  )
  expect(rows).toEqual([])
  expect((await user.get(`/v1/people/${id}/sessions`)).status).toBe(404)
  expect((await user.delete(`/v1/people/${id}`)).status).toBe(404)
  const { events } = (await user.get('/v1/events?limit=200')).body
  expect(events.filter(({ event }: { event: string }) => event === 'session.updated')).toHaveLength(2)
})

test('a person with many sessions is gone at once, and the job changes the sessions', async () => {
  const user = await newUser()
  const ids: string[] = []
  for (let at = 0; at < 23; at++) ids.push(await user.session({ ...talk('Ada'), title: `Session ${at}` }))
  const id = await idOf(user, 'Ada')
  await user.delete(`/v1/people/${id}`)
  expect(await peopleOf(user)).toEqual([])
  expect((await user.patch(`/v1/people/${id}`, { name: 'x' })).status).toBe(404)
  expect((await user.post('/v1/people', { name: 'Ada' })).status).toBe(201)
  await forgetPerson({ db: user.db, clock, jobs: NO_QUEUE }, { userId: user.id, personId: id })
  expect(new Set((await Promise.all(ids.map(session => speakersOf(user, session)))).flat())).toEqual(
    new Set(['Speaker'])
  )
  expect(await peopleOf(user)).toMatchObject([{ name: 'Ada', recording_count: 0 }])
})

test('a person is not restored with a session of the trash', async () => {
  const user = await newUser()
  const session = await user.session(talk('Ada', 'Ben'))
  const id = await idOf(user, 'Ada')
  await trash({ db: user.db }, user.id, session)
  await deletePerson({ db: user.db, clock, jobs: NO_QUEUE }, everyScope(user.id, 'command'), id)
  await restore({ db: user.db }, user.id, session)
  expect(await speakersOf(user, session)).toEqual(['Speaker', 'Ben'])
  expect((await peopleOf(user)).map(({ name }) => name)).toEqual(['Ben'])
})

test('goes with those who were merged into them, and with the mark of the user', async () => {
  const user = await newUser()
  await user.session(talk('Ada', 'Countess'))
  const [ada, countess] = [await idOf(user, 'Ada'), await idOf(user, 'Countess')]
  await user.post(`/v1/people/${countess}/merge`, { into: ada })
  await user.patch(`/v1/people/${ada}`, { is_me: true })
  expect((await user.delete('/v1/people/me')).status).toBe(204)
  expect(await peopleOf(user)).toEqual([])
  expect((await user.get(`/v1/people/${countess}/sessions`)).body.error).not.toHaveProperty('merged_into')
})

test('loses no word while the person is corrected, renamed, merged and deleted at once', async () => {
  const user = await newUser()
  const session = await user.session(talk('Ada', 'Ben', 'Cy'))
  const [ada, ben] = [await idOf(user, 'Ada'), await idOf(user, 'Ben')]
  const answers = await Promise.all([
    user.patch(`/v1/sessions/${session}/speakers`, { from: 'Cy', person_id: ada }),
    user.patch(`/v1/people/${ada}`, { name: 'Ada King' }),
    user.post(`/v1/people/${ben}/merge`, { into: ada }),
    user.delete(`/v1/people/${ada}`)
  ])
  expect(answers.map(({ status }) => status).filter(status => ![200, 204, 404].includes(status))).toEqual([])
  const { body } = await user.get(`/v1/sessions/${session}/transcript`)
  expect(body.segments.map(({ text }: { text: string }) => text)).toEqual(['Line 0.', 'Line 1.', 'Line 2.'])
  expect((await peopleOf(user)).map(({ id }) => id)).not.toContain(ada)
})
