import { expect, test } from 'vitest'
import { longestStretch, planStretches } from '../../../src/features/ingest/parts/plan.ts'
import { joinSeams, placeSegments } from '../../../src/features/ingest/parts/seams.ts'

const SPEECH = -20
const SILENCE = -90

/** Levels of a recording: speech, with silences of a second at these seconds. */
function levels(seconds: number, silences: number[] = [], silence = SILENCE) {
  return Array.from({ length: seconds * 10 }, (_, at) =>
    silences.some(start => at >= start * 10 && at < start * 10 + 10) ? silence : SPEECH + (at % 3)
  )
}

test('a recording that fits is one stretch', () => {
  expect(planStretches(levels(20), 25)).toEqual([{ startMs: 0, endMs: 20_000 }])
})

test('stretches end in the last silence before their limit, and no word is in two of them', () => {
  const stretches = planStretches(levels(60, [5, 17, 20, 38]), 25)
  expect(stretches).toEqual([
    { startMs: 0, endMs: 20_800 },
    { startMs: 20_800, endMs: 38_800 },
    { startMs: 38_800, endMs: 60_000 }
  ])
})

test('quiet recordings are cut at what is silence for them', () => {
  const quiet = levels(40, [18], -75).map(level => level - 30)
  expect(planStretches(quiet, 25)[0]).toEqual({ startMs: 0, endMs: 18_800 })
})

test('without a silence the stretches overlap by some words, within the limit', () => {
  const stretches = planStretches(levels(100), 25)
  for (const [at, { startMs, endMs }] of stretches.entries()) {
    expect(endMs - startMs).toBeLessThanOrEqual(25_000)
    expect(startMs).toBe(at === 0 ? 0 : stretches[at - 1]!.endMs - 3_000)
  }
  expect(stretches.at(-1)?.endMs).toBe(100_000)
})

test('a stretch is as long as the server takes, and never longer than eight minutes', () => {
  expect([100_000, 1_000_000, 26_214_400].map(longestStretch)).toEqual([25, 250, 480])
})

const said = (start: number, end: number, text: string, speaker = 'Speaker') => ({ speaker, start, end, text })

test('times move to the place of the stretch, and none goes beyond its end', () => {
  const stretch = { startMs: 60_000, endMs: 70_000 }
  expect(placeSegments(stretch, [said(1, 2.5, 'One.'), said(9, 12, 'Two.')])).toEqual([
    said(61, 62.5, 'One.'),
    said(69, 70, 'Two.')
  ])
  const timeless = { speaker: 'Speaker', start: null, end: null, text: 'All of it.' }
  expect(placeSegments(stretch, [timeless])).toEqual([said(60, 70, 'All of it.')])
})

/** Joins two transcripts whose stretches overlap from 10 to 13 seconds. */
const joined = (left: ReturnType<typeof said>[], right: ReturnType<typeof said>[]) =>
  joinSeams([
    { startMs: 0, endMs: 13_000, segments: left },
    { startMs: 10_000, endMs: 20_000, segments: right }
  ])
    .map(({ text }) => text)
    .join(' ')

test.each([
  ['the same words', 'We send the offer on Friday.', 'the offer on Friday. Then we wait.'],
  ['other case and punctuation', 'We send the offer, on friday', 'The Offer on Friday. Then we wait.'],
  [
    'a word that the cut halves on both sides',
    'We send the offer on Friday. The',
    'nd the offer on Friday. Then we wait.'
  ]
])('what is said where stretches overlap is there once: %s', (_, left, right) => {
  expect(
    joined([said(6, 13, left)], [said(10, 16, right)])
      .toLowerCase()
      .replace(',', '')
  ).toBe(
    'we send the offer on friday. then we wait.'.replace('friday.', left.endsWith('friday') ? 'friday' : 'friday.')
  )
})

test('scripts without spaces are joined by characters', () => {
  expect(joined([said(6, 13, '我们星期五发报价')], [said(10, 16, '五发报价，然后等')])).toBe('我们星期五发报价 然后等')
})

test('segments that lie in the overlap as a whole are there once', () => {
  const left = [said(2, 9, 'Before.'), said(10, 11, 'One two.'), said(11.5, 12.5, 'Three four.')]
  const right = [said(10, 11, 'One two.'), said(11.5, 12.5, 'Three four.'), said(14, 15, 'After.')]
  expect(joined(left, right)).toBe('Before. One two. Three four. After.')
})

test('without a common word each half of the overlap comes from the transcript that has it whole', () => {
  const left = [said(6, 11, 'Left words.'), said(12, 13, 'garbled')]
  const right = [said(10, 11, 'noise'), said(12, 16, 'Right words.')]
  expect(joined(left, right)).toBe('Left words. Right words.')
})

test('a repetition beside a seam without an overlap stays', () => {
  const parts = [
    { startMs: 0, endMs: 10_000, segments: [said(8, 9, 'Very, very')] },
    { startMs: 10_000, endMs: 20_000, segments: [said(10.5, 12, 'very good.')] }
  ]
  expect(joinSeams(parts).map(({ text }) => text)).toEqual(['Very, very', 'very good.'])
})

test('times never fall, whatever a server answers', () => {
  const parts = [{ startMs: 0, endMs: 10_000, segments: [said(5, 6, 'a'), said(3, 4, 'b'), said(7, 7, 'c')] }]
  expect(joinSeams(parts).map(({ start, end }) => [start, end])).toEqual([
    [5, 6],
    [5, 5],
    [7, 7]
  ])
})
