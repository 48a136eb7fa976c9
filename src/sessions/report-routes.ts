import { Readable } from 'node:stream'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { BulkRequest, BulkResponse } from '../contract/bulk.ts'
import { EXAMPLES } from '../contract/examples.ts'
import { REQUESTS } from '../contract/request-examples.ts'
import { StatsQuery, StatsResponse } from '../contract/stats.ts'
import { invalid, requireScope } from '../core/api-error.ts'
import type { Deps } from '../deps.ts'
import { exportSessions } from './bulk.ts'
import { findStats } from './stats.ts'

const tags = ['Sessions']
const USUAL_PERIOD_MS = 30 * 86_400_000

export const sessionReportRoutes: FastifyPluginAsyncZod<Deps> = async (app, { db, clock }) => {
  app.get(
    '/sessions/stats',
    {
      config: { scopes: ['sessions:read'], errors: ['invalid_request'], example: EXAMPLES.stats },
      schema: {
        operationId: 'getStats',
        tags,
        summary: 'Count sessions',
        description: 'How many completed sessions a period has, how long they are, and of which types and platforms.',
        querystring: StatsQuery,
        response: { 200: StatsResponse }
      }
    },
    async ({ caller, query }) => {
      const now = clock.now()
      const { since = new Date(now.getTime() - USUAL_PERIOD_MS).toISOString(), until = now.toISOString() } = query
      if (Date.parse(since) > Date.parse(until)) throw invalid(`since: send an instant that is not after until, which is ${until}`)
      return await findStats(db, caller.userId, { since, until })
    }
  )

  app.post(
    '/sessions/bulk',
    {
      config: { request: REQUESTS.bulk, scopes: ['sessions:read'], errors: ['invalid_request'], example: EXAMPLES.bulk },
      schema: {
        operationId: 'exportSessions',
        tags,
        summary: 'Export sessions',
        description:
          'Up to 50 sessions at once, with summaries and, where asked for, transcripts. One that is missing is told of in `errors`.',
        body: BulkRequest,
        response: { 200: BulkResponse }
      }
    },
    async ({ caller, body: { session_ids: ids, include_transcript: transcript, include_summary: summary } }, reply) => {
      if (transcript) requireScope(caller, 'transcripts:read', 'include_transcript')
      const pieces = exportSessions(db, caller.userId, ids, { summary, transcript })
      // A fault before the first piece is still answered as one.
      const first = await pieces.next()
      const body = Readable.from(continued(first, pieces), { objectMode: false })
      // Written as a stream: the shape in the document is not applied to it a second time.
      return reply.type('application/json; charset=utf-8').send(body as never)
    }
  )
}

async function* continued(first: IteratorResult<string>, rest: AsyncGenerator<string>) {
  if (!first.done) yield first.value
  yield* rest
}
