import { describe, expect, test } from 'vitest'
import { KNOWN_DOCUMENTS } from '../../../src/features/oauth/known-documents.ts'
import { documentOf, publish, serveDocuments } from '../../support/client-documents.ts'
import {
  allow,
  answerIn,
  authorizePath,
  CALLBACK,
  exchangeOf,
  type Fields,
  newAgent,
  newVerifier,
  refreshOf,
  statusOf
} from '../../support/oauth.ts'
import { buildTestApp } from '../../support/server.ts'

const MINUTE_MS = 60_000

/** The same with an agent, and a way to open the page that asks the user. */
async function serve(...sent: Parameters<typeof serveDocuments>) {
  const { served, browser, pass } = await serveDocuments(...sent)
  const open = (id: string, redirectUri = CALLBACK) =>
    browser.get(authorizePath(id, newVerifier().challenge, { redirect_uri: redirectUri }))
  return { served, browser, agent: newAgent(served), open, pass }
}

type Server = Awaited<ReturnType<typeof serve>>

/** Connects a client, refreshes its tokens and calls the API. Returns the status of that call. */
async function connects({ served, browser, agent }: Server, id: string, redirectUri: string, scope?: string) {
  const { verifier, challenge } = newVerifier()
  const asked: Record<string, string> = { redirect_uri: redirectUri, ...(scope !== undefined && { scope }) }
  const { code = '' } = answerIn((await allow(browser, authorizePath(id, challenge, asked))).to)
  const { body } = await agent.token(exchangeOf(id, code, verifier, { redirect_uri: redirectUri }))
  const more: Fields = scope === undefined ? {} : { scope }
  const refreshed = await agent.token(refreshOf(id, body.refresh_token, more))
  return await statusOf(served, refreshed.body.access_token)
}

/** A lookup that leads nowhere, as on a server that reaches no other host. */
const nowhere = async () => []

/** The redirect URI as the client sends it: a program listens at a port of its choice. */
const sentBy = (uri: string) => uri.replace(/^(http:\/\/[^/:]+)(\/)/, '$1:53682$2')

const CLIENTS = Object.entries(KNOWN_DOCUMENTS).flatMap(([id, document]) =>
  document.redirect_uris.map(uri => [document.client_name ?? id, id, sentBy(uri), document] as const)
)

describe('clients whose documents are known', () => {
  test.each(CLIENTS)('%s (%s) connects to %s with its document and refreshes', async (_, __, redirectUri, document) => {
    const published = await publish(id => ({ body: documentOf(id, document) }))
    const server = await serve(published.lookup)
    expect(await connects(server, published.id, redirectUri, 'sessions:read offline_access')).toBe(200)
  })

  test.each(CLIENTS)('%s (%s) connects to %s where no document can be read', async (_, id, redirectUri) => {
    expect(await connects(await serve(nowhere), id, redirectUri)).toBe(200)
  })

  test.each([
    ['https://chatgpt.com/oauth/mEZ8Y_k-3/client.json', 'https://chatgpt.com/connector/oauth/mEZ8Y_k-3'],
    ['https://chatgpt.com/oauth/codex/4-bzS8rt42zJ/client.json', 'http://127.0.0.1:4711/callback/4-bzS8rt42zJ']
  ])('the document of one server, %s, comes with the product too', async (id, redirectUri) => {
    const server = await serve(nowhere)
    expect(await connects(server, id, redirectUri)).toBe(200)
    expect((await server.open(id, 'https://chatgpt.com/elsewhere')).status).toBe(400)
  })

  test('a client that names no method of authentication connects', async () => {
    const published = await publish(id => ({ body: documentOf(id, { client_name: 'Plain' }) }))
    expect(await connects(await serve(published.lookup), published.id, CALLBACK)).toBe(200)
  })
})

describe('a document that cannot be read', () => {
  test.each([
    ['is refused by a guard', { status: 403, type: 'text/html', body: 'Are you a robot?' }],
    ['is a page for people', { type: 'text/html', body: '<p>Wait…</p>' }],
    ['fails', { status: 503, body: '{}' }]
  ])('is replaced by the stored copy while it %s', async (_, failure) => {
    const now: { fails: boolean } = { fails: false }
    const published = await publish(id => (now.fails ? failure : { body: documentOf(id) }))
    const server = await serve(published.lookup)
    expect((await server.open(published.id)).status).toBe(200)
    now.fails = true
    server.pass(61 * MINUTE_MS)
    expect(await connects(server, published.id, CALLBACK)).toBe(200)
    const { reads } = published
    await server.open(published.id)
    expect(published.reads, 'an attempt a minute').toBe(reads)
    server.pass(MINUTE_MS)
    await server.open(published.id)
    expect(published.reads).toBe(reads + 1)
  })

  test.each([404, 410])('has no copy once its host answers %s, because its maker has withdrawn it', async status => {
    const now: { gone: boolean } = { gone: false }
    const published = await publish(id => (now.gone ? { status, body: '{}' } : { body: documentOf(id) }))
    const server = await serve(published.lookup)
    expect((await server.open(published.id)).status).toBe(200)
    now.gone = true
    server.pass(61 * MINUTE_MS)
    const { status: shown, text } = await server.open(published.id)
    expect([shown, text]).toEqual([400, expect.stringContaining('is gone')])
  })

  test('leads to a page that tells what the operator can do', async () => {
    const published = await publish(() => ({ status: 403, body: '' }))
    const { status, text } = await (await serve(published.lookup)).open(published.id)
    expect(status).toBe(400)
    for (const part of ['cannot be read (status 403)', 'HTTPS_PROXY', 'OAUTH_CLIENT_DOCUMENTS=off'])
      expect(text).toContain(part)
  })

  test('is not noted as read where the copy of the product serves, so that the document itself replaces it', async () => {
    const [id = ''] = Object.keys(KNOWN_DOCUMENTS)
    const server = await serve(nowhere)
    expect((await server.open(id, 'https://chatgpt.com/connector_platform_oauth_redirect')).text).toContain('ChatGPT')
    const { rows } = await server.served.db.execute<{ read_at: unknown; tried_at: unknown }>(
      `select read_at, tried_at from oauth_clients where client_id = '${id}'`
    )
    expect(rows).toEqual([{ read_at: null, tried_at: expect.anything() }])
  })
})

test('OAUTH_CLIENT_DOCUMENTS decides whether the metadata advertises documents', async () => {
  for (const advertisesDocuments of [true, false]) {
    const app = await buildTestApp({ oauth: { advertisesDocuments, lanRedirects: false } })
    const reply = await app.inject('/.well-known/oauth-authorization-server')
    expect(reply.json().client_id_metadata_document_supported).toBe(advertisesDocuments)
    await app.close()
  }
})
