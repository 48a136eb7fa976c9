import { expect, test } from 'vitest'
import { LIMITS } from '../../../src/contract/limits.ts'
import { sql } from '../../../src/platform/db/drizzle.ts'
import { removeExpired } from '../../../src/server/remove-expired.ts'
import { newBrowser, signInAs } from '../../support/console.ts'
import { ownServer } from '../../support/own-server.ts'
import { clock, NO_QUEUE, NO_RETENTION } from '../../support/server.ts'
import { inviteTo, newSharer } from '../../support/sharing.ts'

const DAY_MS = 86_400_000
const { guestDays } = LIMITS.signIn
const EMAIL = 'cleo@example.com'

/** A server on a database of its own, because retention deletes everybody's guests. */
async function newServer() {
  const deleted: string[] = []
  const jobs: typeof NO_QUEUE = {
    ...NO_QUEUE,
    enqueue: async (_, queue, data) => {
      if (queue === 'delete-user' && 'userId' in data) deleted.push(data.userId)
    }
  }
  const served = await ownServer({ jobs })
  const { db } = served
  const owner = await newSharer({}, served)
  let day = 0

  return {
    served,
    deleted,
    /** Runs the recurring job once a day until that day, as a server that runs on does. */
    async passTo(last: number) {
      for (; day <= last; day++) {
        const now = new Date(clock.now().getTime() + day * DAY_MS)
        const services = { db, jobs, clock: { now: () => now }, retention: NO_RETENTION }
        await removeExpired(services, () => {}, new AbortController().signal)
      }
    },
    /** Opens a new invite to the mailbox in a new browser. Returns where that leads, and how the owner takes the access back. */
    async openInvite() {
      const session = await owner.session()
      const page = new URL(await inviteTo(owner, session, EMAIL)).pathname
      const { to } = await newBrowser(served).submit(page, page)
      const sharing = `/v1/sessions/${session}/sharing`
      const end = async () => {
        const { body } = await owner.get(sharing)
        for (const { id } of body.people) await owner.delete(`${sharing}/people/${id}`)
      }
      return { to: String(to).replace(session, '{session}'), end }
    },
    async guest() {
      const { rows } = await db.execute<{ user_id: string }>(
        sql`select user_id from users where email = ${EMAIL} and deleted_at is null`
      )
      return rows[0]?.user_id
    },
    shared: `/shared/${owner.id}/{session}`
  }
}

test('a guest is deleted thirty days after the last share has ended, and can become one again', async () => {
  const { openInvite, passTo, guest, deleted, shared } = await newServer()
  const { to, end } = await openInvite()
  expect(to).toBe(shared)
  const id = await guest()
  await passTo(guestDays + 10)
  expect(await guest()).toBe(id)

  await end()
  // The next run notes it, and the thirty days begin.
  await passTo(2 * guestDays + 10)
  expect(await guest()).toBe(id)
  expect((await openInvite()).to).toBe('/join/sent')
  await passTo(2 * guestDays + 11)
  expect([await guest(), deleted]).toEqual([undefined, [id]])
  expect((await openInvite()).to).toBe(shared)
})

test('a guest who gets another share in time stays, and so does one who has signed in by mail', async () => {
  const { served, openInvite, passTo, guest, deleted } = await newServer()
  const first = await openInvite()
  const id = await guest()
  await passTo(2)
  await first.end()
  await passTo(20)
  const browser = newBrowser(served)
  await signInAs(browser, EMAIL, served)
  const { rows } = await served.db.execute(sql`select guest from users where user_id = ${String(id)}`)
  expect(rows).toEqual([{ guest: false }])
  await passTo(2 * guestDays + 10)
  expect([await guest(), deleted]).toEqual([id, []])
})

test('the thirty days begin again after another share', async () => {
  const { served, openInvite, passTo, guest } = await newServer()
  const first = await openInvite()
  const id = await guest()
  await passTo(2)
  await first.end()
  await passTo(guestDays - 1)
  const grant = sql`insert into shared_with (recipient_id, session_id, owner_id, shared_at)
    values (${String(id)}, 'ses_another', 'usr_another', ${clock.now()})`
  await served.db.execute(grant)
  await passTo(guestDays + 5)
  await served.db.execute(sql`delete from shared_with where recipient_id = ${String(id)}`)
  await passTo(2 * guestDays + 5)
  expect(await guest()).toBe(id)
  await passTo(2 * guestDays + 6)
  expect(await guest()).toBeUndefined()
})
