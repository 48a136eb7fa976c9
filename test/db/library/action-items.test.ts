// @module-tag both

import { expect, test } from 'vitest'
import { newUser } from '../../support/server.ts'
import { restore, trash } from '../../support/trash.ts'

type User = Awaited<ReturnType<typeof newUser>>

async function texts(user: User, query = '?status=all') {
  const { body } = await user.get(`/v1/action-items${query}`)
  return body.action_items.map(({ text }: { text: string }) => text)
}

async function withItems() {
  const user = await newUser()
  const id = await user.session({ action_items: [{ text: 'a', due_date: '2026-03-05' }, { text: 'b' }] })
  return { user, id }
}

test('the trash takes the items of a session out of the list, and a restoration brings them back', async () => {
  const { user, id } = await withItems()
  await trash({ db: user.db }, user.id, id)
  expect(await texts(user)).toEqual([])
  await restore({ db: user.db }, user.id, id)
  expect(await texts(user)).toEqual(['a', 'b'])
})

test('a permanent deletion leaves no row', async () => {
  const { user, id } = await withItems()
  await user.delete(`/v1/sessions/${id}`)
  const { rows } = await user.db.execute(`select from action_items where user_id = '${user.id}'`)
  expect(rows).toEqual([])
})

test('a change of one item leaves the rows of the others as they are', async () => {
  const { user } = await withItems()
  const { body } = await user.get('/v1/action-items')
  const rowOf = async (id: string) => {
    const { rows } = await user.db.execute(
      `select xmin::text, ctid::text from action_items where user_id = '${user.id}' and item_id = '${id}'`
    )
    return rows
  }
  const [a, b] = body.action_items
  const before = [await rowOf(a.id), await rowOf(b.id)]
  await user.patch(`/v1/action-items/${a.id}`, { completed: true })
  const after = [await rowOf(a.id), await rowOf(b.id)]
  expect(after[1]).toEqual(before[1])
  expect(after[0]).not.toEqual(before[0])
})
