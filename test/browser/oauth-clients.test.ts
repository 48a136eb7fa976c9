// @module-tag embedded
import { createServer } from 'node:http'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { ASSERTION_TYPE } from '../../src/contract/oauth.ts'
import { KNOWN_DOCUMENTS } from '../../src/features/oauth/known-documents.ts'
import { hasBrowser, launchBrowser, takePicture } from '../support/browser.ts'
import { documentOf, publish, serveDocuments } from '../support/client-documents.ts'
import { mailedLink } from '../support/console.ts'
import { messageOf, type Version } from '../support/mcp.ts'
import { type Fields, newVerifier } from '../support/oauth.ts'
import { freePort } from '../support/ports.ts'
import { NOW } from '../support/server.ts'
import { newSharer } from '../support/sharing.ts'

/** A page at this address on the user's machine, where a program waits for its answer. */
async function startPage(host: string) {
  const port = await freePort()
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>x</title><h1>Back</h1>')
  })
  await new Promise<void>(done => server.listen(port, host, done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return port
}

/** Starts a server that browsers and clients reach, with a user who has a conversation and is signed in to the browser. */
async function start(browser: Browser, lookup: Awaited<ReturnType<typeof publish>>['lookup'], overrides = {}) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const { served } = await serveDocuments(lookup, { publicUrl: url, ...overrides })
  await served.app.listen({ host: '127.0.0.1', port })
  const user = await newSharer({}, served)
  await user.session({ title: 'Launch review' })
  // In place of all other hosts, so that no code leaves the machine. It refuses to connect to those with https.
  const server = `http://127.0.0.1:${await startPage('127.0.0.1')}`
  const proxy = { server, bypass: '127.0.0.1,127.0.0.2,localhost' }
  const context = await browser.newContext({ proxy })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  await page.goto(`${url}/sign-in`)
  await page.getByLabel('E-mail address').fill(user.email)
  await page.getByRole('button', { name: 'Send the link' }).click()
  await page.getByRole('heading', { name: 'Look into your mailbox' }).waitFor()
  await page.goto(url + (await mailedLink(user.email, served)))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Sessions' }).first().waitFor()
  return { url, context, page }
}

type Started = Awaited<ReturnType<typeof start>>

/** Sends a message to the MCP server. */
async function send(url: string, method: string, params: object, token?: string, version: Version = '2025-11-25') {
  const { body, headers } = messageOf(method, params, version)
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return await fetch(url, { method: 'POST', headers: { ...headers, ...authorization }, body: JSON.stringify(body) })
}

interface Issued {
  access_token?: string
  refresh_token?: string
  scope?: string
}

async function postForm(url: string, form: Fields) {
  const reply = await fetch(url, { method: 'POST', body: new URLSearchParams(form) })
  return (await reply.json()) as Issued
}

/** Discovers the authorization server as a client does that knows nothing but the address. */
async function discover(url: string) {
  const refused = await send(`${url}/mcp`, 'initialize', {})
  const challenge = refused.headers.get('www-authenticate') ?? ''
  const part = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(challenge)?.[1] ?? ''
  const resource = await readJson(part('resource_metadata'))
  const server = await readJson(`${resource.authorization_servers[0]}/.well-known/oauth-authorization-server`)
  return { status: refused.status, scope: part('scope'), resource, server }
}

interface Metadata {
  resource: string
  issuer: string
  authorization_servers: string[]
  scopes_supported: string[]
  authorization_endpoint: string
  token_endpoint: string
  registration_endpoint: string
  client_id_metadata_document_supported: boolean
}

async function readJson(url: string) {
  return (await (await fetch(url)).json()) as Metadata
}

type Discovered = Awaited<ReturnType<typeof discover>>

/** The lists of scopes that clients ask for, and those that the token then has. */
const READ = 'sessions:read sessions:search transcripts:read folders:read'
const ALL = `${READ} account:read sessions:write transcripts:write folders:write`
const SCOPES: [string, (found: Discovered) => string | undefined, string][] = [
  ['what the challenge names', ({ scope }) => scope, ALL],
  ['what the challenge names, and offline_access', ({ scope }) => `${scope} offline_access`, ALL],
  ['all scopes of the resource', ({ resource }) => resource.scopes_supported.join(' '), ALL],
  ['all scopes of the authorization server', ({ server }) => server.scopes_supported.join(' '), ALL],
  ['those of OpenID Connect alone', () => 'openid profile email offline_access', READ],
  ['one of them beside its own', () => 'sessions:read offline_access', 'sessions:read'],
  ['none', () => undefined, READ]
]

interface Client {
  id: string
  name: string
  redirectUri: string
  /** What it adds to a form of the token endpoint. */
  credentials?: () => Promise<Fields>
}

/** Has the user allow the client in the browser. Returns what the browser brings to its redirect URI. */
async function allow({ context }: Started, { name, redirectUri }: Client, authorizeUrl: string) {
  const page = await context.newPage()
  await page.goto(authorizeUrl)
  await page.getByRole('heading', { name: `Connect ${name}?` }).waitFor()
  const brought = page.waitForRequest(request => request.url().startsWith(`${redirectUri}?`))
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  // The page stays open until the end of the test: Chromium hangs if it closes one that navigates.
  return Object.fromEntries(new URL((await brought).url()).searchParams)
}

async function readConversations(url: string, token: string) {
  const reply = await send(`${url}/mcp`, 'tools/call', { name: 'list_sessions', arguments: {} }, token)
  return ((await reply.json()) as { result: { content: { text: string }[] } }).result.content[0]?.text
}

/** Connects a client from its first request on, calls a tool, refreshes and calls it again. Returns the scopes of both tokens. */
async function connect(started: Started, client: Client, scopeOf: (found: Discovered) => string | undefined) {
  const { url } = started
  const found = await discover(url)
  const { resource, server } = found
  expect([found.status, server.client_id_metadata_document_supported]).toEqual([401, true])
  const scope = scopeOf(found)
  const { verifier, challenge } = newVerifier()
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client.id,
    redirect_uri: client.redirectUri,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'a state',
    resource: resource.resource,
    ...(scope !== undefined && { scope })
  })
  const { code = '', state, iss } = await allow(started, client, `${server.authorization_endpoint}?${query}`)
  expect({ state, iss }).toEqual({ state: 'a state', iss: server.issuer })
  const credentials = client.credentials ?? (async () => ({ client_id: client.id }))
  const issued = await postForm(server.token_endpoint, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: client.redirectUri,
    code_verifier: verifier,
    resource: resource.resource,
    ...(await credentials())
  })
  expect(await readConversations(url, issued.access_token ?? '')).toContain('Launch review')
  const refreshed = await postForm(server.token_endpoint, {
    grant_type: 'refresh_token',
    refresh_token: issued.refresh_token ?? '',
    resource: resource.resource,
    ...(scope !== undefined && { scope }),
    ...(await credentials())
  })
  expect(await readConversations(url, refreshed.access_token ?? '')).toContain('Launch review')
  return [issued.scope, refreshed.scope]
}

/** A redirect URI as the client sends it: a program listens at a port of its choice. */
const sentAt = (uri: string, port: number) => uri.replace(/^(http:\/\/[^/:]+)(?::\d+)?\//, `$1:${port}/`)

const CLIENTS = Object.entries(KNOWN_DOCUMENTS).flatMap(([id, document]) =>
  document.redirect_uris.map(uri => [document.client_name ?? '', uri, id, document] as const)
)

describe.runIf(hasBrowser)('clients with a document, in a browser', () => {
  let browser: Browser

  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser?.close())

  /** A server, and a client whose document is at a host of its own. */
  async function startWith(name: string, uri: string, document: object) {
    const published = await publish(id => ({ body: documentOf(id, document) }))
    const started = await start(browser, published.lookup)
    const { hostname, protocol } = new URL(uri)
    const redirectUri = protocol === 'http:' ? sentAt(uri, await startPage(hostname)) : uri
    return { started, client: { id: published.id, name, redirectUri } }
  }

  test.each(CLIENTS)('%s connects to %s by its own document, and by the copy of the product', async (...about) => {
    const [name, uri, knownId, document] = about
    const { started, client } = await startWith(name, uri, document)
    const scopeOf = ({ scope }: Discovered) => `${scope} offline_access`
    for (const id of [client.id, knownId])
      expect([id, ...(await connect(started, { ...client, id }, scopeOf))]).toEqual([id, ALL, ALL])
  })

  test.each(CLIENTS.filter(([name]) => name === 'Visual Studio Code').slice(0, 1))(
    'each list of scopes connects %s',
    async (...about) => {
      const [name, uri, , document] = about
      const { started, client } = await startWith(name, uri, document)
      for (const [list, scopeOf, granted] of SCOPES)
        expect([list, ...(await connect(started, client, scopeOf))]).toEqual([list, granted, granted])
    }
  )

  test('ChatGPT connects by the assertions of its key too', async () => {
    const [id = '', document] = Object.entries(KNOWN_DOCUMENTS).find(([, { jwks_uri }]) => jwks_uri != null) ?? []
    const { privateKey, publicKey } = await generateKeyPair('RS256')
    const keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'first' }] })
    const published = await publish((own, path) => ({
      body: path === '/jwks.json' ? keys : documentOf(own, { ...document, jwks_uri: new URL('/jwks.json', own).href })
    }))
    const started = await start(browser, published.lookup)
    const credentials = async () => ({
      client_assertion_type: ASSERTION_TYPE,
      client_assertion: await new SignJWT({ jti: crypto.randomUUID() })
        .setProtectedHeader({ alg: 'RS256', kid: 'first' })
        .setIssuer(published.id)
        .setSubject(published.id)
        .setAudience(`${started.url}/oauth/token`)
        .setExpirationTime(Date.parse(NOW) / 1_000 + 60)
        .sign(privateKey)
    })
    const [redirectUri = ''] = document?.redirect_uris ?? []
    const client = { id: published.id, name: 'ChatGPT', redirectUri, credentials }
    expect([id, ...(await connect(started, client, ({ scope }) => scope))]).toEqual([
      'https://chatgpt.com/oauth/client.json',
      ALL,
      ALL
    ])
  })
})

interface Answered extends Metadata {
  client_id: string
  access_token: string
  result: { content: { text: string }[] }
}

/** What a page gets when its script sends a request: the status and body of the answer, or `blocked` by its browser. */
async function fetchIn(page: Page, url: string, init: { method?: string; headers?: Fields; body?: string } = {}) {
  const { text, ...answer } = await page.evaluate(
    async ([target, sent]) => {
      try {
        const reply = await fetch(target, sent)
        const challenge = reply.headers.get('www-authenticate')
        return { status: reply.status, text: await reply.text(), challenge }
      } catch {
        return { status: 'blocked' as const, text: '{}', challenge: null }
      }
    },
    [url, init] as const
  )
  const body: Answered = JSON.parse(text)
  return { ...answer, body }
}

describe.runIf(hasBrowser)('a client that is a page, without CORS_ORIGINS', () => {
  let browser: Browser

  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser?.close())

  const JSON_TYPE = { 'content-type': 'application/json' }
  const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' }
  const nowhere = async () => []

  test('of this machine connects by its scripts alone, and calls a tool', async () => {
    const started = await start(browser, nowhere)
    const { url, context } = started
    const app = `http://localhost:${await startPage('localhost')}`
    const script = await context.newPage()
    await script.goto(app)
    const message = messageOf('tools/call', { name: 'list_sessions', arguments: {} }, '2025-11-25')
    const asked = { method: 'POST', headers: message.headers, body: JSON.stringify(message.body) }
    const refused = await fetchIn(script, `${url}/mcp`, asked)
    const metadataUrl = /resource_metadata="([^"]*)"/.exec(refused.challenge ?? '')?.[1] ?? ''
    const headers = { 'mcp-protocol-version': '2025-11-25' }
    const { body: resource } = await fetchIn(script, metadataUrl, { headers })
    const [issuer] = resource.authorization_servers
    const { body: server } = await fetchIn(script, `${issuer}/.well-known/oauth-authorization-server`, { headers })
    const redirectUri = `${app}/callback`
    const registration = JSON.stringify({ client_name: 'Page', redirect_uris: [redirectUri] })
    const registered = await fetchIn(script, server.registration_endpoint, {
      method: 'POST',
      headers: JSON_TYPE,
      body: registration
    })
    expect(registered.status).toBe(201)
    const { verifier, challenge } = newVerifier()
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: registered.body.client_id,
      redirect_uri: redirectUri,
      code_challenge: challenge,
      code_challenge_method: 'S256'
    })
    const client = { id: registered.body.client_id, name: 'Page', redirectUri }
    const { code = '' } = await allow(started, client, `${server.authorization_endpoint}?${query}`)
    const tokens = await fetchIn(script, server.token_endpoint, {
      method: 'POST',
      headers: FORM_TYPE,
      body: String(
        new URLSearchParams({
          grant_type: 'authorization_code',
          code,
          redirect_uri: redirectUri,
          client_id: client.id,
          code_verifier: verifier
        })
      )
    })
    const authorization = `Bearer ${tokens.body.access_token}`
    const called = await fetchIn(script, `${url}/mcp`, { ...asked, headers: { ...message.headers, authorization } })
    expect(called.body.result.content[0]?.text).toContain('Launch review')
    const api = await fetchIn(script, `${url}/v1/sessions`, { headers: { authorization } })
    expect(api.status, 'the API needs CORS_ORIGINS').toBe('blocked')
  })

  test('of any origin reads metadata, registers and gets tokens, but does not reach the MCP server', async () => {
    const { url, context } = await start(browser, nowhere)
    const script = await context.newPage()
    // Not one of the names of this machine, so a stranger to the server.
    await script.goto(`http://127.0.0.2:${await startPage('127.0.0.2')}`)
    const registration = JSON.stringify({ redirect_uris: ['https://agent.example/callback'] })
    const statuses = [
      await fetchIn(script, `${url}/.well-known/oauth-authorization-server`),
      await fetchIn(script, `${url}/.well-known/oauth-protected-resource/mcp`),
      await fetchIn(script, `${url}/oauth/register`, { method: 'POST', headers: JSON_TYPE, body: registration }),
      await fetchIn(script, `${url}/oauth/token`, { method: 'POST', headers: FORM_TYPE, body: 'grant_type=x' }),
      await fetchIn(script, `${url}/mcp`, { method: 'POST', headers: JSON_TYPE, body: '{}' })
    ].map(({ status }) => status)
    expect(statuses).toEqual([200, 200, 201, 400, 'blocked'])
  })

  test('of a server in the local network gets its answer there over http, once the operator has allowed that', async () => {
    const oauth = { advertisesDocuments: true, lanRedirects: true }
    const started = await start(browser, nowhere, { oauth })
    const { url, page } = started
    const redirectUri = 'http://192.168.1.20:3000/oauth/callback'
    const registered = await fetch(`${url}/oauth/register`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify({ client_name: 'House Chat', redirect_uris: [redirectUri] })
    })
    const { client_id: id } = (await registered.json()) as { client_id: string }
    const { challenge } = newVerifier()
    const fields = { response_type: 'code', client_id: id, redirect_uri: redirectUri }
    const query = new URLSearchParams({ ...fields, code_challenge: challenge, code_challenge_method: 'S256' })
    await page.goto(`${url}/oauth/authorize?${query}`)
    await takePicture(page, 'oauth-consent-lan', { fullPage: true })
    await page.getByText('The answer travels there without encryption').waitFor()
    const client = { id, name: 'House Chat', redirectUri }
    expect((await allow(started, client, `${url}/oauth/authorize?${query}`)).code).toMatch(/^prc_/)
  })
})
