// @module-tag embedded
import { describe, expect, test } from 'vitest'
import { leastOfEach, processorMs } from '../support/processor-time.ts'
import { SEED } from '../support/seed.ts'
import { type Pump, pumped, pumpsOf } from './pumps.ts'
import { DEFAULT_PUMP_CASES, PUMP_CASES } from './run.ts'
import { TEXT_FUNCTIONS, type TextFunction } from './text-functions.ts'

/** Characters of the texts. More cases come with longer texts: a small quadratic part shows only there. */
const LENGTHS = PUMP_CASES <= DEFAULT_PUMP_CASES ? [500, 2_000, 8_000, 32_000] : [500, 2_000, 8_000, 32_000, 128_000]
/** Processor time of one call below which nothing is measured: no server is held up by it. */
const FLOOR_MS = 50
/** Four times the text takes four times as long in linear time and sixteen times in quadratic time. */
const MOST_GROWTH = 7
/** A call that takes this long is not tried with a longer text. */
const HOPELESS_MS = 5_000
/** A single call that seems to grow by this is measured again. */
const SUSPICIOUS_GROWTH = 5

const cases = Object.entries(TEXT_FUNCTIONS).flatMap(([file, functions]) =>
  Object.entries(functions).flatMap(([name, take]) => (take ? [{ file, name, take }] : []))
)

describe(`time grows in proportion to the text (seed ${SEED})`, () => {
  test.each(cases)('$file: $name', { timeout: 900_000 }, async ({ take }) => {
    const slow: string[] = []
    for (const pump of pumpsOf(SEED, PUMP_CASES)) {
      const growth = await growthOf(take, pump)
      if (growth > MOST_GROWTH) slow.push(`${JSON.stringify(pump)} grows by ${growth.toFixed(1)}`)
    }
    expect(slow).toEqual([])
  })
})

/** How many times as long four times the text takes, at the first length at which that is suspiciously long. */
async function growthOf(take: TextFunction, pump: Pump) {
  let before = 0
  for (const length of LENGTHS) {
    const once = await processorMs(take, pumped(pump, length))
    if (once > FLOOR_MS && once > SUSPICIOUS_GROWTH * before) {
      const { growth, ms } = await compared(take, pump, length)
      if (growth > MOST_GROWTH && ms > HOPELESS_MS) return growth
      // Where a text outgrows the processor's caches, time jumps once. Quadratic time goes on growing.
      if (growth > MOST_GROWTH) return Math.min(growth, (await compared(take, pump, length * 4)).growth)
    }
    before = once
  }
  return 1
}

/** The time of a text of that length, and how many times that of a quarter of it this is. */
async function compared(take: TextFunction, pump: Pump, length: number) {
  const [shorter = 0, ms = 0] = await leastOfEach(take, [pumped(pump, length / 4), pumped(pump, length)])
  return { growth: ms / Math.max(shorter, FLOOR_MS / MOST_GROWTH), ms }
}
