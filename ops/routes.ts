import { readdirSync, readFileSync } from 'node:fs'
import { ADMIN_ROUTES } from '../src/contract/admin/routes.ts'
import type { RouteDescription } from '../src/contract/routes/route.ts'
import { ROUTES } from '../src/contract/routes/routes.ts'

/** Every route of `/v1` and of the admin API, with the file that registers it. */
export function listRoutes() {
  const handlers = readHandlers()
  const own = Object.entries(ROUTES).map(([operation, route]) => ({
    operation,
    route: nameOf('/v1', route),
    scopes: scopesOf(route),
    admin: operation in ADMIN_ROUTES
  }))
  const ofOperator = Object.entries(ADMIN_ROUTES).flatMap(([operation, route]) =>
    operation in ROUTES ? [] : [{ operation, route: nameOf('/app/v1', route), scopes: [], admin: true }]
  )
  return [...own, ...ofOperator].map(one => ({
    ...one,
    handler: handlers.find(({ text }) => text.includes(`.${one.operation},`))?.path
  }))
}

function scopesOf({ config: { scopes } }: RouteDescription) {
  return scopes === 'public' ? [] : scopes
}

/** The name of a route as the document has it: `GET /v1/sessions/{id}`. */
export function nameOf(prefix: string, { method, url }: Pick<RouteDescription, 'method' | 'url'>) {
  return `${method} ${prefix}${url.replace(/:(\w+)/g, '{$1}')}`
}

/** The files that register routes, below `src`. */
function readHandlers() {
  return readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter(path => /(?:^|[/-])(?:plugin|routes|openapi)\.ts$/.test(path) && !path.startsWith('contract/'))
    .sort()
    .map(path => ({ path, text: readFileSync(`src/${path}`, 'utf8') }))
}
