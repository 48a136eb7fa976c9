// @module-tag postgres

import { expect, test } from 'vitest'
import { openAdmissions } from '../../src/features/access/admission.ts'
import { deleteExpired } from '../../src/features/deletions/retention.ts'
import { sql } from '../../src/platform/db/drizzle.ts'
import { newBrowser, signInAs } from '../support/console.ts'
import { connect, newAgent, statusOf } from '../support/oauth.ts'
import { openPlace, until } from '../support/process.ts'
import { buildTestApp, clock, NO_QUEUE } from '../support/server.ts'
import { newSharer } from '../support/sharing.ts'
import { executeOn } from '../support/template.ts'
import { addNode, needCitus, portOf, startCitus, startNode } from './citus.ts'

type Cluster = Awaited<ReturnType<typeof startCitus>>
type Owner = Awaited<ReturnType<typeof newSharer>>
type Served = Awaited<ReturnType<typeof serveOn>>

const QUOTAS = { bytes_stored: 0, sessions_per_day: 0, folders: 2, people: 0 }
const EXPIRED = 40

/** An application of this process on the cluster. */
async function serveOn({ place }: Cluster) {
  const { db } = await openPlace(place)
  const admissions = openAdmissions(db, clock, { perMinute: 100_000, perDay: 1_000_000 })
  const app = await buildTestApp({ db, slow: db, replica: db, admissions, quotas: QUOTAS })
  return { db, app }
}

/** An owner on each of the first two workers. */
async function ownersOn({ coordinator, workers }: Cluster, served: Served) {
  const owners = new Map<number, Owner>()
  while (owners.size < workers.length) {
    const owner = await newSharer({}, served)
    owners.set(await portOf(coordinator, owner.id), owner)
  }
  return workers.map(({ port }) => owners.get(port)!)
}

/** What an owner does by a token: a session is imported and has its event, and a quota refuses what is beyond it. */
async function useToken(owner: Owner, title: string) {
  const id = await owner.session({ title })
  const { body: feed } = await owner.get('/v1/events?limit=200')
  expect(feed.events.at(-1)).toMatchObject({ event: 'session.completed', data: { session: { id, title } } })
  const made = []
  for (let n = 0; n <= QUOTAS.folders; n++) made.push(await owner.post('/v1/folders', { name: `${title} ${n}` }))
  expect(made.map(({ status }) => status)).toEqual([201, 201, 400])
  expect(made.at(-1)?.body.error.code).toBe('limit_exceeded')
  for (const { body } of made.slice(0, QUOTAS.folders))
    expect((await owner.delete(`/v1/folders/${body.id}`)).status).toBe(204)
  return id
}

/** What needs every node: signing in, connecting an agent, and the retention of all users. */
async function useAllNodes(served: Served, owner: Owner, sessionId: string) {
  const browser = newBrowser(served)
  await signInAs(browser, owner.email, served)
  expect((await browser.get('/')).status).toBe(200)
  const { tokens } = await connect(newAgent(served), browser)
  expect(await statusOf(served, tokens.access_token)).toBe(200)
  await served.db.execute(sql`
    update sessions set created_at = ${clock.now()}::timestamptz - ${EXPIRED} * interval '1 day'
    where user_id = ${owner.id} and session_id = ${sessionId}`)
  const retention = { audio_days: null, session_days: EXPIRED - 10 }
  const deleted = []
  for await (const batch of deleteExpired({ db: served.db, clock, jobs: NO_QUEUE, retention }))
    deleted.push(...batch.map(({ session }) => session))
  expect(deleted).toEqual([sessionId])
}

test('quotas, events, sign-in, agents and retention work on a cluster of three, beside a killed worker and while shards move', {
  timeout: 600_000
}, async context => {
  needCitus(context)
  const cluster = await startCitus()
  const served = await serveOn(cluster)
  const [here, there] = await ownersOn(cluster, served)
  if (!here || !there) throw new Error('Each worker has an owner')
  for (const owner of [here, there]) await useAllNodes(served, owner, await useToken(owner, 'Before'))

  await cluster.workers[1]!.kill()
  await useToken(here, 'Beside a dead worker')
  expect((await there.get('/v1/sessions')).status).toBe(503)
  cluster.workers[1]!.start()
  await until('its owners are served again', async () => (await there.get('/v1/sessions')).status === 200)

  const added = await startNode()
  await addNode(cluster.coordinator, added)
  await executeOn(cluster.coordinator.url, 'select citus_rebalance_start()')
  const moved = executeOn(cluster.coordinator.url, 'select citus_rebalance_wait()')
  for (const owner of [here, there]) await useToken(owner, 'While shards move')
  await moved
  for (const owner of [here, there]) await useAllNodes(served, owner, await useToken(owner, 'After'))
})
