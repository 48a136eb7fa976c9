// @module-tag embedded
import { expect, test } from 'vitest'
import { startConnectProxy } from '../support/connect-proxy.ts'
import { openFalseProvider, startFalseProvider } from '../support/false-provider.ts'
import { fileIn, temporaryFolder } from '../support/folders.ts'
import { certificateFor, startHttpsServer } from '../support/https-server.ts'
import { CLIENT } from '../support/oidc.ts'
import { type Environment, freePort, jsonLines, migratedDatabase, run, runJson, serve } from '../support/process.ts'

const SLOW = { timeout: 300_000 }
const PUBLIC_URL = 'https://parlance.example/notes'

const settingsFor = (issuer: string): Environment => ({
  OIDC_ISSUER: issuer,
  OIDC_CLIENT_ID: CLIENT.clientId,
  OIDC_CLIENT_SECRET_FILE: fileIn(temporaryFolder(), 'secret', `${CLIENT.clientSecret}\n`)
})

async function checkOidc(environment: Environment) {
  const lines = jsonLines((await run({ environment }, 'doctor', '--json')).stdout)
  return { check: lines.find(({ check }) => check === 'oidc'), printed: JSON.stringify(lines) }
}

test('doctor says whether the provider answers, and what to register there', SLOW, async () => {
  const place = await migratedDatabase()
  const provider = await startFalseProvider()
  const environment = { ...place.environment, PUBLIC_URL, ...settingsFor(provider.issuer) }
  const { check, printed } = await checkOidc({ ...environment, SIGN_UP: 'open' })
  expect(check).toMatchObject({
    ok: true,
    detail: `${provider.issuer} answers; register the redirect URI ${PUBLIC_URL}/sign-in/oidc/callback there; SIGN_UP is open, so everyone with a verified address there becomes a user`
  })
  expect(printed).not.toContain(CLIENT.clientSecret)
  await provider.stop()
  expect((await checkOidc(environment)).check).toMatchObject({
    ok: false,
    detail: `OIDC_ISSUER: ${provider.issuer} does not answer as a provider (ECONNREFUSED); start or correct it`
  })
})

test('a server starts without its provider, and leads there once it is up', SLOW, async () => {
  const place = await migratedDatabase()
  const port = await freePort()
  const server = await serve({
    environment: { ...place.environment, ...settingsFor(`http://127.0.0.1:${port}`), OIDC_NAME: 'Example <Inc.>' }
  })
  const get = (path: string) => fetch(server.url + path, { redirect: 'manual', headers: { accept: 'text/html' } })
  const page = await (await get('/sign-in')).text()
  expect(page).toContain('Sign in with <bdi>Example &lt;Inc.&gt;</bdi>')
  expect(page).not.toContain('Send the link')
  expect((await get('/sign-in/oidc')).status).toBe(503)
  await startFalseProvider({ port })
  const led = await get('/sign-in/oidc')
  expect([led.status, led.headers.get('location')?.startsWith(`http://127.0.0.1:${port}/auth?`)]).toEqual([303, true])
  server.kill('SIGTERM')
  await server.ended
})

test(
  'a provider is reached through the proxy, with the authority and the certificate of the operator, and only so',
  SLOW,
  async () => {
    const place = await migratedDatabase()
    const [own, client] = [certificateFor('id.example'), certificateFor('parlance.example')]
    const demands = { ...own, ca: client.authority, requestCert: true, rejectUnauthorized: true }
    let handle: ReturnType<typeof openFalseProvider>['handle'] = () => {}
    const port = await startHttpsServer(demands, (request, response) => handle(request, response))
    const issuer = `https://id.example:${port}`
    handle = openFalseProvider(issuer).handle
    const proxy = await startConnectProxy()
    const base = { ...place.environment, PUBLIC_URL, ...settingsFor(issuer), HTTPS_PROXY: proxy.url }
    const trusting = { NODE_EXTRA_CA_CERTS: own.paths.authority }
    const shown = { OUTBOUND_CLIENT_CERT_FILE: client.paths.cert, OUTBOUND_CLIENT_KEY_FILE: client.paths.key }
    expect((await checkOidc({ ...base, ...trusting, ...shown })).check).toMatchObject({ ok: true })
    expect(proxy.asked).toContain(`id.example:${port}`)
    for (const lacking of [trusting, shown])
      expect((await checkOidc({ ...base, ...lacking })).check).toMatchObject({ ok: false })
  }
)

test('unlink-provider says how many accounts it unlinked', SLOW, async () => {
  const place = await migratedDatabase()
  const made = { environment: { ...place.environment } }
  await runJson(made, 'user', 'create', '--email', 'ada@example.com')
  const [unlinked] = await runJson(made, 'user', 'unlink-provider', '--user', 'ada@example.com')
  expect(unlinked).toEqual({ id: expect.stringMatching(/^usr_/), unlinked: 0 })
})
