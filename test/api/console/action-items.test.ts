import { describe, expect, test } from 'vitest'
import { FOREIGN_SCRIPT, hiddenFields, newBrowser, signedIn } from '../../support/console.ts'
import { testServer } from '../../support/server.ts'
import { inviteTo, newSharer } from '../../support/sharing.ts'

const PATH = '/action-items'
const served = await testServer()

/** A user whose browser is signed in, with items in two sessions. */
async function withItems() {
  const { user, browser } = await signedIn()
  await user.session({
    title: 'Offers',
    action_items: [
      { text: 'Send the offer', assignee: 'Ben', due_date: '2026-03-01' },
      { text: 'Call the client', assignee: 'Ada', due_date: '2026-03-05' }
    ]
  })
  await user.session({ title: 'Repairs', action_items: [{ text: 'Order the part', completed: true }] })
  const { body } = await user.get('/v1/action-items?status=all')
  const idOf = (text: string) => String(body.action_items.find((item: { text: string }) => item.text === text).id)
  return { user, browser, idOf }
}

const TEXTS = ['Send the offer', 'Call the client', 'Order the part']

describe('the page of action items', () => {
  test.each([
    ['', ['Send the offer', 'Call the client']],
    ['?status=done', ['Order the part']],
    ['?status=all', TEXTS],
    ['?assignee=ben&status=all', ['Send the offer']],
    ['?due_before=2026-03-02', ['Send the offer']],
    ['?due_after=2026-03-02&due_before=2026-03-09&folder=', ['Call the client']]
  ])('lists across sessions what %j filters, as the API does', async (query, expected) => {
    const { browser } = await withItems()
    const { status, text } = await browser.get(PATH + query)
    expect([status, TEXTS.filter(one => text.includes(one))]).toEqual([200, expected])
  })

  test('has its filters as links that keep the others, and says what is overdue', async () => {
    const { browser } = await withItems()
    const { body } = await browser.get(`${PATH}?assignee=Ben`)
    expect(body).toContain('href="/action-items?assignee=Ben&amp;status=done"')
    expect(body).toContain('href="/action-items?assignee=Ben&amp;due_before=2026-03-02"')
    expect(body).toContain('href="/action-items" class="on"')
    expect(body).toContain('<span class="due late"><span class="hidden">overdue, </span>Sun 1 Mar</span>')
  })

  test('begins with what is mine and due soon, and ends with what is overdue for long', async () => {
    const { user, browser } = await signedIn()
    await user.post('/v1/people', { name: 'Ada', is_me: true })
    await user.session({
      action_items: [
        { text: 'Long ago', assignee: 'Ada', due_date: '2019-05-01' },
        { text: 'Late', assignee: 'Ben', due_date: '2026-03-01' },
        { text: 'Mine', assignee: 'Ada', due_date: '2026-03-05' },
        { text: 'Tomorrow', due_date: '2026-03-03' },
        { text: 'In summer', assignee: 'Ada', due_date: '2026-07-01' },
        { text: 'Some day' }
      ]
    })
    const shown = async (query = '') =>
      [
        ...(await browser.get(PATH + query)).body.matchAll(/<h2 class="group">([^<]*)|"tick"[^>]*><span[^>]*>([^<]*)/g)
      ].map(([, heading, text]) => heading ?? text)
    expect(await shown()).toEqual([
      ...['Yours, due by next week', 'Mine', 'Overdue', 'Late', 'This week and next', 'Tomorrow'],
      ...['Later', 'In summer', 'Without a date', 'Some day', 'Overdue for more than 30 days', 'Long ago']
    ])
    expect((await browser.get(PATH)).body).toContain('href="/action-items?person=me">Mine</a>')
    expect(await shown('?due_before=2026-03-02')).toEqual([
      ...['Overdue for more than 30 days', 'Long ago', 'Overdue', 'Late']
    ])
  })

  test('ticks an item off and opens it again, and returns to the list as it was filtered', async () => {
    const { user, browser, idOf } = await withItems()
    const form = `${PATH}/${idOf('Send the offer')}`
    const filtered = `${PATH}?assignee=Ben&status=all`
    const isDone = async () => (await user.get('/v1/action-items?status=done')).body.action_items.length === 2
    const ticked = await browser.submit(filtered, form)
    const to = `/action-items?status=all&assignee=Ben#${idOf('Send the offer')}`
    expect([ticked.status, ticked.to, await isDone()]).toEqual([303, to, true])
    expect((await browser.get(filtered)).body).toContain('aria-checked="true"')
    await browser.submit(filtered, form)
    expect(await isDone()).toBe(false)
  })

  test('returns to the item below one that the list leaves out now', async () => {
    const { browser, idOf } = await withItems()
    const { to } = await browser.submit(PATH, `${PATH}/${idOf('Send the offer')}`)
    expect(to).toBe(`/action-items#${idOf('Call the client')}`)
    expect((await browser.get(PATH)).body).toContain(`<li id="${idOf('Call the client')}">`)
  })

  test('has a box for each item, and buttons for all that are selected, which lead back to the list', async () => {
    const { browser, idOf, user } = await withItems()
    const { body } = await browser.get(`${PATH}?assignee=Ben`)
    const id = idOf('Send the offer')
    expect(body).toContain(`type="checkbox" name="item" value="${id}" form="many" aria-label="Select: Send the offer"`)
    expect([body.includes('Mark as done'), body.includes('Open again')]).toEqual([true, false])
    expect((await browser.get(`${PATH}?status=all&select=1`)).body).toMatch(/class="picking"[\s\S]*Open again/)
    const { to } = await browser.submit(`${PATH}?assignee=Ben`, '/items/many', { item: id, completed: 'true' })
    expect(to).toBe(`${PATH}?assignee=Ben`)
    expect((await user.get('/v1/action-items?status=done')).body.action_items).toHaveLength(2)
  })

  test.each([
    ['?status=maybe', 400],
    ['?due_before=soon', 400],
    ['?cursor=x', 400],
    ['?folder=nothing', 404]
  ])('refuses %j', async (query, expected) => {
    const { browser } = await withItems()
    const { status, text } = await browser.get(PATH + query)
    expect([status, text.includes('Send the offer')]).toEqual([expected, false])
  })

  test("is the same 404 for another user's item as for one that does not exist", async () => {
    const [{ idOf, user }, { browser }] = [await withItems(), await withItems()]
    const tick = (path: string) => browser.send(path, { _form: browser.formToken(path), completed: 'true' })
    const theirs = await tick(`${PATH}/${idOf('Send the offer')}`)
    const unknown = await tick(`${PATH}/ai_${'0'.repeat(26)}`)
    expect([theirs.status, theirs.text]).toEqual([404, unknown.text])
    expect((await user.get('/v1/action-items')).body.action_items).toHaveLength(2)
  })

  test('escapes text, assignee, title and filter', async () => {
    const { user, browser } = await withItems()
    const evil = `"'><script>alert(1)</script>`
    await user.session({ title: evil, action_items: [{ text: evil, assignee: evil }] })
    const { body, text } = await browser.get(`${PATH}?assignee=${encodeURIComponent(evil)}`)
    expect(body).not.toMatch(FOREIGN_SCRIPT)
    expect(text).toContain('&lt;script&gt;')
  })

  test('refuses a stranger, the guest of an invite, and a form of another session', async () => {
    expect((await newBrowser(served).get(PATH)).to).toBe('/sign-in?next=%2Faction-items')
    const owner = await newSharer()
    const invite = new URL(await inviteTo(owner, await owner.session(), `${crypto.randomUUID()}@example.com`)).pathname
    const guest = newBrowser(served)
    await guest.submit(invite, invite)
    expect((await guest.get(PATH)).status).toBe(403)
    const [{ browser, idOf, user }, { browser: other }] = [await withItems(), await withItems()]
    const foreign = { ...hiddenFields((await other.get('/shared')).body, '/sign-out'), completed: 'true' }
    expect((await browser.send(`${PATH}/${idOf('Send the offer')}`, foreign)).status).toBe(403)
    expect((await user.get('/v1/action-items')).body.action_items).toHaveLength(2)
  })
})
