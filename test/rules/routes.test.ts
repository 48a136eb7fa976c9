import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { nameOf } from '../../ops/routes.ts'
import { ADMIN_ROUTES } from '../../src/contract/admin/routes.ts'
import { ROUTES } from '../../src/contract/routes/routes.ts'
import { files, read } from './source.ts'

/** Routes that are in no document: pages, files, signed links, the protocols of agents. */
const ELSEWHERE = /^interfaces\/(?:web|site|console|oauth|mcp)\//

test('a route of the documents has its method and address in the contract alone', () => {
  const registering = files.filter(
    file =>
      !file.startsWith('contract/') &&
      /\bapp\.(?:get|post|patch|put|delete|head)\b|\.route\(\{(?!\s*\.\.\.)/.test(read(file))
  )
  // The links to recordings and exports are in no document.
  expect(registering.filter(file => !ELSEWHERE.test(file)).toSorted()).toEqual([
    'features/exports/plugin.ts',
    'features/recordings/plugin.ts'
  ])
})

test.each([
  ['openapi/openapi.json', '/v1', ROUTES],
  ['openapi/admin.json', '/app/v1', ADMIN_ROUTES]
])('the document %s has the routes of the contract', (path, prefix, routes) => {
  const { paths }: { paths: Record<string, Record<string, { operationId: string }>> } = JSON.parse(
    readFileSync(path, 'utf8')
  )
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => [operationId, `${method.toUpperCase()} ${path}`])
  )
  const known = Object.entries(routes).filter(([, { method }]) => method !== 'HEAD')
  expect(Object.fromEntries(described)).toEqual(
    Object.fromEntries(known.map(([operation, route]) => [operation, nameOf(prefix, route)]))
  )
})
