import type { Imported } from '../../features/ingest/operations.ts'
import { InTrash } from '../../features/sessions/accepted.ts'
import { html } from '../web/html.ts'
import type { Answer, Visit } from './visit.ts'

/** The result of an upload: a new session, one that an earlier import has made, or that one in the trash. */
type Outcome = 'new' | 'known' | 'trash'

const WORDS: Record<Outcome, string> = {
  new: 'The conversation is imported.',
  known: 'The same file was imported before; its session is unchanged.',
  trash: 'The same file was imported before, and its session is in the trash.'
}

/**
 * Answers with the page of the session that an import makes or finds. One that is in the trash can be restored there. A script gets a short page
 * instead, whose part with `data-imported` says what became of the file.
 */
export async function importedPage(
  { link }: Pick<Visit, 'link'>,
  importSession: () => Promise<Imported>,
  { isShort = false } = {}
): Promise<Answer> {
  const { id, outcome } = await importSession().then(
    ({ session, created }) => ({ id: session.id, outcome: created ? ('new' as const) : ('known' as const) }),
    (error: unknown) => {
      if (error instanceof InTrash) return { id: error.sessionId, outcome: 'trash' as const }
      throw error
    }
  )
  if (!isShort) return { to: `/s/${id}` }
  const address = link(`/s/${id}`)
  return {
    title: 'Imported',
    part: 'upload',
    narrow: true,
    main: html`<h1>Imported</h1>
<p data-imported data-session="${address}" data-outcome="${outcome}">${WORDS[outcome]} <a href="${address}">Open it</a></p>`
  }
}
