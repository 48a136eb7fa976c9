import { beforeAll, describe, expect, test } from 'vitest'
import { documentOf, publish, serveDocuments } from '../../support/client-documents.ts'
import { newBrowser, signInAs } from '../../support/console.ts'
import { allow, answerIn, authorizePath, exchangeOf, newAgent, newVerifier, statusOf } from '../../support/oauth.ts'
import { buildTestApp, type Served, testDatabase } from '../../support/server.ts'
import { newSharer } from '../../support/sharing.ts'

const URI = 'http://192.168.1.20:3000/oauth/callback'
const oauth = (lanRedirects: boolean) => ({ advertisesDocuments: true, lanRedirects })

const servers: Record<'open' | 'closed', Served> = Object.create(null)

beforeAll(async () => {
  const { db } = await testDatabase()
  servers.open = { db, app: await buildTestApp({ oauth: oauth(true) }) }
  servers.closed = { db, app: await buildTestApp({ oauth: oauth(false) }) }
})

/** An agent from an address of its own, because limits count by address. */
const agentOf = (served: Served) =>
  newAgent(served, { address: `10.${Array.from(crypto.getRandomValues(new Uint8Array(3))).join('.')}` })

async function signedInAt(served: Served) {
  const user = await newSharer({}, served)
  const browser = newBrowser(served)
  await signInAs(browser, user.email, served)
  return browser
}

const LAN = [
  URI,
  'http://10.0.0.7/cb',
  'http://172.16.0.1/cb',
  'http://172.31.255.254:8080/cb?from=here',
  'http://[fd12:3456:789a::1]:3000/cb',
  'http://[fc00::1]/cb',
  'http://nas:3000/cb',
  'http://chat.local/cb',
  'http://chat.fritz.lan:8080/cb',
  'http://chat.home.arpa/cb',
  'http://chat.corp.internal/cb'
]

describe('redirects over http into a local network', () => {
  test.each(LAN)('%s is registered only where the operator has allowed it', async uri => {
    const metadata = { redirect_uris: ['https://agent.example/callback', uri] }
    expect((await agentOf(servers.open).register(metadata)).body).toMatchObject(metadata)
    expect(await agentOf(servers.closed).register(metadata)).toMatchObject({
      status: 400,
      body: {
        error: 'invalid_redirect_uri',
        error_description:
          'redirect_uris.1: it leads over http into a local network, which the operator of this server has to allow by OAUTH_LAN_REDIRECTS=on'
      }
    })
  })

  test.each([
    'http://agent.example/cb',
    'http://8.8.8.8/cb',
    'http://172.15.0.1/cb',
    'http://172.32.0.1/cb',
    'http://169.254.169.254/cb',
    'http://100.64.0.1/cb',
    'http://192.168.1.20.agent.example/cb',
    'http://agent.example.local.example/cb',
    'http://agent.example?.local/cb',
    'http://agent.example/.local',
    'http://[2001:db8::1]/cb',
    'http://[fe80::1]/cb',
    'http://[::ffff:192.168.1.20]/cb',
    'http://user@192.168.1.20/cb',
    'http://192.168.1.20/cb#here',
    'ftp://192.168.1.20/cb'
  ])('%s is refused whatever the setting', async uri => {
    const { status, body } = await agentOf(servers.open).register({ redirect_uris: [uri] })
    expect({ status, error: body.error }).toEqual({ status: 400, error: 'invalid_redirect_uri' })
  })

  test('the page says plainly where the answer goes and that it is not encrypted, and the agent connects', async () => {
    const agent = agentOf(servers.open)
    const browser = await signedInAt(servers.open)
    const { client_id: clientId } = (await agent.register({ redirect_uris: [URI] })).body
    const { verifier, challenge } = newVerifier()
    const path = authorizePath(clientId, challenge, { redirect_uri: URI })
    const { status, text, headers } = await browser.get(path)
    expect(status).toBe(200)
    expect(text).toContain('The answer goes to 192.168.1.20:3000 in the local network')
    expect(text).toContain('The answer travels there without encryption')
    expect(headers['content-security-policy']).toContain("form-action 'self' http://192.168.1.20:3000;")
    const { to } = await allow(browser, path)
    expect(String(to).startsWith(`${URI}?`)).toBe(true)
    const exchange = exchangeOf(clientId, answerIn(to).code ?? '', verifier, { redirect_uri: URI })
    expect(await statusOf(servers.open, (await agent.token(exchange)).body.access_token)).toBe(200)
    expect((await browser.get('/settings/agents')).text).toContain('Answers to 192.168.1.20:3000 in the local network')
  })

  test('no port but the registered one is meant, unlike with a program on the same machine', async () => {
    const { client_id: clientId } = (await agentOf(servers.open).register({ redirect_uris: [URI] })).body
    const browser = await signedInAt(servers.open)
    const other = URI.replace('3000', '3001')
    const path = authorizePath(clientId, newVerifier().challenge, { redirect_uri: other })
    expect((await browser.get(path)).status).toBe(400)
  })

  test('once the operator ends it, a client that has registered gets no answer there', async () => {
    const { client_id: clientId } = (await agentOf(servers.open).register({ redirect_uris: [URI] })).body
    const browser = await signedInAt(servers.closed)
    const { status, to, text } = await browser.get(
      authorizePath(clientId, newVerifier().challenge, { redirect_uri: URI })
    )
    expect({ status, to }).toEqual({ status: 400, to: undefined })
    expect(text).toContain('OAUTH_LAN_REDIRECTS=on')
  })

  test.each([true, false])(
    'a document that names one beside others works for the others; allowed: %s',
    async allowed => {
      const redirect_uris = ['https://agent.example/callback', URI]
      const published = await publish(id => ({ body: documentOf(id, { redirect_uris }) }))
      const { browser } = await serveDocuments(published.lookup, { oauth: oauth(allowed) })
      const statuses = []
      for (const uri of redirect_uris) {
        const path = authorizePath(published.id, newVerifier().challenge, { redirect_uri: uri })
        statuses.push((await browser.get(path)).status)
      }
      expect(statuses).toEqual([200, allowed ? 200 : 400])
    }
  )
})
