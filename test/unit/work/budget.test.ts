import { expect, test } from 'vitest'
import { openBudget } from '../../../src/platform/work/budget.ts'

test('a budget is shared by owners, bounded for each, and given back', () => {
  const take = openBudget({ total: 3, perOwner: 2 }, 'Too much at once; try again')
  const refusal = expect.objectContaining({ status: 503, retryAfter: 5, message: 'Too much at once; try again' })
  const first = take('ada', 2)
  expect(() => take('ada', 1)).toThrow(refusal)
  const other = take('ben', 1)
  expect(() => take('cem', 1)).toThrow(refusal)
  other[Symbol.dispose]()
  first[Symbol.dispose]()
  expect(() => take('cem', 3)).toThrow(refusal)
  take('ada', 2)
  take('ben', 1)
})

test('one amount beyond the share of an owner is given to one owner at a time who has nothing else, and counts as the share', () => {
  const take = openBudget({ total: 4, perOwner: 2 }, 'Too much at once; try again')
  const refusal = expect.objectContaining({ status: 503 })
  const small = take('ada', 1)
  expect(() => take('ada', 9, { evenAlone: true })).toThrow(refusal)
  small[Symbol.dispose]()
  const large = take('ada', 9, { evenAlone: true })
  expect(() => take('ada', 1, { evenAlone: true })).toThrow(refusal)
  expect(() => take('ben', 9, { evenAlone: true })).toThrow(refusal)
  take('ben', 2, { evenAlone: true })[Symbol.dispose]()
  large[Symbol.dispose]()
  const next = take('ben', 9, { evenAlone: true })
  take('ada', 2)
  expect(() => take('cem', 1)).toThrow(refusal)
  next[Symbol.dispose]()
  take('cem', 2)
})
