import { ROUTES } from '../../src/contract/routes/routes.ts'
import { testServer } from '../support/server.ts'
import { ROWS, type Row } from './rows.ts'
import type { Ids, Kind } from './world.ts'

export const served = await testServer()
/** The routes of the contract that its document shows. */
export const operations = Object.entries(ROUTES).flatMap(([name, { method, url, schema }]) =>
  'hide' in schema ? [] : [{ name, method, path: `/v1${url.replace(/:(\w+)/g, '{$1}')}` }]
)

/** A route of the contract with who may use it. */
export interface Route {
  name: string
  method: string
  path: string
  row: Row
}

/** Those that have a row; that each has one is a test of its own. */
export const routes: Route[] = operations.flatMap(({ name, method, path }) => {
  const row = ROWS[name]
  return row ? [{ name, method, path, row }] : []
})

/** All that the program serves, said in the document or not, as `GET /v1/sessions/{id}`. */
export function servedRoutes() {
  const open: string[] = []
  const lines = served.app.printRoutes({ commonPrefix: false }).split('\n')
  return lines.flatMap(line => {
    const [, indent, part, methods] = /^([│ ]*)[├└]── (\S+)(?: \((.+)\))?$/.exec(line) ?? []
    if (indent === undefined || part === undefined) return []
    open.splice(indent.length / 4, Infinity, part)
    const path = open.join('').replace(/:(\w+)/g, '{$1}')
    return (methods?.split(', ') ?? []).filter(method => method !== 'HEAD').map(method => `${method} ${path}`)
  })
}

export interface Sent {
  method: string
  url: string
  body?: unknown
  headers?: Record<string, string>
}

/** The request of a route for these ids. */
export function requestOf({ method, path, row }: Route, ids: Ids): Sent {
  const url =
    path.replace(/\{(\w+)\}/g, (_, name) => row.pathWords?.[name] ?? ids[row.path?.[name] as Kind]) + (row.query ?? '')
  return { method, url, ...(row.body && { body: row.body(ids) }), ...(row.headers && { headers: row.headers }) }
}

/** Requests of a route that nothing is right about but the path, the body sometimes not even JSON. */
export function nonsenseOf({ method, path, row }: Route): Sent[] {
  const url = `${path.replace(/\{\w+\}/g, 'nonsense')}?limit=nonsense&cursor=&status=&include=`
  if (method === 'GET') return [{ method, url }]
  const json = { 'content-type': 'application/json' }
  return [
    { method, url, ...(row.body && { body: { nonsense: true } }) },
    { method, url, body: '{"nonsense', headers: json },
    { method, url, body: 'nonsense', headers: { 'content-type': 'text/plain' } },
    { method, url: `${url}&nul=%00`, body: '"\\u0000"', headers: { ...json, 'if-match': 'nonsense' } }
  ]
}

/** Sends with that token; what comes back is compared byte for byte. */
export async function ask(
  token: string | undefined,
  { method, url, body, headers }: Sent,
  more: Record<string, string> = {}
) {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const reply = await served.app.inject({
    method: method as 'GET',
    url,
    headers: { ...authorization, ...headers, ...more },
    ...(body !== undefined && { payload: body as object })
  })
  return { status: reply.statusCode, text: reply.body, headers: steady(reply.headers) }
}

export type Answer = Awaited<ReturnType<typeof ask>>

/** All headers by name; values but for those that differ from one request or token to the next. */
function steady(headers: Record<string, unknown>) {
  const differ = /request-id|^date$|^x-ratelimit-(remaining|reset)$|^ratelimit$/
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, differ.test(name) ? '' : value]))
}

/** The status, and the code of the error. */
export function outcomeOf({ status, text }: Answer) {
  return status < 400 ? String(status) : `${status} ${JSON.parse(text).error.code}`
}
