import { expect, test } from 'vitest'
import { CALL_ROUTES } from '../../src/contract/admin/call-routes.ts'
import { OPERATOR_FOLDER_ROUTES } from '../../src/contract/admin/folder-routes.ts'
import { ADMIN_SESSION_ROUTES, OPERATOR_ROUTES } from '../../src/contract/admin/session-routes.ts'
import { OPERATOR_SHARING_ROUTES } from '../../src/contract/admin/share-routes.ts'
import { OPERATIONS, type Operation } from '../../src/contract/operations.ts'
import { OPERATOR_PEOPLE_ROUTES } from '../../src/contract/routes/people.ts'
import type { RouteDescription } from '../../src/contract/routes/route.ts'
import { ROUTES } from '../../src/contract/routes/routes.ts'
import { files, isNode, type Node, nodesOf, read } from './source.ts'

const features = files.filter(file => file.startsWith('features/'))
const scopes = (name: string) => (name === 'getOpenapi' ? 'public' : OPERATIONS[name as Operation])

const described: [string, RouteDescription][] = [
  ROUTES,
  ADMIN_SESSION_ROUTES,
  OPERATOR_ROUTES,
  CALL_ROUTES,
  OPERATOR_FOLDER_ROUTES,
  OPERATOR_SHARING_ROUTES,
  OPERATOR_PEOPLE_ROUTES
].flatMap(routes => Object.entries<RouteDescription>(routes))

test.each(described)('the route %s has the name and the scopes of its operation', (name, { config, schema }) => {
  expect(config.scopes).toBe(scopes(name))
  if ('operationId' in schema) expect(schema.operationId).toBe(name)
})

test('every operation of the table is one of features', () => {
  const made = features.flatMap(file => [...read(file).matchAll(/= operation\(\s*'(\w+)'/g)].map(([, name]) => name))
  expect([...new Set(made)].sort()).toEqual(Object.keys(OPERATIONS).sort())
})

/** Functions that take an actor and are parts of an operation, or decide nothing. */
const PARTS = [
  ...[
    'importList',
    'importSession',
    'limitsFor',
    'openUpload',
    'readList',
    'requireUpload',
    'sessionPath',
    'stageFile'
  ],
  'withIdempotency'
]

test('what is done for an actor is an operation, which checks the scopes', () => {
  const others = features.flatMap(file => nodesOf(read(file)).flatMap(node => actsFor(node) ?? []))
  expect(others.filter(name => !PARTS.includes(name))).toEqual([])
})

test('scopes are checked by operations, and before the body is read by the guard, and nowhere else', () => {
  const checking = files.filter(file => /\brequire(?:Scope|Owner)\(/.test(read(file)))
  expect(checking).toEqual([
    'features/access/actor.ts',
    'features/access/operation.ts',
    'interfaces/http/guards/token-guard.ts'
  ])
})

/** The name of an exported function whose second parameter is the actor. */
function actsFor({ type, declaration }: Node) {
  if (type !== 'ExportNamedDeclaration' || !isNode(declaration) || declaration.type !== 'FunctionDeclaration') return
  const [, second] = declaration.params as Node[]
  if (second?.type !== 'Identifier' || second.name !== 'actor') return
  return isNode(declaration.id) ? String(declaration.id.name) : undefined
}
