// @module-tag both

import { expect, test } from 'vitest'
import { everyScope } from '../../../src/features/access/actor.ts'
import { createUser } from '../../../src/features/access/queries.ts'
import { createShareLink, getSessionSharing, resetShareLink } from '../../../src/features/sharing/operations.ts'
import { claimShare } from '../../../src/features/sharing/recipient-operations.ts'
import { ApiError } from '../../../src/platform/core/api-error.ts'
import { newId } from '../../../src/platform/core/ids.ts'
import { emptyDatabase, onPostgres, openPlace } from '../../support/process.ts'

const CLAIMS = 500
/** As many as a few servers have; a claim beyond waits for one of them. */
const CONNECTIONS = 32
const URL_BASE = 'https://parlance.example'

/** A session that is shared by a link, on a database of its own. */
async function sharedByLink() {
  const { db, pool } = await openPlace(await emptyDatabase(), { poolSize: CONNECTIONS })
  const [ownerId, sessionId, now] = [newId('usr'), newId('ses'), new Date()]
  const user = {
    name: 'Ada',
    email: 'ada@example.com',
    emailVerifiedAt: now,
    timeZone: 'UTC',
    subscriptionActive: true,
    createdAt: now
  }
  await createUser(db, ownerId, user)
  await pool.query(
    `insert into sessions (user_id, session_id, state, title, sort_at, duration_seconds, type, created_at, updated_at)
     values ($1, $2, 'completed', 'Weekly', now(), 1, 'meeting', now(), now())`,
    [ownerId, sessionId]
  )
  const services = { db, clock: { now: () => now }, publicUrl: URL_BASE }
  const owner = everyScope(ownerId, 'command')
  const { url } = await createShareLink(services, owner, sessionId)
  /** Whether the claim went through; a fault other than a refusal fails the test. */
  const claim = (userId: string, link: string) =>
    claimShare(services, everyScope(userId, 'command'), { url: link }).then(
      () => true,
      fault => {
        if (fault instanceof ApiError && fault.problem.startsWith('There is no such link')) return false
        throw fault
      }
    )
  const reset = (removeEveryone: boolean) =>
    resetShareLink(services, owner, sessionId, { remove_everyone: removeEveryone })
  /** Who has access, as their owner sees it and as the lookup of recipients does. */
  const recipients = async () => {
    const { people } = await getSessionSharing(services, owner, sessionId)
    const { rows } = await pool.query('select recipient_id from shared_with where owner_id = $1', [ownerId])
    return { people: people.map(({ id }) => id).sort(), listed: rows.map(row => row.recipient_id).sort() }
  }
  return { url, claim, reset, recipients }
}

/** Does the work of every number below the count, on every connection at once. */
async function atOnce(count: number, work: (index: number) => Promise<unknown>) {
  let next = 0
  const worker = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: CONNECTIONS - 2 }, worker))
}

test.runIf(onPostgres)(
  `${CLAIMS} claims of one link at once, several by each user, give each user one access`,
  { timeout: 300_000 },
  async () => {
    const { url, claim, recipients } = await sharedByLink()
    const users = Array.from({ length: CLAIMS / 4 }, () => newId('usr')).sort()
    const outcomes: boolean[] = []
    // Four claims of one user stand beside each other, so that they meet.
    await atOnce(CLAIMS, async index => outcomes.push(await claim(users[Math.floor(index / 4)]!, url)))
    expect(outcomes).toEqual(Array.from({ length: CLAIMS }, () => true))
    expect(await recipients()).toEqual({ people: users, listed: users })
  }
)

test.runIf(onPostgres)(
  'resets during claims keep exactly the users who claimed the last link, and count all removed ones',
  { timeout: 300_000 },
  async () => {
    const { url, claim, reset, recipients } = await sharedByLink()
    const links = [url]
    const claimed: { user: string; link: string }[] = []
    let removed = 0
    await atOnce(CLAIMS, async index => {
      if (index % 100 === 50) {
        const made = await reset(true)
        removed += made.removed
        links.push(made.url)
      }
      const [user, link] = [newId('usr'), links.at(-1)!]
      if (await claim(user, link)) claimed.push({ user, link })
    })
    const { people, listed } = await recipients()
    expect(links).toHaveLength(1 + CLAIMS / 100)
    expect(listed).toEqual(people)
    expect(people).toEqual(
      claimed
        .filter(({ link }) => link === links.at(-1))
        .map(({ user }) => user)
        .sort()
    )
    expect(removed + people.length).toBe(claimed.length)
    expect(claimed.length).toBeLessThanOrEqual(CLAIMS)
    expect(removed).toBeGreaterThan(0)
  }
)

test.runIf(onPostgres)(
  'a reset during claims of the earlier link only leaves nobody with access',
  { timeout: 300_000 },
  async () => {
    const { url, claim, reset, recipients } = await sharedByLink()
    const outcomes: boolean[] = []
    let removed = 0
    await atOnce(CLAIMS, async index => {
      if (index === CLAIMS / 2) removed = (await reset(true)).removed
      else outcomes.push(await claim(newId('usr'), url))
    })
    expect(await recipients()).toEqual({ people: [], listed: [] })
    expect(outcomes.filter(Boolean)).toHaveLength(removed)
    expect(removed).toBeGreaterThan(0)
    expect(outcomes).toContain(false)
  }
)
