import type { ActionItem } from '../../contract/action-item.ts'
import type { Summary } from '../../platform/ai/ai.ts'
import { primaryLanguage } from '../../platform/text/language-code.ts'
import type { Source } from '../../platform/text/outline.ts'
import { isVoiceLabel, knownSpeaker, withoutSuffix } from '../../platform/text/speaker-name.ts'
import type { ChosenTemplate, FollowedTemplate } from '../../platform/text/template.ts'
import { newItem } from '../library/action-items.ts'
import type { SessionRow } from '../library/session-row.ts'
import type { NewSummary } from '../library/summaries.ts'
import { isPlaceholderTitle } from './placeholder-title.ts'

/** A summary, and how it follows its template. */
export interface TemplatedSummary extends Summary {
  template: FollowedTemplate | null
}

/** Returns how a summary follows a template. `language` is that of the conversation, if its source names it. */
export function toFollowed(
  template: ChosenTemplate | null,
  made: Summary,
  { translates, language }: { translates: boolean; language: string | null }
): FollowedTemplate | null {
  if (!template) return null
  const { id, name, language: wanted } = template
  const untranslated = !translates && wanted !== null && wanted !== primaryLanguage(language ?? made.language)
  return { id, name, leftOut: made.leftOut ?? [], untranslated }
}

/** The work of a summarizer on a session. */
interface Made extends Pick<TemplatedSummary, 'language' | 'summary' | 'outline' | 'title' | 'template' | 'making'> {
  actionItems: ActionItem[]
  itemSources: Record<string, Source[]>
  /** The ids of the items that the transcript does not support. */
  unsupportedItems: string[]
}

/** Gives the found action items their ids. */
export function toMade({ actionItems, leftOut: _, ...summary }: TemplatedSummary, now: Date): Made {
  const made = actionItems.map(({ sources = [], unsupported = false, ...item }) => ({
    item: newItem({ ...item, assignee: knownAssignee(item.assignee) }, now.getTime()),
    sources,
    unsupported
  }))
  return {
    ...summary,
    actionItems: made.map(({ item }) => item),
    itemSources: Object.fromEntries(made.map(({ item, sources }) => [item.id, sources])),
    unsupportedItems: made.flatMap(({ item, unsupported }) => (unsupported ? [item.id] : []))
  }
}

/** Fields of the source win over those of the provider, except a title that tells nothing. */
export function contentOf(session: SessionRow, made: Made | undefined, now: Date) {
  return {
    title: titleOf(session, made),
    language: session.language ?? made?.language ?? null,
    summary: session.summary ?? made?.summary ?? null,
    actionItems: session.actionItems ?? made?.actionItems ?? [],
    actionItemsVersion: session.actionItems ? session.actionItemsVersion : 1,
    actionItemsUpdatedAt: session.actionItemsUpdatedAt ?? now
  }
}

function titleOf({ title }: SessionRow, made: Made | undefined) {
  return made?.title !== undefined && isPlaceholderTitle(title) ? made.title : title
}

/** How the parts that the source lacked were made. */
export function toKept(session: SessionRow, made: Made, now: Date): NewSummary {
  const { outline, itemSources, unsupportedItems } = made
  const title = titleOf(session, made)
  return {
    title: title === session.title ? null : title,
    outline: session.summary === null ? (outline ?? null) : null,
    template: session.summary === null ? made.template : null,
    itemSources: session.actionItems === null ? itemSources : {},
    unsupportedItems: session.actionItems === null ? unsupportedItems : [],
    ...toMaking(made),
    madeAt: now
  }
}

/** The columns that say how a provider made it; all are null without a provider. */
export function toMaking({ making }: Pick<Summary, 'making'>) {
  const { model = null, promptVersion = null, inputTokens = null, outputTokens = null } = making ?? {}
  return { model, promptVersion, inputTokens, outputTokens }
}

/** Nobody owns the task of an unknown voice. */
function knownAssignee(assignee: string | null) {
  return assignee === null || isVoiceLabel(assignee) || knownSpeaker(assignee) === null ? null : withoutSuffix(assignee)
}
