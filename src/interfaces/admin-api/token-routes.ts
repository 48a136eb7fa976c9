import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { TOKEN_ROUTES as routes } from '../../contract/admin/account-routes.ts'
import { createToken, listTokens, revokeToken } from '../../features/accounts/operations.ts'
import type { Services } from '../../features/services.ts'

export const tokensPlugin: FastifyPluginAsyncZod<{ services: Services }> = async (app, { services }) => {
  app.route({
    ...routes.createToken,
    handler: async ({ actor, body }, reply) => reply.code(201).send(await createToken(services, actor, body))
  })

  app.route({
    ...routes.listTokens,
    handler: ({ actor }) => listTokens(services, actor)
  })

  app.route({
    ...routes.revokeToken,
    handler: ({ actor, params }) => revokeToken(services, actor, params.token_id)
  })
}
