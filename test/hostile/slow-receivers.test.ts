// @module-tag postgres
import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { claimDeliveries, listDueOwners } from '../../src/features/webhooks/delivery/claim.ts'
import { recordAttempts } from '../../src/features/webhooks/delivery/record-attempts.ts'
import { dispatching, hookOf, MINUTE } from '../support/dispatch.ts'
import { startReceiver } from '../support/receiver.ts'

const PATIENT = { timeout: 60_000, interval: 50 }
const LONG = { timeout: 180_000 }
const SLOW_MS = 14_000
/** Receivers hold deliveries until a test releases them: a busy machine may take longer than an attempt has to start all of them. */
const HOLDING = { start: false, attemptMs: LONG.timeout }

type Dispatching = Awaited<ReturnType<typeof dispatching>>

/** A receiver that answers nothing until it is released, and from then on at once. */
async function startHeld() {
  const held: ServerResponse[] = []
  let released = false
  const receiver = await startReceiver(
    () => response => void (released ? response.writeHead(200).end() : held.push(response))
  )
  return {
    receiver,
    release() {
      released = true
      for (const response of held) response.writeHead(200).end()
    }
  }
}

/** Owners with five webhooks each at that receiver, and with events that all of them are to be sent. */
async function addOwners(
  { newUser }: Dispatching,
  url: string,
  { owners, events }: { owners: number; events: number }
) {
  const users = []
  for (let made = 0; made < owners; made++) {
    const user = await newUser()
    for (let hook = 0; hook < 5; hook++) await hookOf(user, url)
    users.push(user)
  }
  for (const user of users) {
    const session = await user.session()
    for (let event = 1; event < events; event++)
      await user.patch(`/v1/sessions/${session}`, { title: `Title ${event}` })
  }
}

/** Five more owners, whose receiver answers at once. Returns what expects that their deliveries arrive. */
async function addOthers({ newUser, query }: Dispatching, { prompt = false } = {}) {
  const receiver = await startReceiver()
  const users = await Promise.all(Array.from({ length: 5 }, newUser))
  for (const user of users) {
    const { id } = await hookOf(user, receiver.url)
    if (prompt)
      await query('insert into webhook_queue (user_id, webhook_id, answer_ms) values ($1, $2, 20)', [user.id, id])
  }
  return async () => {
    for (const user of users) await user.session()
    await expect.poll(() => receiver.received.length, PATIENT).toBe(5)
  }
}

/** Returns the number of deliveries in flight at each webhook of that receiver. */
async function countInFlight({ query }: Dispatching, { url }: { url: string }) {
  const rows = await query(
    `select webhook_id, count(*)::int from webhook_deliveries d join webhooks w using (user_id, webhook_id)
    where claim_id is not null and w.url = $1 group by 1 order by 2, 1`,
    [url]
  )
  return rows.map(({ count }) => Number(count))
}

/** A slow machine may have let attempts run into their timeout: their retries are brought forward. */
async function expectAllDelivered({ pass, query }: Dispatching, { wake }: { wake(): void }) {
  const waiting = async () => {
    pass(2 * MINUTE)
    wake()
    return await query('select from webhook_deliveries')
  }
  await expect.poll(waiting, PATIENT).toEqual([])
}

test('two hundred webhooks whose receivers hold their first deliveries keep no other owner waiting', LONG, async () => {
  const place = await dispatching(HOLDING)
  const { receiver, release } = await startHeld()
  await addOwners(place, receiver.url, { owners: 40, events: 2 })
  const expectOthersServed = await addOthers(place)
  const dispatcher = place.startDispatcher()
  await expect.poll(() => countInFlight(place, receiver), PATIENT).toEqual(Array(200).fill(1))
  await expectOthersServed()
  expect(Math.max(...(await countInFlight(place, receiver)))).toBe(1)
  release()
  await expectAllDelivered(place, dispatcher)
})

test('new endpoints, however many hold their first deliveries, keep no prompt one waiting', LONG, async () => {
  const place = await dispatching(HOLDING)
  const { receiver, release } = await startHeld()
  await addOwners(place, receiver.url, { owners: 54, events: 1 })
  const expectOthersServed = await addOthers(place, { prompt: true })
  const dispatcher = place.startDispatcher()
  await expect.poll(() => countInFlight(place, receiver), PATIENT).toEqual(Array(256).fill(1))
  const turns = await place.query(
    'select count(*)::int from webhook_deliveries where claim_id is not null group by claim_id'
  )
  expect(Math.max(...turns.map(({ count }) => Number(count)))).toBe(16)
  await expectOthersServed()
  expect((await countInFlight(place, receiver)).length).toBeLessThanOrEqual(256)
  release()
  await expectAllDelivered(place, dispatcher)
})

test(
  'slow endpoints share 64 slots of a server, one each, while the others have theirs; all are delivered to in the end',
  LONG,
  async () => {
    const place = await dispatching(HOLDING)
    const { receiver, release } = await startHeld()
    await addOwners(place, receiver.url, { owners: 16, events: 3 })
    await place.query('update webhook_queue set answer_ms = $1', [SLOW_MS])
    const expectOthersServed = await addOthers(place)
    const dispatcher = place.startDispatcher()
    await expect.poll(() => countInFlight(place, receiver), PATIENT).toEqual(Array(64).fill(1))
    await expectOthersServed()
    const slow = await countInFlight(place, receiver)
    expect([slow.length <= 64, Math.max(...slow)]).toEqual([true, 1])
    release()
    await expectAllDelivered(place, dispatcher)
  }
)

test('the webhooks of one owner share the slots of that owner, and each has one', LONG, async () => {
  const place = await dispatching(HOLDING)
  const { receiver, release } = await startHeld()
  await addOwners(place, receiver.url, { owners: 1, events: 12 })
  await place.query('update webhook_queue set answer_ms = 20')
  const expectOthersServed = await addOthers(place)
  const dispatcher = place.startDispatcher()
  await expect.poll(async () => (await countInFlight(place, receiver)).length, PATIENT).toBe(5)
  await expectOthersServed()
  const each = await countInFlight(place, receiver)
  expect(each.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(8)
  release()
  await expectAllDelivered(place, dispatcher)
})

test(
  'an endpoint is slow by its usual time: one delivery at a time until it has been prompt for a while',
  LONG,
  async () => {
    const place = await dispatching({ start: false })
    const { db, opened, query, clock } = place
    const user = await place.newUser()
    await hookOf(user, 'http://127.0.0.1:1/')
    const session = await user.session()
    for (let event = 1; event < 40; event++) await user.patch(`/v1/sessions/${session}`, { title: `Title ${event}` })

    /** Claims what one server may and ends each attempt after that time; how many there were, and as what. */
    async function attempt(durationMs: number) {
      const now = clock.now()
      const claims = await claimDeliveries(opened.slow, [user.id], {
        claimId: `claim ${Math.random()}`,
        now,
        leaseUntil: new Date(now.getTime() + 60_000),
        endpoints: { prompt: 8, new: 8, slow: 8 },
        perEndpoint: 4,
        perOwner: 8
      })
      const outcome = { status: 200, error: null, durationMs, retryAfter: null, answer: '', answerHeaders: '' }
      const attempts = claims.map(claim => ({ claim, at: now, outcome, verdict: { ended: 'delivered' as const } }))
      await recordAttempts(db, attempts, clock.now())
      return `${claims.length} ${[...new Set(claims.map(({ speed }) => speed))]}`
    }

    expect(await attempt(20)).toBe('1 new')
    expect(await attempt(20)).toBe('4 prompt')
    expect(await attempt(SLOW_MS)).toBe('4 prompt')
    expect(await attempt(SLOW_MS)).toBe('1 slow')
    const [{ answer_ms }] = (await query('select answer_ms from webhook_queue')) as [{ answer_ms: number }]
    expect(answer_ms).toBeGreaterThan(5_000)
    let slow = 0
    while ((await attempt(20)) === '1 slow') slow++
    expect(slow).toBeGreaterThan(2)
    expect(slow).toBeLessThan(8)
    expect(await attempt(20)).toBe('4 prompt')
  }
)

test('a webhook with a new URL is no longer slow', async () => {
  const { newUser, query } = await dispatching({ start: false })
  const user = await newUser()
  const { id } = await hookOf(user, 'http://127.0.0.1:1/')
  await user.session()
  await query('update webhook_queue set answer_ms = $1', [SLOW_MS])
  await user.patch(`/v1/webhooks/${id}`, { events: ['session.completed'] })
  expect(await query('select answer_ms from webhook_queue')).toEqual([{ answer_ms: SLOW_MS }])
  await user.patch(`/v1/webhooks/${id}`, { url: 'http://127.0.0.1:2/' })
  expect(await query('select answer_ms from webhook_queue')).toEqual([{ answer_ms: null }])
})

test('an endpoint with a backlog takes turns with those whose deliveries came later', async () => {
  const place = await dispatching({ start: false })
  const { opened, query, clock } = place
  const [early, late] = [await place.newUser(), await place.newUser()]
  await hookOf(early, 'http://127.0.0.1:1/')
  await hookOf(late, 'http://127.0.0.1:1/')
  const session = await early.session()
  await early.patch(`/v1/sessions/${session}`, { title: 'Second' })
  await late.session()
  await query('update webhook_queue set answer_ms = 20')
  const takers: string[] = []
  for (let turn = 0; turn < 3; turn++) {
    const now = clock.now()
    const endpoints = { prompt: 1, new: 1, slow: 1 }
    const claims = await claimDeliveries(opened.slow, await listDueOwners(opened.slow, now, endpoints), {
      claimId: `claim ${turn}`,
      now,
      leaseUntil: new Date(now.getTime() + 60_000),
      endpoints,
      perEndpoint: 1,
      perOwner: 8
    })
    takers.push(...claims.map(({ userId }) => (userId === early.id ? 'early' : 'late')))
    const outcome = { status: 200, error: null, durationMs: 5, retryAfter: null, answer: '', answerHeaders: '' }
    await recordAttempts(
      opened.slow,
      claims.map(claim => ({ claim, at: now, outcome, verdict: { ended: 'delivered' as const } })),
      clock.now()
    )
  }
  expect(takers).toEqual(['early', 'late', 'early'])
})
