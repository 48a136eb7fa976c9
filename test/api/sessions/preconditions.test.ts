import { describe, expect, test } from 'vitest'
import { buildTestAdminApi, KEY, newAppUser } from '../../support/admin-api.ts'
import { newUser } from '../../support/server.ts'

const CHANGED = {
  status: 412,
  body: {
    error: { code: 'precondition_failed', message: 'If-Match: the session has changed since; read it again' }
  }
}

type User = Awaited<ReturnType<typeof newUser>>

async function newSession(document: object = {}) {
  const user = await newUser()
  const id = await user.session({ notes: 'Read me', tags: ['x'], ...document })
  return { user, id, path: `/v1/sessions/${id}` }
}

async function tagOf(user: User, path: string) {
  return String((await user.send(path)).headers.etag)
}

describe('a change under the ETag of the session', () => {
  test('writes while the session is as it was read, and answers with its next ETag', async () => {
    const phone = { direction: 'outbound', status: 'completed', to_number: '+4930123456', contact_name: 'Ada' }
    const items = [{ text: 'Send the offer', assignee: 'Ada', due_date: '2026-03-06' }]
    const { user, path } = await newSession({ type: 'phone', phone, folders: ['Clients'], action_items: items })
    const first = await user.ask('PATCH', path, {
      body: { notes: 'one' },
      headers: { 'if-match': await tagOf(user, path) }
    })
    expect([first.status, first.headers.etag]).toEqual([200, await tagOf(user, path)])
    const second = { 'if-match': String(first.headers.etag) }
    expect((await user.patch(path, { notes: 'two' }, second)).body.updated_fields).toEqual(['notes'])
    expect(await user.patch(path, { notes: 'three' }, second)).toEqual(CHANGED)
    expect((await user.get(path)).body.notes).toBe('two')
  })

  test.each([
    ['title', { title: 'New' }],
    ['notes', { notes: 'New' }],
    ['tags', { tags: ['x', 'y'] }],
    ['favorite', { favorite: true }],
    ['action items', { action_items: [{ text: 'New' }] }]
  ])('is refused and writes nothing when %s changed meanwhile', async (_, change) => {
    const { user, path } = await newSession()
    const tag = await tagOf(user, path)
    expect((await user.patch(path, change)).status).toBe(200)
    const { body } = await user.get(path)
    expect(await user.patch(path, { notes: 'lost' }, { 'if-match': tag })).toEqual(CHANGED)
    expect((await user.get(path)).body).toEqual(body)
  })

  test('is refused when the session entered a folder meanwhile', async () => {
    const { user, path } = await newSession()
    const tag = await tagOf(user, path)
    const folder = await user.post('/v1/folders', { name: 'Clients' })
    await user.post(`${path}/folders/${folder.body.id}`)
    expect(await user.patch(path, { notes: 'lost' }, { 'if-match': tag })).toEqual(CHANGED)
  })

  test('lets one of two writers of the notes win, and the other learns it', async () => {
    for (let round = 0; round < 5; round++) {
      const { user, path } = await newSession()
      const headers = { 'if-match': await tagOf(user, path) }
      const answers = await Promise.all(['a', 'b'].map(notes => user.patch(path, { notes }, headers)))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 412])
      const winner = answers[0]!.status === 200 ? 'a' : 'b'
      expect((await user.get(path)).body.notes).toBe(winner)
    }
  })

  test('takes the tag as a proxy changes it, and any of a list', async () => {
    for (const change of [
      (tag: string) => `W/${tag}`,
      (tag: string) => tag.replace(/"$/, '-gzip"'),
      (tag: string) => `"s${'x'.repeat(27)}", ${tag}`,
      (tag: string) => `"99", W/${tag}`
    ]) {
      const { user, path } = await newSession()
      const headers = { 'if-match': change(await tagOf(user, path)) }
      expect((await user.patch(path, { notes: 'new' }, headers)).status).toBe(200)
    }
  })

  test('answers conflict for versions only, and precondition_failed if a tag is among them', async () => {
    const { user, path } = await newSession()
    const statusFor = async (match: string) => (await user.patch(path, { notes: 'x' }, { 'if-match': match })).status
    expect(await statusFor('"98", "99"')).toBe(409)
    expect(await statusFor(`"99", "s${'x'.repeat(27)}"`)).toBe(412)
  })

  test('protects the summary in the admin API, whose ETag is that of its own read', async () => {
    const { adminApi, ...user } = await newAppUser()
    const id = await user.session()
    const app = await buildTestAdminApi()
    const url = `/app/v1/users/${user.id}/sessions/${id}`
    const read = await app.inject({ url, headers: { authorization: `Bearer ${KEY}` } })
    const headers = { 'if-match': String(read.headers.etag) }
    expect((await adminApi.patch(`/sessions/${id}`, { summary: 'New' }, headers)).status).toBe(200)
    expect(await adminApi.patch(`/sessions/${id}`, { summary: 'lost' }, headers)).toEqual(CHANGED)
  })

  test('is not offered for a single action item', async () => {
    const { user, path } = await newSession({ action_items: [{ text: 'Send the offer' }] })
    const [item] = (await user.get(`${path}/action-items`)).body.action_items
    const headers = { 'if-match': await tagOf(user, path) }
    expect((await user.patch(`/v1/action-items/${item.id}`, { completed: true }, headers)).status).toBe(400)
    expect(
      (await user.patch(`/v1/action-items/${item.id}`, { completed: true }, { 'if-match': '"9", "1"' })).status
    ).toBe(200)
  })
})
