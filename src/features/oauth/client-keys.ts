import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { LIMITS } from '../../contract/limits.ts'
import { readJson } from '../../platform/core/read-json.ts'
import type { Services } from '../services.ts'

/** The keys at an address, as a client publishes them. */
const KeySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(100) })

interface Remembered {
  /** Undefined if the keys were never read. */
  find: JWTVerifyGetKey | undefined
  readAt: number
  triedAt: number
}

/** The keys of clients. A process reads them again after an hour, and earlier if an assertion names one that it does not know. */
export interface ClientKeys {
  /** Returns how to find a key of this address, undefined if its keys cannot be read. */
  at(uri: string): Promise<JWTVerifyGetKey | undefined>
}

export function openClientKeys({ fetcher, clock }: Pick<Services, 'fetcher' | 'clock'>): ClientKeys {
  const sets = new LRUCache<string, Remembered>({ max: LIMITS.oauth.keySets })

  async function read(uri: string) {
    const bytes = await fetcher.fetch(uri, { types: TYPES, maxBytes: LIMITS.oauth.keysBytes })
    return createLocalJWKSet(KeySet.parse(readJson(bytes, { maxValues: 5_000, repairsText: false })))
  }

  /** Reads the keys at the address, unless this was tried a moment ago. The last ones that were read stay. */
  async function renew(uri: string) {
    const now = clock.now().getTime()
    const known = sets.get(uri)
    if (known && now - known.triedAt < LIMITS.oauth.retrySeconds * 1_000) return known
    const found = await read(uri).catch(() => undefined)
    const renewed = found
      ? { find: found, readAt: now, triedAt: now }
      : { find: known?.find, readAt: known?.readAt ?? 0, triedAt: now }
    sets.set(uri, renewed)
    return renewed
  }

  return {
    async at(uri) {
      const known = sets.get(uri)
      const isOld = !known || clock.now().getTime() - known.readAt >= LIMITS.oauth.documentSeconds * 1_000
      const { find } = isOld ? await renew(uri) : known
      if (!find) return undefined
      return async (header, token) => {
        try {
          return await find(header, token)
        } catch (error) {
          // A client may have added the key a moment ago.
          const renewed = error instanceof errors.JWKSNoMatchingKey ? (await renew(uri)).find : undefined
          if (!renewed || renewed === find) throw error
          return await renewed(header, token)
        }
      }
    }
  }
}

const TYPES = ['application/json', 'application/jwk-set+json']
