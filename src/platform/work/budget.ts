import { ApiError } from '../core/api-error.ts'

interface Options {
  /** True to take more than there is. */
  evenBeyond?: boolean
  /**
   * True for an owner who may exceed the share with one amount, as what is always larger could otherwise never be had: if nothing else of the owner, and no
   * other such amount, is in use. It counts as the whole share, so that others keep theirs.
   */
  evenAlone?: boolean
}

/** Takes an amount of a budget until it is disposed of. Throws service_unavailable if there is not as much. */
export type Budget = (owner: string, amount: number, options?: Options) => Disposable

/** Counts what is in use at once, in total and by owner. `problem` is the sentence of the refusal. */
export function openBudget({ total, perOwner }: { total: number; perOwner: number }, problem: string): Budget {
  const inUse = new Map<string, number>()
  let all = 0
  let isExceeded = false

  function add(owner: string, amount: number) {
    all += amount
    const ofOwner = (inUse.get(owner) ?? 0) + amount
    if (ofOwner > 0) inUse.set(owner, ofOwner)
    else inUse.delete(owner)
  }

  return (owner, amount, { evenBeyond = false, evenAlone = false } = {}) => {
    const ofOwner = inUse.get(owner) ?? 0
    const isAlone = evenAlone && !evenBeyond && amount > perOwner && ofOwner === 0 && !isExceeded
    const counted = isAlone ? perOwner : amount
    if (!evenBeyond && (all + counted > total || ofOwner + counted > perOwner))
      throw new ApiError('service_unavailable', problem, { retryAfter: 5 })
    add(owner, counted)
    if (isAlone) isExceeded = true
    return {
      [Symbol.dispose]() {
        add(owner, -counted)
        if (isAlone) isExceeded = false
      }
    }
  }
}
