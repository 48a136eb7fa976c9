// @module-tag postgres

import type { ServerResponse } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { startAiServer } from '../support/ai-server.ts'
import {
  fileIn,
  migratedDatabase,
  onPostgres,
  openPlace,
  type Place,
  readiness,
  rowsOf,
  runJson,
  serve,
  temporaryFolder,
  until
} from '../support/process.ts'
import { startReceiver } from '../support/receiver.ts'
import { LONG, loadOf, UNLIMITED } from './load.ts'

/** FAULTS=long lets the time pass that leases and heartbeats take; otherwise they are set back. */
const SLOW = { timeout: 300_000 }

test.runIf(onPostgres && Boolean(process.env.FAULTS))(
  'what a server holds that stands still is done by another, once, and the first changes nothing of it when it goes on',
  SLOW,
  async () => {
    const ai = await startAiServer()
    onTestFinished(() => ai.close())
    const fresh = await migratedDatabase()
    const provider = { OPENAI_API_KEY: 'sk-none', OPENAI_BASE_URL: ai.url }
    const place: Place = { ...fresh, environment: { ...fresh.environment, ...UNLIMITED, ...provider } }
    const first = await serve(place)
    const load = await loadOf(place)

    // The first server has a session to summarise and deliveries to make, and gets answers to neither.
    const unanswered: (() => void)[] = []
    ai.script('chat', (_, response) => unanswered.push(() => response.destroy()))
    const segments = [{ speaker: 'Ada', start: 0, end: 1, text: 'We ship on Friday.' }]
    const [held] = await runJson(
      place,
      'import',
      '--user',
      load.owner.id,
      fileIn(temporaryFolder(), 'held.json', JSON.stringify({ segments }))
    )
    const session = String(held?.session_id)
    await until('the session is worked on', () => unanswered.length > 0)
    const receiver = await startReceiver(
      () => (response: ServerResponse) => void unanswered.push(() => response.writeHead(204).end())
    )
    await load.subscribe(first, receiver.url)
    const stop = load.start([first])
    await until('deliveries are under way', () => receiver.received.length >= 3)
    await stop()
    // What the other sends comes after these.
    receiver.received.length = 0

    first.kill('SIGSTOP')
    receiver.answer = () => 204
    if (!LONG) await passTime(place)
    const second = await serve(place)
    await until(
      'the session is completed by the other',
      async () => (await stateOf(place, session)) === 'completed',
      120_000
    )
    const { events } = await load.checkDelivered(receiver.received, 120_000)
    const isDelivered = ({ ended }: Record<string, unknown>) => ended === 'delivered'
    await until('all is noted', async () => (await attemptsOf(place)).filter(isDelivered).length === events)
    const before = await attemptsOf(place)

    first.kill('SIGCONT')
    for (const answer of unanswered) answer()
    await until('the first is ready', async () => (await readiness(first.adminUrl)) === 200)
    const both = load.start([first, second])
    await load.progress(20)
    expect((await both()).strange).toEqual([])
    await load.check({ completed: 1 })
    await load.checkDelivered(receiver.received, 120_000)
    // What came of the attempts of before is not noted: others are the ones that count.
    const seqs = new Set(before.map(({ seq }) => seq))
    expect((await attemptsOf(place)).filter(({ seq }) => seqs.has(seq))).toEqual(before)
    expect(await rowsOf(place, 'select type from events where session_id = $1', [session])).toEqual([
      { type: 'session.completed' }
    ])
    await until('no job is left', async () => (await rowsOf(place, UNFINISHED)).length === 0)
  }
)

const UNFINISHED = "select from pgboss.job where name = 'process-session' and state <> 'completed'"

/** As when the first has stood still for ten minutes. */
async function passTime(place: Place) {
  const { pool, close } = await openPlace(place)
  await pool.query(
    "update webhook_deliveries set lease_until = lease_until - interval '10 minutes' where lease_until is not null"
  )
  await pool.query("update pgboss.job set heartbeat_on = heartbeat_on - interval '10 minutes' where state = 'active'")
  await close()
}

async function stateOf(place: Place, sessionId: string) {
  const [row] = await rowsOf(place, 'select state from sessions where session_id = $1', [sessionId])
  return row?.state
}

async function attemptsOf(place: Place) {
  return await rowsOf(place, 'select seq, attempt, ended, error from webhook_attempts order by seq, attempt')
}
