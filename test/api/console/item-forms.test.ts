import { describe, expect, test } from 'vitest'
import { signedIn } from '../../support/console.ts'

type Signed = Awaited<ReturnType<typeof signedIn>>
interface Item {
  id: string
  text: string
  completed: boolean
}

async function withItems(...texts: string[]) {
  const signed = await signedIn()
  const id = await signed.user.session({ title: 'Weekly', action_items: texts.map(text => ({ text })) })
  const itemsOf = async (): Promise<Item[]> =>
    (await signed.user.get(`/v1/sessions/${id}/action-items`)).body.action_items
  return { ...signed, id, itemsOf, items: await itemsOf() }
}

describe('the page of a session', () => {
  test('adds an item with its assignee and a due date in words', async () => {
    const { browser, id, itemsOf } = await withItems()
    const added = await browser.submit(`/s/${id}`, `/s/${id}/items`, {
      text: 'Send the offer',
      assignee: 'Ben',
      due_date: 'Friday'
    })
    const [item] = await itemsOf()
    expect([added.status, added.to]).toEqual([303, `/s/${id}#${item?.id}`])
    expect(item).toMatchObject({ text: 'Send the offer', assignee: 'Ben', due_date: '2026-03-06', source: 'user' })
  })

  test('edits an item, and clears the fields that are left empty', async () => {
    const { browser, id, items, itemsOf } = await withItems('Send the offer')
    const path = `/items/${items[0]?.id}/edit`
    const edit = (fields: Record<string, string>) => browser.submit(`/s/${id}`, path, fields)
    expect((await edit({ text: 'Send it', assignee: 'Cy', due_date: '2026-03-09' })).to).toBe(
      `/s/${id}#${items[0]?.id}`
    )
    expect((await itemsOf())[0]).toMatchObject({ text: 'Send it', assignee: 'Cy', due_date: '2026-03-09' })
    await edit({ text: 'Send it', assignee: '', due_date: ' ' })
    expect((await itemsOf())[0]).toMatchObject({ text: 'Send it', assignee: null, due_date: null })
  })

  test('deletes an item, and leaves the others', async () => {
    const { browser, id, items, itemsOf } = await withItems('One', 'Two')
    const path = `/items/${items[0]?.id}/delete`
    expect((await browser.submit(`/s/${id}`, path)).status).toBe(303)
    expect((await itemsOf()).map(({ text }) => text)).toEqual(['Two'])
    expect((await browser.send(path, { _form: browser.formToken(path) })).status).toBe(404)
  })

  test.each([
    [{ text: '' }],
    [{ text: 'x'.repeat(2_001) }],
    [{ text: 'x', due_date: 'next week' }],
    [{ text: 'x', assignee: 'a'.repeat(201) }]
  ])('refuses an item with %j', async fields => {
    const { browser, id, itemsOf } = await withItems()
    expect((await browser.submit(`/s/${id}`, `/s/${id}/items`, fields)).status).toBe(400)
    expect(await itemsOf()).toEqual([])
  })
})

describe('the list of items', () => {
  async function tick({ browser }: Pick<Signed, 'browser'>, ids: string[], fields: Record<string, string>) {
    const body = new URLSearchParams({ _form: browser.formToken('/items/many'), ...fields })
    for (const id of ids) body.append('item', id)
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    return await browser.call('POST', '/items/many', type, Buffer.from(String(body)))
  }

  test('ticks several off at once, and opens them again', async () => {
    const { items, itemsOf, ...signed } = await withItems('One', 'Two', 'Three')
    const ids = items.slice(0, 2).map(({ id }) => id)
    const back = '/action-items?status=open'
    expect((await tick(signed, ids, { completed: 'true', back })).to).toBe(back)
    expect((await itemsOf()).map(({ completed }) => completed)).toEqual([true, true, false])
    await tick(signed, ids, { completed: 'false' })
    expect((await itemsOf()).map(({ completed }) => completed)).toEqual([false, false, false])
  })

  test('ticks off those that are there, and names the others', async () => {
    const { items, itemsOf, user, id, ...signed } = await withItems('One', 'Two')
    await user.patch(`/v1/sessions/${id}`, { action_items: [{ id: items[1]?.id, text: 'Two' }] })
    const { status, text } = await tick(
      signed,
      items.map(item => item.id),
      { completed: 'true' }
    )
    expect([status, text.includes('1 of 2 action items is done.'), text.includes('Action item not found')]).toEqual([
      409,
      true,
      true
    ])
    expect((await itemsOf()).map(({ completed }) => completed)).toEqual([true])
  })

  test('refuses items of others, none at all, and a way back to elsewhere', async () => {
    const [{ items, itemsOf, ...signed }, stranger] = [await withItems('One'), await signedIn()]
    const ids = items.map(({ id }) => id)
    expect((await tick(stranger, ids, { completed: 'true' })).status).toBe(409)
    expect((await tick(signed, [], { completed: 'true' })).status).toBe(400)
    for (const back of ['//evil.example', '/settings', 'https://evil.example/action-items'])
      expect((await tick(signed, ids, { completed: 'true', back })).status).toBe(400)
    expect((await itemsOf()).map(({ completed }) => completed)).toEqual([false])
  })

  test('edits an item in its place', async () => {
    const { browser, items, itemsOf } = await withItems('One')
    const path = `/items/${items[0]?.id}/edit`
    expect((await browser.submit('/action-items?status=all', path, { text: 'Other' })).to).toBe(
      '/action-items?status=all'
    )
    expect((await itemsOf())[0]?.text).toBe('Other')
  })
})
