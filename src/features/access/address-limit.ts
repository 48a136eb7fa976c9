import { LRUCache } from 'lru-cache'
import { ApiError } from '../../platform/core/api-error.ts'
import type { Clock } from '../../platform/core/clock.ts'
import type { RateWindow } from '../../platform/ports/admissions.ts'

/** The largest number of addresses counted at a time; beyond it the one that was idle for longest is forgotten, so that a flood does not grow the process. */
export const MAX_ADDRESSES = 50_000

export interface AddressLimit {
  /** Counts one request and returns the address's rate window. */
  count(address: string): RateWindow
  /** Returns the rate window that the next request of the address would have, without counting one. */
  peek(address: string): RateWindow
}

/**
 * Counts requests by client address, in fixed minutes. The counters are in memory: each server process counts for itself, and a flood costs
 * the database nothing.
 */
export function addressLimit(clock: Clock, perMinute: number): AddressLimit {
  let minute = 0
  // With `max`, room for all would be taken now: a megabyte at each of ten doors.
  const counts = new LRUCache<string, number>({ maxSize: MAX_ADDRESSES, sizeCalculation: () => 1 })

  function rateOf(count: number): RateWindow {
    const remaining = Math.max(0, perMinute - count)
    return { allowed: count <= perMinute, window: 'address', limit: perMinute, remaining, resetAt: (minute + 1) * 60 }
  }

  function countOf(address: string) {
    const now = Math.floor(clock.now().getTime() / 60_000)
    if (now !== minute) {
      minute = now
      counts.clear()
    }
    return counts.get(address) ?? 0
  }

  return {
    count(address) {
      const count = countOf(address) + 1
      counts.set(address, count)
      return rateOf(count)
    },
    peek(address) {
      const count = countOf(address)
      return { ...rateOf(count), allowed: count < perMinute }
    }
  }
}

/** The 429 of a request beyond its limit. */
export function limitReached({ limit, window, resetAt }: RateWindow, now: Date) {
  const retryAfter = Math.max(1, Math.ceil(resetAt - now.getTime() / 1_000))
  const requests = window === 'address' ? `${limit} requests from your address` : `${limit} requests`
  return new ApiError('rate_limit_exceeded', `The limit of ${requests} is used up; try again in ${retryAfter} s`, {
    retryAfter
  })
}
