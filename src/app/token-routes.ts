import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { issueToken } from '../accounts/issue-token.ts'
import { hasToken, listTokens, revokeToken } from '../accounts/queries.ts'
import { APP_EXAMPLES } from '../contract/app/examples.ts'
import { APP_REQUESTS } from '../contract/app/request-examples.ts'
import { TokenCreate, TokenIssued, TokenList, TokenRevoked } from '../contract/app/token.ts'
import { notFound } from '../core/api-error.ts'
import type { AppDeps } from './deps.ts'
import { user_id } from './params.ts'

const tags = ['Tokens']
const params = z.object({ user_id })

export const tokenRoutes: FastifyPluginAsyncZod<AppDeps> = async (app, { db, clock }) => {
  app.post(
    '/users/:user_id/tokens',
    {
      config: { request: APP_REQUESTS.token, errors: ['invalid_request', 'not_found'], example: APP_EXAMPLES.tokenIssued },
      schema: {
        operationId: 'createToken',
        tags,
        summary: 'Issue a token',
        description: 'For `/v1`, good for a year or for `expires_in`. The token is in this answer and nowhere else.',
        params,
        body: TokenCreate,
        response: { 201: TokenIssued }
      }
    },
    async ({ params: { user_id }, body: { name, scopes, expires_in } }, reply) => {
      const now = clock.now()
      const { id, token, expiresAt } = await issueToken(db, user_id, name, scopes, now, expires_in)
      return reply.code(201).send({ id, token, name, scopes, created_at: now.toISOString(), expires_at: expiresAt.toISOString() })
    }
  )

  app.get(
    '/users/:user_id/tokens',
    {
      config: { errors: ['invalid_request', 'not_found'], example: APP_EXAMPLES.tokenList },
      schema: {
        operationId: 'listTokens',
        tags,
        summary: 'List tokens',
        description: 'Those that are expired or revoked as well.',
        params,
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
      config: { errors: ['invalid_request', 'not_found'], example: APP_EXAMPLES.tokenRevoked },
      schema: {
        operationId: 'revokeToken',
        tags,
        summary: 'Revoke a token',
        description: 'Its next request is refused. Done again, it changes nothing.',
        params: params.extend({ token_id: z.string().meta({ description: 'The id of the token.' }) }),
        response: { 200: TokenRevoked }
      }
    },
    async ({ params: { user_id, token_id: id } }) => {
      const revoked = (await revokeToken(db, user_id, id, clock.now())) || (await hasToken(db, user_id, id))
      if (!revoked) throw notFound('Token')
      return { id, revoked }
    }
  )
}
