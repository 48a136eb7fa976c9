import { EXAMPLES } from '../examples.ts'
import { LIMITS } from '../limits.ts'
import { OPERATIONS } from '../operations.ts'
import { REQUESTS } from '../request-examples.ts'
import { SearchRequest, SearchResponse } from '../search.ts'
import type { RouteDescription } from './route.ts'

export const SEARCH_ROUTES = {
  searchSessions: {
    method: 'POST',
    url: '/sessions/search',
    bodyLimit: LIMITS.searchBytes,
    config: {
      scopes: OPERATIONS.searchSessions,
      shape: 'SearchRequest',
      headers: ['X-Search-Mode'],
      openapi: { errors: ['not_found'], request: REQUESTS.search, example: EXAMPLES.search }
    },
    schema: {
      operationId: 'searchSessions',
      tags: ['Sessions'],
      summary: 'Search sessions',
      description:
        'Completed sessions that answer the query best, by terms and by meaning. If embeddings are off or their provider is away, the search compares terms only; the answer then has the header `X-Search-Mode: lexical`, and no `similarity`.',
      body: SearchRequest,
      response: { 200: SearchResponse }
    }
  }
} satisfies Record<string, RouteDescription>
