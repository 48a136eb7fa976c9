import { LIMITS } from '../contract/limits.ts'
import { ApiError } from '../core/api-error.ts'

/** Counts the bytes of large bodies that are arriving or being read, in total and by owner. */
export function openBodyBudget({ total, perOwner } = LIMITS.openBodies) {
  const open = new Map<string, number>()
  let all = 0

  function add(owner: string, bytes: number) {
    all += bytes
    const ofOwner = (open.get(owner) ?? 0) + bytes
    if (ofOwner > 0) open.set(owner, ofOwner)
    else open.delete(owner)
  }

  return (owner: string, bytes: number): Disposable => {
    if (all + bytes > total || (open.get(owner) ?? 0) + bytes > perOwner)
      throw new ApiError('service_unavailable', 'Too many large bodies are arriving at once; try again', {
        retryAfter: 5
      })
    add(owner, bytes)
    return { [Symbol.dispose]: () => add(owner, -bytes) }
  }
}
