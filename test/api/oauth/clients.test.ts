import { expect, test } from 'vitest'
import { createClient, deleteClient } from '../../../src/features/oauth/registration.ts'
import { documentOf, publish } from '../../support/client-documents.ts'
import { newBrowser, signedIn, signInAs } from '../../support/console.ts'
import {
  allow,
  answerIn,
  authorizePath,
  CALLBACK,
  newAgent,
  newVerifier,
  refreshOf,
  statusOf
} from '../../support/oauth.ts'
import { buildTestApp, clock, testFetcher, testServer } from '../../support/server.ts'
import { newSharer } from '../../support/sharing.ts'

const HOST = 'client.example'

test('a fetcher refuses redirects, other types, large documents, and addresses that are not public', async () => {
  let answer: ReturnType<Parameters<typeof publish>[0]> = { body: '{}' }
  const published = await publish(() => answer)
  const fetcher = testFetcher({ lookup: published.lookup })
  const read = (url = published.id) => fetcher.fetch(url, { types: ['application/json'], maxBytes: 100 })
  expect(String(await read())).toBe('{}')
  for (const refused of [{ status: 302, body: '{}' }, { type: 'text/html', body: '{}' }, { body: 'x'.repeat(101) }]) {
    answer = refused
    await expect(read()).rejects.toThrow()
  }
  answer = { body: '{}' }
  const strict = testFetcher({ lookup: published.lookup, allowedCidrs: [] })
  await expect(strict.fetch(published.id, { types: ['application/json'], maxBytes: 100 })).rejects.toThrow()
  await Promise.all([fetcher.close(), strict.close()])
})

test('a client of the operator needs its secret, and its deletion ends its connections', async () => {
  const served = await testServer()
  const agent = newAgent(served, { address: '10.77.1.1' })
  const services = { db: served.db, clock }
  const { browser } = await signedIn()
  const { client_id: clientId, client_secret: secret = '' } = await createClient(services, {
    name: 'Reports',
    redirectUris: [CALLBACK],
    isPublic: false
  })
  const { verifier, challenge } = newVerifier()
  const { code = '' } = answerIn((await allow(browser, authorizePath(clientId, challenge))).to)
  const sent = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: verifier }
  expect((await agent.token({ ...sent, client_id: clientId })).status).toBe(401)
  expect((await agent.token({ ...sent, client_id: clientId, client_secret: 'wrong' })).status).toBe(401)
  const basic = { authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}` }
  const { status, body } = await agent.token(sent, basic)
  expect(status).toBe(200)
  const refreshed = await agent.token(refreshOf(clientId, body.refresh_token, { client_secret: secret }))
  expect(await statusOf(served, refreshed.body.access_token)).toBe(200)
  expect(await deleteClient(services, clientId)).toEqual({ ended: 1 })
  expect(await statusOf(served, refreshed.body.access_token)).toBe(401)
})

test('a client that publishes its document is named by it, with its host, and only while the document is its own', async () => {
  let more: object = {}
  const published = await publish(id => ({ body: documentOf(id, more) }))
  const fetcher = testFetcher({ lookup: published.lookup })
  const app = await buildTestApp({ fetcher })
  const served = { app, db: (await testServer()).db }
  const user = await newSharer()
  const browser = newBrowser(served)
  await signInAs(browser, user.email, served)
  const open = (id = published.id) => browser.get(authorizePath(id, newVerifier().challenge))
  for (const wrong of [
    { client_id: `${published.id}x` },
    { redirect_uris: [] },
    { token_endpoint_auth_method: 'client_secret_post' },
    { token_endpoint_auth_method: 'private_key_jwt', token_endpoint_auth_methods_supported: ['private_key_jwt'] },
    { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'http://keys.example/jwks.json' }
  ]) {
    more = wrong
    expect((await open()).status, JSON.stringify(wrong)).toBe(400)
  }
  more = { logo_uri: null }
  expect((await open(published.id.replace('/client.json', '/./client.json'))).status).toBe(400)
  const { text } = await open()
  for (const part of ['Documented', HOST, 'agent.example']) expect(text).toContain(part)
  const reads = published.reads
  expect((await open()).status).toBe(200)
  expect(published.reads).toBe(reads)
  await app.close()
  await fetcher.close()
})
