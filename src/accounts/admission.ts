import { LRUCache } from 'lru-cache'
import type { Clock } from '../core/clock.ts'
import type { Database } from '../db/open.ts'
import type { TokenActor } from './actor.ts'
import {
  type Arrived,
  type CountRow,
  countRequests,
  countValidRequests,
  findOwners,
  findValidToken,
  type Owner,
  saveDayCounts,
  type ValidToken
} from './count-requests.ts'
import type { Admission, Admissions, Quota, RateLimits } from './quota.ts'
import { hashToken } from './token-format.ts'

/** The interval at which the day's counts are saved. A crash of the database loses at most the counts since. */
const SAVE_EVERY_MS = 30_000

/** The time in which requests gather for the next batch if the last batch had several. A single request does not wait. */
const GATHER_MS = 2

/** The largest number of token owners that a process remembers; more than it has connections, so that no batch evicts its own. */
const MAX_OWNERS = 20_000

interface Asked {
  hash: Buffer
  waiters: Waiter[]
}

type Batch = Map<string, Asked>

interface Waiter {
  resolve(admission: Admission | undefined): void
  reject(error: unknown): void
}

/** Keyed by token id. A token that is not in `valid` is expired or revoked. */
interface Counted {
  counts: Map<string, CountRow>
  valid: Map<string, ValidToken | Error>
}

export function openAdmissions(
  db: Pick<Database, 'query' | 'isDistributed'>,
  clock: Clock,
  limits: RateLimits
): Admissions {
  const owners = new LRUCache<string, Owner>({ max: MAX_OWNERS })
  const actors = new LRUCache<string, TokenActor>({ max: MAX_OWNERS })
  let waiting: Batch = new Map()
  let busy = false
  let counted = new Set<string>()
  const saving = setInterval(() => void saveDays().catch(() => {}), SAVE_EVERY_MS).unref()

  /** Saves the counts of all tokens used since the last save. After an error they are saved the next time. */
  async function saveDays() {
    if (counted.size === 0) return
    const tokenIds = counted
    counted = new Set()
    await saveDayCounts(db, [...tokenIds]).catch(error => {
      for (const tokenId of tokenIds) counted.add(tokenId)
      throw error
    })
  }

  async function flush() {
    if (busy || waiting.size === 0) return
    busy = true
    const batch = waiting
    waiting = new Map()
    try {
      await readOwners(batch)
      await count(batch)
    } catch (error) {
      for (const { waiters } of batch.values()) for (const { reject } of waiters) reject(error)
    }
    if (batch.size > 1) await new Promise(gathered => setTimeout(gathered, GATHER_MS))
    busy = false
    void flush()
  }

  async function readOwners(batch: Batch) {
    // get, unlike has, also marks an owner as used, so that those of the batch are not evicted for each other.
    const unknown = [...batch].filter(([key]) => !owners.get(key)).map(([, { hash }]) => hash)
    if (unknown.length === 0) return
    for (const { hash, userId, tokenId } of await findOwners(db, unknown)) owners.set(keyOf(hash), { userId, tokenId })
  }

  async function count(batch: Batch) {
    const asked: { key: string; owner: Owner; waiters: Waiter[] }[] = []
    for (const [key, { waiters }] of batch) {
      const owner = owners.get(key)
      if (owner) asked.push({ key, owner, waiters })
      else answer(waiters, () => undefined)
    }
    if (asked.length === 0) return
    const arrived = asked.map(({ owner, waiters }) => ({ ...owner, count: waiters.length }))
    const { counts, valid } = (await db.isDistributed()) ? await countOnCluster(arrived) : await countValid(arrived)
    for (const { key, owner, waiters } of asked) {
      const row = counts.get(owner.tokenId)
      const token = valid.get(owner.tokenId)
      if (token instanceof Error) for (const { reject } of waiters) reject(token)
      else if (row && token) {
        counted.add(owner.tokenId)
        const actor: TokenActor = actors.get(key) ?? { ...owner, scopes: new Set(token.scopes), via: 'token' }
        actors.set(key, actor)
        answer(waiters, turn => ({ actor, quota: quotaOf(row, turn, limits), expiresAt: token.expiresAt }))
      } else {
        owners.delete(key)
        answer(waiters, () => undefined)
      }
    }
  }

  async function countValid(arrived: Arrived[]): Promise<Counted> {
    const rows = await countValidRequests(db, arrived, clock.now(), limits)
    return {
      counts: new Map(rows.map(row => [row.tokenId, row])),
      valid: new Map(rows.map(row => [row.tokenId, row]))
    }
  }

  /** Counters are on the coordinator and tokens on their owners' nodes. Where a node is down, its owners get the error and the others do not. */
  async function countOnCluster(arrived: Arrived[]): Promise<Counted> {
    const valid: Counted['valid'] = new Map()
    async function readToken(owner: Owner) {
      try {
        for (const token of await findValidToken(db, owner, clock.now())) valid.set(token.tokenId, token)
      } catch (error) {
        if (!(error instanceof Error)) throw error
        valid.set(owner.tokenId, error)
      }
    }
    const [rows] = await Promise.all([countRequests(db, arrived, limits), ...arrived.map(readToken)])
    return { counts: new Map(rows.map(row => [row.tokenId, row])), valid }
  }

  return {
    admit(token) {
      const hash = hashToken(token)
      const key = keyOf(hash)
      return new Promise((resolve, reject) => {
        const known = waiting.get(key)
        if (known) known.waiters.push({ resolve, reject })
        else waiting.set(key, { hash, waiters: [{ resolve, reject }] })
        if (waiting.size === 1 && !known) setImmediate(() => void flush())
      })
    },
    recall: token => actors.get(keyOf(hashToken(token))),
    async stop() {
      clearInterval(saving)
      await saveDays().catch(() => {})
    }
  }
}

function keyOf(hash: Buffer) {
  return hash.toString('latin1')
}

function answer(waiters: Waiter[], admissionOf: (turn: number) => Admission | undefined) {
  for (const [turn, { resolve }] of waiters.entries()) resolve(admissionOf(turn))
}

/** The quota of the request at position `turn` (from 0) of the batch. */
function quotaOf({ minute, minuteCount, day, dayCount, admitted }: CountRow, turn: number, limits: RateLimits): Quota {
  const later = admitted - 1 - turn
  const minuteLeft = limits.perMinute - minuteCount + later
  const dayLeft = limits.perDay - dayCount + later
  const allowed = turn < admitted
  const byDay = dayLeft <= minuteLeft
  return {
    allowed,
    window: byDay ? 'day' : 'minute',
    limit: byDay ? limits.perDay : limits.perMinute,
    remaining: allowed ? Math.min(minuteLeft, dayLeft) : 0,
    resetAt: byDay ? day + 86_400 : minute + 60
  }
}
