// @module-tag postgres
import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { command, commandJson } from '../support/command.ts'
import {
  endOf,
  fileIn,
  jsonLines,
  migratedDatabase,
  newOwner,
  onPostgres,
  type Place,
  ready,
  type Serving,
  serve,
  startServe,
  temporaryFolder
} from '../support/process.ts'
import { startReceiver } from '../support/receiver.ts'

const SLOW = { timeout: 300_000 }
const [FIRST, SECOND] = ['f'.repeat(40), 's'.repeat(40)]
const ANOTHER = /^SECRET_KEY: the database was used with another one, [^\n]* secret-key accept$/

const withKey = (place: Place, SECRET_KEY: string): Place => ({
  ...place,
  environment: { ...place.environment, SECRET_KEY, WEBHOOK_ALLOW_HTTP: 'true', WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' }
})

/** How the server with that key ends at once. */
async function refusal(place: Place) {
  const { code, stderr } = await endOf(await startServe(place))
  return { code, stderr: stderr.trimEnd() }
}

async function stop(server: Serving) {
  server.kill('SIGTERM')
  expect(await server.ended).toMatchObject({ code: 0 })
}

async function ask(server: Serving, token: string, method: string, path: string, body?: object) {
  const headers = {
    authorization: `Bearer ${token}`,
    connection: 'close',
    ...(body && { 'content-type': 'application/json' })
  }
  const reply = await fetch(`${server.url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> }
}

test(
  'a server refuses another SECRET_KEY than that of the database, and starts again with that one',
  SLOW,
  async () => {
    const place = await migratedDatabase()
    await stop(await serve(withKey(place, FIRST)))
    for (let times = 0; times < 2; times++)
      expect(await refusal(withKey(place, SECOND))).toEqual({ code: 1, stderr: expect.stringMatching(ANOTHER) })
    const { stdout } = await command(withKey(place, SECOND), 'doctor', '--json')
    expect(jsonLines(stdout)).toContainEqual({ check: 'secret_key', ok: false, detail: expect.stringMatching(ANOTHER) })
    await stop(await serve(withKey(place, FIRST)))
  }
)

test.runIf(onPostgres)('one of two servers that start at once with different keys starts', SLOW, async () => {
  const place = await migratedDatabase()
  const servers = await Promise.all([FIRST, SECOND].map(key => startServe(withKey(place, key))))
  const up = await Promise.any(servers.map(server => ready(server).then(() => server)))
  const other = servers.find(server => server !== up)!
  expect(await endOf(other)).toMatchObject({ code: 1, stderr: expect.stringMatching(/^SECRET_KEY: /) })
  await stop(up)
})

describe('secret-key accept', () => {
  /** A place whose servers had the first key, with one webhook of that owner. */
  async function used() {
    const place = await migratedDatabase()
    const receiver = await startReceiver()
    const owner = await newOwner(place)
    const server = await serve(withKey(place, FIRST))
    const made = await ask(server, owner.token, 'POST', '/v1/webhooks', {
      url: receiver.url,
      events: ['session.completed'],
      headers: { Authorization: 'Bearer hush' }
    })
    expect(made.status).toBe(201)
    await stop(server)
    const sent = async (server: Serving) =>
      (await ask(server, owner.token, 'POST', `/v1/webhooks/${made.body.id}/test`)).body
    return {
      place: withKey(place, SECOND),
      receiver,
      owner,
      id: String(made.body.id),
      secret: String(made.body.secret),
      sent
    }
  }

  test(
    'with the former key encrypts the secrets and headers of webhooks again, so that receivers notice nothing',
    SLOW,
    async () => {
      const { place, receiver, secret, sent } = await used()
      const former = fileIn(temporaryFolder(), 'former.key', `${FIRST}\n`)
      expect(await commandJson(place, 'secret-key', 'accept', '--former', former)).toEqual([
        { webhooks: 1, unreadable: 0, unreadable_headers: 0 }
      ])
      expect(await commandJson(place, 'secret-key', 'accept', '--former', former)).toEqual([
        { webhooks: 0, unreadable: 0, unreadable_headers: 0 }
      ])
      const server = await serve(place)
      expect(await sent(server)).toMatchObject({ success: true })
      const { headers, body } = receiver.received.at(-1)!
      const signed = `${headers['x-svc-webhook-id']}.${headers['x-svc-webhook-timestamp']}.${body}`
      expect(headers['x-svc-webhook-signature']).toBe(createHmac('sha256', secret).update(signed).digest('hex'))
      expect(headers.authorization).toBe('Bearer hush')
      await stop(server)
    }
  )

  test(
    'without the former key lets the server start, and a webhook sends again once its secret is rotated and its headers are set',
    SLOW,
    async () => {
      const { place, receiver, owner, id, sent } = await used()
      expect((await command(place, 'secret-key', 'accept')).stdout).toContain(
        'SECRET_KEY is accepted. Webhook secrets encrypted with it: 0. Webhooks that need a new secret: 1. Their owners send POST /v1/webhooks/{id}/rotate-secret, or you accept the key again with --former. Webhooks that need their headers again: 1. Their owners send PATCH /v1/webhooks/{id} with headers, or you accept the key again with --former.\n'
      )
      const server = await serve(place)
      expect(await sent(server)).toMatchObject({
        success: false,
        error: 'unreadable_secret',
        reason: 'This server cannot decrypt the secret of the webhook; rotate it: POST /v1/webhooks/{id}/rotate-secret'
      })
      expect(receiver.received).toEqual([])
      expect(await ask(server, owner.token, 'POST', `/v1/webhooks/${id}/rotate-secret`)).toMatchObject({ status: 200 })
      expect(await sent(server)).toMatchObject({ success: false, error: 'unreadable_headers' })
      expect((await command(place, 'doctor', '--json')).stdout).toContain(
        'SECRET_KEY does not decrypt the headers of 1 webhooks; their owners set them again'
      )
      expect(receiver.received).toEqual([])
      const again = { headers: { Authorization: 'Bearer again' } }
      expect(await ask(server, owner.token, 'PATCH', `/v1/webhooks/${id}`, again)).toMatchObject({ status: 200 })
      expect(await sent(server)).toMatchObject({ success: true })
      await stop(server)
    }
  )

  test('says that a file cannot be read', SLOW, async () => {
    const place = withKey(await migratedDatabase(), FIRST)
    expect(await command(place, 'secret-key', 'accept', '--former', '/nowhere')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^--former: \/nowhere cannot be read \(ENOENT[^\n]*\n$/)
    })
  })
})
