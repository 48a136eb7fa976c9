import { randomInt } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { retryEachFailed } from '../../../src/features/ingest/retry-failed.ts'
import { sql } from '../../../src/platform/db/drizzle.ts'
import { askAdmin } from '../../support/admin-api.ts'
import { type Browser, newBrowser, signedIn, signInAs, withoutTokens } from '../../support/console.ts'
import { acceptSession, buildTestApp, clock, NO_QUEUE, NOW, testServer } from '../../support/server.ts'
import { inviteTo, newSharer } from '../../support/sharing.ts'

const served = await testServer()
const PATH = '/operator/failed'
const RUNNING = new AbortController().signal

type Owner = Awaited<ReturnType<typeof newSharer>>

/** A queue that keeps what it gets. */
function newQueue() {
  const queued: [string, unknown][] = []
  const enqueue = async (_tx: unknown, queue: string, data: unknown) => void queued.push([queue, data])
  const findSessionJobs = async () =>
    new Map(queued.map(([, data]) => [String(Object(data).sessionId), { live: true, failed: 0 }]))
  return { queued, jobs: { ...NO_QUEUE, enqueue, findSessionJobs } }
}

/** An operator's browser, on an application whose queue keeps what it gets. */
async function operatorBrowser() {
  const { queued, jobs } = newQueue()
  const app = await buildTestApp({ jobs })
  const browser = newBrowser({ app })
  const user = await newSharer({ operator: true })
  await signInAs(browser, user.email)
  queued.length = 0
  return { user, browser, queued, app }
}

/** A minute in which no other test has a session fail: all tests may share one database. */
function newPeriod() {
  const start = Date.UTC(2100, 0, 1) + randomInt(2 ** 26) * 60_000
  return { since: new Date(start).toISOString(), until: new Date(start + 59_000).toISOString() }
}

/** A session with something to summarize, which failed at that instant. */
async function failedSession(owner: Owner, failedAt: string = NOW, reason = 'The provider is away') {
  const id = await owner.session({ title: 'CANARY TITLE', summary: 'CANARY SUMMARY' })
  await fail(id, failedAt, reason)
  return id
}

async function fail(id: string, failedAt: string, reason = 'The provider is away') {
  await served.db.execute(sql`update sessions set state = 'failed', failure = ${reason},
    updated_at = ${failedAt}::timestamptz where session_id = ${id}`)
}

async function stateOf(id: string) {
  const { rows } = await served.db.execute<{ state: string }>(sql`select state from sessions where session_id = ${id}`)
  return rows[0]?.state
}

/** The pages from the owner's first session on: others may have failed sessions too. */
async function pagesFrom(browser: Browser, owner: Owner) {
  const bodies: string[] = []
  const before = `${owner.id} 0001-01-01T00:00:00.000000Z`
  let path: string | undefined = `${PATH}?cursor=${encodeURIComponent(before)}`
  while (path) {
    const { status, body } = await browser.get(path)
    expect(status).toBe(200)
    bodies.push(body)
    path = /class="more"><a href="([^"]+)"/.exec(body)?.[1]?.replaceAll('&amp;', '&')
  }
  return bodies.join('')
}

describe('the failed sessions of all users', () => {
  test('are shown by their ids with owner, reason and age, page by page, and nothing of what was said', async () => {
    const { browser, app } = await operatorBrowser()
    const [owner, other] = [await newSharer(), await newSharer()]
    const ids = [await failedSession(owner, '2026-03-02T07:00:00Z', '<b>No quota left</b> at example.com')]
    for (let index = 0; index < 51; index++) ids.push(await failedSession(owner))
    const [theirs, completed] = [await failedSession(other), await owner.session()]
    const body = await pagesFrom(browser, owner)
    for (const id of [...ids, theirs]) expect(body.split(`<code>${id}</code>`).length).toBe(2)
    expect(body).not.toContain(completed)
    expect(body).toContain('&lt;b&gt;No quota left&lt;/b&gt; at example.com')
    expect(body).toContain('Failed 3 hours ago')
    expect(body).toContain(`href="/operator/users/${owner.id}"><bdi>${owner.email}</bdi>`)
    expect(body).not.toContain('CANARY')
    await app.close()
  })

  test('are those of users who are not deleted, and leave out the trash', async () => {
    const { browser, app } = await operatorBrowser()
    const [gone, owner] = [await newSharer(), await newSharer()]
    const [lost, trashed, kept] = [await failedSession(gone), await failedSession(owner), await failedSession(owner)]
    await owner.delete(`/v1/sessions/${trashed}?permanently=false`)
    await served.db.execute(sql`update users set deleted_at = ${NOW}::timestamptz where user_id = ${gone.id}`)
    const body = await pagesFrom(browser, gone)
    expect([lost, trashed, kept].map(id => body.includes(id))).toEqual([false, false, true])
    await app.close()
  })

  test('begin at the first page when the cursor is none', async () => {
    const { browser, app } = await operatorBrowser()
    const { body } = await browser.get(PATH)
    const id = (await newSharer()).id
    for (const cursor of [
      'x',
      id,
      `${id} 2026-02-30T00:00:00.000000Z`,
      `${id} 0000-01-01T00:00:00Z`,
      `${id} infinity`
    ]) {
      const shown = await browser.get(`${PATH}?${new URLSearchParams({ cursor })}`)
      expect([cursor, shown.status]).toEqual([cursor, 200])
      expect(shown.body.includes('class="more"')).toBe(body.includes('class="more"'))
    }
    await app.close()
  })

  test('lead nowhere for a stranger, a guest and a user, and nothing is retried', async () => {
    const owner = await newSharer()
    const id = await failedSession(owner)
    const guest = newBrowser(served)
    const invite = new URL(await inviteTo(owner, await owner.session(), `${crypto.randomUUID()}@example.com`)).pathname
    await guest.submit(invite, invite)
    for (const one of [newBrowser(served), guest, (await signedIn()).browser]) {
      const [unknown, shown] = [await one.get('/nothing'), await one.get(PATH)]
      expect([shown.status, withoutTokens(shown.body)]).toEqual([404, withoutTokens(unknown.body)])
      const nowhere = await one.send('/nothing')
      for (const form of [`${PATH}/retry`, `${PATH}/${owner.id}/${id}/retry`]) {
        const { status, body } = await one.send(form)
        expect([status, body]).toEqual([404, nowhere.body])
      }
    }
    expect(await stateOf(id)).toBe('failed')
  })
})

describe('retrying one', () => {
  test('processes it again, once however often the button is pressed', async () => {
    const { browser, queued, app } = await operatorBrowser()
    const owner = await newSharer()
    const id = await failedSession(owner)
    const form = `${PATH}/${owner.id}/${id}/retry`
    const press = () => browser.send(form, { _form: browser.formToken(form) })
    const presses = await Promise.all([press(), press()])
    for (const { status, text } of presses)
      expect([status, text.includes('The session is processed again.')]).toEqual([200, true])
    expect(await stateOf(id)).toBe('processing')
    expect(queued).toEqual([['process-session', { userId: owner.id, sessionId: id }]])
    await app.close()
  })

  test('says what became of one that is completed, deleted or of another owner', async () => {
    const { browser, queued, app } = await operatorBrowser()
    const [owner, other] = [await newSharer(), await newSharer()]
    const [completed, trashed, erased, theirs] = [
      await owner.session(),
      await failedSession(owner),
      await failedSession(owner),
      await failedSession(other)
    ]
    const waiting = await failedSession(owner)
    await owner.delete(`/v1/sessions/${trashed}?permanently=false`)
    await owner.delete(`/v1/sessions/${erased}`)
    const press = async (userId: string, id: string) => {
      const form = `${PATH}/${userId}/${id}/retry`
      const { status, text } = await browser.send(form, { _form: browser.formToken(form) })
      return [status, /The session is (already completed|deleted)\./.exec(text)?.[1]]
    }
    expect(await press(owner.id, completed)).toEqual([409, 'already completed'])
    for (const id of [trashed, erased, theirs]) expect(await press(owner.id, id)).toEqual([404, 'deleted'])
    await askAdmin('DELETE', `/users/${owner.id}`)
    expect(await press(owner.id, waiting)).toEqual([404, 'deleted'])
    const unknown = `${PATH}/x/${waiting}/retry`
    expect((await browser.send(unknown, { _form: browser.formToken(unknown) })).status).toBe(404)
    expect(queued).toEqual([])
    expect(await stateOf(theirs)).toBe('failed')
    await app.close()
  })
})

describe('retrying all', () => {
  test('is a job in the background, which names the sessions that failed until now', async () => {
    const { browser, queued, app } = await operatorBrowser()
    const owner = await newSharer()
    await failedSession(owner)
    const { status, text } = await browser.submit(PATH, `${PATH}/retry`)
    expect(status).toBe(200)
    expect(text).toMatch(/(1 session is|\d+ sessions are) retried in the background\./)
    expect(queued).toEqual([['retry-failed', { since: null, until: NOW }]])
    await app.close()
  })

  test('retries each once, though two jobs run at once, and leaves those with nothing to process', async () => {
    const { since, until } = newPeriod()
    const [owner, other] = [await newSharer(), await newSharer()]
    const ids = [
      await failedSession(owner, since),
      await failedSession(owner, since),
      await failedSession(other, until)
    ]
    const empty = await acceptSession(owner.id)
    await fail(empty, since)
    await served.db.execute(sql`delete from transcripts where session_id = ${empty}`)
    const late = await failedSession(owner, new Date(Date.parse(until) + 1).toISOString())
    const { queued, jobs } = newQueue()
    const run = () => retryEachFailed({ db: served.db, jobs, clock }, { since, until }, RUNNING)
    const [first, second] = await Promise.all([run(), run()])
    expect(first.retried + second.retried).toBe(3)
    const enqueued = queued.map(([, data]) => (data as { sessionId: string }).sessionId)
    expect(enqueued.toSorted()).toEqual(ids.toSorted())
    expect(await Promise.all([...ids, empty, late].map(stateOf))).toEqual([
      'processing',
      'processing',
      'processing',
      'failed',
      'failed'
    ])
    expect(await run()).toEqual({ retried: 0, left: 1 })
  })

  test('retries none again that has failed since the button was pressed', async () => {
    const { since, until } = newPeriod()
    const owner = await newSharer()
    const id = await failedSession(owner, since)
    const { queued, jobs } = newQueue()
    const run = () => retryEachFailed({ db: served.db, jobs, clock }, { since, until }, RUNNING)
    expect(await run()).toEqual({ retried: 1, left: 0 })
    await fail(id, new Date(Date.parse(until) + 1).toISOString())
    expect(await run()).toEqual({ retried: 0, left: 0 })
    expect(queued.length).toBe(1)
  })

  test('stops with the server, and goes on where it stopped', async () => {
    const { since, until } = newPeriod()
    const owner = await newSharer()
    for (let index = 0; index < 3; index++) await failedSession(owner, since)
    const stopping = new AbortController()
    const { queued, jobs } = newQueue()
    const enqueue: typeof jobs.enqueue = async (...job) => {
      await jobs.enqueue(...job)
      stopping.abort()
    }
    const services = { db: served.db, jobs: { ...jobs, enqueue }, clock }
    expect(await retryEachFailed(services, { since, until }, stopping.signal)).toEqual({ retried: 1, left: 0 })
    expect(await retryEachFailed(services, { since, until }, RUNNING)).toEqual({ retried: 2, left: 0 })
    expect(queued.length).toBe(3)
  })
})
