import { hash } from 'node:crypto'
import { LIMITS } from '../../contract/limits.ts'
import { type ClientRegistration, withoutPort } from '../../contract/oauth.ts'
import type { Clock } from '../../platform/core/clock.ts'
import { networkOf } from '../../platform/net/client-address.ts'
import type { RateWindow } from '../../platform/ports/admissions.ts'
import { addressLimit } from '../access/address-limit.ts'

/**
 * Counts registrations by address and client, and by network: the people of an office connect at the same time, and one client that registers without end
 * takes no turn of another.
 */
export function registrationLimit(clock: Clock) {
  const { perClient, perNetwork } = LIMITS.oauth.registrationsPerMinute
  const clients = addressLimit(clock, perClient)
  const networks = addressLimit(clock, perNetwork)
  return {
    /** Counts one. `client` is undefined for a registration that is refused anyway. */
    count(address: string, client: ClientRegistration | undefined): RateWindow {
      const rate = clients.count(`${address} ${digestOf(client)}`)
      return rate.allowed ? networks.count(networkOf(address)) : rate
    }
  }
}

function digestOf(client: ClientRegistration | undefined) {
  const { client_name: name, redirect_uris: uris = [] } = client ?? {}
  return hash('sha256', JSON.stringify([name, uris.map(withoutPort).sort()]), 'base64url')
}
