import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { requireFieldScope } from '../accounts/actor.ts'
import { openQueryEmbedder } from '../ai/query-embedder.ts'
import { EXAMPLES } from '../contract/examples.ts'
import { LIMITS } from '../contract/limits.ts'
import { REQUESTS } from '../contract/request-examples.ts'
import { SearchRequest, SearchResponse } from '../contract/search.ts'
import { requirePerson } from '../people/person-row.ts'
import type { Services } from '../services.ts'
import { requireFolderId } from '../sessions/list.ts'
import { searchSessions } from './search.ts'

export const searchRoutes: FastifyPluginAsyncZod<Services> = async (
  app,
  { db, slow, replica, ai, clock, searchWaitMs }
) => {
  const search = { db, replica, slow, embedder: openQueryEmbedder(ai, clock, searchWaitMs) }

  app.post(
    '/sessions/search',
    {
      bodyLimit: LIMITS.searchBytes,
      config: {
        request: REQUESTS.search,
        scopes: ['sessions:search'],
        errors: ['not_found'],
        example: EXAMPLES.search,
        headers: ['X-Search-Mode']
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
    },
    async ({ actor, body }, reply) => {
      const { userId } = actor
      const {
        query,
        limit,
        type,
        since,
        until,
        tags: names,
        tag_mode: mode,
        interpret,
        include_passages: passages
      } = body
      if (passages) requireFieldScope(actor, 'transcripts:read', 'include_passages')
      const folderId = body.folder === undefined ? undefined : await requireFolderId(db, userId, body.folder)
      const personId =
        body.person === undefined ? undefined : (await requirePerson(db, userId, body.person, 'person')).id
      const tags = names && names.length > 0 ? { mode, names } : undefined
      const answer = await searchSessions(search, userId, {
        query,
        limit,
        filter: { type, since, until, folderId, personId, tags },
        passages,
        now: interpret ? clock.now() : undefined
      })
      if (answer.mode === 'lexical') reply.header('x-search-mode', 'lexical')
      const { results, interpreted } = answer
      return { query, ...(interpreted && { interpreted }), results, total: results.length }
    }
  )
}
