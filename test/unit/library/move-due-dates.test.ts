import { beforeAll, describe, expect, test } from 'vitest'
import { moveDueDates } from '../../../src/features/library/move-due-dates.ts'
import { leastOfEach } from '../../support/processor-time.ts'

const DAYS = { from: '2026-03-04', to: '2026-03-11' }
/** Every item shares its words with every turn, which costs the most. */
const WORDS = Array.from({ length: 30 }, (_, at) => `word${at}`).join(' ')
const MOST_ITEMS = 200

function moving({ items, turns }: { items: number; turns: number }) {
  const times = { created_at: 0, updated_at: 0, user_edited_at: null, source_start: null }
  const item = { text: WORDS, completed: false, source: 'agent' as const, due_date: '2026-03-06', ...times }
  const segments = Array.from({ length: turns }, (_, at) => ({
    speaker: at % 2 ? 'Ada' : 'Ben',
    start: at,
    end: at + 1,
    text: WORDS
  }))
  return {
    items: Array.from({ length: items }, (_, at) => ({ ...item, id: `ai_${at}` })),
    segments
  }
}

describe('the time that moving the due dates of a session takes', () => {
  let ms: Record<'one' | 'half' | 'whole' | 'twice', number>

  beforeAll(async () => {
    const sizes = [
      { items: 1, turns: 10_000 },
      { items: MOST_ITEMS, turns: 5_000 },
      { items: MOST_ITEMS, turns: 10_000 },
      { items: MOST_ITEMS, turns: 20_000 }
    ]
    const move = ({ items, segments }: ReturnType<typeof moving>) =>
      void moveDueDates(items, segments, DAYS, new Date(0))
    const [one = 0, half = 0, whole = 0, twice = 0] = await leastOfEach(move, sizes.map(moving))
    console.log(one, half, whole, twice)
    ms = { one, half, whole, twice }
  })

  test('grows in proportion to its turns, up to 10,000 of them', () => {
    expect(ms.whole / ms.half).toBeLessThan(3)
    expect(ms.twice / ms.whole).toBeLessThan(1.5)
  })

  test(`with ${MOST_ITEMS} action items is less than 25 times that with one`, () => {
    expect(ms.whole / ms.one).toBeLessThan(25)
  })
})
