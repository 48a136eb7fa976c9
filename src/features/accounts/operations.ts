import type { AccountResponse } from '../../contract/account.ts'
import type { TokenCreate, TokenIssued, TokenList, TokenRevoked } from '../../contract/admin/token.ts'
import type { User, UserCreate, UserList, UserListQuery } from '../../contract/admin/user.ts'
import { LIMITS } from '../../contract/limits.ts'
import { ApiError, throwNotFound } from '../../platform/core/api-error.ts'
import { cutPage } from '../../platform/core/page.ts'
import { requireTokenId } from '../access/actor.ts'
import { findUserId, selectUsers } from '../access/lookup.ts'
import { operation } from '../access/operation.ts'
import { findAccount, findUser, lockUser } from '../access/queries.ts'
import { toUses } from '../access/quota-uses.ts'
import {
  findLastUses,
  findToken,
  hasMaxTokens,
  issueToken,
  selectAllTokens,
  selectTokens,
  setRevoked,
  type Token
} from '../access/tokens.ts'
import type { Needs, Services } from '../services.ts'
import { effectiveRetention } from './retention.ts'
import { addUser, changeUser, showUser, toUsers } from './users.ts'

/** Returns the owner of the token with their quotas, and the token. */
export const getAccount = operation(
  'getAccount',
  async (
    { db, clock, quotas, retention }: Pick<Services, 'db' | 'clock' | 'quotas' | 'retention'>,
    actor
  ): Promise<AccountResponse> => {
    const { userId } = actor
    const tokenId = requireTokenId(actor)
    const [account, token, lastUses] = await Promise.all([
      findAccount(db, userId),
      findToken(db, userId, tokenId),
      findLastUses(db, [tokenId])
    ])
    if (!account || !token) throwNotFound('Account')
    const { user_id, subscription_active, session_count } = account
    return {
      user_id,
      subscription_active,
      session_count,
      quotas: { ...toUses(account, quotas, clock.now()), open_uploads: { limit: LIMITS.openUploads.perOwner } },
      retention: effectiveRetention(retention, account),
      token: { ...toTokenFields(token), last_used_at: lastUses.get(tokenId) ?? null }
    }
  }
)

type Managing = Needs<'db' | 'clock' | 'quotas' | 'retention'>

/** Adds a user, for the operator. An e-mail address belongs to one user. */
export async function createUser(services: Managing, sent: UserCreate): Promise<User> {
  return await showUser(services, await addUser(services, sent))
}

/** Lists all users in order of creation, those that a text finds, or the user with an e-mail address, for the operator. */
export async function listUsers(
  services: Managing,
  { email, search, cursor = '', limit }: UserListQuery
): Promise<UserList> {
  const { db } = services
  if (email === undefined) {
    const rows = await selectUsers(db, cursor, limit + 1, search)
    const { page, next } = cutPage(rows, limit, user => user.userId)
    return { users: await toUsers(services, page), ...next }
  }
  const userId = await findUserId(db, email)
  const user = userId && (await findUser(db, userId))
  return { users: await toUsers(services, user ? [user] : []), next_cursor: null, has_more: false }
}

export const getUser = operation('getUser', async (services: Managing, actor): Promise<User> => {
  return await showUser(services, (await findUser(services.db, actor.userId)) ?? throwNotFound('User'))
})

/** Changes the sent fields of a user, and the sent ones of their quotas. A new e-mail address is unverified unless `email_verified` is sent with it. */
export const updateUser = operation(
  'updateUser',
  async (services: Managing, actor, sent: UserCreate): Promise<User> => {
    return await showUser(services, (await changeUser(services, actor.userId, sent)) ?? throwNotFound('User'))
  }
)

/** Issues a token for a user, by default for a year. The token itself is in this answer only. */
export const createToken = operation(
  'createToken',
  async (
    { db, clock }: Needs<'db' | 'clock'>,
    actor,
    { name, scopes, expires_in: lifetimeSeconds }: TokenCreate
  ): Promise<TokenIssued> => {
    const now = clock.now()
    const { id, token, expiresAt } = await db.transaction(async tx => {
      // Tokens that one user makes count one after another.
      if (actor.via === 'console') await lockUser(tx, actor.userId)
      if (actor.via === 'console' && (await hasMaxTokens(tx, actor.userId, now)))
        throw new ApiError('limit_exceeded', TOO_MANY_TOKENS)
      return await issueToken(tx, actor.userId, name, scopes, now, lifetimeSeconds)
    })
    return { id, token, name, scopes, created_at: now.toISOString(), expires_at: expiresAt.toISOString() }
  }
)

const TOO_MANY_TOKENS = `You have made ${LIMITS.tokens} tokens; revoke some, or try again tomorrow`

/** Lists all tokens of a user, expired and revoked ones too, with those of agents unless they are left out. */
export const listTokens = operation(
  'listTokens',
  async (
    { db }: Pick<Services, 'db'>,
    actor,
    { withAgents = true }: { withAgents?: boolean } = {}
  ): Promise<TokenList> => {
    const all = await selectTokens(db, actor.userId)
    const tokens = withAgents ? all : all.filter(({ audience }) => audience === null)
    const lastUses = await findLastUses(db, tokens.map(toId))
    return { tokens: tokens.map(token => toOutline(token, lastUses)) }
  }
)

/** Lists the tokens of all users, for the operator's command. */
export async function listAllTokens({ db }: Pick<Services, 'db'>) {
  const tokens = await selectAllTokens(db)
  const lastUses = await findLastUses(db, tokens.map(toId))
  return { tokens: tokens.map(token => ({ ...toOutline(token, lastUses), user_id: token.userId })) }
}

const toId = ({ tokenId }: Token) => tokenId

function toOutline(token: Token, lastUses: Map<string, string>): TokenList['tokens'][number] {
  return {
    ...toTokenFields(token),
    hint: token.hint,
    last_used_at: lastUses.get(token.tokenId) ?? null,
    revoked_at: token.revokedAt?.toISOString() ?? null
  }
}

function toTokenFields({ tokenId, name, scopes, createdAt, expiresAt }: Token) {
  return {
    id: tokenId,
    name,
    scopes,
    created_at: createdAt.toISOString(),
    expires_at: expiresAt.toISOString()
  }
}

/** Revokes all tokens of a user. Returns how many were valid until now. */
export const revokeTokens = operation(
  'revokeTokens',
  async ({ db, clock }: Needs<'db' | 'clock'>, actor): Promise<{ revoked: number }> => {
    const now = clock.now()
    const tokens = await selectTokens(db, actor.userId)
    const valid = tokens.filter(({ revokedAt, expiresAt }) => revokedAt === null && expiresAt > now)
    for (const { tokenId } of valid) await setRevoked(db, actor.userId, tokenId, now)
    return { revoked: valid.length }
  }
)

/** Revokes a token: its next request is refused, on every server. Repeating it changes nothing. */
export const revokeToken = operation(
  'revokeToken',
  async ({ db, clock }: Needs<'db' | 'clock'>, actor, tokenId: string): Promise<TokenRevoked> => {
    if (!(await setRevoked(db, actor.userId, tokenId, clock.now()))) throwNotFound('Token')
    return { id: tokenId, revoked: true }
  }
)
