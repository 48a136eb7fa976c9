import { expect, test } from 'vitest'
import { newUser } from '../../support/server.ts'

const refusal = (message: string) => ({
  status: 400,
  body: { error: { code: 'invalid_request', message: expect.stringContaining(message) } }
})

const id = 'x'.repeat(1_001)

test.each([
  [`/v1/sessions?folder=${id}`, 'folder: send the id or the name of a folder, of at most 1000 characters'],
  [`/v1/sessions?person=${id}`, 'person: send the id of a person, or me, of at most 1000 characters'],
  [`/v1/sessions?tag=${'x'.repeat(4_021)}`, 'tag: send 1 to 20 tags'],
  [`/v1/sessions?since=${' '.repeat(41)}`, 'since: send an ISO 8601 date'],
  [`/v1/people?cursor=${'1'.repeat(501)}`, 'cursor: send the next_cursor of the previous page'],
  [`/v1/shared-sessions?cursor=${'x'.repeat(501)}`, 'cursor: send the next_cursor of the previous page'],
  [`/v1/action-items?assignee=${id}`, 'assignee: send the name of an assignee, of at most 1000 characters']
])('refuses a parameter above its limit: %s', async (url, message) => {
  const { status, body } = await (await newUser()).get(url)
  expect([status, body.error.message]).toEqual([400, expect.stringContaining(message)])
})

test.each([
  ['/v1/sessions/search', { query: 'x', tags: ['x'.repeat(101)] }, 'tags.0: send a text of at most 100 characters'],
  ['/v1/sessions/search', { query: 'x', folder: id }, 'folder: send the id or the name of a folder, of at most 1000'],
  ['/v1/sessions/bulk', { session_ids: [id] }, 'session_ids.0: send an id of at most 1000 characters'],
  [
    '/v1/webhooks',
    { url: 'https://example.com', events: Array.from({ length: 101 }, () => 'session.updated') },
    'events: send a list of at least one of'
  ]
])('refuses a field above its limit: %s', async (url, body, message) => {
  expect(await (await newUser()).post(url, body)).toEqual(refusal(message))
})

test('refuses a list of segments and an id of an item above their limits', async () => {
  const user = await newUser()
  const session = `/v1/sessions/${await user.session()}`
  const items = await user.patch(session, { action_items: [{ text: 'x', id }] })
  expect(items).toEqual(refusal('action_items.0.id: send an id of at most 1000 characters'))
})
