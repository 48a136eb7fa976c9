import { type Interpretation, SearchRequest, type SearchResult } from '../../../contract/search.ts'
import { searchSessions } from '../../../features/search/operations.ts'
import { type Block, blockCursor, pageBlocks, quote, quoteLines, sessionUrl, shownTime } from '../answer-text.ts'
import { defineTool } from '../tool.ts'

export const searchSessionsTool = defineTool({
  name: 'search_sessions',
  title: 'Search conversations with filters',
  description:
    'Finds the conversations that answer a query best, by terms and by meaning, the best first. Filter by time, type, tags, folder and person. Shows the passages that answer, each with its speaker, time and a link to cite.',
  operation: 'searchSessions',
  input: SearchRequest.omit({ include_passages: true }).extend({ cursor: blockCursor }),
  async answer({ services, actor }, { cursor, ...request }) {
    const include_passages = actor.scopes.has('transcripts:read')
    const { response, mode } = await searchSessions(services, actor, { ...request, include_passages })
    const { results, interpreted } = response
    const head = [
      `Conversations that answer, the best first: ${results.length || 'none'}`,
      ...(mode === 'lexical' ? ['Only terms were compared, because embeddings are not available.'] : []),
      ...(interpreted ? [describeInterpretation(interpreted)] : [])
    ]
    const blocks = results.map((result, index) => toBlock(result, index + 1, services.publicUrl))
    return pageBlocks({ head, blocks, cursor, tool: 'search_sessions' })
  }
})

function describeInterpretation({ person, since, until }: Interpretation) {
  const parts = [
    person ? `the person ${quote(person.name)} (${person.id})` : undefined,
    since ? `since ${since}` : undefined,
    until ? `until ${until}` : undefined
  ]
  return `Conversations of ${parts.filter(part => part !== undefined).join(', ')} rank higher.`
}

function toBlock({ id, title, timestamp, type, snippet, passages }: SearchResult, rank: number, url: string): Block {
  const lines = [`${rank}. ${quote(title)}, ${timestamp ?? 'no date'}, ${type}, id ${id}, ${sessionUrl(url, id)}`]
  if (!passages || passages.length === 0) lines.push(quoteLines(snippet))
  for (const { speaker, start, end, text } of passages ?? []) {
    const time = start === null ? '' : ` from ${shownTime(start)} to ${shownTime(end ?? start)}`
    lines.push(`Passage${time}, speaker ${quote(speaker)}, ${sessionUrl(url, id, start)}`, quoteLines(text))
  }
  return { text: lines.join('\n') }
}
