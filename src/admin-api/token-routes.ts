import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { issueToken, listTokens, revokeToken } from '../accounts/tokens.ts'
import { ADMIN_EXAMPLES } from '../contract/admin/examples.ts'
import { ADMIN_REQUESTS } from '../contract/admin/request-examples.ts'
import { TokenCreate, TokenIssued, TokenList, TokenRevoked } from '../contract/admin/token.ts'
import { UserPath } from '../contract/admin/user.ts'
import { throwNotFound } from '../core/api-error.ts'
import type { Services } from '../services.ts'

const tags = ['Tokens']

export const tokenRoutes: FastifyPluginAsyncZod<Services> = async (app, { db, clock }) => {
  app.post(
    '/users/:user_id/tokens',
    {
      config: { request: ADMIN_REQUESTS.token, example: ADMIN_EXAMPLES.tokenIssued },
      schema: {
        operationId: 'createToken',
        tags,
        summary: 'Issue a token',
        description:
          'Creates a token for `/v1`, valid for a year or for `expires_in` seconds. The token is returned only here.',
        params: UserPath,
        body: TokenCreate,
        response: { 201: TokenIssued }
      }
    },
    async ({ params: { user_id }, body: { name, scopes, expires_in } }, reply) => {
      const now = clock.now()
      const { id, token, expiresAt } = await issueToken(db, user_id, name, scopes, now, expires_in)
      return reply
        .code(201)
        .send({ id, token, name, scopes, created_at: now.toISOString(), expires_at: expiresAt.toISOString() })
    }
  )

  app.get(
    '/users/:user_id/tokens',
    {
      config: { example: ADMIN_EXAMPLES.tokenList },
      schema: {
        operationId: 'listTokens',
        tags,
        summary: 'List tokens',
        description: 'All tokens of the user, including expired and revoked ones.',
        params: UserPath,
        response: { 200: TokenList }
      }
    },
    async ({ params: { user_id } }) => {
      const tokens = await listTokens(db, user_id)
      return {
        tokens: tokens.map(({ tokenId, name, scopes, hint, createdAt, expiresAt, revokedAt }) => ({
          ...{ id: tokenId, name, scopes, hint },
          created_at: createdAt.toISOString(),
          expires_at: expiresAt.toISOString(),
          revoked_at: revokedAt?.toISOString() ?? null
        }))
      }
    }
  )

  app.delete(
    '/users/:user_id/tokens/:token_id',
    {
      config: { example: ADMIN_EXAMPLES.tokenRevoked },
      schema: {
        operationId: 'revokeToken',
        tags,
        summary: 'Revoke a token',
        description: 'The next request with the token is refused. Repeating it changes nothing.',
        params: UserPath.extend({ token_id: z.string().meta({ description: 'The id of the token.' }) }),
        response: { 200: TokenRevoked }
      }
    },
    async ({ params: { user_id, token_id: id } }) => {
      if (!(await revokeToken(db, user_id, id, clock.now()))) throwNotFound('Token')
      return { id, revoked: true }
    }
  )
}
