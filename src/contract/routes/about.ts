import { z } from 'zod'
import { queryOneOf } from '../common.ts'
import type { RouteDescription } from './route.ts'

/** Other parameters are ignored: without any, the document is a file. */
const ActionsQuery = z.looseObject({
  profile: queryOneOf(['actions']).optional().meta({
    description: 'For assistants such as GPTs: at most 30 operations, with descriptions of at most 300 characters.'
  })
})

/** The routes of every application. */
export const ABOUT_ROUTES = {
  getOpenapi: {
    method: 'GET',
    url: '/openapi.json',
    config: { scopes: 'public' },
    schema: {
      operationId: 'getOpenapi',
      tags: ['About'],
      summary: 'Get this document',
      description: 'The OpenAPI document of the server. Needs no token.',
      response: { 200: z.looseObject({ openapi: z.string() }) }
    }
  }
} satisfies Record<string, RouteDescription>

/** Those of `/v1`, whose document has a profile for assistants. */
export const PUBLIC_ABOUT_ROUTES = {
  getOpenapi: {
    ...ABOUT_ROUTES.getOpenapi,
    schema: { ...ABOUT_ROUTES.getOpenapi.schema, querystring: ActionsQuery }
  }
} satisfies Record<string, RouteDescription>
