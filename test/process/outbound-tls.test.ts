// @module-tag postgres
import { expect, test } from 'vitest'
import { certificateFor, startHttpsServer } from '../support/https-server.ts'
import { type Environment, jsonLines, migratedDatabase, newOwner, type Place, run, serve } from '../support/process.ts'

const SLOW = { timeout: 300_000 }

/** Sends the test of a webhook at 127.0.0.1 from a server with these settings. Returns the outcome. */
async function sendTest(place: Place, port: number, settings: Environment) {
  const environment = { ...place.environment, WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8', ...settings }
  const server = await serve({ environment })
  const { token } = await newOwner(place)
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const answer = await fetch(`${server.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return (await answer.json()) as Record<string, unknown>
  }
  const url = `https://127.0.0.1:${port}/hook`
  const { id } = await post('/v1/webhooks', { url, events: ['session.completed'] })
  const outcome = await post(`/v1/webhooks/${id}/test`, {})
  server.kill('SIGTERM')
  await server.ended
  return outcome
}

test(
  'a receiver with a certificate of a private authority is trusted with NODE_EXTRA_CA_CERTS, and only so',
  SLOW,
  async () => {
    const place = await migratedDatabase()
    const certificate = certificateFor('127.0.0.1')
    const port = await startHttpsServer(certificate)
    expect(await sendTest(place, port, {})).toMatchObject({
      success: false,
      error: 'tls_untrusted',
      reason: 'The certificate of the receiver is self-signed, or its chain is incomplete'
    })
    const trusting = { NODE_EXTRA_CA_CERTS: certificate.paths.authority }
    expect(await sendTest(place, port, trusting)).toMatchObject({ success: true, status: 200 })
  }
)

/** A server that takes clients with a certificate of the authority alone, and the settings that trust it. */
async function startDemanding(authority: string, answer?: Parameters<typeof startHttpsServer>[1]) {
  const own = certificateFor('127.0.0.1')
  const demands = { ...own, ca: authority, requestCert: true, rejectUnauthorized: true }
  return { port: await startHttpsServer(demands, answer), trusting: { NODE_EXTRA_CA_CERTS: own.paths.authority } }
}

const shown = ({ paths }: ReturnType<typeof certificateFor>) => ({
  OUTBOUND_CLIENT_CERT_FILE: paths.cert,
  OUTBOUND_CLIENT_KEY_FILE: paths.key
})

test('a receiver that wants a client certificate gets that of the server', SLOW, async () => {
  const place = await migratedDatabase()
  const client = certificateFor('parlance.example')
  const { port, trusting } = await startDemanding(client.authority)
  expect(await sendTest(place, port, trusting)).toMatchObject({ success: false, error: 'reset' })
  const other = { ...trusting, ...shown(certificateFor('other.example')) }
  expect(await sendTest(place, port, other)).toMatchObject({ success: false, error: 'reset' })
  expect(await sendTest(place, port, { ...trusting, ...shown(client) })).toMatchObject({ success: true, status: 200 })
})

const vector = JSON.stringify({ object: 'list', data: [{ object: 'embedding', index: 0, embedding: [1, 2] }] })

test('a provider that wants a client certificate gets it', SLOW, async () => {
  const place = await migratedDatabase()
  const client = certificateFor('parlance.example')
  const { port, trusting } = await startDemanding(client.authority, (_, response) =>
    response.setHeader('content-type', 'application/json').end(vector)
  )
  const provider = { EMBEDDING_BASE_URL: `https://127.0.0.1:${port}/v1`, EMBEDDING_MODEL: 'e' }
  const checkEmbeddings = async (settings: Environment) => {
    const environment = { ...place.environment, ...trusting, ...provider, ...settings }
    return jsonLines((await run({ environment }, 'doctor', '--json')).stdout).find(
      ({ check }) => check === 'embeddings'
    )
  }
  expect(await checkEmbeddings({})).toMatchObject({ ok: false })
  expect(await checkEmbeddings(shown(client))).toMatchObject({ ok: true })
})
