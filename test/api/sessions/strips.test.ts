import { expect, test } from 'vitest'
import { everyScope } from '../../../src/features/access/actor.ts'
import { listStrips } from '../../../src/features/library/strips.ts'
import { sql } from '../../../src/platform/db/drizzle.ts'
import { newUser, testServices } from '../../support/server.ts'

type User = Awaited<ReturnType<typeof newUser>>

const SPOKEN = [
  { speaker: 'Ada', start: 0, end: 16, text: 'Welcome to the weekly review.' },
  { speaker: 'Ben', start: 16, end: 32, text: 'I will send the offer.' }
]

async function stripsOf(user: User, ids: string[]) {
  return await listStrips(await testServices(), everyScope(user.id, 'command'), ids)
}

async function storedStrip(user: User, id: string) {
  const { rows } = await user.db.execute<{ strip: unknown }>(
    sql`select strip from transcripts where user_id = ${user.id} and session_id = ${id}`
  )
  return rows[0]?.strip
}

test('a session has its strip when it is completed', async () => {
  const user = await newUser()
  const id = await user.session({ segments: SPOKEN })
  expect(await storedStrip(user, id)).toMatchObject({ voices: ['Ada', 'Ben'], short: '1'.repeat(16) + '2'.repeat(16) })
  expect([...(await stripsOf(user, [id])).keys()]).toEqual([id])
})

test('each change of the transcript clears the strip, so that it names nobody who is not in it any more', async () => {
  const user = await newUser()
  const id = await user.session({ segments: SPOKEN })
  const changes = [
    () => user.patch(`/v1/sessions/${id}/speakers`, { from: 'Ben', name: 'Cy' }),
    () => user.patch(`/v1/sessions/${id}/transcript`, { segments: [{ index: 0, speaker: 'Cy' }] }, { 'if-match': '*' })
  ]
  for (const [at, change] of changes.entries()) {
    expect((await change()).status).toBe(200)
    expect(await storedStrip(user, id)).toBeNull()
    expect((await stripsOf(user, [id])).get(id)?.voices).toEqual([['Ada', 'Cy'], ['Cy']][at])
    expect(await storedStrip(user, id)).not.toBeNull()
  }
})

test('a session of before gets its strip when a list shows it, a few at a time', async () => {
  const user = await newUser()
  const ids: string[] = []
  for (let at = 0; at < 6; at += 1) ids.push(await user.session({ segments: SPOKEN }))
  await user.db.execute(sql`update transcripts set strip = null where user_id = ${user.id}`)
  expect((await stripsOf(user, ids)).size).toBe(4)
  expect((await stripsOf(user, ids)).size).toBe(6)
})

test('nobody sees the strips of another user, or of a session in the trash', async () => {
  const [user, stranger] = [await newUser(), await newUser()]
  const id = await user.session({ segments: SPOKEN })
  expect((await stripsOf(stranger, [id])).size).toBe(0)
  await user.delete(`/v1/sessions/${id}?permanently=false`)
  expect((await stripsOf(user, [id])).size).toBe(0)
})
