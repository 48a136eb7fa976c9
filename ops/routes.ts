import { readdirSync, readFileSync } from 'node:fs'

interface ApiDocument {
  paths: Record<string, Record<string, { operationId: string; security?: { token?: string[] }[] }>>
}

/** Every route of `/v1` and of the admin API, in the order of the documents. */
export function listRoutes() {
  const [own, admin] = ['openapi/openapi.json', 'openapi/admin.json'].map(readOperations)
  const handlers = readHandlers()
  const ofOperator = new Map(admin?.map(({ operation, route }) => [operation, route]))
  const known = new Set(own?.map(({ operation }) => operation))
  const both = own?.map(one => ({ ...one, admin: ofOperator.get(one.operation) }))
  const onlyAdmin = admin?.filter(({ operation }) => !known.has(operation))
  return [...(both ?? []), ...(onlyAdmin ?? []).map(one => ({ ...one, scopes: [], admin: one.route }))].map(one => ({
    ...one,
    handler: handlers.find(({ text }) => registers(text, one.operation))?.path
  }))
}

/** The operations of a document that `npm run openapi` has written before. */
function readOperations(path: string) {
  const document: ApiDocument = JSON.parse(readFileSync(path, 'utf8'))
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, security = [] }]) => ({
      route: `${method.toUpperCase()} ${path}`,
      operation: operationId,
      scopes: security.flatMap(({ token = [] }) => token)
    }))
  )
}

/** The files that register routes, below `src`. */
function readHandlers() {
  return readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter(path => /(?:^|[/-])(?:plugin|routes|openapi)\.ts$/.test(path) && !path.startsWith('contract/'))
    .sort()
    .map(path => ({ path, text: readFileSync(`src/${path}`, 'utf8') }))
}

/** A route is taken from the contract by the name of its operation, or described where it is registered. */
function registers(text: string, operation: string) {
  return new RegExp(`\\b\\w+\\.${operation},|operationId: '${operation}'`).test(text)
}
