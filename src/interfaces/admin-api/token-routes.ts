import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { TOKEN_ROUTES as routes } from '../../contract/admin/account-routes.ts'
import { createToken, listTokens, revokeToken } from '../../features/accounts/operations.ts'
import type { Services } from '../../features/services.ts'

export const tokensPlugin: FastifyPluginAsyncZod<{ services: Services }> = async (app, { services }) => {
  app.post('/users/:user_id/tokens', routes.createToken, async ({ actor, body }, reply) =>
    reply.code(201).send(await createToken(services, actor, body))
  )

  app.get('/users/:user_id/tokens', routes.listTokens, ({ actor }) => listTokens(services, actor))

  app.delete('/users/:user_id/tokens/:token_id', routes.revokeToken, ({ actor, params }) =>
    revokeToken(services, actor, params.token_id)
  )
}
