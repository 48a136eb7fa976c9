// @module-tag postgres

import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { commandJson } from '../support/command.ts'
import { ALL_EVENTS } from '../support/dispatch.ts'
import {
  fileIn,
  migratedDatabase,
  newOwner,
  onPostgres,
  rowsOf,
  serve,
  temporaryFolder,
  until
} from '../support/process.ts'
import { startReceiver } from '../support/receiver.ts'

const AWAY_MS = 45_000
const SETTINGS = { WEBHOOK_ALLOW_HTTP: 'true', WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8', RATE_LIMIT_PER_MINUTE: '6' }

/** What the machine is given in the seconds that are compared here. */
const TOLERANCE_SECONDS = 10

// The embedded database has no clock but that of the process.
test.runIf(onPostgres).each([
  ['behind', -AWAY_MS],
  ['ahead', AWAY_MS]
])(
  'a server whose own clock is 45 s %s follows the database’s, like the others',
  { timeout: 600_000 },
  async (_, away) => {
    const fresh = await migratedDatabase()
    const place = { ...fresh, environment: { ...fresh.environment, ...SETTINGS } }
    const clock = {
      CLOCK_AHEAD_FILE: fileIn(temporaryFolder(), 'ahead', String(away)),
      NODE_OPTIONS: `--import=${resolve('test/faults/stepping-clock.ts')}`
    }
    const [right, wrong] = [await serve(place), await serve({ environment: { ...place.environment, ...clock } })]
    const now = async () => Number((await rowsOf(place, 'select extract(epoch from clock_timestamp()) as at'))[0]?.at)
    const ask = async (url: string, token: string, method: string, path: string, body?: object) => {
      const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
      const answer = await fetch(`${url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      return { status: answer.status, headers: answer.headers, body: await answer.json() }
    }

    const owner = await newOwner(place)
    const receiver = await startReceiver()
    const hook = { url: receiver.url, events: ALL_EVENTS }
    expect(await ask(wrong.url, owner.token, 'POST', '/v1/webhooks', hook)).toMatchObject({ status: 201 })
    const segments = [{ speaker: 'Ada', start: 0, end: 2, text: 'We ship on Friday.' }]
    const file = fileIn(
      place.dataDir,
      'one.json',
      JSON.stringify({ title: 'Weekly', summary: 'Given.', action_items: [], segments })
    )
    const [imported] = await commandJson(place, 'import', '--user', owner.email, '--wait', file)
    const session = `/v1/sessions/${imported?.session_id}`

    const guest = await newOwner(place)
    const endsIn = (seconds: number) =>
      rowsOf(place, "update tokens set expires_at = now() + $2 * interval '1 second' where token_id = $1", [
        guest.tokenId,
        seconds
      ])
    for (const [seconds, status] of [
      [-15, 401],
      [40, 200]
    ] as const) {
      await endsIn(seconds)
      for (const { url } of [right, wrong])
        expect((await ask(url, guest.token, 'GET', '/v1/account')).status).toBe(status)
    }

    right.kill('SIGTERM')
    await right.ended
    const changed = await now()
    await ask(wrong.url, owner.token, 'PATCH', session, { title: 'Another' })
    const changes = () => receiver.received.find(({ body }) => body.includes('"title":"Another"'))
    const sent = await until('the change is delivered', changes)
    const [sentAt, delivered] = [Number(sent.headers['webhook-timestamp']), await now()]
    // A delivery that waited for the wrong clock would be late by all of it.
    expect(delivered - changed).toBeLessThan(AWAY_MS / 1_000 - TOLERANCE_SECONDS)
    expect(sentAt).toBeGreaterThan(changed - TOLERANCE_SECONDS)
    expect(sentAt).toBeLessThan(delivered + TOLERANCE_SECONDS)

    for (const token of [owner.token, 'wrong']) {
      const refused = await until('the limit is reached', async () => {
        const answer = await ask(wrong.url, token, 'GET', '/v1/account')
        return answer.status === 429 ? { headers: answer.headers, at: await now() } : undefined
      })
      const resetAt = Number(refused.headers.get('x-ratelimit-reset'))
      const retryAfter = Number(refused.headers.get('retry-after'))
      expect(resetAt % 60).toBe(0)
      expect(resetAt - refused.at).toBeLessThanOrEqual(60)
      expect(resetAt - refused.at).toBeGreaterThan(-TOLERANCE_SECONDS)
      expect(Math.abs(retryAfter - (resetAt - refused.at))).toBeLessThan(TOLERANCE_SECONDS)
    }
  }
)
