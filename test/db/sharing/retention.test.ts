// @module-tag both

import { expect, test } from 'vitest'
import { removeOldShares } from '../../../src/features/sharing/remove-old.ts'
import { clock, testDatabase } from '../../support/server.ts'
import { claim, inviteTo, linkTo, newSharer } from '../../support/sharing.ts'

const DAY_MS = 86_400_000
const never = new AbortController().signal

test('links and invites are kept for a week after they expired, and then removed', async () => {
  const [owner, late] = [await newSharer(), await newSharer()]
  const id = await owner.session()
  const urls = [await linkTo(owner, id), await inviteTo(owner, id, 'cleo@example.com')]
  await expired(id, 7 * DAY_MS - 1)
  await removeOldShares(owner.db, clock.now(), never)
  for (const url of urls) await expect(claim(late, url)).rejects.toThrow('has expired')
  expect(await kept(id)).toEqual({ links: 1, invites: 1, secrets: 2 })
  await expired(id, 7 * DAY_MS)
  await removeOldShares(owner.db, clock.now(), never)
  for (const url of urls) await expect(claim(late, url)).rejects.toThrow('no such link')
  expect(await kept(id)).toEqual({ links: 0, invites: 0, secrets: 0 })
})

test('recipients keep their access, and the invite with their address stays as long', async () => {
  const [owner, ben, cleo] = [await newSharer(), await newSharer(), await newSharer()]
  const id = await owner.session()
  await claim(ben, await linkTo(owner, id))
  await claim(cleo, await inviteTo(owner, id, 'another@example.com'))
  await expired(id, 400 * DAY_MS)
  await removeOldShares(owner.db, clock.now(), never)
  expect(await kept(id)).toEqual({ links: 0, invites: 1, secrets: 1 })
  for (const { get } of [ben, cleo]) expect((await get(`/v1/shared-sessions/${owner.id}/${id}`)).status).toBe(200)
  const { body } = await owner.post(`/v1/sessions/${id}/sharing/invites`, { emails: ['another@example.com'] })
  expect(body.skipped).toEqual([{ email: 'another@example.com', reason: 'already_shared' }])
  await owner.delete(`/v1/sessions/${id}/sharing/people/${cleo.id}`)
  await removeOldShares(owner.db, clock.now(), never)
  expect(await kept(id)).toEqual({ links: 0, invites: 0, secrets: 0 })
})

test('an invite that is cancelled or reset leaves neither itself nor its secret', async () => {
  const owner = await newSharer()
  const id = await owner.session()
  await inviteTo(owner, id, 'cleo@example.com')
  expect(await kept(id)).toEqual({ links: 0, invites: 1, secrets: 1 })
  await owner.delete(`/v1/sessions/${id}/sharing/invites?email=cleo@example.com`)
  expect(await kept(id)).toEqual({ links: 0, invites: 0, secrets: 0 })
  await inviteTo(owner, id, 'ben@example.com')
  await owner.post(`/v1/sessions/${id}/sharing/link/reset`, { remove_everyone: true })
  expect(await kept(id)).toEqual({ links: 1, invites: 0, secrets: 1 })
})

test('removal continues until nothing old is left, and stops between two statements when the server stops', async () => {
  const owner = await newSharer()
  const id = await owner.session()
  await linkTo(owner, id)
  await owner.db.execute(`
    insert into share_links (user_id, session_id, hash, removals, created_at, expires_at)
    select user_id, session_id, sha256(convert_to('${id}' || n, 'UTF8')), 0, created_at, expires_at
    from share_links, generate_series(1, 2100) n where session_id = '${id}'`)
  await expired(id, 8 * DAY_MS)
  expect(await removeOldShares(owner.db, clock.now(), AbortSignal.abort())).toBe(0)
  expect(await kept(id)).toMatchObject({ links: 2101 })
  await removeOldShares(owner.db, clock.now(), never)
  expect(await kept(id)).toMatchObject({ links: 0 })
})

/** Makes the session's links and invites such that expired so long ago. */
async function expired(sessionId: string, agoMs: number) {
  const { pool } = await testDatabase()
  const at = new Date(clock.now().getTime() - agoMs)
  for (const table of ['share_links', 'share_invites'])
    await pool.query(`update ${table} set expires_at = $2 where session_id = $1`, [sessionId, at])
}

async function kept(sessionId: string) {
  const { pool } = await testDatabase()
  const count = (table: string) => `(select count(*)::int from ${table} where session_id = $1)`
  const { rows } = await pool.query(
    `select ${count('share_links')} links, ${count('share_invites')} invites, ${count('share_secrets')} secrets`,
    [sessionId]
  )
  return rows[0]
}
