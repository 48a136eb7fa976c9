/**
 * The order in which a transaction locks rows, so that two transactions never wait for each other. Rows of one kind are locked in the order
 * of their ids. What a transaction only locks if nobody else has it (`skip locked`, `try`) may come at any time, and so may the share of a
 * webhook that `features/events/record.ts` takes against its deletion, because a deletion waits for nothing that comes later.
 */
const LOCK_ORDER = [
  /** The user's row: their account, the number of their webhooks, a contested position in the list. */
  'user',
  /** The connection of an agent, before its secrets and its token. */
  'agent',
  'session',
  /** The share row of a session, before its links, invites and grants. */
  'share',
  /** People, against a merge or a change of their name. */
  'person',
  /** The totals of the search index. */
  'search totals',
  'folder',
  /** The counters of people. */
  'person counts',
  /** The terms of a user, and how far one is applied. */
  'term',
  /** The counters of a day. */
  'day',
  /** A webhook, before its deliveries and its place in the queue. */
  'webhook',
  /** The user's limit of sharing. */
  'share limit',
  /** The user's counters, which every change of theirs writes, so they are locked for the shortest time. */
  'user counters',
  'webhook queue'
] as const

/** A kind of rows that transactions lock. */
export type Lock = (typeof LOCK_ORDER)[number]

/** Returns a function that notes the locks of one transaction, and throws for a kind that comes before one that it has. */
export function openLockOrder() {
  const held = new Set<Lock>()
  let latest = -1
  return (lock: Lock) => {
    const place = LOCK_ORDER.indexOf(lock)
    if (place < latest && !held.has(lock))
      throw new Error(`This transaction locks "${lock}" after "${LOCK_ORDER[latest]}"; see platform/db/locks.ts`)
    held.add(lock)
    latest = Math.max(latest, place)
  }
}
