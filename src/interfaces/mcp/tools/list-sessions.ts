import { type SessionListItem, sessionListQuery } from '../../../contract/session.ts'
import { listSessions } from '../../../features/sessions/operations.ts'
import { pageRows, quote, sessionUrl, shownTime } from '../answer-text.ts'
import { defineTool } from '../tool.ts'

const { limit, cursor, since, type, folder, tag, tag_mode, person } = sessionListQuery.shape

export const listSessionsTool = defineTool({
  name: 'list_sessions',
  title: 'List conversations',
  description: 'Lists conversations, the newest first. Filter by time, type, tags, folder and person.',
  operation: 'listSessions',
  input: sessionListQuery.pick({}).extend({
    limit,
    cursor: cursor.meta({ description: 'The cursor at the end of the previous answer, or an instant to list before.' }),
    since,
    type,
    folder,
    tag,
    tag_mode,
    person
  }),
  async answer({ services, actor, log }, query) {
    const fetch = async (most: number) => {
      const { sessions, next_cursor: next } = await listSessions({ ...services, log }, actor, { ...query, limit: most })
      return { rows: sessions.flatMap(row => ('duration_seconds' in row ? [row] : [])), next }
    }
    return await pageRows('Conversations', query.limit, fetch, row => showRow(row, services.publicUrl))
  }
})

function showRow({ id, title, timestamp, type: kind, duration_seconds: seconds }: SessionListItem, publicUrl: string) {
  return `- ${quote(title)}, ${timestamp ?? 'no date'}, ${kind}, ${shownTime(seconds)} long, id ${id}, ${sessionUrl(publicUrl, id)}`
}
