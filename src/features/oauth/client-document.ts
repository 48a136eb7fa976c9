import { LIMITS } from '../../contract/limits.ts'
import { ClientDocument, canBePublic } from '../../contract/oauth.ts'
import { ApiError } from '../../platform/core/api-error.ts'
import { readJson } from '../../platform/core/read-json.ts'
import { readShape } from '../../platform/core/remedy.ts'
import { UnexpectedStatus } from '../../platform/net/unexpected-status.ts'
import type { Needs } from '../services.ts'
import { findClient, limitWaiting, noteAttempt, type OAuthClient, saveDocument, senderOf } from './clients.ts'
import { findKnownDocument } from './known-documents.ts'

type Reading = Needs<'db' | 'clock' | 'fetcher' | 'secretKey'>

/** Something between this server and a document that may be over soon, or that the operator can change. */
class Unreadable extends Error {}

/**
 * Returns the client that publishes its document at this URL, for a user. The document is read again once an hour. As long as it cannot be read, the
 * stored copy serves, and without one the copy that comes with the product.
 */
export async function findDocumentClient(services: Reading, userId: string, clientId: string): Promise<OAuthClient> {
  const now = services.clock.now()
  const stored = await findClient(services.db, clientId)
  if (stored && !isDue(stored, now)) return stored
  const document = await readDocument(services, clientId).catch((error: unknown) => {
    if (error instanceof Unreadable) return error
    throw error
  })
  if (!(document instanceof Unreadable))
    return await save(services, userId, stored, { document, clientId, readAt: now })
  if (stored?.readAt) {
    await noteAttempt(services.db, clientId, now)
    return stored
  }
  const known = findKnownDocument(clientId)
  if (known) return await save(services, userId, stored, { document: known, clientId, readAt: null })
  throw new ApiError('invalid_request', `${document.message}. ${REMEDY}`, { cause: document.cause })
}

const REMEDY =
  'The operator of this server can let it reach that address, if need be through a proxy (HTTPS_PROXY), or set OAUTH_CLIENT_DOCUMENTS=off, so that agents register instead'

function isDue({ readAt, triedAt }: OAuthClient, now: Date) {
  const { documentSeconds, retrySeconds } = LIMITS.oauth
  const isOlder = (at: Date | null, seconds: number) => (at?.getTime() ?? 0) + seconds * 1_000 <= now.getTime()
  return isOlder(readAt, documentSeconds) && isOlder(triedAt, retrySeconds)
}

interface Found {
  clientId: string
  document: ReturnType<typeof findKnownDocument> & object
  readAt: Date | null
}

async function save(
  { db, clock, secretKey }: Reading,
  userId: string,
  stored: OAuthClient | undefined,
  { clientId, document, readAt }: Found
): Promise<OAuthClient> {
  const now = clock.now()
  const client: OAuthClient = {
    clientId,
    kind: 'document',
    name: document.client_name ?? null,
    redirectUris: document.redirect_uris,
    jwksUri: document.jwks_uri ?? null,
    needsAssertion: !canBePublic(document),
    secretHash: null,
    readAt,
    triedAt: now,
    sender: stored ? stored.sender : senderOf(secretKey, { userId }),
    createdAt: stored?.createdAt ?? now,
    usedAt: stored?.usedAt ?? null
  }
  await saveDocument(db, client)
  if (!stored && client.sender) await limitWaiting(db, client.sender)
  return client
}

async function readDocument({ fetcher }: Needs<'fetcher'>, clientId: string): Promise<ClientDocument> {
  const bytes = await fetcher
    .fetch(clientId, { types: ['application/json'], maxBytes: LIMITS.oauth.documentBytes })
    .catch((cause: unknown) => {
      // A publisher withdraws a client in this way, so that no copy of it may serve.
      if (cause instanceof UnexpectedStatus && [404, 410].includes(cause.status)) throw unusable('is gone', cause)
      const problem = cause instanceof UnexpectedStatus ? ` (status ${cause.status})` : ''
      throw new Unreadable(`The document at client_id cannot be read${problem}`, { cause })
    })
  const document = readShape(ClientDocument, parse(bytes), 'the document of the client')
  if (document.client_id !== clientId) throw unusable('is of another client')
  return document
}

function parse(bytes: Buffer) {
  try {
    return readJson(bytes, { maxValues: 1_000, repairsText: false })
  } catch (cause) {
    throw unusable('is not valid JSON', cause)
  }
}

function unusable(why: string, cause?: unknown) {
  return new ApiError('invalid_request', `The document at client_id ${why}`, { cause })
}
