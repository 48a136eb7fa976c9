import { describe, expect, test } from 'vitest'
import { moveDueDates } from '../../src/sessions/move-due-dates.ts'
import { leastOfEach } from '../support/processor-time.ts'

const DAYS = { from: '2026-03-04', to: '2026-03-11' }
/** Every item shares its words with every turn, which costs the most. */
const WORDS = Array.from({ length: 60 }, (_, at) => `word${at}`).join(' ')
const MOST_ITEMS = 200

function moving({ items, turns }: { items: number; turns: number }) {
  const times = { created_at: 0, updated_at: 0, user_edited_at: null, source_start: null }
  const item = { text: WORDS, completed: false, source: 'agent' as const, due_date: '2026-03-06', ...times }
  const segments = Array.from({ length: turns }, (_, at) => ({ speaker: at % 2 ? 'Ada' : 'Ben', start: at, end: at + 1, text: WORDS }))
  return {
    items: Array.from({ length: items }, (_, at) => ({ ...item, id: `ai_${at}` })),
    segments
  }
}

const timesOf = (sizes: { items: number; turns: number }[]) =>
  leastOfEach(({ items, segments }) => void moveDueDates(items, segments, DAYS, new Date(0)), sizes.map(moving))

describe('the time that moving the due dates of a session takes', () => {
  test('grows in proportion to its turns, up to 10,000 of them', { timeout: 120_000 }, async () => {
    const sizes = [5_000, 10_000, 20_000].map(turns => ({ items: MOST_ITEMS, turns }))
    const [half = 0, whole = 0, twice = 0] = await timesOf(sizes)
    expect(whole / half).toBeLessThan(3)
    expect(twice / whole).toBeLessThan(1.5)
  })

  test(`with ${MOST_ITEMS} action items is less than 25 times that with one`, { timeout: 120_000 }, async () => {
    const [one = 0, most = 0] = await timesOf([1, MOST_ITEMS].map(items => ({ items, turns: 10_000 })))
    expect(most / one).toBeLessThan(25)
  })
})
