// @module-tag both

import { expect, test } from 'vitest'
import { LIMITS } from '../../../src/contract/limits.ts'
import { everyScope } from '../../../src/features/access/actor.ts'
import { createToken } from '../../../src/features/accounts/operations.ts'
import { removeOldGrants } from '../../../src/features/oauth/grants.ts'
import { sql } from '../../../src/platform/db/drizzle.ts'
import { signedIn } from '../../support/console.ts'
import { allow, authorizePath, connect, newAgent, newVerifier, refreshOf, statusOf } from '../../support/oauth.ts'
import { clock, testServer } from '../../support/server.ts'

const served = await testServer()
const { db } = served
const agentOf = () =>
  newAgent(served, { address: `10.${Array.from(crypto.getRandomValues(new Uint8Array(3))).join('.')}` })

async function countOf(table: 'tokens' | 'oauth_grants' | 'oauth_secrets', userId: string) {
  const { rows } = await db.execute<{ n: string }>(
    sql`select count(*) n from ${sql.raw(table)} where user_id = ${userId}`
  )
  return Number(rows[0]?.n)
}

test('a user makes as many tokens as the limit says, with those of the last day, and the operator more', async () => {
  const PATH = '/settings/tokens'
  const { user, browser } = await signedIn()
  const addTokens = (count: number, { days, revoked }: { days: number; revoked: boolean }) =>
    db.execute(sql`
      insert into tokens (user_id, token_id, name, scopes, hint, created_at, expires_at, revoked_at)
      select ${user.id}, 'tok_' || gen_random_uuid(), 'Old', '{}', 'prl_', created, created + interval '300 days',
        case when ${revoked} then created end
      from generate_series(1, ${count}::int), lateral (select ${clock.now()}::timestamptz - ${days} * interval '1 day' as created) made`)
  const make = () => browser.submit(PATH, PATH, { name: 'Backup', expires_in: '2592000', 'account:read': 'on' })
  await addTokens(LIMITS.tokens, { days: 2, revoked: true })
  expect((await make()).status).toBe(201)
  await addTokens(40, { days: 2, revoked: false })
  await addTokens(LIMITS.tokens - 41 - 1, { days: 0, revoked: true })
  const made = await countOf('tokens', user.id)
  const { status, text } = await make()
  expect({ status, made: await countOf('tokens', user.id) }).toEqual({ status: 400, made })
  expect(text).toContain(`You have made ${LIMITS.tokens} tokens; revoke some, or try again tomorrow`)
  const sent = { name: 'More', scopes: ['account:read' as const], expires_in: 3_600 }
  expect(await createToken({ db, clock }, everyScope(user.id, 'admin'), sent)).toMatchObject({ name: 'More' })
})

test('a user connects as many agents as the limit says, and another one after one has gone', async () => {
  const { user, browser } = await signedIn()
  // Each with a secret at once, or a removal by another test would take them.
  await db.transaction(async tx => {
    await tx.execute(sql`
      insert into oauth_grants (user_id, token_id, client_id, client_name, redirect_uri, challenge, audience, scopes, created_at)
      select ${user.id}, 'tok_' || n, 'cli_x', 'X', 'https://x.example/', 'x', 'mcp', '{}', ${clock.now()}
      from generate_series(1, ${LIMITS.oauth.agents}::int) n`)
    await tx.execute(sql`
      insert into oauth_secrets (user_id, hash, token_id, expires_at)
      select user_id, sha256((user_id || token_id)::bytea), token_id, ${clock.now()}::timestamptz + interval '90 days'
      from oauth_grants where user_id = ${user.id}`)
  })
  const { client_id: clientId } = (await agentOf().register()).body
  const path = authorizePath(clientId, newVerifier().challenge)
  const { status, text } = await allow(browser, path)
  expect(status).toBe(400)
  expect(text).toContain(`${LIMITS.oauth.agents} agents are connected; disconnect some, or try again tomorrow`)
  expect(await countOf('oauth_grants', user.id)).toBe(LIMITS.oauth.agents)
  await db.execute(sql`delete from oauth_grants where user_id = ${user.id} and token_id = 'tok_1'`)
  expect((await allow(browser, path)).status).toBe(303)
})

test('an agent that refreshes without end has a limited number of used refresh tokens, and its newest work', async () => {
  const { user, browser } = await signedIn()
  const agent = agentOf()
  const { clientId, tokens } = await connect(agent, browser)
  await db.execute(sql`
    insert into oauth_secrets (user_id, hash, token_id, expires_at, used_at)
    select user_id, sha256(n::text::bytea), token_id, ${clock.now()}::timestamptz + n * interval '1 minute', ${clock.now()}
    from oauth_grants, generate_series(1, ${LIMITS.oauth.refreshTokens}::int) n where user_id = ${user.id}`)
  const next = (await agent.token(refreshOf(clientId, tokens.refresh_token))).body
  expect(await countOf('oauth_secrets', user.id)).toBe(LIMITS.oauth.refreshTokens)
  const last = await agent.token(refreshOf(clientId, next.refresh_token))
  expect(last.status).toBe(200)
  expect(await countOf('oauth_secrets', user.id)).toBe(LIMITS.oauth.refreshTokens)
  expect(await statusOf(served, last.body.access_token)).toBe(200)
  expect((await agent.token(refreshOf(clientId, tokens.refresh_token))).status, 'a second use').toBe(400)
  expect(await statusOf(served, last.body.access_token)).toBe(401)
})

test('a connection that ended leaves no refresh tokens, and its grant goes with the next removal', async () => {
  const { user, browser } = await signedIn()
  const agent = agentOf()
  const { clientId, tokens } = await connect(agent, browser)
  const { body } = await agent.token(refreshOf(clientId, tokens.refresh_token))
  expect(await countOf('oauth_secrets', user.id)).toBe(3)
  expect((await agent.revoke({ token: body.refresh_token, client_id: clientId })).status).toBe(200)
  expect(await countOf('oauth_secrets', user.id)).toBe(0)
  await removeOldGrants(db, clock.now(), new AbortController().signal)
  expect(await countOf('oauth_grants', user.id)).toBe(0)
  expect((await agent.token(refreshOf(clientId, body.refresh_token))).body).toMatchObject({ error: 'invalid_grant' })
})
