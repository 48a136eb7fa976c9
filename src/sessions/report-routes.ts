import { Readable } from 'node:stream'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { requireFieldScope } from '../accounts/actor.ts'
import { BulkRequest, BulkResponse } from '../contract/bulk.ts'
import { EXAMPLES } from '../contract/examples.ts'
import { REQUESTS } from '../contract/request-examples.ts'
import { StatsQuery, StatsResponse } from '../contract/stats.ts'
import { invalid } from '../core/api-error.ts'
import type { Services } from '../services.ts'
import { exportSessions } from './export.ts'
import { findStats } from './stats.ts'

const tags = ['Sessions']
const USUAL_PERIOD_MS = 30 * 86_400_000

export const sessionReportRoutes: FastifyPluginAsyncZod<Services> = async (app, { db, slow, clock }) => {
  app.get(
    '/sessions/stats',
    {
      config: { scopes: ['sessions:read'], example: EXAMPLES.stats },
      schema: {
        operationId: 'getStats',
        tags,
        summary: 'Count sessions',
        description: 'Counts and durations of the completed sessions in a period, by type and platform.',
        querystring: StatsQuery,
        response: { 200: StatsResponse }
      }
    },
    async ({ actor, query }) => {
      const now = clock.now()
      const { since = new Date(now.getTime() - USUAL_PERIOD_MS).toISOString(), until = now.toISOString() } = query
      if (Date.parse(since) > Date.parse(until))
        throw invalid({ field: 'since', expected: `an instant that is not after until, which is ${until}` })
      return await findStats(db, actor.userId, { since, until })
    }
  )

  app.post(
    '/sessions/bulk',
    {
      config: { request: REQUESTS.bulk, scopes: ['sessions:read'], example: EXAMPLES.bulk },
      schema: {
        operationId: 'exportSessions',
        tags,
        summary: 'Export sessions',
        description:
          'Exports up to 50 sessions with summaries and, on request, transcripts. `errors` lists the sessions that were not found.',
        body: BulkRequest,
        response: { 200: BulkResponse }
      }
    },
    async ({ actor, body: { session_ids: ids, include_transcript: transcript, include_summary: summary } }, reply) => {
      if (transcript) requireFieldScope(actor, 'transcripts:read', 'include_transcript')
      const pieces = exportSessions(slow, actor.userId, ids, { summary, transcript })
      // An error before the first piece is still answered as one.
      const first = await pieces.next()
      const body = Readable.from(continued(first, pieces), { objectMode: false })
      // A stream bypasses the response schema: serializing a second time would double the cost.
      return reply.type('application/json; charset=utf-8').send(body as never)
    }
  )
}

async function* continued(first: IteratorResult<string>, rest: AsyncGenerator<string>) {
  if (!first.done) yield first.value
  yield* rest
}
