import type { FastifyPluginCallback } from 'fastify'
import { expect, test } from 'vitest'
import { ALL_SCOPES, type Scope } from '../../../src/contract/scopes.ts'
import { issueToken } from '../../../src/features/access/tokens.ts'
import { type Route, requestOf, routes } from '../../matrix/ask.ts'
import { openWorld } from '../../matrix/world.ts'
import { buildTestApp, clock, testDatabase } from '../../support/server.ts'

/** Makes the door admit every token, so that only the operation is left to check the scope. */
const admitEveryScope: FastifyPluginCallback = (app, _options, done) => {
  app.addHook('onRoute', route => {
    if (Array.isArray(route.config?.scopes)) route.config = { ...route.config, scopes: ALL_SCOPES }
  })
  done()
}
Object.assign(admitEveryScope, { [Symbol.for('skip-override')]: true })

const app = await buildTestApp({}, { tracing: admitEveryScope })
const { db } = await testDatabase()
const world = await openWorld()
const guarded = routes.filter(({ row }) => row.scopes.length > 0)

/** Sends the usual request of a route with a token of those scopes. */
async function ask(route: Route, scopes: Scope[]) {
  const { token } = await issueToken(db, world.owner.id, 'some scopes', scopes, clock.now())
  const { method, url, body, headers } = requestOf(route, world.ids)
  const reply = await app.inject({
    method: method as 'GET',
    url,
    headers: { ...headers, authorization: `Bearer ${token}` },
    ...(body !== undefined && { payload: body as object })
  })
  return { status: reply.statusCode, body: reply.json() }
}

const lacking = (scopes: Scope[]) => ({
  status: 403,
  body: { error: { code: 'insufficient_scope', message: `The token lacks the scope ${scopes.join(' or ')}` } }
})

test('the door of this application admits a token with any scope', async () => {
  for (const route of guarded) expect(await ask(route, []), route.name).toEqual(lacking(ALL_SCOPES))
})

test.each(guarded.map(route => [route.name, route] as const))(
  'the operation %s refuses without its scope although the door admits',
  async (_, route) => {
    const { scopes } = route.row
    const others = ALL_SCOPES.filter(scope => !scopes.includes(scope))
    expect(await ask(route, others)).toEqual(lacking(scopes))
  }
)
