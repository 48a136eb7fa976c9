// @module-tag both

import { expect, test } from 'vitest'
import { getProcessingHealth } from '../../../src/features/ingest/processing-health.ts'
import { getDeliveryHealth } from '../../../src/features/webhooks/delivery/health.ts'
import { emptyDatabase, onPostgres, openPlace } from '../../support/process.ts'
import { clock, NO_QUEUE } from '../../support/server.ts'

test('the health of an idle server is counted', async () => {
  const { db } = await openPlace(await emptyDatabase())
  expect(await getProcessingHealth({ db, jobs: NO_QUEUE })).toEqual({
    sessions: 0,
    since: null,
    queues: { counts: [], reasons: [] }
  })
  expect(await getDeliveryHealth({ db, clock })).toEqual({
    waiting: 0,
    sending: 0,
    oldest_seconds: 0,
    failing: 0,
    webhooks: []
  })
})

test.runIf(onPostgres)('health is left out where the database does not count it in time', async () => {
  const { db } = await openPlace(await emptyDatabase(), { poolSize: 2 })
  await db.transaction(async tx => {
    await tx.execute('lock table sessions, webhook_deliveries in access exclusive mode')
    const begun = performance.now()
    expect(await getProcessingHealth({ db, jobs: NO_QUEUE })).toBeUndefined()
    expect(await getDeliveryHealth({ db, clock })).toBeUndefined()
    expect(performance.now() - begun).toBeLessThan(14_000)
  })
  expect(await getDeliveryHealth({ db, clock })).toMatchObject({ waiting: 0 })
})
