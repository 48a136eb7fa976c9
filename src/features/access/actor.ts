import type { Audience } from '../../contract/oauth.ts'
import { ALL_SCOPES, type Scope } from '../../contract/scopes.ts'
import { ApiError } from '../../platform/core/api-error.ts'
import type { Actor, TokenActor } from '../../platform/ports/actor.ts'

/** Returns the id of the actor's token, for operations on what belongs to it, such as its position in the feed. Their routes admit tokens only. */
export function requireTokenId({ tokenId }: Actor) {
  if (tokenId === undefined) throw new Error('This operation needs an actor with a token')
  return tokenId
}

const EVERY_SCOPE: ReadonlySet<Scope> = new Set(ALL_SCOPES)

/** The user themselves, whom an operator's key or command acts for. */
export function everyScope(userId: string, via: 'admin' | 'command'): Actor {
  return { userId, scopes: EVERY_SCOPE, via }
}

/** Everything that a guest's session may do: read what is shared with its mailbox. */
const GUEST_SCOPES: ReadonlySet<Scope> = new Set<Scope>(['sessions:read', 'transcripts:read', 'media:read'])

/** The user of a browser that is signed in to the console. */
export function consoleActor(userId: string, { guest }: { guest: boolean }): Actor {
  return { userId, scopes: guest ? GUEST_SCOPES : EVERY_SCOPE, guest, via: 'console' }
}

/** Throws insufficient_scope unless the actor has one of the scopes. */
export function requireScope({ scopes }: Pick<Actor, 'scopes'>, ...anyOf: readonly Scope[]) {
  if (anyOf.some(scope => scopes.has(scope))) return
  throw new ApiError('insufficient_scope', `The token lacks the scope ${anyOf.join(' or ')}`, { scope: anyOf[0] })
}

/** Throws invalid_token if the token of an agent is for less than this audience. One for the whole server is good for each of its parts. */
export function requireAudience({ audience = 'server' }: TokenActor, needed: Audience) {
  if (audience === needed || audience === 'server') return
  throw new ApiError('invalid_token', 'The token is for the MCP server alone; use one for this API')
}

/** Throws insufficient_scope if a field of the input needs another scope than its operation. */
export function requireFieldScope({ scopes }: Pick<Actor, 'scopes'>, scope: Scope, field: string) {
  if (!scopes.has(scope)) throw new ApiError('insufficient_scope', `${field} needs the scope ${scope}`, { scope })
}

/**
 * Returns whether the user or their operator asks, not an integration. They see the trash and why processing failed, and may write the
 * summary, the timestamp and the type of a session.
 */
export function isFirstParty({ via }: Pick<Actor, 'via'>) {
  return via === 'admin' || via === 'command' || via === 'console'
}

/** Returns how the ledger of deletions names the actor. */
export function deleterOf({ via }: Pick<Actor, 'via'>) {
  return via === 'admin' || via === 'command' ? 'operator' : 'user'
}

/**
 * Throws insufficient_scope for a token, which manages no tokens and no users: that is for the user themselves and the operator. A guest reads what
 * is shared, and manages nothing either.
 */
export function requireOwner({ via, scopes }: Pick<Actor, 'via' | 'scopes'>) {
  if (via === 'token' || via === 'oauth') throw new ApiError('insufficient_scope', 'A token cannot manage the account')
  if (!scopes.has('account:read')) throw new ApiError('insufficient_scope', 'A guest cannot manage an account')
}
