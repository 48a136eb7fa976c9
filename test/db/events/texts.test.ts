// @module-tag both

import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { LIMITS } from '../../../src/contract/limits.ts'
import { openAdmissions } from '../../../src/features/access/admission.ts'
import { eraseUser } from '../../../src/features/deletions/erase-user.ts'
import { appendDeletions } from '../../../src/features/deletions/ledger-file.ts'
import { reapplyDeletions } from '../../../src/features/deletions/reapply.ts'
import { removeOldEvents, removeOldTexts } from '../../../src/features/events/remove-old.ts'
import { removeUnusedTexts } from '../../../src/features/events/texts.ts'
import { askAdmin, newAppUser } from '../../support/admin-api.ts'
import { canary } from '../../support/canaries.ts'
import { newBrowser, signInAs } from '../../support/console.ts'
import { ALL_EVENTS, dispatching, hookOf } from '../../support/dispatch.ts'
import { emptyDatabase, onPostgres, openPlace, temporaryFolder } from '../../support/process.ts'
import { startReceiver } from '../../support/receiver.ts'
import { tablesWith } from '../../support/remains.ts'
import { buildTestApp, clock, NO_QUEUE, newUser, newUserOf, SPOKEN, testDatabase } from '../../support/server.ts'
import { newSharer } from '../../support/sharing.ts'

const PATIENT = { timeout: 60_000, interval: 20 }
const NEVER = new AbortController().signal

/** Words that do not repeat, so that compression leaves most of their length. */
function longText(characters: number, begin = '') {
  let text = begin
  for (let turn = 1; text.length < characters; turn++) text += ` ${((turn * 2_654_435_761) % 2 ** 32).toString(36)}`
  return text.slice(0, characters)
}

const SUMMARY = longText(LIMITS.summary, 'Summary')

type User = Pick<Awaited<ReturnType<typeof newUser>>, 'id' | 'db' | 'app' | 'token' | 'get' | 'patch'>

async function rowsOf({ db }: Pick<User, 'db'>, statement: string) {
  return (await db.execute(statement)).rows
}

/** The feed from its beginning, page by page, as its bytes. */
async function feedOf(user: User) {
  const pages: string[] = []
  for (let cursor = 0, more = true; more; ) {
    const url = `/v1/events?limit=200&cursor=${cursor}`
    const { payload } = await user.app.inject({ url, headers: { authorization: `Bearer ${user.token}` } })
    pages.push(payload)
    const { next_cursor, has_more } = JSON.parse(payload)
    more = has_more
    cursor = next_cursor
  }
  return pages
}

const eventsIn = (pages: string[]) => pages.flatMap(page => JSON.parse(page).events)

const textsOf = (user: User) => rowsOf(user, `select hash, json from event_texts where user_id = '${user.id}'`)

/** As though the user's events up to a number, and as many outside the feed, were older than what is kept. */
async function age(user: User, upTo: number) {
  await rowsOf(
    user,
    `update events set created_at = now() - interval '${LIMITS.eventDays + 1} days' where user_id = '${user.id}' and seq between 1 and ${upTo}`
  )
}

/** A user in a database of the test's own, because retention removes the events of everybody. */
async function alone() {
  const { db, pool } = await openPlace(await emptyDatabase(), { poolSize: 8 })
  const admissions = openAdmissions(db, clock, { perMinute: 1_000_000, perDay: 10_000_000 })
  const app = await buildTestApp({ db, admissions })
  return { ...(await newUserOf({ db, app })), pool }
}

test('each event shows the session as it was, whatever changes later, byte for byte', async () => {
  const user = await newAppUser()
  const action_items = Array.from({ length: 100 }, (_, turn) => ({ text: longText(300, `Item ${turn}`) }))
  const id = await user.session({ summary: SUMMARY, notes: longText(LIMITS.notes, 'Notes'), action_items })
  const path = `/v1/sessions/${id}`
  const states = [(await user.get(path)).body]
  const changes = [
    () => user.patch(path, { title: 'Another title' }),
    () => user.patch(path, { notes: 'Short notes' }),
    () => user.adminApi.patch(`/sessions/${id}`, { summary: longText(9_000, 'Another summary') }),
    () => user.patch(path, { notes: longText(9_000, 'Third notes') }),
    () => user.adminApi.patch(`/sessions/${id}`, { summary: SUMMARY }),
    () => user.patch(path, { favorite: true }),
    () => user.patch(path, { action_items: [] })
  ]
  for (const change of changes) {
    expect((await change()).status).toBe(200)
    states.push((await user.get(path)).body)
  }
  states.push(states.at(-1))
  const pages = await feedOf(user)
  expect(eventsIn(pages).map(({ data }) => data.session)).toEqual(states)
  for (const page of pages) expect(JSON.stringify(JSON.parse(page))).toBe(page)
})

test.each([
  ['quotes, backslashes and control characters', '"\\ \u001f \\u001f \t\n \u007f \u2028 "},"summary":{'],
  ['letters of several bytes', 'Ä€😀'],
  ['the separator alone', '\u001f'],
  ['words of a reference', '$1 $& $$ null']
])('a large text with %s arrives unchanged', async (_, piece) => {
  const user = await newUser()
  const notes = piece.repeat(Math.ceil(6_000 / piece.length))
  const id = await user.session({ title: piece.slice(0, 20), notes })
  await user.patch(`/v1/sessions/${id}`, { favorite: true })
  const { body } = await user.get(`/v1/sessions/${id}`)
  const events = eventsIn(await feedOf(user))
  expect(events.map(({ data }) => data.session.notes)).toEqual([notes, notes])
  expect(events.at(-1).data.session).toEqual(body)
  expect(await textsOf(user)).toHaveLength(1)
})

test('two fields with the same large text share it', async () => {
  const user = await newUser()
  const same = longText(9_000)
  const id = await user.session({ summary: same, notes: same })
  await user.patch(`/v1/sessions/${id}`, { title: 'x' })
  expect(await textsOf(user)).toHaveLength(1)
  for (const { data } of eventsIn(await feedOf(user)))
    expect(data.session).toMatchObject({ summary: same, notes: same })
})

test('a session of ordinary length has no text besides its events', async () => {
  const user = await newUser()
  const id = await user.session({ summary: 's'.repeat(3_990), notes: 'n'.repeat(3_990) })
  await user.patch(`/v1/sessions/${id}`, { title: 'x' })
  expect(await textsOf(user)).toEqual([])
  expect(await rowsOf(user, `select from events where user_id = '${user.id}' and texts is not null`)).toEqual([])
})

test('a change beside large fields stores little more than what changed', async () => {
  const user = await newUser()
  const action_items = Array.from({ length: LIMITS.actionItems.max }, (_, turn) => ({
    text: longText(LIMITS.actionItems.text, `${turn}`)
  }))
  const id = await user.session({ summary: SUMMARY, notes: longText(LIMITS.notes), action_items })
  const stored = async () => {
    const [{ bytes } = {}] = await rowsOf(
      user,
      `select (select sum(pg_column_size(e.*)) from events e where user_id = '${user.id}')
        + (select sum(pg_column_size(t.*)) from event_texts t where user_id = '${user.id}') as bytes`
    )
    return Number(bytes)
  }
  const before = await stored()
  expect(before).toBeGreaterThan(100_000)
  for (let turn = 0; turn < 10; turn++) await user.patch(`/v1/sessions/${id}`, { title: `Title ${turn}` })
  expect((await stored()) - before).toBeLessThan(10 * 2_000)
  // A repeated change records no event.
  const after = await stored()
  await user.patch(`/v1/sessions/${id}`, { title: 'Title 9' })
  expect(await stored()).toBe(after)
})

test('events count towards the limit as they are sent, and so does a page', async () => {
  const user = await newUser()
  const id = await user.session({ summary: SUMMARY, notes: longText(LIMITS.notes) })
  for (let turn = 2; turn <= 25; turn++) await user.patch(`/v1/sessions/${id}`, { title: `Title ${turn}` })
  const pages = await feedOf(user)
  const events = eventsIn(pages)
  expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 25 }, (_, turn) => turn + 1))
  expect(pages.length).toBe(2)
  const [first, second] = pages.map(page => Buffer.byteLength(page))
  expect(first).toBeGreaterThan(LIMITS.eventsPage.bytes)
  expect(first).toBeLessThan(LIMITS.eventsPage.bytes + 260_000)
  expect(second).toBeLessThan(LIMITS.eventsPage.bytes)
  const sent = events.reduce((sum, { data }) => sum + Buffer.byteLength(JSON.stringify(data)), 0)
  const [counter] = await rowsOf(user, `select event_bytes from user_counters where user_id = '${user.id}'`)
  expect(Number(counter?.event_bytes)).toBe(sent)
})

test('webhooks and their replays deliver the text of each event, and the console shows it', {
  timeout: 300_000
}, async () => {
  const served = await dispatching({ start: false })
  const user = await newSharer({}, served)
  const receiver = await startReceiver()
  const hook = await hookOf(user, receiver.url, [...ALL_EVENTS, 'session.created'])
  const notes = longText(9_000, 'First notes')
  const created = await user.post('/v1/sessions', { summary: SUMMARY, notes, segments: SPOKEN })
  const id = created.body.id
  expect(created.status).toBe(202)
  const other = await user.session({ notes })
  const path = `/v1/sessions/${other}`
  await user.patch(path, { title: 'x' })
  await user.patch(path, { notes: longText(9_000, 'Later notes') })
  await user.patch(path, { notes: 'Short' })
  served.startDispatcher()
  await expect.poll(() => receiver.received.length, PATIENT).toBe(6)
  const feed = eventsIn(await feedOf(user)).map(({ seq: _, ...event }) => JSON.stringify(event))
  const sent = () => receiver.received.map(({ body }) => body)
  expect(
    sent()
      .filter(body => !body.includes('session.created'))
      .sort()
  ).toEqual(feed.toSorted())
  const creations = sent()
    .map(body => JSON.parse(body))
    .filter(({ event }) => event === 'session.created')
  const whole = creations.find(({ data }) => data.session.id === id)
  expect(whole.data.session).toMatchObject({ summary: SUMMARY, notes })

  const before = sent().length
  expect((await user.post(`/v1/webhooks/${hook.id}/replay`, { from_seq: 1 })).body).toMatchObject({ queued: 4 })
  await expect.poll(() => receiver.received.length, PATIENT).toBe(before + 4)
  expect(sent().slice(before).sort()).toEqual(feed.toSorted())

  const browser = newBrowser(served)
  await signInAs(browser, user.email, served)
  const { id: eventId } = eventsIn(await feedOf(user))[1]
  const shown = await browser.get(`/settings/webhooks/${hook.id}/deliveries/${eventId}`)
  expect(shown.text).toContain(notes.slice(0, 2_000))
})

test('retention removes texts with the last event that refers to them, and none before', async () => {
  const user = await alone()
  const [first, second] = [longText(9_000, 'First'), longText(9_000, 'Second')]
  const path = `/v1/sessions/${await user.session({ summary: SUMMARY, notes: first })}`
  await user.patch(path, { title: 'x' })
  await user.patch(path, { notes: second })
  await user.patch(path, { notes: '' })
  const remove = async () => {
    await removeOldEvents(user.db, new Date(), NEVER)
    const removed = await removeOldTexts(user.db, NEVER)
    return [removed, (await textsOf(user)).length]
  }
  expect(await remove()).toEqual([0, 3])
  await age(user, 1)
  expect(await remove()).toEqual([0, 3])
  await age(user, 2)
  expect(await remove()).toEqual([1, 2])
  const left = eventsIn(await feedOf(user)).map(({ data }) => [data.session.summary, data.session.notes])
  expect(left).toEqual([
    [SUMMARY, second],
    [SUMMARY, '']
  ])
  await age(user, 4)
  expect(await remove()).toEqual([2, 0])
  // The text is stored again when an event refers to it again.
  await user.patch(path, { notes: second })
  expect(eventsIn(await feedOf(user)).map(({ data }) => data.session.notes)).toEqual([second])
})

test('a text to which only an event outside the feed refers stays as long as that', async () => {
  const user = await alone()
  await hookOf(user as never, 'http://127.0.0.1:1/', ['session.created'])
  const notes = longText(9_000)
  const path = `/v1/sessions/${await user.session({ notes })}`
  await user.patch(path, { notes: '' })
  await age(user, 2)
  await removeOldEvents(user.db, new Date(), NEVER)
  expect(await removeOldTexts(user.db, NEVER)).toBe(0)
  expect(await textsOf(user)).toHaveLength(1)
  await rowsOf(user, `update events set created_at = now() - interval '31 days' where seq < 0`)
  await removeOldEvents(user.db, new Date(), NEVER)
  expect(await removeOldTexts(user.db, NEVER)).toBe(1)
  expect(await rowsOf(user, 'select from events')).toEqual([])
})

test('many texts of many users are removed in batches', async () => {
  const user = await alone()
  const other = await newUserOf({ db: user.db, app: user.app })
  for (const { id } of [user, other])
    await rowsOf(
      user,
      `insert into event_texts select '${id}', 'ses_x', n::text, '"x"', 1, ${Number.MIN_SAFE_INTEGER} from generate_series(1, 250) n`
    )
  await rowsOf(user, 'update user_counters set last_seq = 2')
  expect(await removeOldTexts(user.db, AbortSignal.abort())).toBe(0)
  expect(await removeOldTexts(user.db, NEVER)).toBe(500)
})

test('an owner over the limit of stored events loses the texts of the removed ones at once', async () => {
  const user = await newUser()
  const [first, second] = [longText(9_000, 'First'), longText(9_000, 'Second')]
  const path = `/v1/sessions/${await user.session({ summary: SUMMARY, notes: first })}`
  await user.patch(path, { notes: second })
  await user.patch(path, { notes: '' })
  await rowsOf(
    user,
    `update user_counters set event_bytes = ${LIMITS.eventBytes} - 100 + (select end_bytes from events where user_id = '${user.id}' and seq = 1)
     where user_id = '${user.id}'`
  )
  expect(await user.patch(path, { title: 'x' })).toMatchObject({ status: 200 })
  const left = eventsIn(await feedOf(user)).map(({ seq, data }) => [seq, data.session.summary, data.session.notes])
  expect(left).toEqual([
    [2, SUMMARY, second],
    [3, SUMMARY, ''],
    [4, SUMMARY, '']
  ])
  expect((await textsOf(user)).map(({ json }) => JSON.parse(String(json)).slice(0, 6)).sort()).toEqual([
    'Second',
    'Summar'
  ])
})

test('texts that are used again while others remove them are never lost', { timeout: 300_000 }, async () => {
  const user = await alone()
  const notes = [longText(9_000, 'Even'), longText(9_000, 'Odd'), 'Short']
  const path = `/v1/sessions/${await user.session({ notes: notes[0] })}`
  let running = true
  let removed = 0
  const remove = async () => {
    while (running) {
      await rowsOf(
        user,
        `delete from events where user_id = '${user.id}' and seq < (select last_seq from user_counters where user_id = '${user.id}')`
      )
      removed += await removeUnusedTexts(user.db, user.id, 100)
      await wait(2)
    }
  }
  const removers = Promise.all([remove(), remove()])
  for (let turn = 1; turn <= 60; turn++) {
    const title = `${turn % 3}`
    expect((await user.patch(path, { title, notes: notes[turn % 3] })).status).toBe(200)
    for (const { data } of eventsIn(await feedOf(user)))
      expect(data.session.notes.length).toBe(notes[Number(data.session.title)]?.length ?? 9_000)
  }
  running = false
  await removers
  expect(removed).toBeGreaterThan(0)
})

// The embedded database has one session: nothing runs beside a statement.
test.runIf(onPostgres)(
  'a text stays if an event refers to it while a removal looks for others',
  {
    timeout: 300_000
  },
  async () => {
    const user = await alone()
    const notes = longText(9_000)
    const path = `/v1/sessions/${await user.session()}`
    // So many texts of events to come are looked at first that a change is committed meanwhile.
    // On a busy machine, one statement would take longer than a statement may.
    for (let from = 1; from <= 200_000; from += 10_000)
      await rowsOf(
        user,
        `insert into event_texts select '${user.id}', 'a', n::text, '"x"', 1e15::bigint, 0 from generate_series(${from}, ${from + 9_999}) n`
      )
    for (let turn = 1; turn <= 12; turn++) {
      await user.patch(path, { title: `${turn}`, notes })
      await user.patch(path, { notes: '' })
      await rowsOf(user, 'delete from events')
      const [, changed] = await Promise.all([removeUnusedTexts(user.db, user.id, 100), user.patch(path, { notes })])
      expect(changed).toMatchObject({ status: 200 })
      expect(eventsIn(await feedOf(user)).map(({ data }) => data.session.notes)).toEqual([notes])
    }
  }
)

test('what an open transaction refers to is not waited for, and stays', async () => {
  const user = await alone()
  const notes = longText(9_000)
  await user.session({ notes })
  await rowsOf(user, 'delete from events')
  if (onPostgres)
    await user.db.transaction(async tx => {
      await tx.execute('select from event_texts for update')
      expect(await removeUnusedTexts(user.db, user.id, 100)).toBe(0)
    })
  expect(await removeUnusedTexts(user.db, user.id, 100)).toBe(1)
})

test('a permanent deletion leaves no text in events; from the trash a session comes back with its own', async () => {
  const user = await newAppUser()
  const word = canary()
  const texts = { summary: longText(9_000, word), notes: longText(9_100, word) }
  const [gone, kept] = [await user.session(texts), await user.session({ notes: longText(9_000, 'Kept') })]
  await user.patch(`/v1/sessions/${gone}`, { title: 'x' })
  await user.adminApi.delete(`/sessions/${gone}`)
  expect(await textsOf(user)).toHaveLength(3)
  await user.adminApi.post(`/sessions/${gone}/restore`)
  expect(eventsIn(await feedOf(user)).at(-1).data.session).toMatchObject(texts)
  expect((await user.delete(`/v1/sessions/${gone}`)).status).toBe(200)
  expect((await textsOf(user)).length).toBe(1)
  expect(await tablesWith(await testDatabase(), word)).toEqual([])
  const events = eventsIn(await feedOf(user))
  for (const { data } of events.filter(one => one.data.session.id === gone))
    expect(data.session).toMatchObject({ title: '', summary: null, notes: null })
  expect(events.find(one => one.data.session.id === kept).data.session.notes).toBe(longText(9_000, 'Kept'))
})

test('the deletion of a user leaves no text', async () => {
  const user = await newUser()
  const word = canary()
  await user.session({ notes: longText(9_000, word) })
  expect((await askAdmin('DELETE', `/users/${user.id}`)).status).toBe(200)
  await eraseUser({ db: user.db, jobs: NO_QUEUE }, user.id, NEVER)
  expect(await textsOf(user)).toEqual([])
  expect(await tablesWith(await testDatabase(), word)).toEqual([])
})

test('a ledger takes the texts of a deleted session out of a restored database', async () => {
  const user = await newUser()
  const notes = longText(9_000)
  const [gone, kept] = [await user.session({ notes }), await user.session({ notes })]
  const path = join(temporaryFolder(), 'deletions.jsonl')
  const deletedAt = clock.now()
  await appendDeletions(path, [{ userId: user.id, sessionId: gone, what: 'session', deletedAt, by: 'user' }])
  await reapplyDeletions({ db: user.db, jobs: NO_QUEUE, clock }, path)
  expect(eventsIn(await feedOf(user)).map(({ data }) => [data.session.id, data.session.notes])).toEqual([
    [gone, null],
    [kept, notes],
    [gone, null]
  ])
  expect(await rowsOf(user, `select session_id from event_texts where user_id = '${user.id}'`)).toEqual([
    { session_id: kept }
  ])
})
