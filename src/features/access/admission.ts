import { LRUCache } from 'lru-cache'
import type { Audience } from '../../contract/oauth.ts'
import type { Clock } from '../../platform/core/clock.ts'
import type { Database, Queryable } from '../../platform/db/open.ts'
import type { TokenActor } from '../../platform/ports/actor.ts'
import type { Admission, Admissions, RateLimits, RateWindow } from '../../platform/ports/admissions.ts'
import { openRecurring } from '../../platform/work/recurring.ts'
import {
  type Arrived,
  type Counted,
  type CountRow,
  countArrived,
  findOwners,
  hasEnded,
  saveDayCounts,
  type TokenOwner,
  type ValidToken
} from './count-requests.ts'
import { hashToken } from './token-format.ts'

/** The interval at which the day's counts are saved. A crash of the database loses at most the counts since. */
const SAVE_EVERY_MS = 30_000

/** The time in which requests gather for the next batch if the last batch had several. A single request does not wait. */
const GATHER_MS = 2

/** The largest number of token owners that a process remembers; more than it has connections, so that no batch evicts its own. */
const MAX_OWNERS = 20_000

/** The requests that wait for one token's admission, keyed by the token's hash. */
type Batch = Map<string, { hash: Buffer; waiters: Waiter[] }>

/** A batch for each door, because a statement counts against one limit. */
type Batches = Record<Audience, Batch>

interface Asked {
  key: string
  owner: TokenOwner
  waiters: Waiter[]
  /**
   * The requests of the batch that are counted before these. An agent that has just renewed its access token uses both for a while; they have one
   * counter, which a statement can change only once.
   */
  before: number
}

interface Waiter {
  resolve(admission: Admission | undefined): void
  reject(error: unknown): void
}

/** The limits of a token at a door. */
export function limitsAt(door: Audience, limits: RateLimits): RateLimits {
  return door === 'mcp' ? { ...limits, perMinute: limits.assistantsPerMinute ?? limits.perMinute } : limits
}

const newBatches = (): Batches => ({ server: new Map(), mcp: new Map() })

/** Admits requests in batches: one statement counts all that arrive while another one runs. */
export function openAdmissions(
  db: Pick<Database, 'query' | 'isDistributed'>,
  clock: Clock,
  limits: RateLimits
): Admissions {
  // With `max`, room for all would be taken now: half a megabyte for each.
  const remembered = { maxSize: MAX_OWNERS, sizeCalculation: () => 1 }
  const owners = new LRUCache<string, TokenOwner>(remembered)
  const actors = new LRUCache<string, TokenActor>(remembered)
  const limitsOf = { server: limitsAt('server', limits), mcp: limitsAt('mcp', limits) }
  let waiting = newBatches()
  let busy = false
  const saver = openDaySaver(db)

  async function flush() {
    const { server, mcp } = waiting
    const size = server.size + mcp.size
    if (busy || size === 0) return
    busy = true
    waiting = newBatches()
    await admitAll(server, limitsOf.server)
    await admitAll(mcp, limitsOf.mcp)
    if (size > 1) await new Promise(gathered => setTimeout(gathered, GATHER_MS))
    busy = false
    void flush()
  }

  async function admitAll(batch: Batch, limits: RateLimits) {
    if (batch.size === 0) return
    try {
      await readOwners(batch)
      await count(batch, limits)
    } catch (error) {
      for (const { waiters } of batch.values()) for (const { reject } of waiters) reject(error)
    }
  }

  async function readOwners(batch: Batch) {
    // get, unlike has, also marks an owner as used, so that those of the batch are not evicted for each other.
    const unknown = [...batch].filter(([key]) => !owners.get(key)).map(([, { hash }]) => hash)
    if (unknown.length === 0) return
    for (const { hash, ...owner } of await findOwners(db, unknown)) owners.set(keyOf(hash), owner)
  }

  async function count(batch: Batch, limits: RateLimits) {
    const asked: Asked[] = []
    const arrived = new Map<string, Arrived>()
    for (const [key, { waiters }] of batch) {
      const owner = owners.get(key)
      if (!owner || hasEnded(owner, clock.now())) {
        refuse(key, waiters)
        continue
      }
      const { userId, tokenId } = owner
      const before = arrived.get(tokenId)?.count ?? 0
      asked.push({ key, owner, waiters, before })
      arrived.set(tokenId, { userId, tokenId, count: before + waiters.length })
    }
    if (asked.length === 0) return
    const counted = await countArrived(db, [...arrived.values()], clock.now(), limits)
    for (const each of asked) settle(each, counted, limits)
  }

  function settle({ key, owner, waiters, before }: Asked, { counts, valid }: Counted, limits: RateLimits) {
    const row = counts.get(owner.tokenId)
    const token = valid.get(owner.tokenId)
    if (token instanceof Error) {
      for (const { reject } of waiters) reject(token)
    } else if (row && token) {
      saver.add(owner.tokenId)
      const actor = actors.get(key) ?? toActor(owner, token)
      actors.set(key, actor)
      answer(waiters, turn => ({ actor, rate: rateOf(row, before + turn, limits), expiresAt: token.expiresAt }))
    } else refuse(key, waiters)
  }

  function refuse(key: string, waiters: Waiter[]) {
    owners.delete(key)
    answer(waiters, () => undefined)
  }

  return {
    admit(token, door = 'server') {
      const hash = hashToken(token)
      const key = keyOf(hash)
      return new Promise((resolve, reject) => {
        const known = waiting[door].get(key)
        if (known) known.waiters.push({ resolve, reject })
        else waiting[door].set(key, { hash, waiters: [{ resolve, reject }] })
        if (!known && waiting.server.size + waiting.mcp.size === 1) setImmediate(() => void flush())
      })
    },
    recall: token => actors.get(keyOf(hashToken(token))),
    stop: saver.stop
  }
}

/** Saves the day's counts of the tokens that were used since the last save. After an error they are saved the next time. */
function openDaySaver(db: Queryable) {
  let used = new Set<string>()

  async function save() {
    if (used.size === 0) return
    const tokenIds = used
    used = new Set()
    await saveDayCounts(db, [...tokenIds]).catch(() => {
      for (const tokenId of tokenIds) used.add(tokenId)
    })
  }

  const saving = openRecurring(save, SAVE_EVERY_MS, () => {})
  return {
    add: (tokenId: string) => void used.add(tokenId),
    async stop() {
      await saving.stop()
      await save()
    }
  }
}

function toActor({ userId, tokenId, fewerScopes }: TokenOwner, { scopes, audience }: ValidToken): TokenActor {
  const actor = { userId, tokenId, scopes: new Set(fewerScopes ?? scopes) }
  return audience === null ? { ...actor, via: 'token' } : { ...actor, via: 'oauth', audience }
}

function keyOf(hash: Buffer) {
  return hash.toString('latin1')
}

function answer(waiters: Waiter[], admissionOf: (turn: number) => Admission | undefined) {
  for (const [turn, { resolve }] of waiters.entries()) resolve(admissionOf(turn))
}

/** The rate window of the request at position `turn` (from 0) of the batch. */
function rateOf(
  { minute, minuteCount, day, dayCount, admitted }: CountRow,
  turn: number,
  limits: RateLimits
): RateWindow {
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
