import type { Outline, Source } from '../../text/outline.ts'
import type { FollowedTemplate } from '../../text/template.ts'
import { integer, jsonb, pgTable, primaryKey, text } from '../drizzle.ts'
import { ofSession } from './sessions.ts'
import { instant, sessionKey } from './users.ts'

/** How the server made the summary and the action items of a session, beside the Markdown and the items that the session has. */
export const summaries = pgTable(
  'summaries',
  {
    ...sessionKey(),
    /** Null if the session has another summary: that of its source, or one that somebody wrote since. */
    outline: jsonb().$type<Outline>(),
    /** The lines that action items come from, by the ids of the items. */
    itemSources: jsonb().$type<Record<string, Source[]>>().notNull(),
    /** The ids of action items that the transcript did not support when they were found. Null if none was checked. */
    unsupportedItems: jsonb().$type<string[]>(),
    /** The title that the server made. The session may have another one since. */
    title: text(),
    /** The template that the summary follows. Null if it follows none, or if the session has another summary. */
    template: jsonb().$type<FollowedTemplate>(),
    /** The model of a provider and the version of the prompts that it got. Null without a provider. */
    model: text(),
    promptVersion: text(),
    /** The tokens that the provider counted. Null if it counts none. */
    inputTokens: integer(),
    outputTokens: integer(),
    madeAt: instant().notNull()
  },
  table => [primaryKey({ columns: [table.userId, table.sessionId] }), ofSession('summaries_session_fk', table)]
)
