import type { Services } from '../../src/features/services.ts'
import { type AdminApiOptions, buildAdminApi } from '../../src/interfaces/admin-api/app.ts'
import { holdToDocument } from './described.ts'
import { withoutParam } from './refusal.ts'
import { newUser, testServices, UPLOADS } from './server.ts'

export { UPLOADS }

export const KEY = 'a-key-for-tests-and-for-nothing-else'

export async function buildTestAdminApi(overrides: Partial<Services> = {}, options: Partial<AdminApiOptions> = {}) {
  const app = await buildAdminApi(await testServices(overrides), {
    key: KEY,
    attemptsPerMinute: 100_000,
    ...options
  })
  holdToDocument(app, 'app')
  return app
}

let served: ReturnType<typeof buildTestAdminApi> | undefined

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type App = Awaited<ReturnType<typeof buildTestAdminApi>>

/** Sends a request to the admin API with its key. */
export async function askAdmin(
  method: Method,
  url: string,
  body?: unknown,
  { app, headers }: { app?: App; headers?: Record<string, string> } = {}
) {
  served ??= buildTestAdminApi()
  const payload = body === undefined ? {} : { payload: body as object }
  const reply = await (app ?? (await served)).inject({
    method,
    url: `/app/v1${url}`,
    headers: { authorization: `Bearer ${KEY}`, ...headers },
    ...payload
  })
  return { status: reply.statusCode, body: reply.body && withoutParam(reply.json()) }
}

/** Adds a user with a token for /v1. Returns functions that send requests to the admin API for the user, with urls relative to theirs. */
export async function newAppUser() {
  const user = await newUser()
  const ask = (method: Method) => (url: string, body?: unknown, headers?: Record<string, string>) =>
    askAdmin(method, `/users/${user.id}${url}`, body, headers && { headers })
  const app = { get: ask('GET'), post: ask('POST'), put: ask('PUT'), patch: ask('PATCH'), delete: ask('DELETE') }
  /** The types of the events recorded so far, in order. */
  const events = async (): Promise<string[]> =>
    (await user.get('/v1/events?limit=200')).body.events.map(({ event }: { event: string }) => event)
  return { ...user, adminApi: app, events }
}
