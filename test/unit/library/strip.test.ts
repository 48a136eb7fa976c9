import { expect, test } from 'vitest'
import { toStrip } from '../../../src/features/library/strip.ts'

const said = (speaker: string, start: number | null, end: number | null, text = 'x') => ({ speaker, start, end, text })

test('a part of the strip is the voice that speaks for the longest in it, and 0 where nobody speaks', () => {
  const strip = toStrip([said('Ada', 0, 16), said('Ben', 16, 17), said('Ada', 24, 32)], 32)
  expect(strip?.voices).toEqual(['Ada', 'Ben'])
  expect(strip?.short).toBe('11111111111111112000000011111111')
  expect(strip?.long).toHaveLength(230)
})

test('the end of a recording after the last word is silence', () => {
  expect(toStrip([said('Ada', 0, 16)], 32)?.short).toBe(`${'1'.repeat(16)}${'0'.repeat(16)}`)
})

test('a transcript without times is drawn by the length of its texts', () => {
  const strip = toStrip([said('Ada', null, null, 'x'.repeat(30)), said('Ben', null, null, 'x'.repeat(10))], 0)
  expect(strip?.short).toBe(`${'1'.repeat(24)}${'2'.repeat(8)}`)
})

test('those who speak less than seven others are one voice', () => {
  const segments = Array.from({ length: 9 }, (_, at) => said(`S${at}`, at * 10, at * 10 + 10 - at))
  const strip = toStrip(segments, 90)
  expect(strip?.voices).toEqual(['S0', 'S1', 'S2', 'S3', 'S4', 'S5', 'S6'])
  expect(new Set(strip?.long)).toEqual(new Set('012345678'))
})

test.each([[[]], [[said('Ada', 0, 0)]], [[said('Ada', null, null, '')]]])('%j has none', segments => {
  expect(toStrip(segments, 10)).toBeNull()
})

test('times beyond the length, overlapping speech and speech of no length break nothing', () => {
  const strip = toStrip([said('Ada', 5, 5), said('Ada', 0, 100), said('Ben', 0, 40), said('Cy', 99, 99)], 10)
  expect([strip?.short.length, strip?.long.length, strip?.voices]).toEqual([32, 230, ['Ada', 'Ben']])
})

test('a strip of a hundred thousand lines that each last the whole time takes less than a second', () => {
  const segments = Array.from({ length: 100_000 }, (_, at) => said(`S${at % 9}`, 0, 1_000))
  const began = process.cpuUsage()
  toStrip(segments, 1_000)
  expect(process.cpuUsage(began).user / 1_000).toBeLessThan(1_000)
})
