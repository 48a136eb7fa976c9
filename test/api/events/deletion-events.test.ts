import { expect, test } from 'vitest'
import { askAdmin, buildTestAdminApi, newAppUser } from '../../support/admin-api.ts'
import { acceptSession, buildTestApp, completeSession, NOW } from '../../support/server.ts'

const LATER = '2026-03-02T11:00:00.000Z'
const later = { now: () => new Date(LATER) }

type User = Awaited<ReturnType<typeof newAppUser>>

/** When the user's folders were last changed, by name. */
async function foldersOf(user: User) {
  const { folders } = (await user.get('/v1/folders')).body
  return Object.fromEntries(
    folders.map(({ name, updated_at }: { name: string; updated_at: string }) => [name, updated_at])
  )
}

/** Asks both APIs an hour after everything else was done. */
async function anHourLater(user: User) {
  const [app, api] = [await buildTestAdminApi({ clock: later }), await buildTestApp({ clock: later })]
  const headers = { authorization: `Bearer ${user.token}` }
  return {
    delete: (id: string) => api.inject({ method: 'DELETE', url: `/v1/sessions/${id}`, headers }),
    trash: (id: string) => askAdmin('DELETE', `/users/${user.id}/sessions/${id}`, undefined, { app }),
    deletePermanently: (id: string) =>
      askAdmin('DELETE', `/users/${user.id}/sessions/${id}?permanently=true`, undefined, { app }),
    restore: (id: string) => askAdmin('POST', `/users/${user.id}/sessions/${id}/restore`, undefined, { app })
  }
}

test.each([
  [
    'deleting a session',
    async (hour: Awaited<ReturnType<typeof anHourLater>>, id: string) => void (await hour.delete(id))
  ],
  ['moving a session to the trash', async (hour, id) => void (await hour.trash(id))]
])('%s moves updated_at of its folders, and of no other', async (_, remove) => {
  const user = await newAppUser()
  const id = await user.session({ folders: ['Clients', 'Ideas'] })
  await user.post('/v1/folders', { name: 'Other' })
  await remove(await anHourLater(user), id)
  expect(await foldersOf(user)).toEqual({ Clients: LATER, Ideas: LATER, Other: NOW })
})

test('deleting a session that is processing moves updated_at of its folders', async () => {
  const user = await newAppUser()
  const id = await acceptSession(user.id, { folders: ['Clients'] })
  await (await anHourLater(user)).delete(id)
  expect(await foldersOf(user)).toEqual({ Clients: LATER })
})

test('restoring a session moves updated_at of its folders; deleting it permanently from the trash does not', async () => {
  const user = await newAppUser()
  const [restored, deleted] = [await user.session({ folders: ['Clients'] }), await user.session({ folders: ['Ideas'] })]
  for (const id of [restored, deleted]) await user.adminApi.delete(`/sessions/${id}`)
  const hour = await anHourLater(user)
  expect((await hour.restore(restored)).status).toBe(200)
  expect((await hour.deletePermanently(deleted)).status).toBe(200)
  expect(await foldersOf(user)).toEqual({ Clients: LATER, Ideas: NOW })
})

test('session.deleted announces a session that was changed while it was processing, without its content', async () => {
  const user = await newAppUser()
  const [changed, untouched] = [await acceptSession(user.id), await acceptSession(user.id)]
  await user.patch(`/v1/sessions/${changed}`, { title: 'Changed' })
  for (const id of [changed, untouched]) expect((await user.delete(`/v1/sessions/${id}`)).status).toBe(200)
  expect(await user.events()).toEqual(['session.updated', 'session.deleted'])
  const { events } = (await user.get('/v1/events')).body
  expect(
    events.map(({ data }: { data: { session: { id: string; title: string } } }) => [
      data.session.id,
      data.session.title
    ])
  ).toEqual([
    [changed, ''],
    [changed, '']
  ])
})

test('the deletion and the return of a session that was announced before its completion are each announced once', async () => {
  const user = await newAppUser()
  const id = await acceptSession(user.id)
  await user.patch(`/v1/sessions/${id}`, { title: 'Changed' })
  for (let turn = 0; turn < 2; turn++) await user.adminApi.delete(`/sessions/${id}`)
  for (let turn = 0; turn < 2; turn++) await user.adminApi.post(`/sessions/${id}/restore`)
  expect(await user.events()).toEqual(['session.updated', 'session.deleted', 'session.updated'])
  await completeSession(user.id, id)
  await user.adminApi.delete(`/sessions/${id}`)
  await user.adminApi.delete(`/sessions/${id}?permanently=true`)
  expect((await user.events()).slice(3)).toEqual(['session.completed', 'session.deleted'])
})
