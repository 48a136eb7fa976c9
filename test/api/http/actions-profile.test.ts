// @module-tag embedded
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { actionsDocument } from '../../../src/server/openapi-documents.ts'
import { buildTestApp, newUser } from '../../support/server.ts'

interface Operation {
  operationId: string
  summary: string
  description: string
  parameters: { in: string; description?: string }[]
  'x-openai-isConsequential': boolean
}

const app = await buildTestApp({ publicUrl: 'https://parlance.example/base' })
const answer = await app.inject({ url: '/v1/openapi.json?profile=actions', headers: { host: 'elsewhere' } })
const profile = answer.json()
const operations = Object.values<Record<string, Operation>>(profile.paths).flatMap(methods => Object.values(methods))

test('the profile for assistants is the committed one, apart from the address of the server', async () => {
  const committed = JSON.parse(readFileSync('openapi/actions.json', 'utf8'))
  expect(JSON.parse(JSON.stringify(await actionsDocument()))).toEqual(committed)
  const { servers, ...rest } = profile
  expect(servers).toEqual([{ url: 'https://parlance.example/base/actions' }])
  expect({ ...rest, servers: committed.servers }).toEqual(committed)
})

test('it has what GPT actions take: 30 operations, short descriptions, no headers', () => {
  expect(answer.statusCode).toBe(200)
  expect(profile.openapi).toBe('3.1.0')
  expect(operations.length).toBeGreaterThan(25)
  expect(operations.length).toBeLessThanOrEqual(30)
  for (const { operationId, summary, description, parameters } of operations) {
    expect([operationId, summary.length <= 300, description.length <= 300]).toEqual([operationId, true, true])
    expect(description).toMatch(/[.`]$/)
    for (const parameter of parameters) {
      expect(parameter.in).not.toBe('header')
      expect((parameter.description ?? '').length).toBeLessThanOrEqual(700)
    }
  }
})

test('its references lead to what it has, and it has nothing else', () => {
  const text = JSON.stringify(profile)
  const named = new Set(
    [...text.matchAll(/"#\/components\/(\w+)\/([\w-]+)"/g)].map(([, kind, name]) => `${kind}/${name}`)
  )
  const { schemas, responses } = profile.components
  const had = [
    ...Object.keys(schemas).map(name => `schemas/${name}`),
    ...Object.keys(responses).map(name => `responses/${name}`)
  ]
  expect([...named].sort()).toEqual(had.sort())
})

test('an assistant asks before calls that change something, and nothing is deleted', () => {
  const consequential = operations.filter(one => one['x-openai-isConsequential']).map(({ operationId }) => operationId)
  expect(consequential).toContain('updateSession')
  expect(consequential).not.toContain('searchSessions')
  expect(operations.map(({ operationId }) => operationId)).not.toContain('deleteSession')
})

test('every read takes a cursor, and its answer has the one that reads on', () => {
  for (const methods of Object.values<Record<string, Operation & { responses: Record<string, object> }>>(profile.paths))
    for (const { operationId, parameters, responses } of Object.values(methods)) {
      const isRead = /^(?:get|list|search)/.test(operationId)
      const names = (parameters as { name?: string }[]).map(({ name }) => name)
      expect([operationId, names.filter(name => name === 'cursor').length]).toEqual([operationId, isRead ? 1 : 0])
      const [, name = ''] = /schemas\/(\w+)"/.exec(JSON.stringify(responses['200'] ?? '')) ?? []
      if (isRead)
        expect([operationId, Object.keys(profile.components.schemas[name].properties)]).toEqual([
          operationId,
          expect.arrayContaining(['next_cursor', 'has_more'])
        ])
    }
})

test('another profile is refused', async () => {
  const { statusCode, body } = await app.inject('/v1/openapi.json?profile=all')
  expect([statusCode, JSON.parse(body).error.message]).toEqual([400, 'profile: send one of actions'])
})

test.each(['folders', 'people'])('an assistant creates one of %s, whose list is bounded', async kind => {
  const { token } = await newUser()
  const headers = { authorization: `Bearer ${token}` }
  const url = `/actions/v1/${kind}`
  const { statusCode } = await app.inject({ method: 'POST', url, headers, payload: { name: 'Ada Lindqvist' } })
  expect(statusCode).toBe(201)
  expect((await app.inject({ url, headers })).json()[kind]).toMatchObject([{ name: 'Ada Lindqvist' }])
})
