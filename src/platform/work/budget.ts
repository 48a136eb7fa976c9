import { ApiError } from '../core/api-error.ts'

/** Takes an amount of a budget until it is disposed of. Throws service_unavailable if there is not as much, unless `evenBeyond` is set. */
export type Budget = (owner: string, amount: number, options?: { evenBeyond?: boolean }) => Disposable

/** Counts what is in use at once, in total and by owner. `problem` is the sentence of the refusal. */
export function openBudget({ total, perOwner }: { total: number; perOwner: number }, problem: string): Budget {
  const inUse = new Map<string, number>()
  let all = 0

  function add(owner: string, amount: number) {
    all += amount
    const ofOwner = (inUse.get(owner) ?? 0) + amount
    if (ofOwner > 0) inUse.set(owner, ofOwner)
    else inUse.delete(owner)
  }

  return (owner, amount, { evenBeyond = false } = {}) => {
    if (!evenBeyond && (all + amount > total || (inUse.get(owner) ?? 0) + amount > perOwner))
      throw new ApiError('service_unavailable', problem, { retryAfter: 5 })
    add(owner, amount)
    return { [Symbol.dispose]: () => add(owner, -amount) }
  }
}
