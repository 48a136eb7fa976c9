import { ApiError } from '../../platform/core/api-error.ts'
import { type Html, html } from '../web/html.ts'
import type { Answer, View } from './visit.ts'

interface Conflict extends Pick<View, 'part'> {
  mine: Html
  theirs: Html
  /** The address of the page as it is now. */
  keep: string
}

/** The page of a change that would have overwritten another one: both versions, and a form that saves this one over it. */
export function conflictView({ mine, theirs, keep, part = 'sessions' }: Conflict): View {
  return {
    title: 'Changed meanwhile',
    part,
    status: 409,
    main: html`<h1>This was changed meanwhile</h1>
<p>Nothing is lost and nothing was saved. Compare the two versions, and choose.</p>
<div class="versions"><section><h2>Your version</h2>${mine}</section>
<section><h2>As it is now</h2>${theirs}<p><a class="button" href="${keep}">Keep this one</a></p></section></div>`
  }
}

/** Answers a change that would overwrite another one; throws every other error. */
export function onConflict(answer: () => Promise<Answer>) {
  return (error: unknown) => {
    const isOverwriting =
      error instanceof ApiError && (error.code === 'conflict' || error.code === 'precondition_failed')
    if (!isOverwriting) throw error
    return answer()
  }
}
