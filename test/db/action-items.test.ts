import { expect, test } from 'vitest'
import { reindexActionItems } from '../../src/sessions/reindex-action-items.ts'
import { restoreSession, trashSession } from '../../src/sessions/trash.ts'
import { clock, NO_QUEUE, newUser } from '../support/server.ts'

type User = Awaited<ReturnType<typeof newUser>>

const goesOn = new AbortController().signal

async function texts(user: User, query = '?status=all') {
  const { body } = await user.get(`/v1/action-items${query}`)
  return body.action_items.map(({ text }: { text: string }) => text)
}

async function withItems() {
  const user = await newUser()
  const id = await user.session({ action_items: [{ text: 'a', due_date: '2026-03-05' }, { text: 'b' }] })
  return { user, id }
}

test('the background job lists the items of sessions from before the upgrade', async () => {
  const { user } = await withItems()
  await user.db.execute(`delete from action_items where user_id = '${user.id}'`)
  expect(await texts(user)).toEqual([])
  await reindexActionItems(user.db, goesOn)
  expect(await texts(user)).toEqual(['a', 'b'])
})

test.each([
  [
    'completes an item',
    `jsonb_set(jsonb_set(action_items, '{0,completed}', 'true'), '{0,updated_at}', '4102444800000')`,
    ['b']
  ],
  ['removes an item', 'action_items - 0', ['b']],
  [
    'adds an item',
    `action_items || jsonb_set(jsonb_set(action_items -> 0, '{id}', '"ai_new"'), '{text}', '"c"')`,
    ['a', 'b', 'c']
  ]
])('a server of the version before %s: the background job lists it', async (_, items, open) => {
  const { user, id } = await withItems()
  await user.db.execute(
    `update sessions set action_items = ${items} where user_id = '${user.id}' and session_id = '${id}'`
  )
  await reindexActionItems(user.db, goesOn)
  expect((await texts(user, '')).sort()).toEqual(open)
})

test('an item that a server of the version before has removed is left out at once', async () => {
  const { user, id } = await withItems()
  await user.db.execute(
    `update sessions set action_items = action_items - 0 where user_id = '${user.id}' and session_id = '${id}'`
  )
  expect(await texts(user)).toEqual(['b'])
  const { body } = await user.get('/v1/action-items?limit=1')
  expect([
    body.action_items,
    (await user.get(`/v1/action-items?cursor=${body.next_cursor}`)).body.action_items.length
  ]).toEqual([[], 1])
})

test('the background job finds nothing to do the second time', async () => {
  const { user } = await withItems()
  await reindexActionItems(user.db, goesOn)
  const version = async () => {
    const { rows } = await user.db.execute(
      `select xmin::text, * from action_items where user_id = '${user.id}' order by item_id`
    )
    return rows
  }
  const before = await version()
  await reindexActionItems(user.db, goesOn)
  expect([before.length, await version()]).toEqual([2, before])
})

test('the trash takes the items of a session out of the list, and a restoration brings them back', async () => {
  const { user, id } = await withItems()
  await trashSession(user.db, user.id, id, clock.now())
  expect(await texts(user)).toEqual([])
  await restoreSession({ db: user.db, jobs: NO_QUEUE }, user.id, id, clock.now())
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
