import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { routesWithoutRead } from '../../../bench/growth-reads.ts'

const { paths } = JSON.parse(readFileSync('openapi/openapi.json', 'utf8'))

test('the benchmark of growth reads every route that reads', () => {
  expect(routesWithoutRead({ paths })).toEqual([])
})

test('a route without a read is named, whatever route has a similar path', () => {
  const added = {
    '/v1/sessions/{id}/notes': { get: {} },
    '/v1/people/{id}': { get: {}, patch: {} },
    '/v1/sent': { post: {} }
  }
  expect(routesWithoutRead({ paths: { ...paths, ...added } })).toEqual(['/v1/people/{id}', '/v1/sessions/{id}/notes'])
})
