import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { ACCOUNT_ROUTES as routes } from '../../contract/routes/account.ts'
import type { Services } from '../services.ts'
import { getAccount } from './operations.ts'

export const accountPlugin: FastifyPluginAsyncZod<{ services: Services }> = async (app, { services }) => {
  app.route({
    ...routes.getAccount,
    handler: ({ actor }) => getAccount(services, actor)
  })
}
