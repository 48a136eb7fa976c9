import { z } from 'zod'
import { FOLDER_CURSOR, type Folder, FolderCreate, FolderPatch } from '../../../contract/folder.ts'
import { FIELD_LIMITS, LIMITS } from '../../../contract/limits.ts'
import { createFolder, deleteFolder, listFolders, updateFolder } from '../../../features/folders/operations.ts'
import type { Services } from '../../../features/services.ts'
import type { Visitor } from '../../../features/sign-in/sign-in.ts'
import { readShape } from '../../../platform/core/remedy.ts'
import { type Html, html, when } from '../../web/html.ts'
import { cardList, moreLink } from '../cards.ts'
import { checkField, confirmed, hintBelow, textField } from '../fields.ts'
import { problemAbove, problemOf } from '../form-problem.ts'
import { counted } from '../numbers.ts'
import { type Console, NONE } from '../open-console.ts'
import { pathId, pathParams } from '../path-params.ts'
import { addressOf } from '../query-form.ts'
import type { View, Visit } from '../visit.ts'

const PATH = '/folders'

const Query = z.object({ cursor: z.string().max(FIELD_LIMITS.cursor).regex(FOLDER_CURSOR).optional().catch(undefined) })
const Params = pathParams({ id: pathId('fld') })
const Create = z.object({ name: z.string().default('') })
const Change = z.object({
  name: z.string().default(''),
  pinned: z.string().optional(),
  keep: z.string().optional(),
  order: z.string().default('')
})

/** A form that was refused, by the id of its folder, or `new`. */
interface Refused {
  of: string
  name: string
  problem: string
}

/** The user's folders in their order. Each leads to its sessions. */
export function foldersPage({ services, user }: Console) {
  user.page(PATH, { ...NONE, query: Query }, async (visit, { query }) => await foldersView(services, visit, query))

  user.form(PATH, { ...NONE, body: Create }, async (visit, { body: { name } }) =>
    act(visit, { of: 'new', name }, async () => {
      await createFolder(services, visit.visitor.actor, readShape(FolderCreate, { name }))
    })
  )

  user.form(`${PATH}/:id`, { ...NONE, params: Params, body: Change }, async (visit, { params: { id }, body }) =>
    act(visit, { of: id, name: body.name }, async () => {
      const { name, pinned, keep, order } = body
      const flags = { pinned: pinned !== undefined, keep: keep !== undefined }
      const change = { name, ...flags, ...(order.trim() !== '' && { order: Number(order) }) }
      await updateFolder(services, visit.visitor.actor, id, readShape(FolderPatch, change))
    })
  )

  user.form(`${PATH}/:id/delete`, { ...NONE, params: Params }, async ({ visitor }, { params: { id } }) => {
    await deleteFolder(services, visitor.actor, id)
    return { to: PATH }
  })

  async function act(visit: Visit<Visitor>, form: Omit<Refused, 'problem'>, run: () => Promise<void>) {
    try {
      await run()
      return { to: PATH }
    } catch (error) {
      return await foldersView(services, visit, {}, { ...form, problem: problemOf(error) })
    }
  }
}

async function foldersView(
  services: Services,
  visit: Visit<Visitor>,
  { cursor }: z.output<typeof Query>,
  refused?: Refused
): Promise<View> {
  const page = { limit: LIMITS.foldersPage.default, cursor }
  const { folders, next_cursor: next } = await listFolders(services, visit.visitor.actor, page)
  const isNewRefused = refused?.of === 'new'
  const isElsewhere = refused !== undefined && !isNewRefused && !folders.some(({ id }) => id === refused.of)
  return {
    title: 'Folders',
    part: 'folders',
    status: refused ? 400 : 200,
    main: html`<h1>Folders</h1>
${problemAbove(isElsewhere ? refused?.problem : undefined)}
${cardList(folders, folder => row(visit, folder, refused), 'You have no folder.')}
${moreLink(next, cursor => visit.link(addressOf(PATH, { cursor })))}
<h2 id="new">Make a folder</h2>
${visit.form(
  PATH,
  html`${problemAbove(isNewRefused ? refused?.problem : undefined)}
${textField({ name: 'name', label: 'Name', value: isNewRefused ? refused?.name : '', max: LIMITS.folderName, required: true })}
<button>Make the folder</button>`,
  { class: 'sheet' }
)}`
  }
}

function row(
  { link, form }: Visit,
  { id, name, session_count: count, pinned, keep, order }: Folder,
  refused?: Refused
): Html {
  const isRefused = refused?.of === id
  const change = form(
    `${PATH}/${id}`,
    html`${problemAbove(isRefused ? refused?.problem : undefined)}
${textField({ name: 'name', label: 'Name', value: isRefused ? refused?.name : name, max: LIMITS.folderName, required: true })}
<label>Place<input type="number" name="order" min="0" value="${order ?? ''}"></label>
${hintBelow('The lowest comes first. Folders without a place follow, by name.')}
${checkField('pinned', 'Pinned above the others', pinned ?? false)}
${checkField('keep', 'Keep what is in it, however old', keep ?? false)}
<button>Save</button>`
  )
  return html`<li><a href="${link(`/?${new URLSearchParams({ folder: id })}`)}"><h2 dir="auto">${name}</h2></a>
<p class="facts">${counted(count, 'session')}${when(pinned, () => html`, pinned`)}${when(keep, () => html`, kept`)}</p>
<details${when(isRefused, () => html` open`)}><summary>Change</summary>${change}</details>
${confirmed('Delete', 'The folder is deleted. Its sessions stay.', form(`${PATH}/${id}/delete`, html`<button class="bad">Delete the folder</button>`))}</li>`
}
