// @module-tag both

import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { migratedDatabase, onPostgres, openPlace, type Place, type Serving, serve } from '../support/process.ts'
import { startReceiver } from '../support/receiver.ts'
import { LONG, loadOf, report, total, UNLIMITED } from './load.ts'

/** FAULTS=long kills for longer. The embedded database takes its time to come up again. */
const KILLS = LONG ? 60 : onPostgres ? 3 : 2
const SLOW = { timeout: LONG ? 1_800_000 : 600_000 }

test(
  'a server that is killed again and again under load loses nothing it has acknowledged, changes nothing by half, and delivers every event',
  SLOW,
  async () => {
    const fresh = await migratedDatabase()
    const place = { ...fresh, environment: { ...fresh.environment, ...UNLIMITED } }
    const servers: Serving[] = [await serve(place)]
    const load = await loadOf(place, { sessions: 8 })
    const receiver = await startReceiver()
    await load.subscribe(servers[0]!, receiver.url)
    const stop = load.start(servers)
    for (let kill = 1; kill <= KILLS; kill++) {
      await load.progress(10)
      await wait(Math.random() * 500)
      servers[0]!.kill('SIGKILL')
      expect(await servers[0]!.ended).toMatchObject({ signal: 'SIGKILL' })
      if (kill === KILLS && !LONG) await expireLeases(place)
      servers[0] = await serve(place)
    }
    const { strange, statuses } = await stop()
    expect(strange).toEqual([])
    expect(statuses.get(0)).toBeGreaterThan(0)
    const checked = await load.check()
    expect(checked).toBeGreaterThan(KILLS)
    const { events, repeated } = await load.checkDelivered(receiver.received, 120_000)
    report(
      `killed ${KILLS} times: ${total(statuses)} requests, ${checked} acknowledged changes checked; ${events} events, ${repeated} delivered again`
    )
  }
)

/** As after the minute that what a killed process held is waited for. */
async function expireLeases(place: Place) {
  const { pool, close } = await openPlace(place)
  await pool.query(
    "update webhook_deliveries set lease_until = lease_until - interval '10 minutes' where lease_until is not null"
  )
  await close()
}
