import { z } from 'zod'
import type { ActionItem } from '../../contract/action-item.ts'
import type { SessionDetail } from '../../contract/session.ts'
import { sessionTag } from '../../features/sessions/precondition.ts'
import { type Block, quote, quoteLines, type ShownPart, sessionUrl, shownTime } from './answer-text.ts'
import { SessionRow, showRows } from './session-rows.ts'
import type { Call } from './tool.ts'

const text = z.string()

export const ItemObject = z.object({
  id: text,
  text,
  completed: z.boolean(),
  assignee: text.optional(),
  due_date: text.optional()
})

/** A conversation without its transcript. A part that an answer has no room for is absent. */
export const SessionObject = SessionRow.omit({ brief: true }).extend({
  language: text.optional(),
  favorite: z.boolean(),
  tags: z.array(text),
  folder_ids: z.array(text),
  if_version: text,
  summary: text.optional(),
  notes: text.optional(),
  action_items: z.array(ItemObject).optional()
})

/** A block of a conversation, which belongs to a part of its object. */
interface SessionBlock extends Block {
  part?: 'summary' | 'notes'
  item?: ActionItem
}

/** A session without its transcript. */
export async function describeSession(call: Call, session: SessionDetail): Promise<SessionBlock[]> {
  const { platform, language, tags = [], folder_ids: folders = [], action_items: items = [] } = session
  const [row] = await showRows(call, [session])
  const facts = [
    ...(platform === null ? [] : [`on ${quote(platform)}`]),
    ...(language === null ? [] : [`in ${language}`]),
    ...(session.favorite ? ['a favorite'] : []),
    ...(session.status === undefined || session.status === 'completed' ? [] : [session.status]),
    `if_version ${sessionTag(session)}`
  ]
  const lines = [
    row?.line ?? '',
    facts.join(', '),
    ...(tags.length > 0 ? [`Tags: ${tags.map(quote).join(', ')}`] : []),
    ...(folders.length > 0 ? [`Folders: ${folders.join(', ')}`] : [])
  ]
  return [
    ...lines.map(line => ({ text: line })),
    ...section('summary', session.summary),
    ...section('notes', session.notes),
    ...(items.length > 0
      ? [
          { text: `\nAction items, if_version ${session.action_items_version ?? 0}:` },
          ...items.map(item => ({ text: shownItem(item, linkOf(call, session.id, item)), item }))
        ]
      : [])
  ]
}

function linkOf({ services }: Call, sessionId: string, { source_start: start }: ActionItem) {
  return sessionUrl(services.publicUrl, sessionId, start)
}

const TITLES = { summary: 'Summary', notes: 'Notes' }

function section(part: 'summary' | 'notes', written: string | null): SessionBlock[] {
  if (written === null || written === '') return []
  const lines = written.split('\n').map(line => ({ text: line, quoted: true, part }))
  return [{ text: `\n${TITLES[part]}:` }, ...lines]
}

/** The object of a session with those of its parts that an answer shows. */
export async function toSessionObject(call: Call, session: SessionDetail, parts: readonly ShownPart<SessionBlock>[]) {
  const [row] = await showRows(call, [session])
  const written = (part: 'summary' | 'notes') => {
    const shown = parts.filter(({ block }) => block.part === part)
    return shown.length > 0 ? { [part]: shown.map(({ text: piece }) => piece).join('\n') } : {}
  }
  const items = parts.flatMap(({ block }) => (block.item ? [toItemObject(block.item)] : []))
  return {
    id: session.id,
    title: session.title,
    url: sessionUrl(call.services.publicUrl, session.id),
    type: session.type,
    ...row?.object,
    ...(session.language !== null && { language: session.language }),
    favorite: session.favorite ?? false,
    tags: session.tags ?? [],
    folder_ids: session.folder_ids ?? [],
    if_version: sessionTag(session),
    ...written('summary'),
    ...written('notes'),
    ...(items.length > 0 && { action_items: items })
  }
}

export function toItemObject({ id, text: words, completed, assignee, due_date: due }: ActionItem) {
  return { id, text: words, completed, ...(assignee && { assignee }), ...(due && { due_date: due }) }
}

/** An action item as lines of an answer. */
function shownItem(item: ActionItem, url: string) {
  return `${itemLine(item, url)}\n${quoteLines(item.text)}`
}

/** The line above the text of an action item. */
export function itemLine({ id, completed, assignee, due_date: due, source_start: start }: ActionItem, url: string) {
  const facts = [
    completed ? 'done' : 'open',
    assignee ? `assigned to ${quote(assignee)}` : undefined,
    due ? `due ${due}` : undefined,
    start === null || start === undefined ? undefined : `said at ${shownTime(start)}`
  ]
  return `- ${id}, ${facts.filter(fact => fact !== undefined).join(', ')}, ${url}`
}
