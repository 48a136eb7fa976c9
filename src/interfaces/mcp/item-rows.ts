import { z } from 'zod'
import type { ListedActionItem } from '../../contract/action-item-list.ts'
import { quote, quoteLines, sessionUrl } from './answer-text.ts'
import { localTime } from './period.ts'
import { ItemObject, itemLine, toItemObject } from './session-text.ts'
import type { Call } from './tool.ts'

/** An action item in a list of programs, with its conversation. */
export const ItemRow = ItemObject.extend({
  session_id: z.string(),
  session_title: z.string(),
  url: z.string(),
  if_version: z.number()
})

/** An action item as lines, with the conversation that it is from. */
export function showItem({ services }: Call, item: ListedActionItem, timeZone: string) {
  const { session, version } = item
  const from = [
    quote(session.title),
    localTime(session.timestamp, timeZone),
    `id ${session.id}`,
    `if_version ${version}`
  ]
  const line = itemLine(item, sessionUrl(services.publicUrl, session.id, item.source_start))
  return `${line}\n  from ${from.join(', ')}\n${quoteLines(item.text)}`
}

export function toItemRow({ services }: Call, item: ListedActionItem) {
  const { session, version } = item
  return {
    ...toItemObject(item),
    session_id: session.id,
    session_title: session.title,
    url: sessionUrl(services.publicUrl, session.id, item.source_start),
    if_version: version
  }
}

export const ChangedItem = ItemObject.pick({ id: true, completed: true }).extend({
  session_id: z.string(),
  if_version: z.number()
})

export function showChanged({ id, completed, session, version }: ListedActionItem) {
  const state = `${id} is ${completed ? 'done' : 'open'}.`
  return {
    text: `${state} The action items of ${session.id} are now if_version ${version}.`,
    object: { id, completed, session_id: session.id, if_version: version }
  }
}
