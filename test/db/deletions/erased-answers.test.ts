// @module-tag both

import { expect, test } from 'vitest'
import { eraseAnswers } from '../../../src/features/webhooks/delivery/erase.ts'
import { dispatching, hookOf } from '../../support/dispatch.ts'
import { until } from '../../support/process.ts'
import { startReceiver } from '../../support/receiver.ts'

type Place = Awaited<ReturnType<typeof dispatching>>

const answersWith = async ({ query }: Place, word: string) =>
  (await query('select event_id from webhook_attempts where answer like $1', [`%${word}%`])).length

test('deleting a session erases the receivers’ answers about it, even of failed attempts, and keeps others', async () => {
  const place = await dispatching()
  const user = await place.newUser()
  const receiver = await startReceiver(
    ({ body }, before) =>
      response =>
        response.writeHead(before % 2 === 0 ? 200 : 500).end(body)
  )
  await hookOf(user, receiver.url)
  await hookOf(user, receiver.url)
  const deleted = await user.session({ title: 'Zanzibar' })
  await user.session({ title: 'Kilimanjaro' })
  await until(
    'all is answered',
    async () => (await answersWith(place, 'Zanzibar')) >= 2 && (await answersWith(place, 'Kilimanjaro')) >= 2
  )
  expect((await user.delete(`/v1/sessions/${deleted}`)).status).toBe(200)
  expect(await answersWith(place, 'Zanzibar')).toBe(0)
  expect(await answersWith(place, 'Kilimanjaro')).toBeGreaterThanOrEqual(2)
})

test('a second job erases the answer to an attempt that began before the deletion', async () => {
  const place = await dispatching()
  const user = await place.newUser()
  let answer = () => {}
  const receiver = await startReceiver(({ body }, before) => response => {
    const end = () => void response.writeHead(200).end(body)
    if (before > 0) end()
    else answer = end
  })
  await hookOf(user, receiver.url)
  const deleted = await user.session({ title: 'Zanzibar' })
  await until('it is sent', () => receiver.received.length > 0)
  expect((await user.delete(`/v1/sessions/${deleted}`)).status).toBe(200)
  answer()
  await until('it is answered', async () => (await answersWith(place, 'Zanzibar')) > 0)
  expect(await eraseAnswers(place.db, user.id, deleted)).toBe(true)
  expect(await answersWith(place, 'Zanzibar')).toBe(0)
})

test('the next deletion erases answers to events that are no longer kept', async () => {
  const place = await dispatching()
  const user = await place.newUser()
  const receiver = await startReceiver(
    ({ body }) =>
      response =>
        response.writeHead(200).end(body)
  )
  await hookOf(user, receiver.url)
  const deleted = await user.session({ title: 'Zanzibar' })
  await until('it is answered', async () => (await answersWith(place, 'Zanzibar')) > 0)
  await user.session({ title: 'Kilimanjaro' })
  await place.query('delete from events where user_id = $1 and seq = 1', [user.id])
  expect((await user.delete(`/v1/sessions/${deleted}`)).status).toBe(200)
  expect(await answersWith(place, 'Zanzibar')).toBe(0)
})

test("erasing for another user's session, or for a user without webhooks, changes nothing", async () => {
  const place = await dispatching()
  const [user, other] = [await place.newUser(), await place.newUser()]
  const receiver = await startReceiver(
    ({ body }) =>
      response =>
        response.writeHead(200).end(body)
  )
  await hookOf(user, receiver.url)
  const id = await user.session({ title: 'Zanzibar' })
  await until('it is answered', async () => (await answersWith(place, 'Zanzibar')) > 0)
  expect(await eraseAnswers(place.db, other.id, id)).toBe(false)
  expect(await answersWith(place, 'Zanzibar')).toBe(1)
})
