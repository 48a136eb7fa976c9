// @module-tag postgres
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { insertGrant, insertSecret } from '../../src/features/oauth/grants.ts'
import { makeSecret } from '../../src/features/oauth/secrets.ts'
import { newId } from '../../src/platform/core/ids.ts'
import { UNLIMITED } from '../faults/load.ts'
import { messageOf } from '../support/mcp.ts'
import { CALLBACK, newVerifier } from '../support/oauth.ts'
import { migratedDatabase, newOwner, openPlace, type Place, serve, until } from '../support/process.ts'

const ROUNDS = 3

/** Sends a form of OAuth. */
async function post(url: string, fields: Record<string, string>) {
  const reply = await fetch(url, { method: 'POST', body: new URLSearchParams(fields) })
  const text = await reply.text()
  return { status: reply.status, body: text === '' ? {} : JSON.parse(text) }
}

/** An agent that a new user has allowed, with its first tokens from that server. */
async function connectAt(place: Place, url: string) {
  const { id: userId } = await newOwner(place)
  const registered = await fetch(`${url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': `10.0.0.${randomBytes(1)[0]}` },
    body: JSON.stringify({ redirect_uris: [CALLBACK] })
  })
  const { client_id: clientId } = (await registered.json()) as { client_id: string }
  const { verifier, challenge } = newVerifier()
  const [code, tokenId, now] = [makeSecret('code', userId), newId('tok'), new Date()]
  const { db, close } = await openPlace(place)
  await db.transaction(async tx => {
    const about = { clientId, clientName: 'Agent', redirectUri: CALLBACK, challenge, audience: 'mcp' as const }
    await insertGrant(tx, userId, { ...about, tokenId, scopes: ['sessions:read'], createdAt: now })
    await insertSecret(tx, userId, code, { tokenId, expiresAt: new Date(now.getTime() + 60_000) })
  })
  await close()
  const { body } = await post(`${url}/oauth/token`, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: CALLBACK,
    client_id: clientId,
    code_verifier: verifier
  })
  return { clientId, access: String(body.access_token), refresh: String(body.refresh_token) }
}

async function statusAt(url: string, token: string) {
  const { body, headers } = messageOf('tools/call', { name: 'list_sessions', arguments: {} })
  const sent = { ...headers, authorization: `Bearer ${token}` }
  const reply = await fetch(`${url}/mcp`, { method: 'POST', headers: sent, body: JSON.stringify(body) })
  await reply.text()
  return reply.status
}

test('of two servers, neither answers an agent from the moment that one has answered its revocation', {
  timeout: 300_000
}, async () => {
  const fresh = await migratedDatabase()
  const place = { ...fresh, environment: { ...fresh.environment, ...UNLIMITED, TRUST_PROXY: '127.0.0.1' } }
  const [one, other] = await Promise.all([serve(place), serve(place)])
  for (let round = 0; round < ROUNDS; round++) {
    const { clientId, access, refresh } = await connectAt(place, one.url)
    let revoked = false
    const calls: { server: string; after: boolean; status: number }[] = []
    const calling = [one, other].map(async ({ url: server }) => {
      // On and on, until enough were sent after the answer to the revocation.
      for (let left = 10; left > 0; left -= Number(revoked)) {
        const after = revoked
        calls.push({ server, after, status: await statusAt(server, access) })
      }
    })
    await until('both servers know the token', () =>
      [one, other].every(({ url }) => calls.filter(({ server, status }) => server === url && status === 200).length > 2)
    )
    const answer = await post(`${one.url}/oauth/revoke`, { token: round % 2 ? access : refresh, client_id: clientId })
    revoked = true
    await Promise.all(calling)
    expect(answer.status).toBe(200)
    expect(calls.filter(({ after, status }) => after && status !== 401)).toEqual([])
    expect(calls.filter(({ status }) => status !== 200 && status !== 401)).toEqual([])
    for (const { url } of [one, other]) {
      const refused = await post(`${url}/oauth/token`, {
        grant_type: 'refresh_token',
        refresh_token: refresh,
        client_id: clientId
      })
      expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    }
  }
})
