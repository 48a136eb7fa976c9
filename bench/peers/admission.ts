import { createHash } from 'node:crypto'
import type pg from 'pg'
import { ADMIT, TOKEN_OWNERS } from './statements.ts'

interface Owner {
  userId: string
  tokenId: string
}

type Waiter = (isAdmitted: boolean) => void

/** A limit that refuses no request. */
const UNREACHED = 999_999_999
/** The time in which requests gather for the next statement, as in the product. */
const GATHER_MS = 2

/** Checks tokens and counts requests by one statement for all that arrive while another one runs, which is the least that the contract takes. */
export function openAdmission(pool: pg.Pool) {
  const owners = new Map<string, Owner>()
  let waiting = new Map<string, Waiter[]>()
  let busy = false

  async function flush() {
    if (busy || waiting.size === 0) return
    busy = true
    const batch = waiting
    waiting = new Map()
    await admit(batch)
    if (batch.size > 1) await new Promise(gathered => setTimeout(gathered, GATHER_MS))
    busy = false
    void flush()
  }

  async function admit(batch: Map<string, Waiter[]>) {
    const unknown = [...batch.keys()].filter(key => !owners.has(key)).map(key => Buffer.from(key, 'latin1'))
    if (unknown.length > 0) {
      const { rows } = await pool.query({ ...TOKEN_OWNERS, values: [unknown] })
      for (const { hash, user_id, token_id } of rows)
        owners.set(hash.toString('latin1'), { userId: user_id, tokenId: token_id })
    }
    const known = [...batch].flatMap(([key, waiters]) => {
      const owner = owners.get(key)
      return owner ? [{ ...owner, waiters }] : []
    })
    const { rows } = await pool.query({
      ...ADMIT,
      values: [
        known.map(({ userId }) => userId),
        known.map(({ tokenId }) => tokenId),
        known.map(({ waiters }) => waiters.length),
        new Date(),
        UNREACHED,
        UNREACHED
      ]
    })
    const admitted = new Map<string, number>(rows.map(row => [row.token_id, row.admitted]))
    const counted = new Set(known.map(({ waiters }) => waiters))
    for (const { tokenId, waiters } of known)
      for (const [turn, answer] of waiters.entries()) answer(turn < (admitted.get(tokenId) ?? 0))
    for (const waiters of batch.values()) if (!counted.has(waiters)) for (const answer of waiters) answer(false)
  }

  return (authorization = '') =>
    new Promise<boolean>(answer => {
      const key = createHash('sha256').update(authorization.slice('Bearer '.length)).digest('latin1')
      const known = waiting.get(key)
      if (known) known.push(answer)
      else waiting.set(key, [answer])
      if (waiting.size === 1) setImmediate(() => void flush())
    })
}
