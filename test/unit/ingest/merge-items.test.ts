import { describe, expect, test } from 'vitest'
import { mergeItems } from '../../../src/features/ingest/merge-items.ts'
import { newItem } from '../../../src/features/library/action-items.ts'

const [FIRST, LATER] = [1_000, 2_000]
const item = (text: string, more: object = {}) => ({ ...newItem({ text }, FIRST), ...more })
const found = (text: string, sourceStart: number | null = null) => newItem({ text, sourceStart }, LATER)

describe('mergeItems', () => {
  test('keeps the list, replaces it, or merges it', () => {
    const before = [item('Old', { completed: true }), item('Other')]
    const now = [found('New')]
    expect(mergeItems(before, now, 'keep')).toEqual(before)
    expect(mergeItems(before, now, 'replace')).toEqual(now)
    expect(mergeItems(before, now, 'merge')).toEqual([before[0], now[0]])
  })

  test('keeps the id of an item that is found again as it was', () => {
    const before = [item('Send it', { source_start: 3 })]
    expect(mergeItems(before, [found('Send it', 3)], 'merge')).toEqual(before)
    expect(mergeItems(before, [found('Send it', 3)], 'replace')).toEqual(before)
  })

  test('leaves out a new item from the moment or with the words of a kept one', () => {
    const before = [
      item('Send it to Ben', { user_edited_at: LATER, source_start: 3 }),
      item('Call', { completed: true })
    ]
    const now = [found('Send it', 3), found('CALL', 9), found('Write', 3.5)]
    expect(mergeItems(before, now, 'merge')).toEqual([...before, now[2]])
  })

  test('keeps every item that a person touched word for word, in 50 made cases and in other languages', () => {
    let seed = 3
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed % below
    }
    const touches = [
      { completed: true },
      { user_edited_at: LATER },
      { source: 'user' as const },
      { assignee: 'Ben', updated_at: LATER },
      { completed: true, due_date: '2026-03-06', user_edited_at: LATER, updated_at: LATER }
    ]
    const texts = ['Send the offer', 'Schick das Angebot', 'Enviar la oferta', '見積もりを送る', 'أرسل العرض']
    for (let made = 0; made < 50; made++) {
      const before = Array.from({ length: 1 + random(8) }, (_, at) => {
        const more = random(2) === 0 ? touches[random(touches.length)] : {}
        return item(`${texts[random(texts.length)]} ${at}`, {
          source_start: random(3) === 0 ? null : random(40),
          ...more
        })
      })
      const touched = before.filter(
        one => one.completed || one.user_edited_at || one.source === 'user' || one.updated_at > FIRST
      )
      const now = Array.from({ length: random(8) }, () =>
        found(`${texts[random(texts.length)]} ${random(8)}`, random(40))
      )
      const merged = mergeItems(before, now, 'merge')
      expect(merged.slice(0, touched.length)).toEqual(touched)
      expect(new Set(merged.map(({ id }) => id)).size).toBe(merged.length)
    }
  })

  test('never drops a touched item for the limit of the list', () => {
    const before = Array.from({ length: 200 }, (_, at) => item(`Item ${at}`, { completed: true }))
    expect(mergeItems(before, [found('New')], 'merge')).toEqual(before)
  })
})
