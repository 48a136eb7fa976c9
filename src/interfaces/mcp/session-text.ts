import type { ActionItem } from '../../contract/action-item.ts'
import type { SessionDetail } from '../../contract/session.ts'
import { sessionTag } from '../../features/sessions/precondition.ts'
import { type Block, quote, sessionUrl, shownTime } from './answer-text.ts'

/** A session without its transcript. */
export function describeSession(session: SessionDetail, publicUrl: string): Block[] {
  const { id, title, timestamp, type, platform, language, duration_seconds: seconds } = session
  const { tags = [], folder_ids: folders = [], action_items: items = [] } = session
  const facts = [
    timestamp ?? 'no date',
    type,
    platform === null ? undefined : `on ${quote(platform)}`,
    seconds > 0 ? `${shownTime(seconds)} long` : undefined,
    language === null ? undefined : `in ${language}`,
    session.favorite ? 'a favorite' : undefined,
    session.status === undefined || session.status === 'completed' ? undefined : session.status
  ]
  const lines = [
    `${quote(title)}, ${facts.filter(fact => fact !== undefined).join(', ')}`,
    `id ${id}, if_version ${sessionTag(session)}, ${sessionUrl(publicUrl, id)}`,
    ...(tags.length > 0 ? [`Tags: ${tags.map(quote).join(', ')}`] : []),
    ...(folders.length > 0 ? [`Folders: ${folders.join(', ')}`] : [])
  ]
  return [
    ...lines.map(text => ({ text })),
    ...section('Summary', session.summary),
    ...section('Notes', session.notes),
    ...(items.length > 0
      ? [
          { text: `\nAction items, if_version ${session.action_items_version ?? 0}:` },
          ...items.flatMap(item => toBlocks(item, sessionUrl(publicUrl, id, item.source_start)))
        ]
      : [])
  ]
}

function section(title: string, text: string | null): Block[] {
  if (text === null || text === '') return []
  return [{ text: `\n${title}:` }, ...text.split('\n').map(line => ({ text: line, quoted: true }))]
}

function toBlocks(item: ActionItem, url: string): Block[] {
  return [{ text: itemLine(item, url) }, { text: item.text, quoted: true }]
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
