// @module-tag embedded
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { AccountResponse } from '../../../src/contract/account.ts'
import { ActionItemsResponse } from '../../../src/contract/action-item.ts'
import { ERROR_STATUS } from '../../../src/contract/errors.ts'
import { EXAMPLES } from '../../../src/contract/examples.ts'
import { Folder, FolderList, FolderMembershipResponse } from '../../../src/contract/folder.ts'
import { isScope } from '../../../src/contract/scopes.ts'
import { SessionDetail, SessionList } from '../../../src/contract/session.ts'
import { TRANSCRIPT_TYPES, TranscriptResponse } from '../../../src/contract/transcript.ts'
import { openapiDocument } from '../../../src/server/openapi-documents.ts'
import { validatorsOf } from '../../support/schemas.ts'
import { testServer } from '../../support/server.ts'

interface Operation {
  operationId?: string
  summary?: string
  tags?: string[]
  security?: { token: string[] }[]
  requestBody?: { content: Record<string, { schema?: object; example?: unknown }> }
  responses: Record<string, { $ref?: string; headers?: object; content?: Record<string, { example?: unknown }> }>
}

const document = JSON.parse(readFileSync('openapi/openapi.json', 'utf8'))
/** They answer 202 for a new session and 200 for one that exists. */
const IDEMPOTENT = new Set(['createSession', 'uploadSession', 'createPerson'])
const operations = Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const)
)

const validatorOf = validatorsOf(document)

const guarded = operations.filter(([, { security }]) => security!.length > 0)

function follow<T extends { $ref?: string }>(answer: T): T {
  return answer.$ref ? document.components.responses[answer.$ref.split('/').at(-1)!] : answer
}

/** What the operation answers when all is well. */
function answerOf({ responses }: Operation) {
  return Object.entries(responses).find(([status]) => status < '300')![1]
}

describe('the OpenAPI document', () => {
  test('is the committed one', async () => {
    expect(JSON.parse(JSON.stringify(await openapiDocument()))).toEqual(document)
  })

  test('declares OpenAPI 3.1.0 and API version 1.0.0, and is served without a token', async () => {
    const { app } = await testServer()
    const reply = await app.inject('/v1/openapi.json')
    const served = reply.json()
    expect([reply.statusCode, served.openapi, served.info.version]).toEqual([200, '3.1.0', '1.0.0'])
    expect(served.paths).toEqual(document.paths)
  })

  test('lets gateways pass each form of an instant that the server takes: a day, and a time with or without an offset', () => {
    const instants = Object.values<Record<string, { parameters?: { name: string; schema: { pattern: string } }[] }>>(
      document.paths
    )
      .flatMap(methods => Object.values(methods))
      .flatMap(({ parameters = [] }) => parameters)
      .filter(({ name }) => ['since', 'until', 'from', 'to'].includes(name))
    expect(instants.length).toBeGreaterThanOrEqual(5)
    for (const { name, schema } of instants) {
      expect(schema).not.toHaveProperty('format')
      for (const instant of ['2026-03-02', '2026-03-02T10:00', '2026-03-02T10:00:00.5Z', '2026-03-02 10:00:00+02:00'])
        expect([name, instant, new RegExp(schema.pattern).test(instant)]).toEqual([name, instant, true])
    }
  })

  test('describes the numbers, words, URLs and defaults in the fields of an import document', () => {
    const { properties } = document.components.schemas.ImportDocumentInput
    const { segments, action_items: items, media, title, type, duration_seconds: duration } = properties
    const { start, end } = segments.items.properties
    const { due_date: due, source_start: said } = items.items.properties
    const silent = Object.entries({ title, type, duration, start, end, due, said, ...media.properties }).filter(
      ([, field]) => (field as { description?: string }).description === undefined
    )
    expect(silent.map(([name]) => name)).toEqual([])
  })

  test('has every path under /v1', () => {
    expect(Object.keys(document.paths).filter(path => !path.startsWith('/v1/'))).toEqual([])
  })

  test.each(operations)('%s has an id, a summary, a tag, scopes, headers and its refusals', (_, operation) => {
    expect(operation).toMatchObject({
      operationId: expect.any(String),
      summary: expect.any(String),
      tags: [expect.any(String)]
    })
    const scopes = operation.security!.flatMap(({ token }) => token)
    expect(scopes.filter(scope => !isScope(scope))).toEqual([])
    const refusals = scopes.length > 0 ? ['401', '403', '429', '500', '503'] : ['429', '500']
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(refusals))
    expect(Object.keys(operation.responses).filter(status => status < '300')).toHaveLength(
      IDEMPOTENT.has(operation.operationId!) ? 2 : 1
    )
    for (const answer of Object.values(operation.responses))
      expect(follow(answer).headers).toHaveProperty('X-RateLimit-Remaining')
  })

  test.each(guarded.filter(([, { responses }]) => !responses['204']))('%s shows an example', (_, operation) => {
    const shown = Object.values(answerOf(operation).content ?? {}).map(({ example }) => example)
    expect(shown).not.toEqual([])
    expect(shown).not.toContain(undefined)
  })

  test.each(operations.filter(([, { requestBody }]) => requestBody?.content['application/json']))(
    '%s shows a valid body',
    (_, { requestBody }) => {
      const { schema, example } = requestBody!.content['application/json']!
      const validate = validatorOf(schema!)
      expect([validate(example), validate.errors]).toEqual([true, null])
    }
  )

  test.each(guarded.filter(([, { responses }]) => responses['204']))('%s answers without a body', (_, operation) => {
    expect(answerOf(operation)).not.toHaveProperty('content')
  })

  test('has each operation id once', () => {
    const ids = operations.map(([, { operationId }]) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  /** With two of them, orval generates a call that does not compile. */
  test('has one type of request body with a schema for each operation, and it comes first', () => {
    const types = operations.map(([, { requestBody }]) =>
      Object.values(requestBody?.content ?? {}).map(({ schema }) => schema !== undefined)
    )
    expect(types.filter(([first, ...others]) => first === false || others.includes(true))).toEqual([])
  })

  /** A schema of the others would make the answer of a generated client either JSON or text. */
  test('lists the files that an Accept header gets beside JSON, which alone has a schema', () => {
    const several = operations.flatMap(([name, operation]) => {
      const { content = {} } = answerOf(operation)
      return content['application/json'] && Object.keys(content).length > 1 ? [[name, content] as const] : []
    })
    const types = several.map(([name, content]) => [name, Object.keys(content)])
    expect(Object.fromEntries(types)).toEqual({
      'GET /v1/action-items': ['application/json', 'text/csv'],
      'GET /v1/terms': ['application/json', 'text/csv'],
      'GET /v1/sessions/{id}/transcript': ['application/json', ...Object.values(TRANSCRIPT_TYPES)],
      'GET /v1/shared-sessions/{owner_id}/{id}/transcript': ['application/json', ...Object.values(TRANSCRIPT_TYPES)]
    })
    for (const [, content] of several)
      expect(Object.keys(content).filter(type => content[type] && 'schema' in content[type])).toEqual([
        'application/json'
      ])
  })

  test('names every error code', () => {
    expect(document.components.schemas.Error.properties.error.properties.code.enum).toEqual(Object.keys(ERROR_STATUS))
  })
})

test.each([
  [SessionList, EXAMPLES.sessionList],
  [SessionDetail, EXAMPLES.sessionDetail],
  [ActionItemsResponse, EXAMPLES.actionItems],
  [TranscriptResponse, EXAMPLES.transcript],
  [Folder, EXAMPLES.folder],
  [FolderList, EXAMPLES.folderList],
  [FolderMembershipResponse, EXAMPLES.folderMembership],
  [AccountResponse, EXAMPLES.account]
])('examples match their schemas', (shape, example) => {
  expect(shape.parse(example)).toEqual(example)
})
