import { z } from 'zod'
import { flag } from '../../../contract/common.ts'
import { sessionListQuery } from '../../../contract/session.ts'
import { listSessions } from '../../../features/sessions/operations.ts'
import { pageRows, quoteLines } from '../answer-text.ts'
import { nextCursor } from '../arguments.ts'
import { nextPage, toNextPage } from '../next-page.ts'
import { readFilters, sessionFilters } from '../session-filters.ts'
import { SessionRow, showRows } from '../session-rows.ts'
import { defineTool } from '../tool.ts'

const { title, limit, cursor, type, tag_mode } = sessionListQuery.shape

export const listSessionsTool = defineTool({
  name: 'list_sessions',
  title: 'List conversations',
  description: 'Lists conversations, the newest first: all, or those that all of the arguments fit.',
  operation: 'listSessions',
  input: z.object({
    title: title.meta({ description: 'Words that the title has, in any order.' }),
    ...sessionFilters,
    type: type.meta({ description: '' }),
    tag_mode: tag_mode.meta({ description: '' }),
    brief: flag.default(false).meta({ description: 'Also shows the beginning of each summary.' }),
    limit: limit.meta({ description: '' }),
    cursor: cursor.meta({ description: nextCursor })
  }),
  output: z.object({ sessions: z.array(SessionRow), ...nextPage }),
  async answer(call, { tags, person: named, since, until, brief, ...query }) {
    const { services, actor, log } = call
    const filter = {
      ...query,
      ...(await readFilters(call, { since, until, person: named })),
      tag: tags && { names: tags, values: [] }
    }
    const fetch = async (most: number) => {
      const { sessions, next_cursor: next } = await listSessions({ ...services, log }, actor, {
        ...filter,
        limit: most
      })
      const rows = sessions.flatMap(row => ('duration_seconds' in row ? [row] : []))
      return { rows: await showRows(call, rows, brief), next }
    }
    const { text, rows, next } = await pageRows('Conversations', query.limit, fetch, row =>
      [`- ${row.line}`, ...(row.brief === undefined ? [] : [quoteLines(row.brief)])].join('\n')
    )
    return { text, object: { sessions: rows.map(({ object }) => object), ...toNextPage(next) } }
  }
})
