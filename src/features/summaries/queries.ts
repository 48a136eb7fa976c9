import type { ActionItem } from '../../contract/action-item.ts'
import { sql } from '../../platform/db/drizzle.ts'
import type { Queryable } from '../../platform/db/open.ts'
import type { Outline, Source } from '../../platform/text/outline.ts'
import type { FollowedTemplate } from '../../platform/text/template.ts'

interface SummaryRow extends Record<string, unknown> {
  language: string | null
  markdown: string | null
  items: ActionItem[]
  outline: Outline | null
  template: FollowedTemplate | null
  itemSources: Record<string, Source[]>
  unsupportedItems: string[]
  version: number
  isTitleMade: boolean
}

/** Returns the summary of a session with what is kept about it; undefined if there is no such session. */
export async function findSummary(db: Queryable, userId: string, sessionId: string) {
  const [row] = await db.query<SummaryRow>(sql`
    select s.language, s.summary as markdown, coalesce(s.action_items, '[]') as items, m.outline, m.template,
      coalesce(m.item_sources, '{}') as "itemSources", coalesce(m.unsupported_items, '[]') as "unsupportedItems", coalesce(t.version, 0) as version,
      coalesce(m.title = s.title, false) as "isTitleMade"
    from sessions s
    left join summaries m on m.user_id = ${userId} and m.session_id = s.session_id
    left join transcripts t on t.user_id = ${userId} and t.session_id = s.session_id
    where s.user_id = ${userId} and s.session_id = ${sessionId} and s.state <> 'deleted'`)
  return row
}
