import { expect, test } from 'vitest'
import { toPageLines } from '../../../src/features/transcripts/page-lines.ts'

const said = (speaker: string, start: number | null, text = 'Words.') => ({
  speaker,
  start,
  end: start === null ? null : start + 5,
  text
})
const SHOWN = { speaker: '', correctAt: '/correct?line=' }

/** The headings and names of the markup, and the seconds of its lines, in their order. */
const outline = (lines: string) =>
  [...lines.matchAll(/<h3[^>]*>([^<]*)|data-i[^>]*>([^<]*)|data-s="([^"]*)/g)].map(
    ([, heading, name, second]) => heading ?? name ?? Number(second)
  )

test('a chapter begins with its first line, also within what one speaker says, and names the speaker again', () => {
  const segments = [said('Ada', 0), said('Ada', 10), said('Ada', 20), said('Ben', 30)]
  const chapters = [
    { heading: 'Price', start: 10 },
    { heading: 'Place', start: 25 }
  ]
  expect(outline(toPageLines(segments, { ...SHOWN, chapters }).lines)).toEqual([
    ...['Ada', 0, 'Price', 'Ada', 10, 20, 'Place', 'Ben', 30]
  ])
})

test('of chapters that begin before the same line, the last one is its heading', () => {
  const chapters = [
    { heading: 'One', start: 1 },
    { heading: 'Two', start: 2 },
    { heading: 'Never', start: 99 }
  ]
  expect(outline(toPageLines([said('Ada', 0), said('Ben', 10)], { ...SHOWN, chapters }).lines)).toEqual([
    ...['Ada', 0, 'Two', 'Ben', 10]
  ])
})

test('voices have their part of the time, and without times of the text, the longest first', () => {
  const timed = [said('Ada', 0), said('Ben', 5), said('Ben', 10), said('Ben', 15)]
  expect(toPageLines(timed, SHOWN).voices).toEqual([
    { name: 'Ben', part: 0.75 },
    { name: 'Ada', part: 0.25 }
  ])
  const untimed = [said('Ada', null, 'a'.repeat(30)), said('Ben', null, 'b'.repeat(10))]
  expect(toPageLines(untimed, SHOWN).voices).toEqual([
    { name: 'Ada', part: 0.75 },
    { name: 'Ben', part: 0.25 }
  ])
})

test('a name leads to its correction on the page of the owner alone', () => {
  const segments = [said('Ada <b>', 0)]
  expect(toPageLines(segments, SHOWN).lines).toContain('href="?who=0">Ada &lt;b&gt;</a>')
  expect(toPageLines(segments, { speaker: '' }).lines).not.toContain('?who')
})
