import { LIMITS } from '../../contract/limits.ts'
import type { LongReads } from '../../platform/ports/long-reads.ts'
import { openBudget } from '../../platform/work/budget.ts'

const BUSY = 'Too many long texts are being read at once; read them, and try again'

/** Counts the long texts that are read at once. Guests have places of their own, so that they take none of users. */
export function openLongReads(): LongReads {
  const users = openBudget(LIMITS.longReads.users, BUSY)
  const guests = openBudget(LIMITS.longReads.guests, BUSY)
  return ({ userId, guest }) => (guest ? guests : users)(userId, 1)
}
