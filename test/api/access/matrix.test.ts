import { beforeAll, describe, expect, test } from 'vitest'
import { ALL_SCOPES, type Scope } from '../../../src/contract/scopes.ts'
import { makeToken } from '../../../src/features/access/token-format.ts'
import { issueToken, setRevoked } from '../../../src/features/access/tokens.ts'
import {
  ask,
  nonsenseOf,
  operations,
  outcomeOf,
  type Route,
  requestOf,
  routes,
  served,
  servedRoutes
} from '../../matrix/ask.ts'
import { PAGES } from '../../matrix/pages.ts'
import { ROWS } from '../../matrix/rows.ts'
import { FLAGS, openFlagged, openWorld, type Sharer, type World } from '../../matrix/world.ts'
import { clock } from '../../support/server.ts'
import { newSharer } from '../../support/sharing.ts'

const YEAR_MS = 365 * 86_400_000
const guarded = routes.filter(({ row }) => row.scopes.length > 0)
const byName = (some: Route[]) => some.map(route => [route.name, route] as const)

let world: World
let stranger: Sharer
/** Has nothing, as a revoked recipient has, and asks the same in the same order. */
let newcomer: Sharer
let flagged: Awaited<ReturnType<typeof openFlagged>>

beforeAll(async () => {
  world = await openWorld()
  stranger = await newSharer()
  newcomer = await newSharer()
  flagged = await openFlagged(world)
})

test('every operation of the document has a row, every row an operation, and every id in a path a kind', () => {
  expect(operations.map(({ name }) => name).sort()).toEqual(Object.keys(ROWS).sort())
  for (const { name, path, row } of routes) {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter)
    expect(Object.keys({ ...row.path, ...row.pathWords }), name).toEqual(names)
  }
})

test('every served route is in the document, except pages, signed links and what is for agents', () => {
  const proven = [
    'GET /v1/media/{owner}/{session}/{kind}',
    'GET /v1/export-files/{owner}/{export}',
    ...Object.keys(PAGES).filter(name => !name.startsWith('HEAD'))
  ]
  const pages = [
    'GET /v1/docs/try',
    'GET /v1/docs/js/scalar.js',
    'GET /favicon.ico',
    'GET /assets/correct.js',
    'GET /assets/find.js',
    'GET /assets/guide.css',
    'GET /assets/guide.js',
    'GET /assets/keys.js',
    'GET /assets/progress.js',
    'GET /assets/search.css',
    'GET /assets/session.js',
    'GET /assets/settings.css',
    'GET /assets/queue.js',
    'GET /assets/tick.js',
    'GET /assets/transfer.js',
    'GET /assets/upload.js',
    'GET /assets/style.css',
    'GET /llms-full.txt',
    'GET /llms.txt',
    'GET /.well-known/api-catalog',
    'GET /.well-known/jwks.json',
    'OPTIONS /.well-known/jwks.json',
    'GET /.well-known/oauth-authorization-server',
    'GET /.well-known/oauth-protected-resource',
    'GET /.well-known/oauth-protected-resource/mcp',
    'POST /oauth/register',
    'POST /oauth/token',
    'POST /oauth/revoke',
    'OPTIONS *',
    'OPTIONS /.well-known/oauth-authorization-server',
    'OPTIONS /.well-known/oauth-protected-resource',
    'OPTIONS /.well-known/oauth-protected-resource/mcp',
    'OPTIONS /mcp',
    'OPTIONS /oauth/register',
    'OPTIONS /oauth/revoke',
    'OPTIONS /oauth/token',
    'GET /v1/docs.md',
    'OPTIONS /v1/uploads',
    'OPTIONS /v1/uploads/{id}',
    'OPTIONS /uploads',
    'OPTIONS /uploads/{id}'
  ]
  const agents = ['POST /mcp']
  const described = operations.map(({ method, path }) => `${method} ${path}`)
  expect(servedRoutes().sort()).toEqual([...described, ...proven, ...pages, ...agents].sort())
})

describe('without a valid token', () => {
  const UNAUTHORIZED = '{"error":{"code":"unauthorized","message":"Send the header Authorization: Bearer <token>"}}'
  const INVALID =
    '{"error":{"code":"invalid_token","message":"The token is unknown, expired or revoked; send a current one"}}'
  const at = (ms: number) => new Date(clock.now().getTime() + ms)
  const tokens: [string, string, () => Promise<string | undefined>][] = [
    ['none', UNAUTHORIZED, async () => undefined],
    ['a malformed one', INVALID, async () => 'prl_malformed'],
    ['one nobody has', INVALID, async () => makeToken()],
    ['one that expires this instant', INVALID, () => tokenOf(world, ALL_SCOPES, at(-YEAR_MS))],
    ['a revoked one', INVALID, () => revokedToken(world)]
  ]

  test.each(tokens)(
    '%s: each route answers 401 with the same bytes, and the public one as usual',
    async (_, refusal, made) => {
      const token = await made()
      for (const route of routes) {
        for (const sent of [requestOf(route, world.ids), ...nonsenseOf(route)]) {
          const { status, text } = await ask(token, sent)
          if (route.row.scopes.length > 0) expect({ status, text }, route.name).toEqual({ status: 401, text: refusal })
          else expect(status, route.name).toBe(200)
        }
      }
    }
  )

  test('a token that expires in a millisecond is still valid', async () => {
    const token = await tokenOf(world, ['account:read'], at(1 - YEAR_MS))
    expect((await ask(token, { method: 'GET', url: '/v1/account' })).status).toBe(200)
  })
})

describe('a token of some scopes', () => {
  const others = (route: Route) => ALL_SCOPES.filter(scope => !route.row.scopes.includes(scope))
  const refusal = ({ row }: Route) => ({
    status: 403,
    text: JSON.stringify({
      error: { code: 'insufficient_scope', message: `The token lacks the scope ${row.scopes.join(' or ')}` }
    })
  })

  test.each(byName(guarded))('%s is refused without its scope before the request is read', async (_, route) => {
    for (const scopes of [[], others(route)]) {
      const token = await tokenOf(world, scopes)
      const refused = await ask(token, requestOf(route, world.ids))
      expect(refused).toMatchObject(refusal(route))
      for (const sent of nonsenseOf(route)) expect(await ask(token, sent)).toEqual(refused)
    }
  })

  test.each(byName(guarded))('%s passes with each scope that the contract names', async (_, route) => {
    for (const scope of route.row.scopes) {
      const { owner, ids } = route.row.destroys ? await openWorld() : world
      const answer = await ask(await tokenOf({ owner }, [scope]), requestOf(route, ids))
      expect(outcomeOf(answer)).toBe(route.row.owner)
    }
  })

  test.each(byName(guarded.filter(({ method }) => method === 'GET')))(
    'HEAD follows the scope of %s',
    async (_, route) => {
      const sent = { ...requestOf(route, world.ids), method: 'HEAD' }
      expect((await ask(await tokenOf(world, others(route)), sent)).status).toBe(403)
      for (const scope of route.row.scopes) {
        const { status, text } = await ask(await tokenOf(world, [scope]), sent)
        expect({ status, text }).toEqual({ status: Number(route.row.owner.slice(0, 3)), text: '' })
      }
    }
  )

  test('HEAD of an upload follows the scope of its other requests', async () => {
    const { owner, ids } = await openWorld()
    const sent = { method: 'HEAD', url: `/v1/uploads/${ids.upload}`, headers: { 'tus-resumable': '1.0.0' } }
    const statusOf = async (token?: string) => (await ask(token, sent)).status
    const others = ALL_SCOPES.filter(scope => scope !== 'sessions:create')
    expect(await statusOf()).toBe(401)
    expect(await statusOf(await tokenOf({ owner }, others))).toBe(403)
    expect(await statusOf(await tokenOf({ owner }, ['sessions:create']))).toBe(200)
    expect(await statusOf(stranger.token)).toBe(404)
  })

  test.each(byName(guarded))('a header that names another method changes nothing on %s', async (_, route) => {
    const [own, other] = [await tokenOf(world, route.row.scopes), await tokenOf(world, others(route))]
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE'].filter(method => method !== route.method)) {
      const headers = { 'x-http-method-override': method, 'x-http-method': method, 'x-method-override': method }
      expect(await ask(other, requestOf(route, world.ids), headers)).toMatchObject(refusal(route))
      if (route.method === 'GET')
        expect(outcomeOf(await ask(own, requestOf(route, world.ids), headers))).toBe(route.row.owner)
    }
  })
})

describe('callers', () => {
  const HIDDEN = {
    summary: 'OWNED SUMMARY',
    transcript: 'OWNED TRANSCRIPT',
    audio: 'OWNED-AUDIO',
    action_items: 'OWNED ITEM'
  }
  const PRIVATE = ['OWNED NOTES', 'owned-tag', 'Owned folder']
  const owned = () => [...Object.values(world.ids), ...Object.values(flagged)].filter(id => id !== world.ids.recipient)
  let before: Awaited<ReturnType<typeof everythingOf>>

  beforeAll(async () => {
    before = await everythingOf(world)
  })

  test.each(byName(routes))(
    '%s answers a stranger as the contract says, without data of the owner',
    async (_, route) => {
      const sent = requestOf(route, world.ids)
      const answer = await ask(stranger.token, sent)
      expect(outcomeOf(answer)).toBe(route.row.stranger)
      const asked = JSON.stringify(sent)
      expect(owned().filter(id => answer.text.includes(id) && !asked.includes(id))).toEqual([])
      expect(['Owned Person', ...PRIVATE, ...Object.values(HIDDEN)].filter(text => answer.text.includes(text))).toEqual(
        []
      )
    }
  )

  test.each(byName(routes))('%s answers a revoked recipient like a stranger', async (_, route) => {
    const sent = requestOf(route, world.ids)
    const [revoked, other] = [await ask(world.revoked.token, sent), await ask(newcomer.token, sent)]
    expect(outcomeOf(revoked)).toBe(route.row.stranger)
    if (isRefusal(route.row.stranger)) expect(revoked).toEqual(other)
    else expect(unnamed(revoked.text)).toBe(unnamed(other.text))
  })

  test.each(byName(routes))(
    '%s answers a recipient as the contract says, without data that is never shared',
    async (_, route) => {
      const answer = await ask(world.recipient.token, requestOf(route, world.ids))
      expect(outcomeOf(answer)).toBe(route.row.recipient)
      expect(PRIVATE.filter(text => answer.text.includes(text))).toEqual([])
    }
  )

  test.each(byName(routes).flatMap(pair => FLAGS.map(flag => [...pair, flag] as const)))(
    '%s answers a recipient without $2 as the contract says',
    async (_, route, flag) => {
      const { without = {}, recipient } = route.row
      const answer = await ask(world.recipient.token, requestOf(route, { ...world.ids, session: flagged[flag] }))
      const rule = without[flag] ?? recipient
      expect(outcomeOf(answer)).toBe(typeof rule === 'string' ? rule : recipient)
      expect(answer.text).not.toContain(HIDDEN[flag])
      const optional = Object.values(without).flatMap(other => (typeof other === 'object' ? [other.absent] : []))
      for (const key of optional) {
        if (typeof rule === 'object' && rule.absent === key) expect(JSON.parse(answer.text)).not.toHaveProperty(key)
        else expect(JSON.parse(answer.text)[key], key).toBeTruthy()
      }
    }
  )

  test('all these requests leave the data of the owner unchanged', async () => {
    expect(await everythingOf(world)).toEqual(before)
  })
})

/** What the owner has, as the routes that only read tell it. */
async function everythingOf({ owner, ids }: World) {
  const reads = routes.filter(({ method, row }) => method === 'GET' && row.owner === '200')
  return await Promise.all(reads.map(async route => [route.name, (await ask(owner.token, requestOf(route, ids))).text]))
}

function isRefusal(outcome: string) {
  return outcome.startsWith('4')
}

async function tokenOf({ owner }: Pick<World, 'owner'>, scopes: Scope[], now = clock.now()) {
  return (await issueToken(served.db, owner.id, 'matrix', scopes, now)).token
}

async function revokedToken({ owner }: World) {
  const { id, token } = await issueToken(served.db, owner.id, 'matrix', ALL_SCOPES, clock.now())
  await setRevoked(served.db, owner.id, id, clock.now())
  return token
}

/** What two people who have nothing are told of themselves and of what they make, without who and what it is. */
function unnamed(text: string) {
  return text.replace(/\b[a-z]{2,4}_[0-9a-hjkmnp-tv-z]{26}\b/g, 'ID').replace(/whsec_[\w+/=]+/g, 'SECRET')
}
