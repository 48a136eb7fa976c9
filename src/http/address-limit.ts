import type { Quota } from '../accounts/admission.ts'
import { ApiError } from '../core/api-error.ts'
import type { Clock } from '../core/clock.ts'

/** More addresses than this in one minute, and the oldest are forgotten: a flood must not grow the process. */
const MOST_ADDRESSES = 50_000

/**
 * Counts requests without a valid token by client address, in fixed minutes. Kept in this process alone: junk is to
 * cost nothing, so each server process counts for itself.
 */
export function addressLimit(clock: Clock, perMinute: number) {
  let minute = 0
  let counts = new Map<string, number>()

  return (address: string): Quota => {
    const now = Math.floor(clock.now().getTime() / 60_000)
    if (now !== minute) {
      minute = now
      counts = new Map()
    }
    const count = (counts.get(address) ?? 0) + 1
    counts.delete(address)
    counts.set(address, count)
    if (counts.size > MOST_ADDRESSES) for (const oldest of counts.keys()) if (counts.delete(oldest)) break
    const remaining = Math.max(0, perMinute - count)
    return { allowed: count <= perMinute, window: 'address', limit: perMinute, remaining, resetAt: (minute + 1) * 60 }
  }
}

/** The refusal of a request beyond a limit. */
export function limitReached({ limit, resetAt }: Quota, now: Date) {
  const retryAfter = Math.max(1, Math.ceil(resetAt - now.getTime() / 1_000))
  return new ApiError('rate_limit_exceeded', `The limit of ${limit} requests is used up; try again in ${retryAfter} s`, { retryAfter })
}
