import { expect, test } from 'vitest'
import { z } from 'zod'
import { serializeInSteps } from '../../../src/interfaces/http/transport/long-lists.ts'

const Answer = z.object({
  id: z.string(),
  entries: z.array(z.object({ text: z.string(), at: z.number() })).optional(),
  warnings: z.array(z.string()).optional()
})
/** Their fields are in another order than those of the shape, and one is not of the shape. */
const entriesOf = (count: number) => Array.from({ length: count }, (_, at) => ({ at, other: 1, text: `"${at}"` }))

test.each([0, 1, 2_000, 2_001, 4_000, 9_999])(
  'an answer with %i entries has the bytes of one that is serialized at once',
  async count => {
    for (const warnings of [{}, { warnings: ['a', 'b'] }]) {
      const answer = { entries: entriesOf(count), ...warnings, id: 'ses_"1"' }
      expect(await serializeInSteps(Answer, answer, 'entries')).toBe(JSON.stringify(Answer.encode(answer)))
    }
  }
)

test('other work is done between the steps', async () => {
  let turns = 0
  const count = () => {
    turns++
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  await serializeInSteps(Answer, { id: 'a', entries: entriesOf(20_000) }, 'entries')
  clearImmediate(next)
  expect(turns).toBeGreaterThan(8)
})

test('an entry that its shape does not allow is no answer', async () => {
  const answer = { id: 'a', entries: [...entriesOf(3_000), { at: 1, text: 2 }] }
  await expect(serializeInSteps(Answer, answer, 'entries')).rejects.toThrow()
})
