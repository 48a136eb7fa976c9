import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { documentOf, publish, serveDocuments } from '../../support/client-documents.ts'
import { allow, answerIn, authorizePath, exchangeOf, newAgent, newVerifier, refreshOf } from '../../support/oauth.ts'
import { NOW, PUBLIC_URL } from '../../support/server.ts'

const MINUTE_MS = 60_000
const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const NOW_S = Date.parse(NOW) / 1_000

async function newKey(kid: string, alg = 'RS256') {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid } }
}

type Key = Awaited<ReturnType<typeof newKey>>

/** A client whose document has keys, connected to a user, with a code that it has not exchanged. */
async function newClient({ methods = ['private_key_jwt'], alg = 'RS256' } = {}) {
  const key = await newKey('first', alg)
  const state = { keys: [key.jwk], fails: false, keyReads: 0 }
  const published = await publish((id, path) => {
    if (path !== '/jwks.json')
      return {
        body: documentOf(id, {
          token_endpoint_auth_method: 'private_key_jwt',
          token_endpoint_auth_methods_supported: methods,
          jwks_uri: id.replace('client.json', 'jwks.json')
        })
      }
    state.keyReads++
    return state.fails ? { status: 403, body: '' } : { body: JSON.stringify({ keys: state.keys }) }
  })
  const { served, browser, clock, pass } = await serveDocuments(published.lookup)
  const { verifier, challenge } = newVerifier()
  const { code = '' } = answerIn((await allow(browser, authorizePath(published.id, challenge))).to)
  const agent = newAgent(served, { address: `10.${Array.from(crypto.getRandomValues(new Uint8Array(3))).join('.')}` })
  const sign = async (claims: object = {}, by: Key = key) =>
    await new SignJWT({
      iss: published.id,
      sub: published.id,
      aud: PUBLIC_URL,
      exp: Math.floor(clock.now().getTime() / 1_000) + 60,
      jti: crypto.randomUUID(),
      ...claims
    })
      .setProtectedHeader({ alg: by.alg, kid: by.kid })
      .sign(by.privateKey)
  const exchange = (assertion?: string, more = {}) =>
    agent.token({
      ...exchangeOf(published.id, code, verifier),
      ...(assertion !== undefined && { client_assertion: assertion, client_assertion_type: TYPE }),
      ...more
    })
  return { id: published.id, agent, key, state, sign, exchange, pass }
}

test.each(['RS256', 'PS256', 'ES256', 'EdDSA'])('a client connects and refreshes by assertions of %s', async alg => {
  const { id, agent, sign, exchange } = await newClient({ alg })
  const { status, body } = await exchange(await sign())
  expect(status).toBe(200)
  const assertion = await sign({ aud: [`${PUBLIC_URL}/oauth/token`] })
  const { client_id: _, ...refresh } = refreshOf(id, body.refresh_token)
  const refreshed = await agent.token({ ...refresh, client_assertion: assertion, client_assertion_type: TYPE })
  expect(refreshed.status, 'without client_id, which the assertion has').toBe(200)
  const revoked = await agent.revoke({
    token: refreshed.body.refresh_token,
    client_assertion: await sign({ aud: `${PUBLIC_URL}/oauth/revoke` }),
    client_assertion_type: TYPE
  })
  expect(revoked.status).toBe(200)
})

test('an assertion is refused with the reason, and the code stays for a right one', async () => {
  const { id, key, sign, exchange } = await newClient()
  const stranger = await newKey('first')
  const secret = new TextEncoder().encode('a secret that the server would have to know')
  const refused: [string, string][] = [
    [await sign({}, stranger), 'has a wrong signature'],
    [await sign({}, { ...key, kid: 'unknown' }), 'is signed by a key that is not at jwks_uri'],
    [await sign({ aud: 'https://another.example' }), 'lacks aud, or has a wrong one'],
    [await sign({ iss: 'https://another.example/client.json' }), 'lacks iss, or has a wrong one'],
    [await sign({ sub: `${id}x` }), 'lacks sub, or has a wrong one'],
    [await sign({ exp: NOW_S - 60 }), 'has expired'],
    [await sign({ exp: undefined }), 'lacks exp, or has a wrong one'],
    [await sign({ exp: NOW_S + 7_200 }), 'expires later than in 3600 s'],
    [await sign({ jti: undefined }), 'lacks jti, or has a wrong one'],
    [
      await new SignJWT({ iss: id, sub: id, aud: PUBLIC_URL, exp: NOW_S + 60, jti: 'x' })
        .setProtectedHeader({ alg: 'HS256', kid: 'first' })
        .sign(secret),
      'must be signed by one of'
    ],
    ['no.jwt.at-all', 'cannot be read']
  ]
  for (const [assertion, problem] of refused) {
    const { status, body } = await exchange(assertion)
    expect([status, body.error, body.error_description]).toEqual([
      401,
      'invalid_client',
      expect.stringContaining(problem)
    ])
  }
  expect((await exchange()).body.error_description).toBe('Send client_assertion, as the document says')
  expect((await exchange(await sign(), { client_assertion_type: 'x' })).body.error).toBe('invalid_request')
  expect((await exchange(await sign(), { client_secret: 'x' })).body.error).toBe('invalid_request')
  expect((await exchange(await sign())).status).toBe(200)
})

test('an assertion works once, at whichever endpoint', async () => {
  const { agent, sign, exchange } = await newClient()
  const assertion = await sign()
  const { body } = await exchange(assertion)
  const again = await agent.revoke({
    token: body.refresh_token,
    client_assertion: assertion,
    client_assertion_type: TYPE
  })
  expect([again.status, again.body.error_description]).toEqual([401, expect.stringContaining('was used before')])
})

test('a key that the client has added is found at once, and others make the server read no more than once a minute', async () => {
  const { id, agent, state, sign, exchange, pass } = await newClient()
  const { body } = await exchange(await sign())
  expect(state.keyReads).toBe(1)
  const added = await newKey('second')
  state.keys = [added.jwk]
  pass(MINUTE_MS)
  const refresh = async (by: Key) =>
    await agent.token(
      refreshOf(id, body.refresh_token, { client_assertion: await sign({}, by), client_assertion_type: TYPE })
    )
  expect((await refresh(added)).status).toBe(200)
  const unknown = await newKey('third')
  for (let turn = 0; turn < 3; turn++) expect((await refresh(unknown)).status).toBe(401)
  expect(state.keyReads).toBe(2)
})

test('keys that cannot be read now are a 503 for a client that needs them, and the last ones serve', async () => {
  const { state, sign, exchange, pass } = await newClient()
  state.fails = true
  const { status, headers } = await exchange(await sign())
  expect([status, headers['retry-after']]).toEqual([503, '60'])
  await exchange(await sign())
  expect(state.keyReads, 'an attempt a minute').toBe(1)
  state.fails = false
  pass(MINUTE_MS)
  expect((await exchange(await sign(), { code: 'prc_x' })).body.error).toBe('invalid_grant')
  state.fails = true
  pass(61 * MINUTE_MS)
  expect((await exchange(await sign(), { code: 'prc_x' })).body.error).toBe('invalid_grant')
})

test('a client that may also send none is verified where it sends an assertion, and connects where its keys cannot be read', async () => {
  const methods = ['none', 'private_key_jwt']
  const first = await newClient({ methods })
  expect((await first.exchange(await first.sign({ aud: 'https://another.example' }))).status).toBe(401)
  expect((await first.exchange(await first.sign())).status).toBe(200)
  const second = await newClient({ methods })
  second.state.fails = true
  expect((await second.exchange(await second.sign())).status).toBe(200)
  const third = await newClient({ methods })
  expect((await third.exchange()).status).toBe(200)
})
