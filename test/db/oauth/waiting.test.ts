// @module-tag both

import { beforeEach, describe, expect, test } from 'vitest'
import { LIMITS } from '../../../src/contract/limits.ts'
import { sql } from '../../../src/platform/db/drizzle.ts'
import { newBrowser, signInAs } from '../../support/console.ts'
import { certificateFor, startHttpsServer, trust } from '../../support/https-server.ts'
import { authorizePath, CALLBACK, connect, newAgent, newVerifier } from '../../support/oauth.ts'
import { ownServer } from '../../support/own-server.ts'
import { testFetcher } from '../../support/server.ts'
import { newSharer } from '../../support/sharing.ts'

const { perSender, total } = LIMITS.oauth.waiting
const HOST = 'client.example'

type Own = Awaited<ReturnType<typeof ownServer>>

let served: Own
beforeEach(async () => {
  served = await ownServer()
})

async function registerAt(address: string, from = served) {
  const { status, body } = await newAgent(from, { address }).register()
  expect(status).toBe(201)
  return String(body.client_id)
}

/** Adds as many unused clients beside one, of the same sender, and of an age between a minute and an hour. */
async function addBeside(clientId: string, count: number) {
  await served.db.execute(sql`
    insert into oauth_clients (client_id, kind, redirect_uris, created_at, sender)
    select client_id || '_' || n, kind, redirect_uris, created_at - interval '1 minute' - n * interval '1 second', sender
    from oauth_clients, generate_series(1, ${count}::int) n where client_id = ${clientId}`)
}

async function known() {
  const { rows } = await served.db.execute<{ client_id: string }>(sql`select client_id from oauth_clients`)
  return rows.map(({ client_id }) => client_id)
}

describe('clients that no user has connected', () => {
  test('an address that registers more than its share loses its oldest, and no other loses any', async () => {
    const other = await registerAt('10.1.0.1')
    const first = await registerAt('2001:db8:1:1::1')
    await addBeside(first, perSender - 1)
    expect((await known()).length).toBe(perSender + 1)
    // Another address of the same /64.
    const next = await registerAt('2001:db8:1:1:ffff::2')
    const left = await known()
    expect(left.length).toBe(perSender + 1)
    for (const id of [other, first, next]) expect(left).toContain(id)
    expect(left).not.toContain(`${first}_${perSender - 1}`)
    await registerAt('2001:db8:1:2::1')
    expect((await known()).length).toBe(perSender + 2)
  })

  test('a newcomer registers while others fill all places, and takes one of whoever has most', async () => {
    const shy = await registerAt('10.2.0.1')
    await addBeside(shy, 1)
    for (let n = 0; n < total / perSender; n++)
      await addBeside(await registerAt(`10.3.0.${n}`), perSender - (n === 0 ? 1 : 2))
    const flooder = (await known()).find(id => id.endsWith(`_${perSender - 1}`))
    await served.db.execute(sql`
      insert into oauth_clients (client_id, kind, redirect_uris, created_at, sender)
      select 'filler_' || n, 'registered', '{}', now() - interval '1 hour', sha256(n::text::bytea)
      from generate_series(1, ${total - (await known()).length}::int) n`)
    expect((await known()).length).toBe(total)
    const newcomer = await registerAt('10.4.0.1')
    const left = await known()
    expect(left.length).toBe(total)
    for (const id of [newcomer, shy, `${shy}_1`, 'filler_1']) expect(left).toContain(id)
    expect(left).not.toContain(flooder)
  })

  test('a client that a user has connected takes no place, whatever its address registers', async () => {
    const user = await newSharer({}, served)
    const browser = newBrowser(served)
    await signInAs(browser, user.email, served)
    const { clientId } = await connect(newAgent(served, { address: '10.5.0.1' }), browser)
    await served.db.execute(sql`update oauth_clients set created_at = now() - interval '2 days'`)
    await addBeside(await registerAt('10.5.0.1'), perSender + 10)
    await registerAt('10.5.0.1')
    const left = await known()
    expect(left).toContain(clientId)
    expect(left.length).toBe(perSender + 1)
  })

  test('the documents that one user opens take no more than the places of one', async () => {
    const { authority, cert, key } = certificateFor(HOST)
    trust(authority)
    const port = await startHttpsServer({ cert, key }, (request, response) => {
      const client_id = `https://${HOST}:${port}${request.url}`
      const document = { client_id, client_name: 'Documented', redirect_uris: [CALLBACK] }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
    })
    const fetcher = testFetcher({ lookup: async () => [{ address: '127.0.0.1', family: 4 }] })
    served = await ownServer({ fetcher })
    const user = await newSharer({}, served)
    const browser = newBrowser(served)
    await signInAs(browser, user.email, served)
    const idOf = (name: string) => `https://${HOST}:${port}/${name}.json`
    const open = async (name: string) =>
      expect((await browser.get(authorizePath(idOf(name), newVerifier().challenge))).status).toBe(200)
    await open('first')
    await addBeside(idOf('first'), perSender + 10)
    const other = await registerAt('10.6.0.1')
    await open('second')
    const left = await known()
    expect(left.length).toBe(perSender + 1)
    for (const id of [idOf('first'), idOf('second'), other]) expect(left).toContain(id)
    await fetcher.close()
  })
})
