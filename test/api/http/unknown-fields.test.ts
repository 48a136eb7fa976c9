import { describe, expect, test } from 'vitest'
import { newAppUser } from '../../support/admin-api.ts'
import { buildTestApp, newUser, SPOKEN } from '../../support/server.ts'

const ignored = (...paths: string[]) => paths.map(path => `${path}: ignored, because the request takes no such field`)

const KNOWN = { unknown: 1 }

describe('fields that a request does not take', () => {
  test('are named in the warnings of a webhook, which is created without them', async () => {
    const user = await newUser()
    const hook = { url: 'http://127.0.0.1/', events: ['session.completed'] }
    const { status, body } = await user.post('/v1/webhooks', {
      ...hook,
      secret: 'mine',
      transform: { a: 'b' },
      filter: []
    })
    expect([status, body.warnings]).toEqual([201, ignored('secret', 'transform', 'filter')])
    expect(body.secret).not.toBe('mine')
    const changed = await user.patch(`/v1/webhooks/${body.id}`, { active: false, enabled: false })
    expect(changed.body.warnings).toEqual(ignored('enabled'))
    const [listed] = (await user.get('/v1/webhooks')).body.webhooks
    expect(listed).not.toHaveProperty('warnings')
  })

  test('are absent from an answer to a request without any', async () => {
    const user = await newUser()
    expect((await user.post('/v1/folders', { name: 'Clients' })).body).not.toHaveProperty('warnings')
  })

  test('are named by every route of /v1 that creates or changes something, and by the search', async () => {
    const user = await newUser()
    const id = await user.session({ action_items: [{ text: 'Send it' }], speakers: [{ label: 'Ada', person: 'Ada' }] })
    const [item] = (await user.get(`/v1/sessions/${id}/action-items`)).body.action_items
    const folder = (await user.post('/v1/folders', { name: 'Clients', ...KNOWN })).body
    const person = (await user.post('/v1/people', { name: 'Ben', ...KNOWN })).body
    const other = (await user.post('/v1/people', { name: 'Benny' })).body
    const answers = [
      { body: folder },
      { body: person },
      await user.patch(`/v1/folders/${folder.id}`, { pinned: true, ...KNOWN }),
      await user.patch(`/v1/people/${person.id}`, { name: 'Benedict', ...KNOWN }),
      await user.post(`/v1/people/${other.id}/merge`, { into: person.id, ...KNOWN }),
      await user.patch(`/v1/sessions/${id}/speakers`, { from: 'Ada', name: 'Grace', ...KNOWN }),
      await user.patch(`/v1/sessions/${id}`, { title: 'New', ...KNOWN }),
      await user.patch(`/v1/action-items/${item.id}`, { completed: true, ...KNOWN }),
      await user.post('/v1/events/ack', { cursor: 0, ...KNOWN }),
      await user.post('/v1/sessions/search', { query: 'offer', ...KNOWN })
    ]
    expect(answers.map(({ body }) => body.warnings)).toEqual(answers.map(() => ignored('unknown')))
  })

  test('are named by the admin API too', async () => {
    const { adminApi, ...user } = await newAppUser()
    const id = await user.session()
    const call = await adminApi.post('/calls', { direction: 'inbound', ...KNOWN })
    const ended = { status: 'failed', ...KNOWN, segments: [{ ...SPOKEN[0], mood: 'glad' }] }
    const answers = [
      await adminApi.patch('', { name: 'Ada', ...KNOWN }),
      await adminApi.post('/tokens', { name: 'x', scopes: ['sessions:read'], ...KNOWN }),
      await adminApi.patch(`/sessions/${id}`, { summary: 'New', ...KNOWN }),
      await adminApi.patch(`/sessions/${id}/share-scope`, { audio: false, ...KNOWN }),
      call
    ]
    expect(answers.map(({ body }) => body.warnings)).toEqual(answers.map(() => ignored('unknown')))
    await adminApi.patch(`/calls/${call.body.id}`, { status: 'in_progress' })
    const { body } = await adminApi.patch(`/calls/${call.body.id}`, ended)
    expect(body.warnings).toEqual(ignored('unknown', 'segments.mood'))
  })

  test('are named with their place in lists, once for all entries', async () => {
    const user = await newUser()
    const action_items = ['a', 'b'].map(text => ({ text, due: 'Friday', owner: 'Ada' }))
    const { body } = await user.patch(`/v1/sessions/${await user.session()}`, { action_items })
    expect(body.warnings).toEqual(ignored('action_items.due', 'action_items.owner'))
  })

  test('are named in a body that another process reads', async () => {
    const user = await newUser()
    const notes = '\n'.repeat(49_000)
    const action_items = Array.from({ length: 200 }, () => ({ text: 'x'.repeat(2_000), mood: 'glad' }))
    const { status, body } = await user.patch(`/v1/sessions/${await user.session()}`, { notes, action_items, ...KNOWN })
    expect([status, body.warnings]).toEqual([200, ignored('action_items.mood', 'unknown')])
  })

  test('are bounded in number and length, and each is one line', async () => {
    const user = await newUser()
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`${at}\n${'k'.repeat(100)}`, 1]))
    const { body } = await user.post('/v1/folders', { name: 'Clients', 'a\nb': 1, ...many })
    expect(body.warnings).toHaveLength(21)
    expect(body.warnings).toContain('81 more are ignored, because the request takes none of them')
    expect(Math.max(...body.warnings.map((line: string) => line.length))).toBeLessThan(150)
  })

  test('are named for a repeated request as well, whose answer is stored without them', async () => {
    const user = await newUser()
    const key = { 'idempotency-key': 'once' }
    const first = await user.post('/v1/folders', { name: 'Clients', ...KNOWN }, key)
    const again = await user.post('/v1/folders', { name: 'Clients' }, key)
    expect([first.body.warnings, again.body.warnings]).toEqual([ignored('unknown'), undefined])
    expect(again.body.id).toBe(first.body.id)
  })

  test('are named wherever the document describes a body, except for exports, parts of files, and bodies that refuse them', async () => {
    const app = await buildTestApp()
    await app.ready()
    const { paths, components } = JSON.parse(JSON.stringify(app.swagger()))
    const silent = Object.entries<Record<string, Described>>(paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { requestBody, responses }]) => {
        const answer = responses['200'] ?? responses['201'] ?? responses['202']
        const schema = answer?.content?.['application/json']?.schema
        const references = (schema?.anyOf ?? [schema]).flatMap(one => one?.$ref?.split('/').at(-1) ?? [])
        const named = references.some(reference => 'warnings' in components.schemas[reference].properties)
        return requestBody && !named ? [`${method} ${path}`] : []
      })
    )
    expect(silent).toEqual([
      'post /v1/sessions/bulk',
      'patch /v1/uploads/{id}',
      'post /v1/sessions/{id}/sharing/invites'
    ])
  })
})

interface Described {
  requestBody?: object
  responses: Record<string, { content?: Record<string, { schema: Reference & { anyOf?: Reference[] } }> }>
}

interface Reference {
  $ref?: string
}
