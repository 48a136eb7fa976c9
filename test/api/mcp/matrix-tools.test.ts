import { beforeAll, describe, expect, test } from 'vitest'
import { ALL_SCOPES, type Scope } from '../../../src/contract/scopes.ts'
import { issueToken } from '../../../src/features/access/tokens.ts'
import { served } from '../../matrix/ask.ts'
import { TOOLS } from '../../matrix/tools.ts'
import { openWorld, type World } from '../../matrix/world.ts'
import { ask, callTool, listTools, type messageOf, sendMessage, VERSIONS } from '../../support/mcp.ts'
import { clock } from '../../support/server.ts'
import { newSharer } from '../../support/sharing.ts'

const rows = Object.entries(TOOLS)
let world: World
let stranger: World['owner']

beforeAll(async () => {
  world = await openWorld()
  stranger = await newSharer()
})

/** The owner, with a token of those scopes only. */
async function withScopes(scopes: readonly Scope[]) {
  const { token } = await issueToken(served.db, world.owner.id, 'some scopes', [...scopes], clock.now())
  return {
    ask: async (method: 'POST', url: string, { body, headers }: ReturnType<typeof messageOf>) => {
      const reply = await served.app.inject({
        method,
        url,
        headers: { ...headers, authorization: `Bearer ${token}` },
        payload: body
      })
      return { status: reply.statusCode, body: reply.json(), headers: reply.headers }
    }
  } as Pick<World['owner'], 'ask'>
}

describe.each(VERSIONS)('over %s', version => {
  test.each(ALL_SCOPES)('a token of %s lists the tools of this scope, and no others', async scope => {
    const expected = rows.filter(([, { scopes }]) => scopes.includes(scope)).map(([name]) => name)
    const user = await withScopes([scope])
    if (expected.length > 0) expect((await listTools(user, version)).sort()).toEqual(expected.sort())
    else expect((await sendMessage(user, 'tools/list', {}, version)).status).toBe(403)
  })
})

test('a token of every scope lists every tool, each with a hint whether it writes', async () => {
  const { tools } = await ask(world.owner, 'tools/list')
  const hints = Object.fromEntries(
    tools.map(({ name, annotations }: { name: string; annotations: { readOnlyHint: boolean } }) => [
      name,
      annotations.readOnlyHint
    ])
  )
  expect(hints).toEqual(Object.fromEntries(rows.map(([name, { writes }]) => [name, writes !== true])))
})

describe.each(rows)('%s', (name, { scopes, args, secret = [], ...outcomes }) => {
  test('is refused with 403, which names the scope, without its scopes', async () => {
    const user = await withScopes(ALL_SCOPES.filter(scope => !scopes.includes(scope)))
    const { status, body, headers } = await sendMessage(user, 'tools/call', { name, arguments: args(world.ids) })
    expect({ status, error: body.error }).toEqual({
      status: 403,
      error: { code: 'insufficient_scope', message: `The token lacks the scope ${scopes.join(' or ')}` }
    })
    expect(headers['www-authenticate']).toBe(
      `Bearer error="insufficient_scope", scope="${scopes[0]}", resource_metadata="http://parlance.test/.well-known/oauth-protected-resource/mcp"`
    )
  })

  test.each(scopes)('answers with %s alone', async scope => {
    const { isError } = await callTool(await withScopes([scope]), name, args(world.ids))
    expect(isError).toBe(false)
  })

  test.each(['owner', 'stranger', 'recipient'] as const)('answers the %s with their own only', async caller => {
    const user = caller === 'stranger' ? stranger : world[caller]
    const { text, isError } = await callTool(user, name, args(world.ids))
    expect(isError ? text.split('; ')[0] : 'answer').toBe(outcomes[caller])
    expect(secret.filter(one => text.includes(one))).toEqual(caller === 'owner' ? secret : [])
  })
})
