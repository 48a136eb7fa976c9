import type { ActionItem } from '../../contract/action-item.ts'
import type {
  SessionSummary,
  SummarizedActionItem,
  SummarySection,
  SummarySource,
  SummaryStatement
} from '../../contract/session-summary.ts'
import { throwNotFound } from '../../platform/core/api-error.ts'
import type { Outline, Source, Statement } from '../../platform/text/outline.ts'
import type { FollowedTemplate } from '../../platform/text/template.ts'
import { operation } from '../access/operation.ts'
import type { Services } from '../services.ts'
import { parseSummary } from './parse-summary.ts'
import { findSummary } from './queries.ts'

/** Returns the summary of a session in parts, each with its sources. Without kept parts they are read from the Markdown, and have none. */
export const getSummary = operation(
  'getSummary',
  async ({ db }: Pick<Services, 'db'>, actor, sessionId: string): Promise<SessionSummary> => {
    const found = (await findSummary(db, actor.userId, sessionId)) ?? throwNotFound('Session')
    const { language, markdown, items, outline, template, itemSources, unsupportedItems, version, isTitleMade } = found
    const unsupported = new Set(unsupportedItems)
    return {
      id: sessionId,
      language,
      template: template && toUsed(template),
      title_made: isTitleMade,
      has_sources: outline !== null,
      transcript_version: version,
      ...present(outline ?? (await parseSummary(markdown ?? ''))),
      action_items: items.map(item => toItem(item, itemSources[item.id] ?? [], unsupported.has(item.id)))
    }
  }
)

function toUsed({ id, name, leftOut, untranslated }: FollowedTemplate) {
  return { id, name, left_out: leftOut, untranslated }
}

function present({ overview, sections, decisions, questions }: Outline) {
  return {
    overview: overview && toStatement(overview),
    sections: sections.map(toSection),
    decisions: decisions.map(toStatement),
    questions: questions.map(toStatement)
  }
}

function toSection({ heading, points }: Outline['sections'][number]): SummarySection {
  const starts = points.flatMap(({ sources }) => sources.flatMap(({ start }) => start ?? []))
  return {
    heading,
    ...(starts.length > 0 && { start: Math.min(...starts) }),
    points: points.map(toStatement)
  }
}

function toStatement({ text, speaker, sources, unsupported }: Statement): SummaryStatement {
  return { text, speaker, sources: sources.map(toSource), ...(unsupported && { unsupported }) }
}

function toSource({ segment, start, end }: Source): SummarySource {
  return { segment, ...(start !== null && { start }), ...(end !== null && { end }) }
}

/** An item that a person has edited is theirs, and no claim of a provider any more. */
function toItem(
  { id, text, completed, assignee = null, due_date = null, user_edited_at = null }: ActionItem,
  sources: readonly Source[],
  isUnsupported: boolean
): SummarizedActionItem {
  const marks = isUnsupported && user_edited_at === null ? { unsupported: true as const } : {}
  return { id, text, completed, assignee, due_date, sources: sources.map(toSource), ...marks }
}
