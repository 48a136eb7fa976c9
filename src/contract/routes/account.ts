import { AccountResponse } from '../account.ts'
import { EXAMPLES } from '../examples.ts'
import { OPERATIONS } from '../operations.ts'
import type { RouteDescription } from './route.ts'

export const ACCOUNT_ROUTES = {
  getAccount: {
    method: 'GET',
    url: '/account',
    config: { scopes: OPERATIONS.getAccount, openapi: { example: EXAMPLES.account } },
    schema: {
      operationId: 'getAccount',
      tags: ['Account'],
      summary: 'Get the account',
      description:
        'The owner of the token: their id, whether their subscription is active, how many sessions they have, and what this token may do and until when.',
      response: { 200: AccountResponse }
    }
  }
} satisfies Record<string, RouteDescription>
