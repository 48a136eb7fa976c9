import { isConsequence } from './faults.ts'

/**
 * Statements of one transaction that do not need each other's answers, sent without waiting for them; resolves with the first's. Rejects when all
 * have ended, with the fault that was the cause: what still ran would go on after the transaction is rolled back, and outside of it.
 */
export async function together<First>(first: PromiseLike<First>, ...others: unknown[]): Promise<First> {
  const [led, ...rest] = await Promise.allSettled([first, ...others])
  const faults = [led, ...rest].flatMap(one => (one.status === 'rejected' ? [one.reason] : []))
  if (led.status === 'fulfilled' && faults.length === 0) return led.value
  throw faults.find(fault => !isConsequence(fault)) ?? faults[0]
}
