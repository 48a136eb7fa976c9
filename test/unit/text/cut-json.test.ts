import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutJson, type Place } from '../../../src/platform/text/cut-json.ts'

/** Reads all pages, each with what it has of the parts that are cut. */
function pagesOf(answer: Record<string, unknown>, room: number) {
  const pages: Record<string, unknown>[] = []
  for (let place: Place | undefined = []; place; ) {
    const { value, next }: ReturnType<typeof cutJson> = cutJson(answer, place, room)
    expect(JSON.stringify(value).length).toBeLessThanOrEqual(room)
    pages.push(value)
    expect(pages.length).toBeLessThan(1_000)
    place = next
  }
  return pages
}

const partsOf = (pages: Record<string, unknown>[], name: string) => pages.map(page => page[name])

test('an answer that fits stays as it is', () => {
  const answer = { id: 'a', text: 'x'.repeat(5_000), list: [1, 2], none: null }
  expect(cutJson(answer, [], 10_000)).toEqual({ value: answer, next: undefined })
})

test('long texts and lists come one after the other, and everything else on every page', () => {
  const rows = Array.from({ length: 500 }, (_, at) => ({ at, text: `Row ${at} of them` }))
  const answer = { id: 'a', summary: 'We plan. '.repeat(2_000), rows, version: 3 }
  const pages = pagesOf(answer, 10_000)
  expect(pages.length).toBeGreaterThan(3)
  expect(pages.every(({ id, version }) => id === 'a' && version === 3)).toBe(true)
  expect(partsOf(pages, 'summary').join('')).toBe(answer.summary)
  expect(partsOf(pages, 'rows').flat()).toEqual(rows)
})

test('an entry of a list that is longer than a page is cut, with its short fields on every page', () => {
  const answer = {
    results: [
      { id: 'a', text: 'x'.repeat(100) },
      { id: 'b', text: 'word '.repeat(5_000) },
      { id: 'c', text: 'z' }
    ]
  }
  const pages = pagesOf(answer, 10_000)
  const entries = pages.flatMap(({ results }) => results as { id: string; text: string }[])
  expect([...new Set(entries.map(({ id }) => id))]).toEqual(['a', 'b', 'c'])
  const text = (id: string) =>
    entries
      .filter(one => one.id === id)
      .map(one => one.text)
      .join('')
  expect([text('a'), text('b'), text('c')]).toEqual(answer.results.map(one => one.text))
})

test('whatever the texts are, nothing is lost, doubled or longer than the room', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 4_000 }),
    fc.constantFrom('\u{1F600}'.repeat(3_000), '\n'.repeat(9_000), '"'.repeat(9_000), '\0'.repeat(4_000))
  )
  const answers = fc.record({ text: texts, rows: fc.array(texts, { maxLength: 40 }), more: texts })
  fc.assert(
    fc.property(answers, answer => {
      const pages = pagesOf(answer, 8_000)
      for (const [name, whole] of Object.entries(answer)) {
        const parts = partsOf(pages, name)
        // What is short is on every page.
        const isShort = JSON.stringify(whole).length < 1_000
        if (isShort) expect(parts).toEqual(pages.map(() => whole))
        else expect(parts.flat().join('')).toBe([whole].flat().join(''))
      }
    }),
    { numRuns: 60 }
  )
})
