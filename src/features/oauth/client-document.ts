import { LIMITS } from '../../contract/limits.ts'
import { ClientDocument } from '../../contract/oauth.ts'
import { ApiError } from '../../platform/core/api-error.ts'
import { readJson } from '../../platform/core/read-json.ts'
import { readShape } from '../../platform/core/remedy.ts'
import type { Needs } from '../services.ts'
import { findClient, limitWaiting, type OAuthClient, saveDocument, senderOf } from './clients.ts'

/** Returns the client that publishes its document at this URL, for a user. The document is read again once an hour, and must be there then. */
export async function findDocumentClient(
  services: Needs<'db' | 'clock' | 'fetcher' | 'secretKey'>,
  userId: string,
  clientId: string
): Promise<OAuthClient> {
  const now = services.clock.now()
  const known = await findClient(services.db, clientId)
  const staleAt = (known?.readAt?.getTime() ?? 0) + LIMITS.oauth.documentSeconds * 1_000
  if (known && staleAt > now.getTime()) return known
  const { client_name: name = null, redirect_uris: redirectUris } = await readDocument(services, clientId)
  const fresh = { clientId, kind: 'document', name, redirectUris, readAt: now } as const
  const sender = known ? known.sender : senderOf(services.secretKey, { userId })
  await saveDocument(services.db, { ...fresh, sender, createdAt: now })
  if (!known && sender) await limitWaiting(services.db, sender)
  return { ...fresh, sender, secretHash: null, createdAt: known?.createdAt ?? now, usedAt: known?.usedAt ?? null }
}

async function readDocument({ fetcher }: Needs<'fetcher'>, clientId: string): Promise<ClientDocument> {
  const bytes = await fetcher
    .fetch(clientId, { type: 'application/json', maxBytes: LIMITS.oauth.documentBytes })
    .catch((cause: unknown) => {
      throw unusable('cannot be read', cause)
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
