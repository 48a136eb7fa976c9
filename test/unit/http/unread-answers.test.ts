import { expect, test } from 'vitest'
import { answerBudget } from '../../../src/interfaces/http/transport/unread-answers.ts'

const MIB = 1024 * 1024

test.each([
  [512, { total: 64, perOwner: 32 }],
  [1_024, { total: 128, perOwner: 64 }],
  [64 * 1_024, { total: 128, perOwner: 64 }]
])('with %i MiB of memory, unread answers take an eighth of it at most', (memory, { total, perOwner }) => {
  expect(answerBudget(memory * MIB)).toEqual({ total: total * MIB, perOwner: perOwner * MIB })
})
