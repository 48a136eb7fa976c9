/** What Postgres says of every statement after one that failed. */
const FAILED_BEFORE = '25P02'

/**
 * Statements of one transaction that do not need each other's answers, sent without waiting for them; resolves with the first's. Rejects when all
 * have ended, with the fault that was the cause: what still ran would go on after the transaction is rolled back, and outside of it.
 */
export async function together<First>(first: PromiseLike<First>, ...others: unknown[]): Promise<First> {
  const [one, ...rest] = await Promise.allSettled([first, ...others])
  const faults = [one, ...rest].flatMap(one => (one.status === 'rejected' ? [one.reason] : []))
  if (one.status === 'fulfilled' && faults.length === 0) return one.value
  throw faults.find(fault => codeOf(fault) !== FAILED_BEFORE) ?? faults[0]
}

function codeOf(fault: unknown): unknown {
  if (!(fault instanceof Error)) return undefined
  return 'code' in fault ? fault.code : codeOf(fault.cause)
}
