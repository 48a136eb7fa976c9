import { beforeEach, describe, expect, test } from 'vitest'
import { LIMITS } from '../../../src/contract/limits.ts'
import { eraseUser } from '../../../src/features/deletions/erase-user.ts'
import { createClient } from '../../../src/features/oauth/registration.ts'
import { AGENT_SCOPES } from '../../../src/interfaces/mcp/tools/tools.ts'
import { askAdmin } from '../../support/admin-api.ts'
import { type Browser, hiddenFields, mailedLink, newBrowser, signedIn, signInAs } from '../../support/console.ts'
import { inOneMinute } from '../../support/minute.ts'
import {
  type Agent,
  allow,
  answerIn,
  authorizePath,
  buttonIn,
  CALLBACK,
  connect,
  exchangeOf,
  newAgent,
  newVerifier,
  refreshOf,
  statusOf
} from '../../support/oauth.ts'
import { tablesWith } from '../../support/remains.ts'
import {
  buildTestApp,
  NO_QUEUE,
  NOW,
  newUser,
  PUBLIC_URL,
  type Served,
  testDatabase,
  testServer,
  testServices
} from '../../support/server.ts'

let served: Served
let agent: Agent
let browser: Browser
let user: Awaited<ReturnType<typeof signedIn>>['user']

beforeEach(async () => {
  served = await testServer()
  // Limits count by address.
  agent = newAgent(served, { address: `10.${Array.from(crypto.getRandomValues(new Uint8Array(3))).join('.')}` })
  const signed = await signedIn()
  browser = signed.browser
  user = signed.user
})

/** An application of another server on the same database, at a time after now. */
async function serverAt(seconds: number) {
  const clock = { now: () => new Date(Date.parse(NOW) + seconds * 1_000) }
  return { db: (await testDatabase()).db, app: await buildTestApp({ clock }) }
}

const get = async (path: string, app = served.app) => (await app.inject(path)).json()

describe('metadata', () => {
  test('the authorization server names its endpoints, PKCE with S256, and how clients identify', async () => {
    expect(await get('/.well-known/oauth-authorization-server')).toMatchObject({
      issuer: PUBLIC_URL,
      authorization_endpoint: `${PUBLIC_URL}/oauth/authorize`,
      token_endpoint: `${PUBLIC_URL}/oauth/token`,
      registration_endpoint: `${PUBLIC_URL}/oauth/register`,
      revocation_endpoint: `${PUBLIC_URL}/oauth/revoke`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_post', 'client_secret_basic', 'private_key_jwt'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      scopes_supported: expect.arrayContaining(['sessions:read', 'offline_access'])
    })
  })

  test('each resource has its own URI, and the scopes of the MCP server are those of its tools', async () => {
    const [whole, mcp] = [
      await get('/.well-known/oauth-protected-resource'),
      await get('/.well-known/oauth-protected-resource/mcp')
    ]
    expect(whole).toMatchObject({ resource: PUBLIC_URL, authorization_servers: [PUBLIC_URL] })
    expect(mcp).toMatchObject({ resource: `${PUBLIC_URL}/mcp`, authorization_servers: [PUBLIC_URL] })
    expect(whole.scopes_supported).toContain('sharing:manage')
    // Refresh tokens are not a matter of the resource, so offline_access is not among them.
    expect(mcp.scopes_supported.toSorted()).toEqual(AGENT_SCOPES.toSorted())
  })

  test('below a path, both documents are at the well-known path with the path behind it, and below the path', async () => {
    const app = await buildTestApp({ publicUrl: `${PUBLIC_URL}/base` })
    for (const path of ['/.well-known/oauth-authorization-server/base', '/base/.well-known/oauth-authorization-server'])
      expect(await get(path, app)).toMatchObject({ issuer: `${PUBLIC_URL}/base` })
    const resources = [
      ['/.well-known/oauth-protected-resource/base', '/base'],
      ['/.well-known/oauth-protected-resource/base/mcp', '/base/mcp'],
      ['/base/.well-known/oauth-protected-resource', '/base'],
      ['/base/.well-known/oauth-protected-resource/mcp', '/base/mcp']
    ]
    for (const [path = '', resource] of resources)
      expect(await get(path, app), path).toMatchObject({ resource: `${PUBLIC_URL}${resource}` })
    await app.close()
  })
})

describe('registration', () => {
  test('a client gets an id of its own each time, and no field of the answer is null', async () => {
    const [first, second] = [
      await agent.register({ client_uri: null, scope: null, contacts: null, grant_types: null }),
      await agent.register({ client_name: null })
    ]
    expect(first.status).toBe(201)
    expect(first.body).toEqual({
      client_id: expect.stringMatching(/^cli_[0-9a-z]{26}$/),
      client_id_issued_at: Date.parse(NOW) / 1_000,
      client_name: 'Agent Smith',
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none'
    })
    expect(second.body.client_id).not.toBe(first.body.client_id)
    expect(Object.values({ ...first.body, ...second.body })).not.toContain(null)
    expect(second.body).not.toHaveProperty('client_name')
  })

  test('a client that asks for a secret is registered as one without', async () => {
    const { body } = await agent.register({ token_endpoint_auth_method: 'client_secret_post' })
    expect(body).toMatchObject({ token_endpoint_auth_method: 'none' })
    expect(body).not.toHaveProperty('client_secret')
  })

  test.each([
    'http://agent.example/callback',
    'https://agent.example/callback#fragment',
    'https://user:secret@agent.example/callback',
    'http://127.0.0.1.agent.example/callback',
    'http://localhost.agent.example/callback',
    'http://localhost@agent.example/callback',
    'javascript:alert(1)',
    'JAVASCRIPT:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'https://agent.example/\nback',
    'https://agent.example/c\\d',
    '/callback',
    ''
  ])('the redirect URI %j is refused', async uri => {
    const { status, body } = await agent.register({ redirect_uris: [uri] })
    expect({ status, error: body.error }).toEqual({ status: 400, error: 'invalid_redirect_uri' })
  })

  test.each([
    'http://127.0.0.1/callback',
    'http://localhost:3118/callback',
    'http://[::1]:1234/cb?from=here',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'com.example.app:/oauth'
  ])('the redirect URI %j is taken', async uri => {
    expect((await agent.register({ redirect_uris: [uri] })).body).toMatchObject({ redirect_uris: [uri] })
  })

  test.each<[string, object | string, string, string]>([
    ['no redirect URI', { redirect_uris: [] }, 'invalid_redirect_uri', 'redirect_uris: send at least 1 entry'],
    [
      'eleven of them',
      { redirect_uris: Array.from({ length: 11 }, () => CALLBACK) },
      'invalid_redirect_uri',
      'redirect_uris: send at most 10 entries'
    ],
    ['a list for one', { redirect_uris: [[]] }, 'invalid_redirect_uri', 'redirect_uris.0: send a text'],
    [
      'another flow',
      { grant_types: ['client_credentials'] },
      'invalid_client_metadata',
      'grant_types: send a list with authorization_code'
    ],
    [
      'another type of answer',
      { response_types: ['token'] },
      'invalid_client_metadata',
      'response_types: send a list with code'
    ],
    ['a name that is no text', { client_name: 7 }, 'invalid_client_metadata', 'client_name: send a text']
  ])('with %s the answer says what is wrong', async (_, metadata, error, description) => {
    const { status, body } = await agent.register(metadata as object)
    expect({ status, ...body }).toEqual({ status: 400, error, error_description: description })
  })

  /** Registers until it is refused. Returns how often it was not. */
  async function registerAll(by: Agent, metadata: (turn: number) => object) {
    for (let turn = 0; ; turn++) {
      const { status, body, headers } = await by.register(metadata(turn))
      if (status !== 429) continue
      expect(body.error).toBe('temporarily_unavailable')
      expect(Number(headers['retry-after'])).toBeGreaterThan(0)
      return turn
    }
  }

  const LOCAL_CLIENT = (turn: number) => ({
    client_name: 'Desk Agent',
    redirect_uris: [`http://127.0.0.1:${40_000 + turn}/callback`]
  })

  test('ten people behind one address connect in a minute, with the same client and a second attempt', async () => {
    for (let turn = 0; turn < 20; turn++) expect((await agent.register(LOCAL_CLIENT(turn))).status).toBe(201)
  })

  test('a client that registers without end is stopped, whatever its ports, and stops no other of its address', async () => {
    expect(await registerAll(agent, LOCAL_CLIENT)).toBe(20)
    for (let turn = 0; turn < 100; turn++) expect((await agent.register(LOCAL_CLIENT(turn))).status).toBe(429)
    expect((await agent.register()).status).toBe(201)
    expect((await agent.register({ client_name: 'Desk Agent' })).status).toBe(201)
    expect((await agent.register({ redirect_uris: ['http://127.0.0.1:1/other'] })).status).toBe(201)
  })

  test('a network registers sixty clients a minute, however they call themselves and wherever in it they are', async () => {
    const network = `10.77.${crypto.getRandomValues(new Uint8Array(1))[0]}`
    const member = (last: number) => newAgent(served, { address: `${network}.${last}` })
    for (let turn = 0; turn < 60; turn++)
      expect((await member(turn % 3).register({ client_name: `Agent ${turn}` })).status).toBe(201)
    expect(await registerAll(member(9), turn => ({ client_name: `Other ${turn}` }))).toBe(0)
    expect((await newAgent(served, { address: '10.78.0.1' }).register()).status).toBe(201)
  })

  test('registrations that are refused count as well', async () => {
    expect(await registerAll(agent, turn => ({ redirect_uris: [`x${turn}`] }))).toBe(20)
  })

  test('a name that turns the text around it, or that has lines, is one line of harmless text', async () => {
    const { body } = await agent.register({ client_name: 'Claude\u202E\n\u200B<b>of</b>\u0007 us' })
    expect(body.client_name).toBe('Claude <b>of</b> us')
    const page = await browser.get(authorizePath(body.client_id, newVerifier().challenge))
    expect(page.body).toContain('Claude &lt;b&gt;of&lt;/b&gt; us')
  })
})

describe('the page on which a user decides', () => {
  let clientId: string
  const { verifier, challenge } = newVerifier()
  const path = (fields: Record<string, string | undefined> = {}) => authorizePath(clientId, challenge, fields)

  beforeEach(async () => {
    clientId = (await agent.register()).body.client_id
  })

  test('it names the client, where its answer goes, and each scope in words, and no site can frame it', async () => {
    const { status, text, headers } = await browser.get(path())
    expect(status).toBe(200)
    for (const part of [
      'Agent Smith',
      'agent.example',
      user.email,
      'Search sessions',
      'Read the account',
      'nobody has checked it'
    ])
      expect(text).toContain(part)
    expect(text).not.toContain('Delete sessions')
    expect(headers['x-frame-options']).toBe('DENY')
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("form-action 'self' https://agent.example;")
  })

  test.each(['https://agent.example;sandbox/back', 'https://agent.example,other.example/back'])(
    'a host that would end its policy, such as that of %s, is not in it',
    async uri => {
      const { body } = await agent.register({ redirect_uris: [uri] })
      const { status, headers } = await browser.get(authorizePath(body.client_id, challenge, { redirect_uri: uri }))
      expect(status).toBe(200)
      expect(headers['content-security-policy']).toContain("form-action 'self' https:; base-uri 'none'")
    }
  )

  test('allowing leads back with a code, the state and the issuer', async () => {
    const { status, to } = await allow(browser, path())
    expect(status).toBe(303)
    expect(String(to).startsWith(`${CALLBACK}?`)).toBe(true)
    expect(answerIn(to)).toEqual({ code: expect.stringMatching(/^prc_/), state: 'a state', iss: PUBLIC_URL })
  })

  test('not allowing leads back with access_denied', async () => {
    const { to } = await allow(browser, path(), { deny: true })
    expect(answerIn(to)).toMatchObject({ error: 'access_denied', state: 'a state', iss: PUBLIC_URL })
  })

  test('a scope that the user unticks is not granted, and none that they add', async () => {
    const { to } = await allow(browser, path(), { scopes: ['sessions:read', 'sessions:delete'] })
    const { code = '' } = answerIn(to)
    const { body } = await agent.token(exchangeOf(clientId, code, verifier))
    expect(body.scope).toBe('sessions:read')
    expect(await statusOf(served, body.access_token)).toBe(200)
    expect(await statusOf(served, body.access_token, '/v1/account')).toBe(403)
  })

  test('without a scope the page says so, and keeps the request', async () => {
    const { status, text, body } = await allow(browser, path(), { scopes: [] })
    expect(status).toBe(400)
    expect(text).toContain('Choose at least one thing')
    expect(body).toContain('name="request"')
  })

  test('it asks again after every yes', async () => {
    await allow(browser, path())
    expect((await browser.get(path())).text).toContain('Don’t allow')
  })

  test('whoever is not signed in signs in first, and comes back to the page', async () => {
    const fresh = newBrowser(served)
    const { status, to } = await fresh.get(path())
    expect({ status, to }).toEqual({ status: 303, to: `/sign-in?${new URLSearchParams({ next: path() })}` })
    await fresh.submit(String(to), '/sign-in', { email: user.email })
    const link = await mailedLink(user.email, served)
    const onwards = await fresh.submit(link, link)
    expect(onwards.status).toBe(200)
    const { pathname, search } = new URL(path(), PUBLIC_URL)
    // The browser goes on by itself, and by the button where it does not.
    for (const shape of [/content="0; url=([^"]*)"/, /class="button" href="([^"]*)"/]) {
      const [, target = ''] = shape.exec(onwards.body) ?? []
      const reached = new URL(target.replaceAll('&amp;', '&'), PUBLIC_URL)
      expect(reached.pathname).toBe(pathname)
      expect(Object.fromEntries(reached.searchParams)).toEqual(Object.fromEntries(new URLSearchParams(search)))
    }
  })

  test('a form of another session, and of another site, allows nothing', async () => {
    const other = await signedIn()
    const { body } = await browser.get(path())
    const fields = {
      ...hiddenFields(body, '/oauth/authorize'),
      request: path().split('?')[1]!,
      decision: 'allow',
      'sessions:read': 'on'
    }
    expect((await other.browser.send('/oauth/authorize', fields)).status).toBe(403)
    expect((await browser.send('/oauth/authorize', fields, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await browser.send('/oauth/authorize', fields)).status).toBe(303)
  })

  test.each<[string, Record<string, string | undefined>]>([
    ['an unknown client', { client_id: 'cli_00000000000000000000000000' }],
    ['no client', { client_id: undefined }],
    ['a foreign redirect URI', { redirect_uri: 'https://evil.example/callback' }],
    ['a longer redirect URI', { redirect_uri: `${CALLBACK}/more` }],
    ['a redirect URI with a query', { redirect_uri: `${CALLBACK}?next=evil` }],
    ['a redirect URI with another port', { redirect_uri: 'https://agent.example:8443/callback' }],
    ['no redirect URI', { redirect_uri: undefined }]
  ])('%s is an error on a page, and leads nowhere', async (_, fields) => {
    const { status, to, text } = await browser.get(path(fields))
    expect({ status, to }).toEqual({ status: 400, to: undefined })
    expect(text).toContain('This is not possible')
  })

  test.each<[string, Record<string, string | undefined>, string]>([
    ['the plain method of PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['no method, which means plain', { code_challenge_method: undefined }, 'invalid_request'],
    ['no challenge', { code_challenge: undefined }, 'invalid_request'],
    ['a short challenge', { code_challenge: 'short' }, 'invalid_request'],
    ['another type of answer', { response_type: 'token' }, 'unsupported_response_type'],
    ['another mode of answer', { response_mode: 'fragment' }, 'invalid_request'],
    ['a request object', { request: 'x' }, 'request_not_supported'],
    [
      'scopes that the MCP server does not have',
      { scope: 'sharing:manage', resource: `${PUBLIC_URL}/mcp` },
      'invalid_scope'
    ],
    ['the resource of another server', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['a resource below the server', { resource: `${PUBLIC_URL}/v1/sessions` }, 'invalid_target']
  ])('with %s the page says so, and only its button leads to the client', async (_, fields, error) => {
    const { status, to, text, body, headers } = await browser.get(path(fields))
    expect({ status, to, refresh: headers.refresh }).toEqual({ status: 400, to: undefined, refresh: undefined })
    expect(text).toContain('Agent Smith cannot connect')
    expect(body).not.toContain('http-equiv="refresh"')
    expect(answerIn(buttonIn(body))).toMatchObject({ error, state: 'a state', iss: PUBLIC_URL })
    expect(buttonIn(body).startsWith(`${CALLBACK}?`)).toBe(true)
  })

  test('a decision on a request that has an error leads nowhere either', async () => {
    const fields = { ...hiddenFields((await browser.get(path())).body, '/oauth/authorize'), 'sessions:read': 'on' }
    const request = path({ response_type: 'token' }).split('?')[1]!
    for (const decision of ['allow', 'deny']) {
      const { status, to, body } = await browser.send('/oauth/authorize', { ...fields, request, decision })
      expect({ status, to }).toEqual({ status: 400, to: undefined })
      expect(answerIn(buttonIn(body))).toMatchObject({ error: 'unsupported_response_type' })
    }
  })

  test('an error leads to a client of the operator at once', async () => {
    const client = await createClient(await testServices(), { name: 'Known', redirectUris: [CALLBACK], isPublic: true })
    const { status, to } = await browser.get(path({ client_id: client.client_id, response_type: 'token' }))
    expect(status).toBe(303)
    expect(answerIn(to)).toMatchObject({ error: 'unsupported_response_type', state: 'a state' })
  })

  test('a repeated parameter is an error, which leads only to a client that was named once', async () => {
    const { body } = await browser.get(`${path()}&scope=sessions:read`)
    expect(answerIn(buttonIn(body))).toMatchObject({ error: 'invalid_request' })
    const twice = await browser.get(`${path()}&redirect_uri=${encodeURIComponent(CALLBACK)}`)
    expect({ status: twice.status, to: twice.to }).toEqual({ status: 400, to: undefined })
  })

  test('a program on the user’s machine may listen on any port, at the path that it registered', async () => {
    const { body } = await agent.register({ redirect_uris: ['http://127.0.0.1/callback'] })
    const open = (uri: string) => browser.get(authorizePath(body.client_id, challenge, { redirect_uri: uri }))
    expect((await open('http://127.0.0.1:51234/callback')).text).toContain('a program on your computer')
    for (const uri of [
      'http://127.0.0.1:51234/other',
      'http://localhost:51234/callback',
      'http://127.0.0.1:51234/callback?x=1'
    ])
      expect((await open(uri)).status, uri).toBe(400)
  })

  test('scopes that nobody knows are left out, and those that read are asked for if none is left', async () => {
    for (const [scope, granted] of [
      ['openid profile email offline_access', 'sessions:read sessions:search transcripts:read folders:read'],
      ['openid sessions:read offline_access', 'sessions:read']
    ] as const) {
      const { code = '' } = answerIn((await allow(browser, path({ scope }))).to)
      const { body } = await agent.token(exchangeOf(clientId, code, verifier))
      expect(body.scope).toBe(granted)
      const again = await agent.token(refreshOf(clientId, body.refresh_token, { scope }))
      expect(again.body).toMatchObject({ scope: granted })
    }
  })

  test('a client that names neither scope nor resource may read through the MCP server', async () => {
    const { code = '' } = answerIn((await allow(browser, path({ scope: undefined, resource: undefined }))).to)
    const { body } = await agent.token(exchangeOf(clientId, code, verifier))
    expect(body.scope).toBe('sessions:read sessions:search transcripts:read folders:read')
    expect(await statusOf(served, body.access_token)).toBe(401)
  })
})

describe('tokens', () => {
  test('a code becomes tokens for an hour, which do what the user allowed', async () => {
    const { tokens } = await connect(agent, browser)
    expect(tokens).toEqual({
      access_token: expect.stringMatching(/^prl_/),
      token_type: 'Bearer',
      expires_in: 3_600,
      refresh_token: expect.stringMatching(/^prr_/),
      scope: 'sessions:read sessions:search account:read'
    })
    expect(await statusOf(served, tokens.access_token)).toBe(200)
    expect(await statusOf(served, tokens.access_token, '/v1/events')).toBe(403)
  })

  test('a token for the MCP server is refused by the API, and says why', async () => {
    const { tokens } = await connect(agent, browser, { resource: `${PUBLIC_URL}/mcp`, scope: 'sessions:read' })
    const reply = await served.app.inject({
      url: '/v1/sessions',
      headers: { authorization: `Bearer ${tokens.access_token}` }
    })
    expect(reply.statusCode).toBe(401)
    expect(reply.json().error).toEqual({
      code: 'invalid_token',
      message: 'The token is for the MCP server alone; use one for this API'
    })
  })

  test('tokens for the MCP server and for the whole server work there, and the refusal of others names the metadata', async () => {
    const list = async (token: string) => {
      const reply = await served.app.inject({
        method: 'POST',
        url: '/mcp',
        headers: { authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream' },
        payload: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
      })
      return { status: reply.statusCode, challenge: reply.headers['www-authenticate'], body: reply.body }
    }
    for (const resource of [`${PUBLIC_URL}/mcp`, PUBLIC_URL]) {
      const { tokens } = await connect(agent, browser, { resource, scope: 'sessions:read' })
      const { status, body } = await list(tokens.access_token)
      expect(status).toBe(200)
      expect(body).toContain('list_sessions')
    }
    const { status, challenge } = await list('prl_unknown')
    expect(status).toBe(401)
    expect(challenge).toContain(`resource_metadata="${PUBLIC_URL}/.well-known/oauth-protected-resource/mcp"`)
  })

  test('a token that asks for the whole server never gets more scopes than the user has seen', async () => {
    const { clientId, tokens } = await connect(agent, browser)
    const wider = await agent.token(
      refreshOf(clientId, tokens.refresh_token, { scope: 'sessions:read sharing:manage' })
    )
    expect(wider.body.scope).toBe('sessions:read')
    const other = await agent.token(refreshOf(clientId, wider.body.refresh_token, { scope: 'sharing:manage' }))
    expect(other.body).toMatchObject({ error: 'invalid_scope' })
    const narrower = await agent.token(refreshOf(clientId, wider.body.refresh_token, { scope: 'sessions:read' }))
    expect(narrower.body.scope).toBe('sessions:read')
    expect(await statusOf(served, narrower.body.access_token, '/v1/account')).toBe(403)
    const again = await agent.token(refreshOf(clientId, narrower.body.refresh_token))
    expect(again.body.scope).toBe('sessions:read sessions:search account:read')
    expect(await statusOf(served, again.body.access_token, '/v1/account')).toBe(200)
  })

  test('an access token is over after an hour on a server that knew it, and its refresh token still works', async () => {
    const { clientId, tokens } = await connect(agent, browser)
    let seconds = 0
    const clock = { now: () => new Date(Date.parse(NOW) + seconds * 1_000) }
    const app = await buildTestApp({ clock })
    const other = { app, db: served.db }
    seconds = 3_599
    expect(await statusOf(other, tokens.access_token)).toBe(200)
    seconds = 3_600
    expect(await statusOf(other, tokens.access_token)).toBe(401)
    const { body } = await newAgent(other).token(refreshOf(clientId, tokens.refresh_token))
    expect(await statusOf(other, body.access_token)).toBe(200)
    expect(await statusOf(other, tokens.access_token)).toBe(401)
    await app.close()
  })

  test.each<[string, Record<string, string>]>([
    ['another verifier', { code_verifier: newVerifier().verifier }],
    ['a short verifier', { code_verifier: 'short' }],
    ['another redirect URI', { redirect_uri: 'https://evil.example/callback' }],
    ['another resource', { resource: `${PUBLIC_URL}/mcp` }]
  ])('with %s a code is refused and used up', async (_, fields) => {
    const { client_id: clientId } = (await agent.register()).body
    const { verifier, challenge } = newVerifier()
    const { code = '' } = answerIn((await allow(browser, authorizePath(clientId, challenge))).to)
    const right = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: CALLBACK,
      client_id: clientId,
      code_verifier: verifier
    }
    for (const sent of [{ ...right, ...fields }, right]) {
      const { status, body } = await agent.token(sent)
      expect({ status, error: body.error }).toEqual({ status: 400, error: 'invalid_grant' })
    }
  })

  test('another client cannot exchange a code', async () => {
    const { client_id: clientId } = (await agent.register()).body
    const { client_id: thief } = (await agent.register()).body
    const { verifier, challenge } = newVerifier()
    const { code = '' } = answerIn((await allow(browser, authorizePath(clientId, challenge))).to)
    const { body } = await agent.token({
      grant_type: 'authorization_code',
      code,
      redirect_uri: CALLBACK,
      client_id: thief,
      code_verifier: verifier
    })
    expect(body).toMatchObject({ error: 'invalid_grant' })
  })

  test('a code that is used again ends the tokens that it brought', async () => {
    const { clientId, exchange, tokens } = await connect(agent, browser)
    expect((await agent.token(exchange)).body).toMatchObject({ error: 'invalid_grant' })
    expect(await statusOf(served, tokens.access_token)).toBe(401)
    expect((await agent.token(refreshOf(clientId, tokens.refresh_token))).body).toMatchObject({
      error: 'invalid_grant'
    })
  })

  test('of two exchanges of one code at once, one succeeds, and its tokens end', async () => {
    const { client_id: clientId } = (await agent.register()).body
    const { verifier, challenge } = newVerifier()
    const { code = '' } = answerIn((await allow(browser, authorizePath(clientId, challenge))).to)
    const sent = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: CALLBACK,
      client_id: clientId,
      code_verifier: verifier
    }
    const answers = await Promise.all([agent.token(sent), agent.token(sent)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    const { body } = answers.find(({ status }) => status === 200)!
    expect(await statusOf(served, body.access_token)).toBe(401)
  })

  test('a code is over after a minute', async () => {
    const { client_id: clientId } = (await agent.register()).body
    const { verifier, challenge } = newVerifier()
    const { code = '' } = answerIn((await allow(browser, authorizePath(clientId, challenge))).to)
    const later = await serverAt(60)
    const { body } = await newAgent(later).token({
      grant_type: 'authorization_code',
      code,
      redirect_uri: CALLBACK,
      client_id: clientId,
      code_verifier: verifier
    })
    expect(body).toMatchObject({ error: 'invalid_grant' })
    await later.app.close()
  })

  test('a refresh token is replaced at each use, and the answer that was lost comes again within a minute', async () => {
    const { clientId, tokens } = await connect(agent, browser)
    const first = await agent.token(refreshOf(clientId, tokens.refresh_token))
    expect(first.body.refresh_token).not.toBe(tokens.refresh_token)
    const repeated = await agent.token(refreshOf(clientId, tokens.refresh_token))
    expect(repeated.body).toEqual(first.body)
    expect(await statusOf(served, first.body.access_token)).toBe(200)
  })

  test('two refreshes at once get the same tokens', async () => {
    const { clientId, tokens } = await connect(agent, browser)
    const ask = () => agent.token(refreshOf(clientId, tokens.refresh_token))
    const answers = await Promise.all(Array.from({ length: 5 }, ask))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1)
    expect(new Set(answers.map(({ body }) => body.access_token)).size).toBe(1)
    expect(await statusOf(served, answers[0]!.body.access_token)).toBe(200)
  })

  test('a refresh token that is used again after its successor ends the connection', async () => {
    const { clientId, tokens } = await connect(agent, browser)
    const second = (await agent.token(refreshOf(clientId, tokens.refresh_token))).body
    const third = (await agent.token(refreshOf(clientId, second.refresh_token))).body
    expect((await agent.token(refreshOf(clientId, tokens.refresh_token))).body).toMatchObject({
      error: 'invalid_grant'
    })
    expect(await statusOf(served, third.access_token)).toBe(401)
    expect((await agent.token(refreshOf(clientId, third.refresh_token))).body).toMatchObject({ error: 'invalid_grant' })
  })

  test('of a theft and a refresh at once, whichever comes first, no token is left that works', async () => {
    const other = await serverAt(0)
    for (let round = 0; round < 6; round++) {
      const { clientId, tokens } = await connect(agent, browser)
      const second = (await agent.token(refreshOf(clientId, tokens.refresh_token))).body
      const third = (await agent.token(refreshOf(clientId, second.refresh_token))).body
      const thief = newAgent(other, { address: `10.9.0.${round}` })
      const steal = () => thief.token(refreshOf(clientId, tokens.refresh_token))
      const refresh = () => agent.token(refreshOf(clientId, third.refresh_token))
      const turns = round % 2 ? [steal, refresh, steal] : [refresh, steal, refresh]
      const answers = await Promise.all(turns.map(turn => turn()))
      const stolen = answers.filter((_, index) => turns[index] === steal)
      expect(stolen.map(({ status, body }) => [status, body.error])).toEqual(stolen.map(() => [400, 'invalid_grant']))
      const issued = answers.filter(({ status }) => status === 200).map(({ body }) => body)
      for (const { access_token: access, refresh_token: next } of [second, third, ...issued]) {
        for (const server of [served, other]) expect(await statusOf(server, access)).toBe(401)
        expect((await agent.token(refreshOf(clientId, next))).body).toMatchObject({ error: 'invalid_grant' })
      }
    }
    await other.app.close()
  })

  test('a refresh token that is used again after more than a minute ends the connection', async () => {
    const { clientId, tokens } = await connect(agent, browser)
    const second = (await agent.token(refreshOf(clientId, tokens.refresh_token))).body
    const later = await serverAt(61)
    expect((await newAgent(later).token(refreshOf(clientId, tokens.refresh_token))).body).toMatchObject({
      error: 'invalid_grant'
    })
    expect(await statusOf(served, second.access_token)).toBe(401)
    await later.app.close()
  })

  test('another client cannot use a refresh token, and the connection goes on', async () => {
    const { clientId, tokens } = await connect(agent, browser)
    const { client_id: thief } = (await agent.register()).body
    expect((await agent.token(refreshOf(thief, tokens.refresh_token))).body).toMatchObject({ error: 'invalid_grant' })
    expect((await agent.token(refreshOf(clientId, tokens.refresh_token))).status).toBe(200)
  })

  test('a connection that is idle for 90 days is over', async () => {
    const { clientId, tokens } = await connect(agent, browser)
    const later = await serverAt(90 * 86_400)
    expect((await newAgent(later).token(refreshOf(clientId, tokens.refresh_token))).body).toMatchObject({
      error: 'invalid_grant'
    })
    await later.app.close()
  })

  test.each<[string, Record<string, string>, string, number]>([
    ['no type', { grant_type: '' }, 'invalid_request', 400],
    ['an unknown type', { grant_type: 'password' }, 'unsupported_grant_type', 400],
    ['an unknown client', { client_id: 'cli_unknown' }, 'invalid_client', 401],
    ['no client', { client_id: '' }, 'invalid_request', 400],
    ['a secret that the client does not have', { client_secret: 'x' }, 'invalid_client', 401],
    ['no code', { code: '' }, 'invalid_request', 400],
    ['junk for a code', { code: 'junk' }, 'invalid_grant', 400],
    ['a NUL in the code', { code: 'prc_\0' }, 'invalid_grant', 400],
    ['a NUL in the client', { client_id: 'cli_\0' }, 'invalid_client', 401],
    ['no redirect URI', { redirect_uri: '' }, 'invalid_request', 400],
    ['no verifier', { code_verifier: '' }, 'invalid_request', 400]
  ])('with %s the answer says what is wrong', async (_, fields, error, status) => {
    const { client_id: clientId } = (await agent.register()).body
    const answer = await agent.token(exchangeOf(clientId, 'x', 'x', fields))
    expect({ status: answer.status, error: answer.body.error }).toEqual({ status, error })
    expect(answer.headers['cache-control']).toContain('no-store')
  })

  test('JSON is no form, and a repeated parameter is an error', async () => {
    const post = async (payload: string, type: string) =>
      (
        await served.app.inject({ method: 'POST', url: '/oauth/token', headers: { 'content-type': type }, payload })
      ).json()
    expect(await post('{}', 'application/json')).toMatchObject({ error: 'invalid_request' })
    expect(await post('client_id=a&client_id=b', 'application/x-www-form-urlencoded')).toMatchObject({
      error: 'invalid_request'
    })
    expect(await post('<x/>', 'text/xml')).toMatchObject({ error: 'invalid_request' })
  })

  test('an address gets thirty refusals a minute, and an agent that does nothing wrong any number of tokens', async () => {
    const { clientId, tokens } = await connect(agent, browser)
    let current = tokens.refresh_token
    for (let turn = 0; turn < 35; turn++) current = (await agent.token(refreshOf(clientId, current))).body.refresh_token
    expect(current).toBeDefined()
    for (let turn = 0; turn < 30; turn++)
      expect((await agent.token({ grant_type: 'x', client_id: 'x' })).status).toBe(401)
    const { status, headers } = await agent.token({ grant_type: 'x', client_id: 'x' })
    expect(status).toBe(429)
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
  })
})

describe('the end of a connection', () => {
  test('an agent that revokes its refresh or access token is disconnected on every server', async () => {
    const other = await serverAt(0)
    for (const kind of ['refresh_token', 'access_token'] as const) {
      const { clientId, tokens } = await connect(agent, browser)
      expect(await statusOf(other, tokens.access_token)).toBe(200)
      const { status } = await agent.revoke({ token: tokens[kind], client_id: clientId, token_type_hint: kind })
      expect(status).toBe(200)
      expect(await statusOf(other, tokens.access_token)).toBe(401)
      expect((await agent.token(refreshOf(clientId, tokens.refresh_token))).body).toMatchObject({
        error: 'invalid_grant'
      })
    }
    await other.app.close()
  })

  test('an unknown token is revoked already, and one of another client is left alone', async () => {
    const { clientId, tokens } = await connect(agent, browser)
    const { client_id: thief } = (await agent.register()).body
    expect((await agent.revoke({ token: 'junk', client_id: clientId })).status).toBe(200)
    const refused = await agent.revoke({ token: tokens.refresh_token, client_id: thief })
    expect({ status: refused.status, error: refused.body.error }).toEqual({ status: 400, error: 'invalid_grant' })
    const own = await agent.revoke({ token: user.token, client_id: clientId })
    expect(own.status).toBe(400)
    expect(await statusOf(served, user.token)).toBe(200)
    expect(await statusOf(served, tokens.access_token)).toBe(200)
  })

  test('the settings list an agent until it is disconnected there, and its next request is refused', async () => {
    const { clientId, tokens } = await connect(agent, browser)
    const { text, body } = await browser.get('/settings/agents')
    for (const part of [
      'Agent Smith',
      'agent.example',
      'never used',
      'May do 3 things',
      'Search sessions',
      `${PUBLIC_URL}/mcp`
    ])
      expect(text).toContain(part)
    const [, action = ''] = /action="(\/settings\/agents\/tok_\w+\/disconnect)"/.exec(body) ?? []
    expect(await statusOf(served, tokens.access_token)).toBe(200)
    expect((await browser.get('/settings/agents')).text).toContain('last used on')
    expect((await browser.submit('/settings/agents', action)).to).toBe('/settings/agents')
    expect(await statusOf(served, tokens.access_token)).toBe(401)
    expect((await agent.token(refreshOf(clientId, tokens.refresh_token))).body).toMatchObject({
      error: 'invalid_grant'
    })
    expect((await browser.get('/settings/agents')).text).toContain('No agent is connected')
  })

  test('nobody disconnects the agent of another user', async () => {
    const { tokens } = await connect(agent, browser)
    const { body } = await browser.get('/settings/agents')
    const [, action = ''] = /action="(\/settings\/agents\/tok_\w+\/disconnect)"/.exec(body) ?? []
    const other = await signedIn()
    const _form = other.browser.formToken(action)
    expect((await other.browser.send(action, { _form })).status).toBe(404)
    expect(await statusOf(served, tokens.access_token)).toBe(200)
  })

  test('signing out everywhere ends a code that its agent has not exchanged yet', async () => {
    const { client_id: clientId } = (await agent.register()).body
    const { verifier, challenge } = newVerifier()
    const { code = '' } = answerIn((await allow(browser, authorizePath(clientId, challenge))).to)
    await browser.submit('/settings', '/settings/sign-out-everywhere')
    const { status, body } = await agent.token(exchangeOf(clientId, code, verifier))
    expect({ status, error: body.error }).toEqual({ status: 400, error: 'invalid_grant' })
  })

  test('signing out leaves agents connected, and signing out everywhere disconnects them but no token', async () => {
    const { tokens } = await connect(agent, browser)
    await browser.submit('/settings', '/sign-out')
    expect(await statusOf(served, tokens.access_token)).toBe(200)
    await signInAs(browser, user.email)
    await browser.submit('/settings', '/settings/sign-out-everywhere')
    expect(await statusOf(served, tokens.access_token)).toBe(401)
    expect(await statusOf(served, user.token)).toBe(200)
  })

  test('deleting a user ends connections and codes at once, and leaves no trace of them', async () => {
    const { clientId, tokens } = await connect(agent, browser)
    const { verifier, challenge } = newVerifier()
    const { code = '' } = answerIn((await allow(browser, authorizePath(clientId, challenge))).to)
    expect(await statusOf(served, tokens.access_token)).toBe(200)
    expect((await askAdmin('DELETE', `/users/${user.id}`)).status).toBe(200)
    expect(await statusOf(served, tokens.access_token)).toBe(401)
    for (const form of [refreshOf(clientId, tokens.refresh_token), exchangeOf(clientId, code, verifier)])
      expect(await agent.token(form)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect((await agent.revoke({ token: tokens.refresh_token, client_id: clientId })).status).toBe(200)
    for (let turn = 0; turn < 2; turn++)
      await eraseUser({ db: served.db, jobs: NO_QUEUE }, user.id, new AbortController().signal)
    expect(await tablesWith(await testDatabase(), user.id)).toEqual(['deletions'])
  })

  test('the token of an agent is not among those that a user made, and asks for no renewal', async () => {
    const { tokens } = await connect(agent, browser)
    expect((await browser.get('/settings/tokens')).text).not.toContain('Agent Smith')
    const later = await serverAt(3_000)
    const reply = await later.app.inject({
      url: '/v1/sessions',
      headers: { authorization: `Bearer ${tokens.access_token}` }
    })
    expect(reply.headers).not.toHaveProperty('x-token-expires-at')
    await later.app.close()
  })

  test('the requests of an agent count towards one limit, whatever tokens it has', async () => {
    const app = await buildTestApp({ rateLimits: { perMinute: 3, perDay: 100 } })
    const { clientId, tokens } = await connect(agent, browser)
    const limited = { app, db: served.db }
    expect(await statusOf(limited, tokens.access_token)).toBe(200)
    const second = (await agent.token(refreshOf(clientId, tokens.refresh_token))).body
    const statuses = []
    for (const token of [second.access_token, tokens.access_token, second.access_token])
      statuses.push(await statusOf(limited, token))
    expect(statuses).toEqual([200, 200, 429])
    await app.close()
  })

  test('requests with two tokens of an agent at once count towards its limit, and disturb nobody else’s', async () => {
    const { clientId, tokens } = await connect(agent, browser)
    const { access_token: renewed } = (await agent.token(refreshOf(clientId, tokens.refresh_token))).body
    const app = await buildTestApp({ rateLimits: { perMinute: 3, perDay: 100 } })
    const other = await newUser('sessions:read')
    const sent = [tokens.access_token, renewed, other.token, renewed, tokens.access_token, other.token]
    const { result: answers } = await inOneMinute(async () =>
      Promise.all(sent.map(token => app.inject({ url: '/v1/sessions', headers: { authorization: `Bearer ${token}` } })))
    )
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 200, 200, 200, 200, 429])
    const left = (of: string) =>
      answers.flatMap(({ headers }, at) => (sent[at] === of ? [Number(headers['x-ratelimit-remaining'])] : []))
    expect(left(other.token)).toEqual([2, 1])
    expect([...left(tokens.access_token), ...left(renewed)].toSorted()).toEqual([0, 0, 1, 2])
    await app.close()
  })
})

test('110 decisions at once connect as many agents as a user may have, and no more', async () => {
  const { client_id: clientId } = (await agent.register()).body
  const path = authorizePath(clientId, newVerifier().challenge)
  const fields = { ...hiddenFields((await browser.get(path)).body, '/oauth/authorize'), 'sessions:read': 'on' }
  const decided = await Promise.all(
    Array.from({ length: 110 }, () => browser.send('/oauth/authorize', { ...fields, decision: 'allow' }))
  )
  expect(decided.filter(({ status }) => status === 303)).toHaveLength(LIMITS.oauth.agents)
  const { rows } = await user.db.execute(`select count(*)::int as count from oauth_grants where user_id = '${user.id}'`)
  expect(rows).toEqual([{ count: LIMITS.oauth.agents }])
})
