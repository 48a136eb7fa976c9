import { z } from 'zod'
import { SearchRequest } from '../../../contract/search.ts'
import { oneLine } from '../../../contract/text.ts'
import { searchSessions } from '../../../features/search/operations.ts'
import { sessionUrl } from '../answer-text.ts'
import { placeId } from '../arguments.ts'
import { localTime } from '../period.ts'
import { asJson, defineTool } from '../tool.ts'

const text = z.string()

export const search = defineTool({
  name: 'search',
  title: 'Search conversations',
  description:
    'Finds the conversations that answer a query best. Returns ids for fetch: ses_…#1408 names the second at which the conversation answers. search_sessions has filters and passages.',
  operation: 'searchSessions',
  input: z.object({ query: SearchRequest.shape.query.meta({ description: 'The query, in any words.' }) }),
  output: z.object({
    results: z.array(z.object({ id: text, title: text, url: text, date: text.optional(), type: text }))
  }),
  async answer(call, { query }) {
    const { services, actor } = call
    const include_passages = actor.scopes.has('transcripts:read')
    const request = SearchRequest.parse({ query, include_passages })
    const { response } = await searchSessions(services, actor, request, { passages: 1 })
    const { timeZone } = await call.user()
    return asJson({
      results: response.results.map(({ id, title, timestamp, type, passages }) => {
        const second = passages?.[0]?.start ?? undefined
        const url = sessionUrl(services.publicUrl, id, second)
        const date = timestamp === null ? {} : { date: localTime(timestamp, timeZone) }
        return { id: placeId({ id, second }), title: oneLine(title), url, ...date, type }
      })
    })
  }
})
