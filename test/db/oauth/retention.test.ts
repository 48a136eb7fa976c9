// @module-tag both

import { beforeEach, describe, expect, test } from 'vitest'
import { LIMITS } from '../../../src/contract/limits.ts'
import { removeUnusedClients } from '../../../src/features/oauth/clients.ts'
import { removeOldGrants } from '../../../src/features/oauth/grants.ts'
import { sql } from '../../../src/platform/db/drizzle.ts'
import { type Browser, newBrowser, signedIn, signInAs } from '../../support/console.ts'
import {
  type Agent,
  allow,
  authorizePath,
  connect,
  newAgent,
  newVerifier,
  refreshOf,
  statusOf
} from '../../support/oauth.ts'
import { ownServer } from '../../support/own-server.ts'
import { clock, type Served, testServer } from '../../support/server.ts'
import { newSharer } from '../../support/sharing.ts'

const DAY_MS = 86_400_000
const never = new AbortController().signal

let served: Served
let agent: Agent
let browser: Browser
let userId: string

beforeEach(async () => {
  served = await testServer()
  // Limits count by address.
  agent = newAgent(served, { address: `10.${Array.from(crypto.getRandomValues(new Uint8Array(3))).join('.')}` })
  const signed = await signedIn()
  browser = signed.browser
  userId = signed.user.id
})

const isGone = { status: 401, body: { error: 'invalid_client' } }
const askOf = (clientId: string) => agent.token(refreshOf(clientId, 'prr_x'))

/** Moves the user's codes and refresh tokens into the past. Those of other tests stay. */
async function age(ms: number) {
  await served.db.execute(
    sql`update oauth_secrets set expires_at = expires_at - ${ms} * interval '1 millisecond' where user_id = ${userId}`
  )
}

async function kept() {
  const { rows } = await served.db.execute<{ grants: string; secrets: string }>(sql`
    select (select count(*) from oauth_grants where user_id = ${userId}) as grants,
      (select count(*) from oauth_secrets where user_id = ${userId}) as secrets`)
  return { grants: Number(rows[0]?.grants), secrets: Number(rows[0]?.secrets) }
}

describe('connections of agents', () => {
  test('a code and a refresh token are kept until they expire, and the connection as long as one of them', async () => {
    const { clientId, tokens } = await connect(agent, browser)
    await removeOldGrants(served.db, clock.now(), never)
    expect(await kept()).toEqual({ grants: 1, secrets: 2 })
    await age(LIMITS.oauth.codeSeconds * 1_000)
    await removeOldGrants(served.db, clock.now(), never)
    expect(await kept()).toEqual({ grants: 1, secrets: 1 })
    const next = await agent.token(refreshOf(clientId, tokens.refresh_token))
    expect(next.status).toBe(200)
    expect(await statusOf(served, next.body.access_token)).toBe(200)
    await age(LIMITS.oauth.refreshDays * DAY_MS)
    await removeOldGrants(served.db, clock.now(), never)
    expect(await kept()).toEqual({ grants: 0, secrets: 0 })
    expect((await agent.token(refreshOf(clientId, next.body.refresh_token))).body).toMatchObject({
      error: 'invalid_grant'
    })
  })

  test('a used refresh token is kept until it expires, so that a second use is noticed', async () => {
    const { clientId, tokens } = await connect(agent, browser)
    const second = (await agent.token(refreshOf(clientId, tokens.refresh_token))).body
    const third = (await agent.token(refreshOf(clientId, second.refresh_token))).body
    await age(LIMITS.oauth.refreshDays * DAY_MS - 1)
    await removeOldGrants(served.db, clock.now(), never)
    expect(await kept()).toEqual({ grants: 1, secrets: 3 })
    expect((await agent.token(refreshOf(clientId, tokens.refresh_token))).status).toBe(400)
    expect(await statusOf(served, third.access_token)).toBe(401)
  })

  test('a permission whose code nobody has exchanged goes with the code', async () => {
    const { client_id: clientId } = (await agent.register()).body
    await allow(browser, authorizePath(clientId, newVerifier().challenge))
    expect(await kept()).toEqual({ grants: 1, secrets: 1 })
    await age(LIMITS.oauth.codeSeconds * 1_000)
    await removeOldGrants(served.db, clock.now(), never)
    expect(await kept()).toEqual({ grants: 0, secrets: 0 })
  })

  test('removal stops between two statements when the server stops', async () => {
    // On the shared database, another test may remove what is old.
    served = await ownServer()
    const user = await newSharer({}, served)
    userId = user.id
    browser = newBrowser(served)
    await signInAs(browser, user.email, served)
    await connect(newAgent(served), browser)
    await age(LIMITS.oauth.refreshDays * DAY_MS)
    await removeOldGrants(served.db, clock.now(), AbortSignal.abort())
    expect(await kept()).toEqual({ grants: 1, secrets: 2 })
  })
})

describe('clients', () => {
  /** Moves the times of a client into the past. */
  async function ageClient(clientId: string, ms: number) {
    const back = sql`${ms} * interval '1 millisecond'`
    await served.db.execute(
      sql`update oauth_clients set created_at = created_at - ${back}, used_at = used_at - ${back} where client_id = ${clientId}`
    )
  }

  test('a client that no user has connected for a day is removed, and one that a user has just connected is not', async () => {
    const { client_id: clientId } = (await agent.register()).body
    const { clientId: connected } = await connect(agent, browser)
    for (const id of [clientId, connected]) await ageClient(id, LIMITS.oauth.waiting.hours * 3_600_000)
    await removeUnusedClients(served.db, clock.now())
    expect((await askOf(clientId)).body).toMatchObject({ error: 'invalid_grant' })
    await ageClient(clientId, 1)
    await removeUnusedClients(served.db, clock.now())
    expect(await askOf(clientId)).toMatchObject(isGone)
    expect((await browser.get(authorizePath(clientId, newVerifier().challenge))).status).toBe(400)
    expect((await askOf(connected)).body).toMatchObject({ error: 'invalid_grant' })
  })

  test('a client is removed 100 days after its last use, when none of its refresh tokens lives', async () => {
    const { clientId } = await connect(agent, browser)
    await ageClient(clientId, LIMITS.oauth.unusedDays * DAY_MS)
    await removeUnusedClients(served.db, clock.now())
    expect((await askOf(clientId)).body).toMatchObject({ error: 'invalid_grant' })
    await ageClient(clientId, 1)
    await removeUnusedClients(served.db, clock.now())
    expect(await askOf(clientId)).toMatchObject(isGone)
    expect(LIMITS.oauth.unusedDays).toBeGreaterThan(LIMITS.oauth.refreshDays)
  })

  test('a use makes a client young again, at most once a day', async () => {
    const { clientId, tokens } = await connect(agent, browser)
    await ageClient(clientId, LIMITS.oauth.unusedDays * DAY_MS + 1)
    expect((await agent.token(refreshOf(clientId, tokens.refresh_token))).status).toBe(200)
    await removeUnusedClients(served.db, clock.now())
    expect((await askOf(clientId)).body).toMatchObject({ error: 'invalid_grant' })
  })

  test('a client of the operator is never removed', async () => {
    const { client_id: clientId } = (await agent.register()).body
    await served.db.execute(sql`update oauth_clients set kind = 'operator' where client_id = ${clientId}`)
    await ageClient(clientId, 10 * 365 * DAY_MS)
    await removeUnusedClients(served.db, clock.now())
    expect((await askOf(clientId)).body).toMatchObject({ error: 'invalid_grant' })
  })
})
