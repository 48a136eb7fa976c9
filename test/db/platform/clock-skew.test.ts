// @module-tag both

import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { measureClockSkew } from '../../../src/platform/db/clock.ts'
import { testDatabase } from '../../support/server.ts'

const DELAY_MS = 1_000

/** The pool of the tests, each of whose answers arrives a second late, and `aheadMs` ahead of the database's clock. */
async function slowPool(aheadMs = 0) {
  const { pool } = await testDatabase()
  return Object.create(pool, {
    query: {
      async value(text: string) {
        const { rows } = await pool.query(text)
        await wait(DELAY_MS)
        return { rows: rows.map(({ at }) => ({ at: at + aheadMs })) }
      }
    }
  })
}

test('an answer that comes late shows no difference of the clocks', async () => {
  expect(Math.abs(await measureClockSkew(await slowPool()))).toBeLessThan(0.2)
})

test.each([-60, 60])('a difference of %d seconds is shown, less at most what the answer took', async seconds => {
  const skew = await measureClockSkew(await slowPool(seconds * 1_000))
  expect(Math.sign(skew)).toBe(Math.sign(seconds))
  expect(Math.abs(skew)).toBeGreaterThan(30)
  expect(Math.abs(skew)).toBeLessThanOrEqual(60.1)
})
