import { randomBytes } from 'node:crypto'
import type { ClientRegistration } from '../../contract/oauth.ts'
import { throwNotFound } from '../../platform/core/api-error.ts'
import { newId } from '../../platform/core/ids.ts'
import type { Needs } from '../services.ts'
import {
  hashClientSecret,
  insertClient,
  limitWaiting,
  removeClient,
  selectOperatorClients,
  senderOf
} from './clients.ts'
import { endGrant, selectGrantsOf } from './grants.ts'
import { lanProblem } from './lan-redirects.ts'
import { OAuthRefusal } from './refusal.ts'

/** Registers a client that keeps no secret. Anyone may do so, at some address; it can do nothing until a user allows it. */
export async function registerClient(
  services: Needs<'db' | 'clock' | 'secretKey' | 'oauth'>,
  address: string,
  { client_name, redirect_uris }: ClientRegistration
): Promise<Record<string, unknown>> {
  for (const [index, uri] of redirect_uris.entries()) {
    const problem = lanProblem(services, uri)
    if (problem !== undefined) throw new OAuthRefusal('invalid_redirect_uri', `redirect_uris.${index}: ${problem}`)
  }
  const { db, clock, secretKey } = services
  const now = clock.now()
  const clientId = newId('cli')
  const sender = senderOf(secretKey, { address })
  await insertClient(db, {
    clientId,
    sender,
    kind: 'registered',
    name: client_name ?? null,
    redirectUris: redirect_uris,
    createdAt: now
  })
  await limitWaiting(db, sender)
  return {
    client_id: clientId,
    client_id_issued_at: Math.floor(now.getTime() / 1_000),
    ...(client_name != null && { client_name }),
    redirect_uris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none'
  }
}

/** A client that the operator created. */
interface OperatorClient {
  client_id: string
  name: string
  redirect_uris: string[]
  has_secret: boolean
  created_at: string
}

/** Creates a client for the operator, with a secret unless it cannot keep one. The secret is in this answer only. */
export async function createClient(
  { db, clock }: Needs<'db' | 'clock'>,
  { name, redirectUris, isPublic }: { name: string; redirectUris: string[]; isPublic: boolean }
): Promise<{ client_id: string; client_secret?: string }> {
  const clientId = newId('cli')
  const secret = `prs_${randomBytes(32).toString('base64url')}`
  const secretHash = isPublic ? null : hashClientSecret(secret)
  await insertClient(db, { clientId, kind: 'operator', name, redirectUris, secretHash, createdAt: clock.now() })
  return { client_id: clientId, ...(!isPublic && { client_secret: secret }) }
}

export async function listClients({ db }: Needs<'db'>): Promise<OperatorClient[]> {
  return (await selectOperatorClients(db)).map(({ clientId, name, redirectUris, secretHash, createdAt }) => ({
    client_id: clientId,
    name: name ?? '',
    redirect_uris: redirectUris,
    has_secret: secretHash !== null,
    created_at: createdAt.toISOString()
  }))
}

/** Deletes a client that the operator created, and ends its connections to all users. Returns how many. */
export async function deleteClient({ db, clock }: Needs<'db' | 'clock'>, clientId: string): Promise<{ ended: number }> {
  if (!(await removeClient(db, clientId))) throwNotFound('Client')
  const grants = await selectGrantsOf(db, clientId)
  for (const { userId, tokenId } of grants)
    await db.transaction(async tx => void (await endGrant(tx, userId, tokenId, clock.now())))
  return { ended: grants.length }
}
