import { z } from 'zod'
import { SessionChange } from '../../../contract/session-change.ts'
import { addSessionToFolder, removeSessionFromFolder } from '../../../features/folders/operations.ts'
import { getActionItems, updateActionItem } from '../../../features/sessions/action-item-operations.ts'
import { getSession, updateSession } from '../../../features/sessions/operations.ts'
import { sessionTag } from '../../../features/sessions/precondition.ts'
import { throwNotFound } from '../../../platform/core/api-error.ts'
import { html } from '../../web/html.ts'
import { conflictView, onConflict } from '../conflict.ts'
import { type Console, NONE } from '../open-console.ts'
import { pathId, pathParams } from '../path-params.ts'
import { SessionParams, toPanel } from '../session-address.ts'
import { readTags, writeTags } from '../tags.ts'
import type { Answer, Visit } from '../visit.ts'
import { SessionTag } from './session-texts.ts'

const ItemParams = pathParams({ id: pathId('ses'), item_id: z.string().regex(/^\w{1,64}$/) })
const Tick = z.object({ version: z.coerce.number().int().min(0), completed: z.stringbool() })

const { title, tags } = SessionChange.shape
const About = z.object({
  tag: SessionTag,
  title,
  tags: z
    .string()
    .max(5_000)
    .transform((text): string[] | undefined => readTags(text))
    .pipe(tags)
})
const Keep = z.object({ keep: z.stringbool() })
const Folder = z.object({ add: z.string().max(100).optional(), remove: z.string().max(100).optional() })

/** The forms that change a session: items, title, tags and folders. */
export function sessionForms({ services, user }: Console) {
  const sessionForm = { ...NONE, params: SessionParams }

  user.form('/s/:id/items/:item_id', { ...NONE, params: ItemParams, body: Tick }, async (visit, { params, body }) => {
    const { actor } = visit.visitor
    const { id, item_id: itemId } = params
    const { version, completed } = body
    const tick = updateActionItem(
      services,
      actor,
      itemId,
      { completed },
      { precondition: { versions: [version], tags: [] } }
    )
    return await tick
      .then(() => ({ to: `/s/${id}#${itemId}` }))
      .catch(onConflict(() => tickConflict(visit, id, itemId, completed)))
  })

  async function tickConflict(
    { visitor, form, link }: Visit,
    id: string,
    itemId: string,
    completed: boolean
  ): Promise<Answer> {
    if (!visitor) throwNotFound('Page')
    const { action_items: items, version } = await getActionItems(services, visitor.actor, id)
    const item = items.find(one => one.id === itemId)
    const words = (done: boolean) => (done ? 'Done' : 'Open')
    if (item?.completed === completed) return { to: `/s/${id}#${itemId}` }
    const fields = html`<input type="hidden" name="version" value="${version}"><input type="hidden" name="completed" value="${String(completed)}">
<p dir="auto">${item?.text ?? 'The action item'}</p><p><strong>${words(completed)}</strong></p><button>Save mine</button>`
    return conflictView({
      mine: item ? form(`/s/${id}/items/${itemId}`, fields) : html`<p><strong>${words(completed)}</strong></p>`,
      theirs: item
        ? html`<p dir="auto">${item.text}</p><p><strong>${words(item.completed)}</strong></p>`
        : html`<p>The item was removed.</p>`,
      keep: link(`/s/${id}#items`)
    })
  }

  user.form('/s/:id/about', { ...sessionForm, body: About }, async (visit, { params: { id }, body }) => {
    const { actor } = visit.visitor
    const { tag: seen, ...change } = body
    const changing = updateSession(services, actor, id, change, { precondition: { versions: [], tags: [seen] } })
    return await changing
      .then(() => toPanel(id, 'about'))
      .catch(
        onConflict(async () => {
          const session = await getSession(services, actor, id)
          const fields = html`<input type="hidden" name="tag" value="${sessionTag(session)}">
<label>Title<input name="title" dir="auto" value="${change.title ?? ''}"></label>
<label>Tags, separated by commas<input name="tags" dir="auto" value="${writeTags(change.tags ?? [])}"></label><button>Save mine</button>`
          return conflictView({
            mine: visit.form(`/s/${id}/about`, fields),
            theirs: html`<p dir="auto"><strong>${session.title}</strong></p><p dir="auto">${writeTags(session.tags ?? [])}</p>`,
            keep: visit.link(`/s/${id}`)
          })
        })
      )
  })

  user.form('/s/:id/keep', { ...sessionForm, body: Keep }, async ({ visitor }, { params: { id }, body }) => {
    await updateSession(services, visitor.actor, id, body)
    return { to: `/s/${id}#keep` }
  })

  user.form('/s/:id/folders', { ...sessionForm, body: Folder }, async ({ visitor }, { params: { id }, body }) => {
    const { add, remove } = body
    const change = remove === undefined ? addSessionToFolder : removeSessionFromFolder
    await change(services, visitor.actor, id, remove ?? add ?? '')
    return toPanel(id, 'about')
  })
}
