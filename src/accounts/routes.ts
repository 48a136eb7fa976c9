import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { AccountResponse } from '../contract/account.ts'
import { EXAMPLES } from '../contract/examples.ts'
import { throwNotFound } from '../core/api-error.ts'
import type { Services } from '../services.ts'
import { findAccount } from './queries.ts'

export const accountRoutes: FastifyPluginAsyncZod<Services> = async (app, { db }) => {
  app.get(
    '/account',
    {
      config: { scopes: ['account:read'], example: EXAMPLES.account },
      schema: {
        operationId: 'getAccount',
        tags: ['Account'],
        summary: 'Get the account',
        description:
          'The owner of the token: their id, whether their subscription is active, and how many sessions they have.',
        response: { 200: AccountResponse }
      }
    },
    async ({ actor }) => (await findAccount(db, actor.userId)) ?? throwNotFound('Account')
  )
}
