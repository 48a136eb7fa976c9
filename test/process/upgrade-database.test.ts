// @module-tag both

import { execFileSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { UNLIMITED } from '../faults/load.ts'
import {
  endOf,
  freshDatabase,
  newOwner,
  type Place,
  rowsOf,
  type Serving,
  serve,
  temporaryFolder,
  until
} from '../support/process.ts'
import { startReceiver } from '../support/receiver.ts'

/** The commit from which on migrations are only added. Databases of its build must be upgraded for ever. */
const FROZEN = '1a83c1ee411363922174ebaff9b5f67b44f370a5'

const isKnown = (() => {
  try {
    execFileSync('git', ['cat-file', '-e', FROZEN], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

/** The program of that commit, with the packages of this one. */
function frozenTree() {
  const tree = temporaryFolder()
  const archive = join(temporaryFolder(), 'frozen.tar')
  const parts = ['src', 'migrations', 'docs', 'openapi', 'ops', 'package.json']
  execFileSync('git', ['archive', '-o', archive, FROZEN, ...parts])
  execFileSync('tar', ['-xf', archive, '-C', tree])
  symlinkSync(resolve('node_modules'), join(tree, 'node_modules'))
  return tree
}

type Owner = Awaited<ReturnType<typeof newOwner>>

function caller({ url }: Serving, { token }: Owner) {
  return async (method: string, path: string, body?: unknown) => {
    const reply = await fetch(`${url}/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        connection: 'close',
        ...(body !== undefined && { 'content-type': 'application/json' })
      },
      ...(body !== undefined && { body: JSON.stringify(body) })
    })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
}

/** A library with what an upgrade could lose: shares, a webhook in retry, a consumer in mid feed, a failed import, the trash. */
async function seed(place: Place, server: Serving, hook: string) {
  const owner = await newOwner(place)
  await rowsOf(place, 'update users set email_verified_at = now() where user_id = $1', [owner.id])
  const call = caller(server, owner)
  const titles = ['Weekly review', 'Interview', 'Broken', 'In the trash']
  const ids: string[] = []
  for (const [at, title] of titles.entries()) {
    const segments = [
      { speaker: 'Ada', start: 0, end: 4, text: `Welcome to ${title}, number ${at}.` },
      { speaker: 'Ben', start: 4, end: 9, text: "I'll send the offer by Friday." }
    ]
    const speakers = [{ label: 'Ada', person: 'Ada Lovelace' }]
    const { id } = await call('POST', '/sessions', { title, tags: ['a', title], speakers, segments })
    ids.push(id)
  }
  const [review = '', , broken = '', trashed = ''] = ids
  const statuses = async () => {
    const { sessions } = await call('GET', '/sessions?status=all')
    return sessions.map(({ status }: { status: string }) => status)
  }
  await until('all are completed', async () => (await statuses()).every((status: string) => status === 'completed'))
  await rowsOf(place, "update sessions set state = 'failed', failure = 'The provider is away' where session_id = $1", [
    broken
  ])
  const folder = await call('POST', '/folders', { name: 'Clients' })
  await call('POST', `/sessions/${review}/folders/${folder.id}`)
  await call('PATCH', `/sessions/${review}`, { notes: 'Call back on Monday.' })
  await call('DELETE', `/sessions/${trashed}`)
  const { next_cursor: cursor } = await call('GET', '/events?limit=3')
  await call('POST', '/events/ack', { cursor })
  const webhook = await call('POST', '/webhooks', { url: hook, events: ['session.updated'] })
  await call('PATCH', `/sessions/${review}`, { title: 'Weekly review, May' })
  await call('POST', `/sessions/${review}/sharing/link`, {})
  await call('POST', `/sessions/${review}/sharing/invites`, { emails: ['friend@example.test'] })
  return { owner, ids, folder: folder.id as string, webhook: webhook.id as string }
}

/** Every answer that an owner may read. */
async function readAll(server: Serving, { owner, ids, folder, webhook }: Awaited<ReturnType<typeof seed>>) {
  const call = caller(server, owner)
  const [review = '', interview = ''] = ids
  const paths = [
    ...[
      '/account',
      '/sessions',
      '/sessions?status=all',
      '/sessions?order=updated&include=deleted',
      '/sessions?tag=a',
      '/action-items'
    ],
    ...[review, interview].flatMap(id => [
      `/sessions/${id}`,
      `/sessions/${id}/transcript`,
      `/sessions/${id}/action-items`
    ]),
    ...[`/sessions/${review}/sharing`, `/folders/${folder}`, '/folders', '/people', '/webhooks', '/events'],
    ...['/shared-sessions', `/webhooks/${webhook}/deliveries`]
  ]
  const answers: Record<string, unknown> = {}
  for (const path of paths) answers[path] = await call('GET', path)
  // The period of the statistics ends now.
  const { period: _, ...stats } = await call('GET', '/sessions/stats')
  // Where the embedding of a query is late, results have no similarity.
  const { results } = await call('POST', '/sessions/search', { query: 'offer' })
  const seen: Record<string, unknown> = { ...answers, stats, found: results.map(({ id }: { id: string }) => id) }
  return seen
}

test.runIf(isKnown)(
  'a library of the build whose schema was frozen has the same answers after an upgrade, and goes on where it was',
  { timeout: 300_000 },
  async () => {
    const fresh = await freshDatabase()
    const place = { ...fresh, environment: { ...fresh.environment, ...UNLIMITED } }
    const receiver = await startReceiver(() => 500)
    const old = await serve({ ...place, tree: frozenTree() })
    const seeded = await seed(place, old, receiver.url)
    // The third attempt is due after some minutes, so nothing changes by itself from here on.
    await until('two attempts have failed', async () => {
      const { webhooks } = await caller(old, seeded.owner)('GET', '/webhooks')
      return webhooks[0].failure_count === 2
    })
    const before = await readAll(old, seeded)
    old.kill('SIGTERM')
    expect((await endOf(old)).code).toBe(0)

    const now = await serve(place)
    const after = await readAll(now, seeded)
    // A later version may add fields, and change none.
    expect(after).toMatchObject(before)

    receiver.answer = () => 204
    const delivered = receiver.received.length
    const [{ id: delivery } = { id: '' }] = (
      after[`/webhooks/${seeded.webhook}/deliveries`] as { deliveries: { id: string }[] }
    ).deliveries
    await caller(now, seeded.owner)('POST', `/webhooks/${seeded.webhook}/deliveries/${delivery}/retry`)
    await until('the delivery arrives', () => receiver.received.length > delivered)
    now.kill('SIGTERM')
    expect((await endOf(now)).code).toBe(0)
  }
)
