import { describe, expect, test } from 'vitest'
import { sql } from '../../../src/platform/db/drizzle.ts'
import { newBrowser, signInAs } from '../../support/console.ts'
import { acceptSession, buildTestApp, NO_QUEUE, NOW, testDatabase } from '../../support/server.ts'
import { newSharer } from '../../support/sharing.ts'

const PATH = '/operator/health'
const { db } = await testDatabase()

async function operatorBrowser(overrides: Parameters<typeof buildTestApp>[0] = {}) {
  const browser = newBrowser({ app: await buildTestApp(overrides) })
  const user = await newSharer({ operator: true })
  await signInAs(browser, user.email)
  return { user, browser }
}

/** The row of a table that has this text. */
function rowWith(body: string, text: string) {
  return [...body.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) => row).find(row => row.includes(text))
}

function cellsOf(row = '') {
  return [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell = '']) => cell.replace(/<[^>]+>/g, ''))
}

describe('the health page of an operator', () => {
  test('shows the jobs of each queue, the age of the oldest, and why sessions wait', async () => {
    const at = (minutes: number) => new Date(Date.parse(NOW) - minutes * 60_000)
    const counts = [
      { queue: 'process-session', state: 'retry', jobs: 12, since: at(90) },
      { queue: 'process-session', state: 'active', jobs: 2, since: at(5) },
      { queue: 'send-invite', state: 'failed', jobs: 1, since: at(600) }
    ]
    const reasons = [{ reason: 'The provider answers <b>503</b>', jobs: 12 }]
    const { browser } = await operatorBrowser({
      jobs: { ...NO_QUEUE, inspectQueues: async () => ({ counts, reasons }) }
    })
    const { status, body, text } = await browser.get(PATH)
    expect(status).toBe(200)
    expect(cellsOf(rowWith(body, 'process-session'))).toEqual(['process-session', '0', '2', '12', '0', '1 hour'])
    expect(cellsOf(rowWith(body, 'send-invite'))).toEqual(['send-invite', '0', '0', '0', '1', ''])
    expect(text).toContain('The provider answers &lt;b&gt;503&lt;/b&gt; (12 sessions)')
  })

  test('says how many sessions are in processing, and for how long', async () => {
    const { user, browser } = await operatorBrowser()
    const id = await acceptSession(user.id)
    await db.execute(
      sql`update sessions set created_at = ${NOW}::timestamptz - interval '4000 days' where session_id = ${id}`
    )
    expect((await browser.get(PATH)).text).toMatch(/\d+ sessions? in processing, the oldest for 4000 days\./)
    await db.execute(sql`update sessions set state = 'failed' where session_id = ${id}`)
    expect((await browser.get(PATH)).text).not.toContain('4000 days')
  })

  test('names the receivers that fail most by their host, and never a secret of their URL', async () => {
    const { browser } = await operatorBrowser()
    const owner = await newSharer()
    const { body: hook } = await owner.post('/v1/webhooks', {
      url: 'http://127.0.0.1:8099/services/CANARY-PATH?key=CANARY-KEY',
      events: ['session.completed']
    })
    await db.execute(sql`update webhooks set failure_count = 1000000, failing_since = ${NOW}::timestamptz - interval '3 days',
      last_delivery_status = 503 where user_id = ${owner.id} and webhook_id = ${String(hook.id)}`)
    const { body } = await browser.get(PATH)
    expect(cellsOf(rowWith(body, owner.email))).toEqual(['127.0.0.1:8099', owner.email, '1,000,000', '3 days', '503'])
    expect(body).not.toContain('CANARY')
    await owner.patch(`/v1/webhooks/${hook.id}`, { active: false })
    expect(rowWith((await browser.get(PATH)).body, owner.email)).toBeUndefined()
  })

  test('runs the checks only by its form, and shows what was found and where to read on', async () => {
    let runs = 0
    const diagnose = async () => {
      runs++
      return [
        { check: 'disk', ok: true, detail: '9.0 of 10.0 GiB free at /data' },
        { check: 'secret_key', ok: false, detail: 'Another <key>; set the one of before' }
      ]
    }
    const { browser } = await operatorBrowser({ diagnose })
    expect((await browser.get(PATH)).text).toContain('Check now')
    expect(runs).toBe(0)
    const { status, body, text } = await browser.submit(PATH, `${PATH}/checks`)
    expect([status, runs]).toEqual([200, 1])
    expect(text).toContain('Not working: secret_key.')
    expect(cellsOf(rowWith(body, 'disk'))).toEqual(['disk', 'works', '9.0 of 10.0 GiB free at /data'])
    const failed = rowWith(body, 'secret key')
    expect(cellsOf(failed)).toEqual([
      'secret key',
      'does not work',
      'Another &lt;key&gt;; set the one of before. How to set it up'
    ])
    expect(failed).toContain('href="/docs/operations/security"')
  })
})
