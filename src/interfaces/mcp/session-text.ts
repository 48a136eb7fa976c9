import { z } from 'zod'
import type { ActionItem } from '../../contract/action-item.ts'
import type { SessionDetail } from '../../contract/session.ts'
import type { SharedSessionDetail } from '../../contract/sharing.ts'
import { getSession } from '../../features/sessions/operations.ts'
import { sessionTag } from '../../features/sessions/precondition.ts'
import { getSharedSession } from '../../features/sharing/recipient-operations.ts'
import { type Block, quote, quoteLines, type ShownPart, shownTime } from './answer-text.ts'
import { type Place, placeId, placeUrl } from './arguments.ts'
import { factsOf, SessionRow, showRows } from './session-rows.ts'
import type { Call } from './tool.ts'

const text = z.string()

export const ItemObject = z.object({
  id: text,
  text,
  completed: z.boolean(),
  assignee: text.optional(),
  due_date: text.optional()
})

/** A conversation without its transcript. A part that an answer has no room for is absent, and so is what only the owner has. */
export const SessionObject = SessionRow.omit({ brief: true }).extend({
  owner: text.optional(),
  language: text.optional(),
  favorite: z.boolean().optional(),
  tags: z.array(text).optional(),
  folder_ids: z.array(text).optional(),
  if_version: text.optional(),
  summary: text.optional(),
  notes: text.optional(),
  action_items: z.array(ItemObject).optional()
})

/** A block of a conversation, which belongs to a part of its object. */
interface SessionBlock extends Block {
  part?: 'summary' | 'notes'
  item?: Item
}

/** A conversation as blocks of an answer, and the object with those of them that an answer shows. */
export interface Conversation extends Pick<SessionDetail, 'title' | 'timestamp' | 'type' | 'duration_seconds'> {
  blocks: SessionBlock[]
  toObject(parts: readonly ShownPart<SessionBlock>[]): z.output<typeof SessionObject>
}

/** Loads a conversation of the user, or one that its owner shares with them. */
export async function loadConversation(call: Call, place: Place): Promise<Conversation> {
  const { services, actor } = call
  if (place.owner === undefined) return await toConversation(call, await getSession(services, actor, place.id))
  return await toSharedConversation(call, await getSharedSession(services, actor, place.owner, place.id))
}

async function toConversation(call: Call, session: SessionDetail): Promise<Conversation> {
  const { language, favorite = false, tags = [], folder_ids = [] } = session
  const [row] = await showRows(call, [session])
  if (!row) throw new Error('A session without its row')
  const own = { favorite, tags, folder_ids, if_version: sessionTag(session) }
  return {
    ...session,
    blocks: describeSession(call, session, row.line),
    toObject: parts => ({ ...row.object, ...(language !== null && { language }), ...own, ...partsOf(parts) })
  }
}

async function toSharedConversation(call: Call, session: SharedSessionDetail): Promise<Conversation> {
  const { title, timestamp, type, duration_seconds, owner, platform, summary, action_items: items = [] } = session
  const place = { id: session.id, owner: owner.id }
  const [id, url] = [placeId(place), placeUrl(call.services.publicUrl, place)]
  const { timeZone } = await call.user()
  const line = [...factsOf(session, timeZone), `id ${id}`, url].join(', ')
  const facts = [
    `shared by ${quote(owner.name ?? owner.id)}`,
    ...(platform === null ? [] : [`on ${quote(platform)}`]),
    ...(session.status === 'completed' || session.status === null ? [] : [session.status])
  ]
  const row = { id, title, url, ...(timestamp !== null && { timestamp }), type, duration_seconds }
  return {
    title,
    timestamp,
    type,
    duration_seconds,
    blocks: [
      { text: line },
      { text: facts.join(', ') },
      ...section('summary', summary ?? null),
      ...listItems('Action items', items, start => placeUrl(call.services.publicUrl, { ...place, second: start }))
    ],
    toObject: parts => ({ ...row, owner: owner.name ?? owner.id, ...partsOf(parts) })
  }
}

/** A session without its transcript. */
function describeSession({ services }: Call, session: SessionDetail, line: string): SessionBlock[] {
  const { id, platform, language, tags = [], folder_ids: folders = [], action_items: items = [] } = session
  const facts = [
    ...(platform === null ? [] : [`on ${quote(platform)}`]),
    ...(language === null ? [] : [`in ${language}`]),
    ...(session.favorite ? ['a favorite'] : []),
    ...(session.status === undefined || session.status === 'completed' ? [] : [session.status]),
    `if_version ${sessionTag(session)}`
  ]
  const lines = [
    line,
    facts.join(', '),
    ...(tags.length > 0 ? [`Tags: ${tags.map(quote).join(', ')}`] : []),
    ...(folders.length > 0 ? [`Folders: ${folders.join(', ')}`] : [])
  ]
  return [
    ...lines.map(shown => ({ text: shown })),
    ...section('summary', session.summary),
    ...section('notes', session.notes),
    ...listItems(`Action items, if_version ${session.action_items_version ?? 0}`, items, start =>
      placeUrl(services.publicUrl, { id, second: start })
    )
  ]
}

function listItems(title: string, items: readonly Item[], link: (start?: number) => string): SessionBlock[] {
  if (items.length === 0) return []
  const shown = items.map(item => ({ text: shownItem(item, link(item.source_start ?? undefined)), item }))
  return [{ text: `\n${title}:` }, ...shown]
}

const TITLES = { summary: 'Summary', notes: 'Notes' }

function section(part: 'summary' | 'notes', written: string | null): SessionBlock[] {
  if (written === null || written === '') return []
  const lines = written.split('\n').map(line => ({ text: line, quoted: true, part }))
  return [{ text: `\n${TITLES[part]}:` }, ...lines]
}

/** The parts of a conversation that an answer shows. */
function partsOf(parts: readonly ShownPart<SessionBlock>[]) {
  const written = (part: 'summary' | 'notes') => {
    const shown = parts.filter(({ block }) => block.part === part)
    return shown.length > 0 ? { [part]: shown.map(({ text: piece }) => piece).join('\n') } : {}
  }
  const items = parts.flatMap(({ block }) => (block.item ? [toItemObject(block.item)] : []))
  return { ...written('summary'), ...written('notes'), ...(items.length > 0 && { action_items: items }) }
}

/** The fields of an item that recipients of a share get too. */
type Item = Pick<ActionItem, 'id' | 'text' | 'completed' | 'assignee' | 'due_date' | 'source_start'>

export function toItemObject({ id, text: words, completed, assignee, due_date: due }: Item) {
  return { id, text: words, completed, ...(assignee && { assignee }), ...(due && { due_date: due }) }
}

/** An action item as lines of an answer. */
function shownItem(item: Item, url: string) {
  return `${itemLine(item, url)}\n${quoteLines(item.text)}`
}

/** The line above the text of an action item. */
export function itemLine({ id, completed, assignee, due_date: due, source_start: start }: Item, url: string) {
  const facts = [
    completed ? 'done' : 'open',
    assignee ? `assigned to ${quote(assignee)}` : undefined,
    due ? `due ${due}` : undefined,
    start === null || start === undefined ? undefined : `said at ${shownTime(start)}`
  ]
  return `- ${id}, ${facts.filter(fact => fact !== undefined).join(', ')}, ${url}`
}
