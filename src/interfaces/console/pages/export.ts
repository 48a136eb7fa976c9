import { z } from 'zod'
import { ExportRequest, type LibraryExport } from '../../../contract/export.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { createExport, deleteExport, listExports } from '../../../features/exports/operations.ts'
import type { Services } from '../../../features/services.ts'
import type { Visitor } from '../../../features/sign-in/sign-in.ts'
import { type Html, html, when } from '../../web/html.ts'
import { cardList } from '../cards.ts'
import { atTime } from '../dates.ts'
import { checkField } from '../fields.ts'
import { problemAbove, problemOf } from '../form-problem.ts'
import { counted, inWords } from '../numbers.ts'
import { type Console, NONE } from '../open-console.ts'
import { pathId, pathParams } from '../path-params.ts'
import { settingsView } from '../settings.ts'
import type { View, Visit } from '../visit.ts'

const PATH = '/settings/export'
const Params = pathParams({ id: pathId('exp') })
const Wishes = z.object({ recordings: z.string().default('') })

/** The user's library as one file: a button that begins an export, how far each has come, and the link to its file. */
export function exportPage({ services, user }: Console) {
  user.page(PATH, NONE, async visit => await exportView(services, visit))

  user.form(PATH, { ...NONE, body: Wishes }, async (visit, { body: { recordings } }) => {
    try {
      const request = ExportRequest.parse({ recordings: recordings === 'on' })
      await createExport(services, visit.visitor.actor, request)
      return { to: PATH }
    } catch (error) {
      return await exportView(services, visit, problemOf(error))
    }
  })

  user.form(`${PATH}/:id/delete`, { ...NONE, params: Params }, async ({ visitor }, { params: { id } }) => {
    await deleteExport(services, visitor.actor, id)
    return { to: PATH }
  })
}

async function exportView(services: Services, visit: Visit<Visitor>, problem?: string): Promise<View> {
  const { exports } = await listExports(services, visit.visitor.actor)
  return settingsView(visit, PATH, {
    title: 'Export',
    status: problem === undefined ? 200 : 400,
    main: html`${visit.form(
      PATH,
      html`${problemAbove(problem)}<p>All your conversations with their transcripts, summaries and notes, and your folders, people and terms, in one file. You can
read it without Parlance, and check that nobody has changed it.</p>
${checkField('recordings', 'With the recordings', false)}
<button>Take everything with you</button>`,
      { class: 'sheet' }
    )}
${cardList(exports, one => row(visit, one), 'No export yet.', 'Your exports')}
<p class="hint">An export is removed ${LIMITS.exports.hours} hours after it is complete.</p>`
  })
}

function row({ form, visitor }: Visit<Visitor>, one: LibraryExport): Html {
  const { id, status, sessions_done: done, sessions_total: total, bytes, download_url: url, error } = one
  return html`<li><h2>${atTime(new Date(one.created_at), visitor.timeZone)}</h2>
<p class="facts">${STATES[status]}: ${counted(done, 'conversation')} of ${inWords(total)}${when(one.recordings, () => html`, with the recordings`)}${when(
    bytes,
    () => html`, ${inWords(Math.ceil((bytes ?? 0) / 1024))} KiB`
  )}${when(error, () => html`. ${error}`)}</p>
${when(status === 'running', () => html`<p class="hint">Load the page again to see how far it is.</p>`)}
${when(url, () => html`<p><a href="${url ?? ''}">Download</a></p>`)}
${form(`${PATH}/${id}/delete`, html`<button class="second">Delete the export</button>`)}</li>`
}

const STATES = { running: 'Being written', completed: 'Complete', failed: 'Failed' }
