import { SearchRequest } from '../../../contract/search.ts'
import { oneLine } from '../../../contract/text.ts'
import { searchSessions } from '../../../features/search/operations.ts'
import { sessionUrl } from '../answer-text.ts'
import { defineTool } from '../tool.ts'
import { momentId } from './fetch.ts'

export const search = defineTool({
  name: 'search',
  title: 'Search conversations',
  description:
    'Finds the conversations that answer a query best, by terms and by meaning. Returns ids for fetch: an id such as ses_…#1408 names the second at which the conversation answers the query. For filters and the passages themselves use search_sessions.',
  operation: 'searchSessions',
  input: SearchRequest.pick({ query: true }),
  async answer({ services, actor }, { query }) {
    const include_passages = actor.scopes.has('transcripts:read')
    const { response } = await searchSessions(services, actor, SearchRequest.parse({ query, include_passages }))
    return {
      results: response.results.map(({ id, title, passages }) => {
        const start = passages?.[0]?.start
        return { id: momentId(id, start), title: oneLine(title), url: sessionUrl(services.publicUrl, id, start) }
      })
    }
  }
})
