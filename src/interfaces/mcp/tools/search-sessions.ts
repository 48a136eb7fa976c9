import { z } from 'zod'
import { integer } from '../../../contract/common.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { type Interpretation, SearchRequest, type SearchResult } from '../../../contract/search.ts'
import { searchSessions } from '../../../features/search/operations.ts'
import { type Block, blockCursor, pageBlocks, quote, quoteLines, sessionUrl, shownTime } from '../answer-text.ts'
import { nextPage, toNextPage } from '../next-page.ts'
import { readFilters, sessionFilters } from '../session-filters.ts'
import { SessionRow, type ShownRow, showRows } from '../session-rows.ts'
import { defineTool } from '../tool.ts'

const { query, limit, type, tag_mode, interpret } = SearchRequest.shape
const { passages: MAX_PASSAGES, passage: CHARACTERS } = LIMITS.agents

const Found = SessionRow.omit({ brief: true, duration_seconds: true }).extend({
  snippet: z.string(),
  passages: z
    .array(z.object({ start: z.number().optional(), speaker: z.string(), text: z.string(), url: z.string() }))
    .optional()
})

export const searchSessionsTool = defineTool({
  name: 'search_sessions',
  title: 'Search with filters',
  description:
    'Finds the conversations that answer a query best, with the passages that answer and a link to cite each.',
  operation: 'searchSessions',
  input: z.object({
    query: query.meta({ description: 'The query, in any words.' }),
    ...sessionFilters,
    type: type.meta({ description: '' }),
    tag_mode: tag_mode.meta({ description: '' }),
    passages: integer(0, MAX_PASSAGES)
      .default(1)
      .meta({ description: `Passages of each result, of at most ${CHARACTERS} characters.` }),
    interpret: interpret.meta({ description: 'Whether a person and a period in the query count.' }),
    limit,
    cursor: blockCursor
  }),
  output: z.object({ results: z.array(Found), ...nextPage }),
  async answer(call, { cursor, passages, since, until, person: named, ...sent }) {
    const { services, actor } = call
    const include_passages = passages > 0 && actor.scopes.has('transcripts:read')
    const filters = await readFilters(call, { since, until, person: named })
    const request = { ...sent, ...filters, include_passages }
    const cut = { passages, characters: CHARACTERS }
    const { response, mode } = await searchSessions(services, actor, request, cut)
    const { results, interpreted } = response
    const head = [
      `Conversations that answer, the best first: ${results.length || 'none'}`,
      ...(mode === 'lexical' ? ['Only terms were compared, because embeddings are not available.'] : []),
      ...(interpreted ? [describeInterpretation(interpreted)] : [])
    ]
    const rows = await showRows(call, results)
    const blocks = rows.flatMap((row, at) =>
      results[at] ? [toBlock(results[at], row, at + 1, services.publicUrl)] : []
    )
    const { text, parts, next } = pageBlocks({ head, blocks, cursor, tool: 'search_sessions' })
    return {
      text,
      object: { results: parts.map(({ block }) => block.object), ...toNextPage(next) }
    }
  }
})

function describeInterpretation({ person: meant, since, until }: Interpretation) {
  const parts = [
    meant ? `the person ${quote(meant.name)} (${meant.id})` : undefined,
    since ? `since ${since}` : undefined,
    until ? `until ${until}` : undefined
  ]
  return `Conversations of ${parts.filter(part => part !== undefined).join(', ')} rank higher.`
}

interface FoundBlock extends Block {
  object: z.output<typeof Found>
}

function toBlock({ id, snippet, passages = [] }: SearchResult, row: ShownRow, rank: number, url: string): FoundBlock {
  const lines = [`${rank}. ${row.line}`]
  if (passages.length === 0) lines.push(quoteLines(snippet))
  for (const { speaker, start, text } of passages) {
    const time = start === null ? '' : ` from ${shownTime(start)}`
    lines.push(`Passage${time}, speaker ${quote(speaker)}, ${sessionUrl(url, id, start)}`, quoteLines(text))
  }
  const cited = passages.map(({ start, speaker, text }) => {
    return { ...(start !== null && { start }), speaker, text, url: sessionUrl(url, id, start) }
  })
  return {
    text: lines.join('\n'),
    object: { ...row.object, snippet, ...(cited.length > 0 && { passages: cited }) }
  }
}
