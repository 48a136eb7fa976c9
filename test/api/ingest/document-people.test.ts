import { expect, test } from 'vitest'
import { newAppUser } from '../../support/admin-api.ts'
import { completeSession, newUser } from '../../support/server.ts'

type User = Awaited<ReturnType<typeof newUser>>

const said = (speaker: string, at: number) => ({ speaker, start: at, end: at + 1, text: `${speaker} speaks at ${at}.` })

async function imported(user: User, document: object) {
  const { status, body } = await user.post('/v1/sessions', document)
  expect(status).toBe(202)
  await completeSession(user.id, body.id)
  return body.id as string
}

async function listPeople(user: Pick<User, 'get'>): Promise<{ id: string; name: string }[]> {
  return (await user.get('/v1/people')).body.people
}

async function namesOf(user: Pick<User, 'get'>) {
  return (await listPeople(user)).map(({ name }) => name).sort()
}

test('the speakers of segments become people if their labels are names, although no list names them', async () => {
  const user = await newUser()
  const labels = ['Ada Lovelace', 'Speaker 1', 'SPEAKER_00', 'Project Manager', 'EF Zoom Bot', 'ada lovelace', 'Ben']
  await imported(user, { title: 'Budget', segments: labels.map(said) })
  expect(await namesOf(user)).toEqual(['Ada Lovelace', 'Ben'])
  const [ada] = (await listPeople(user)).filter(({ name }) => name === 'Ada Lovelace')
  expect((await user.get(`/v1/people/${ada?.id}/sessions`)).body.sessions).toMatchObject([
    { title: 'Budget', matched_by: 'name' }
  ])
})

test('a label that the document lists without a person stays unknown, and the others become people', async () => {
  const user = await newUser()
  await imported(user, {
    speakers: [{ label: 'Ada' }, { label: 'Speaker 1', person: 'Cleo' }],
    segments: ['Ada', 'Ben', 'Speaker 1'].map(said)
  })
  expect(await namesOf(user)).toEqual(['Ben', 'Cleo'])
})

test('an uploaded document makes the people that the same document makes as a body', async () => {
  const user = await newUser()
  const file = JSON.stringify({ title: 'Uploaded', segments: [said('Ada Lovelace', 0), said('Speaker 2', 1)] })
  const { status, body } = await user.ask('POST', '/v1/sessions/upload?file=minutes.json', {
    body: file,
    headers: { 'content-type': 'application/json' }
  })
  expect(status).toBe(202)
  await completeSession(user.id, body.id)
  expect(await namesOf(user)).toEqual(['Ada Lovelace'])
})

test('a call that ends with its segments makes people of the names in it', async () => {
  const user = await newAppUser()
  const { body } = await user.adminApi.post('/calls', { direction: 'outbound', to_number: '+4930123456' })
  await user.adminApi.patch(`/calls/${body.id}`, { status: 'in_progress' })
  const segments = [said('Dora', 0), said('Caller', 1)]
  expect((await user.adminApi.patch(`/calls/${body.id}`, { status: 'completed', segments })).status).toBe(200)
  await completeSession(user.id, body.id)
  expect(await namesOf(user)).toEqual(['Dora'])
})
