import { z } from 'zod'
import { SharedSessionListQuery } from '../../../contract/sharing.ts'
import { listSharedSessions } from '../../../features/sharing/recipient-operations.ts'
import { pageRows, quote } from '../answer-text.ts'
import { nextCursor, placeId, placeUrl } from '../arguments.ts'
import { nextPage, toNextPage } from '../next-page.ts'
import { localTime } from '../period.ts'
import { defineTool } from '../tool.ts'

const { limit, cursor } = SharedSessionListQuery.shape
const text = z.string()
const PARTS = ['summary', 'action_items', 'transcript'] as const

export const listSharedSessionsTool = defineTool({
  name: 'list_shared_sessions',
  title: 'List shared conversations',
  description: 'Lists conversations that others share with the user, for get_session and get_transcript.',
  operation: 'listSharedSessions',
  input: z.object({ limit: limit.meta({ description: '' }), cursor: cursor.meta({ description: nextCursor }) }),
  output: z.object({
    sessions: z.array(z.object({ id: text, title: text, url: text, owner: text, parts: z.array(text) })),
    ...nextPage
  }),
  async answer(call, { limit: asked, cursor: after }) {
    const { services, actor } = call
    const { timeZone } = await call.user()
    const fetch = async (most: number) => {
      const page = await listSharedSessions(services, actor, { limit: most, cursor: after })
      return { rows: page.sessions, next: page.next_cursor }
    }
    const placeOf = (one: { id: string; owner: { id: string } }) => ({ id: one.id, owner: one.owner.id })
    const shown = await pageRows('Shared conversations', asked, fetch, row => {
      const parts = PARTS.filter(part => row.scope[part]).join(', ')
      const by = `by ${quote(row.owner.name ?? row.owner.id)} on ${localTime(row.shared_at, timeZone)}`
      const place = placeOf(row)
      return `- ${quote(row.title)}, ${by}, with ${parts || 'the title only'}, id ${placeId(place)}, ${placeUrl(services.publicUrl, place)}`
    })
    const sessions = shown.rows.map(row => ({
      id: placeId(placeOf(row)),
      title: row.title,
      url: placeUrl(services.publicUrl, placeOf(row)),
      owner: row.owner.name ?? row.owner.id,
      parts: PARTS.filter(part => row.scope[part])
    }))
    return { text: shown.text, object: { sessions, ...toNextPage(shown.next) } }
  }
})
