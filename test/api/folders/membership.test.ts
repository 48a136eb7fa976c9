import { describe, expect, test } from 'vitest'
import { acceptSession, buildTestApp, completeSession, NOW, newUser } from '../../support/server.ts'

const LATER = '2026-03-02T10:05:00.000Z'

describe('POST /v1/sessions/{id}/folders/{folderId}', () => {
  test('answers with all folders of the session and moves updated_at', async () => {
    const { user, session, folder, later } = await setUp({ folders: ['Ideas'] })
    const ideas = await folderOf(user, 'Ideas')
    expect(await later('POST', `/v1/sessions/${session}/folders/${folder}`)).toEqual(
      membership(session, folder, [ideas, folder])
    )
    expect(await countOf(user, folder)).toEqual({ session_count: 1, updated_at: LATER })
    expect((await user.get(`/v1/sessions/${session}`)).body.folder_ids).toEqual([ideas, folder].sort())
    expect((await user.get(`/v1/sessions?folder=${folder}`)).body.sessions).toMatchObject([{ id: session }])
    expect(await countOf(user, ideas)).toEqual({ session_count: 1, updated_at: NOW })
  })

  test('changes nothing when it is repeated', async () => {
    const { user, session, folder, later } = await setUp()
    const first = await user.post(`/v1/sessions/${session}/folders/${folder}`)
    expect(await later('POST', `/v1/sessions/${session}/folders/${folder}`)).toEqual(first)
    expect(await countOf(user, folder)).toEqual({ session_count: 1, updated_at: NOW })
  })

  test('needs no body and ignores one', async () => {
    const { user, session, folder } = await setUp()
    const url = `/v1/sessions/${session}/folders/${folder}`
    expect(await user.post(url, { folder_id: 'x' })).toEqual(membership(session, folder, [folder]))
    const empty = await user.ask('POST', url, { headers: { 'content-type': 'application/json' } })
    expect(empty.status).toBe(200)
  })
})

describe('DELETE /v1/sessions/{id}/folders/{folderId}', () => {
  test('answers with the folders that the session is still in, keeps the session and moves updated_at', async () => {
    const { user, session, folder, later } = await setUp({ folders: ['Clients', 'Ideas'] })
    const ideas = await folderOf(user, 'Ideas')
    expect(await later('DELETE', `/v1/sessions/${session}/folders/${folder}`)).toEqual(
      membership(session, folder, [ideas])
    )
    expect(await countOf(user, folder)).toEqual({ session_count: 0, updated_at: LATER })
    expect(await countOf(user, ideas)).toEqual({ session_count: 1, updated_at: NOW })
    expect((await user.get(`/v1/sessions/${session}`)).body.folder_ids).toEqual([ideas])
  })

  test('changes nothing if the session is not in the folder', async () => {
    const { user, session, folder, later } = await setUp()
    expect(await later('DELETE', `/v1/sessions/${session}/folders/${folder}`)).toEqual(membership(session, folder, []))
    expect(await countOf(user, folder)).toEqual({ session_count: 0, updated_at: NOW })
  })
})

describe('session_count', () => {
  test('leaves out a session until it is completed, however it was added to the folder', async () => {
    const { user, folder } = await setUp()
    const [linked, imported] = [await acceptSession(user.id), await acceptSession(user.id, { folders: ['Clients'] })]
    await user.post(`/v1/sessions/${linked}/folders/${folder}`)
    expect(await countOf(user, folder)).toMatchObject({ session_count: 0 })
    await completeSession(user.id, linked)
    await completeSession(user.id, imported)
    expect(await countOf(user, folder)).toMatchObject({ session_count: 2 })
    expect(await membersOf(user, folder)).toEqual([imported, linked])
  })

  test('does not go down when a session that is processing leaves, which still moves updated_at', async () => {
    const { user, session, folder, later } = await setUp({ folders: ['Clients'] })
    const processing = await acceptSession(user.id, { folders: ['Clients'] })
    await later('DELETE', `/v1/sessions/${processing}/folders/${folder}`)
    expect(await countOf(user, folder)).toEqual({ session_count: 1, updated_at: LATER })
    await completeSession(user.id, processing)
    expect(await countOf(user, folder)).toEqual({ session_count: 1, updated_at: LATER })
    expect(await membersOf(user, folder)).toEqual([session])
  })
})

describe('at once', () => {
  test('20 creations of one name in different cases make one folder and all answer with it', async () => {
    const user = await newUser()
    const names = Array.from({ length: 20 }, (_, index) => [...'clients'].map(cased(index)).join(''))
    const answers = await Promise.all(names.map(name => user.post('/v1/folders', { name })))
    const { body } = await user.get('/v1/folders')
    expect(body.folders).toHaveLength(1)
    expect(names).toContain(body.folders[0].name)
    expect(answers).toEqual(names.map(() => ({ status: 201, body: body.folders[0] })))
  })

  test('creating and deleting a folder of one name fails for nobody', async () => {
    const user = await newUser()
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const seen: [number, boolean][] = []
        for (let round = 0; round < 5; round++) {
          const made = await user.post('/v1/folders', { name: 'Clients' })
          const deleted = await user.delete(`/v1/folders/${made.body.id}`)
          seen.push([made.status, [204, 404].includes(deleted.status)])
        }
        return seen
      })
    )
    expect(statuses.flat()).toEqual(Array.from({ length: 100 }, () => [201, true]))
    expect((await user.get('/v1/folders')).body).toEqual({ folders: [] })
  })

  test('20 folders renamed to one name leave it to one of them', async () => {
    const user = await newUser()
    const ids: string[] = []
    for (let index = 0; index < 20; index++) ids.push(await folderOf(user, `Folder ${index}`))
    const answers = await Promise.all(ids.map(id => user.patch(`/v1/folders/${id}`, { name: 'Clients' })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 400)])
  })

  test('20 changes of one membership leave the right count of members', async () => {
    const { user, session, folder } = await setUp()
    const url = `/v1/sessions/${session}/folders/${folder}`
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 ? user.delete(url) : user.post(url)))
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    const members = await membersOf(user, folder)
    expect(await countOf(user, folder)).toMatchObject({ session_count: members.length })
    await user.post(url)
    expect(await countOf(user, folder)).toMatchObject({ session_count: 1 })
  })

  test('many sessions put in and taken out of two folders are counted one by one', async () => {
    const { user, folder } = await setUp()
    const other = await folderOf(user, 'Ideas')
    const sessions: string[] = []
    for (let index = 0; index < 8; index++) sessions.push(await user.session({ folders: ['Ideas'] }))
    const answers = await Promise.all(
      sessions.flatMap(id => [
        user.post(`/v1/sessions/${id}/folders/${folder}`),
        user.delete(`/v1/sessions/${id}/folders/${other}`)
      ])
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect([await countOf(user, folder), await countOf(user, other)]).toMatchObject([
      { session_count: 8 },
      { session_count: 0 }
    ])
  })

  test('sessions that are completed while they are added to a folder count once each', async () => {
    const { user, folder } = await setUp()
    const sessions = await Promise.all(Array.from({ length: 20 }, () => acceptSession(user.id)))
    const answers = await Promise.all(
      sessions.map(async session => {
        const completed = completeSession(user.id, session)
        const seen: number[] = []
        // Changed again and again, so that the completion falls between some of them; an odd number leaves it linked.
        for (let turn = 0; turn < 5; turn++) {
          const change = turn % 2 ? user.delete : user.post
          seen.push((await change(`/v1/sessions/${session}/folders/${folder}`)).status)
        }
        await completed
        return seen
      })
    )
    expect(answers).toEqual(sessions.map(() => [200, 200, 200, 200, 200]))
    expect(await countOf(user, folder)).toMatchObject({ session_count: 20 })
  })

  test('a folder that is deleted while sessions are added to it fails for nobody', async () => {
    const user = await newUser()
    const sessions = await Promise.all(Array.from({ length: 4 }, () => user.session()))
    for (let round = 0; round < 10; round++) {
      const folder = await folderOf(user, 'Clients')
      const link = (id: string) => user.post(`/v1/sessions/${id}/folders/${folder}`)
      const [linked, deleted] = await Promise.all([
        Promise.all(sessions.map(link)),
        // Once the first is in, the others are on their way.
        link(sessions[0]!).then(() => user.delete(`/v1/folders/${folder}`))
      ])
      expect([deleted.status, linked.filter(({ status }) => ![200, 404].includes(status))]).toEqual([204, []])
    }
    for (const id of sessions) expect((await user.get(`/v1/sessions/${id}`)).body.folder_ids).toEqual([])
  })
})

type User = Awaited<ReturnType<typeof newUser>>

/** A new user with a session, the folder Clients, and a way to send requests five minutes later. */
async function setUp(document: object = {}) {
  const user = await newUser()
  const session = await user.session(document)
  const folder = await folderOf(user, 'Clients')
  const app = await buildTestApp({ clock: { now: () => new Date(LATER) } })
  const later = async (method: 'POST' | 'DELETE', url: string) => {
    const reply = await app.inject({ method, url, headers: { authorization: `Bearer ${user.token}` } })
    return { status: reply.statusCode, body: reply.json() }
  }
  return { user, session, folder, later }
}

async function folderOf(user: User, name: string): Promise<string> {
  const { body } = await user.post('/v1/folders', { name })
  return body.id
}

async function countOf(user: User, folder: string) {
  const { body } = await user.get(`/v1/folders/${folder}`)
  return { session_count: body.session_count, updated_at: body.updated_at }
}

async function membersOf(user: User, folder: string) {
  const { body } = await user.get(`/v1/sessions?folder=${folder}`)
  return body.sessions.map(({ id }: { id: string }) => id)
}

function membership(session: string, folder: string, folderIds: string[]) {
  return { status: 200, body: { session_id: session, folder_id: folder, folder_ids: folderIds.sort() } }
}

/** Letters in upper case where the number has a bit. */
function cased(number: number) {
  return (letter: string, index: number) => ((number >> index) & 1 ? letter.toUpperCase() : letter)
}
