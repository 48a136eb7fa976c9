import { ApiError, describeError } from '../../platform/core/api-error.ts'
import { html } from '../web/html.ts'
import type { View, Visit } from './visit.ts'

/** The framework's refusal of a request, such as one of a form that is too large, or any other error. */
function unreadable(thrown: Error) {
  const status = 'statusCode' in thrown ? Number(thrown.statusCode) : 500
  if (status === 413) return new ApiError('invalid_request', 'The form has more text than this page takes', { status })
  if (status >= 400 && status < 500) return new ApiError('invalid_request', 'The form cannot be read', { status })
  return new ApiError('service_unavailable', 'The page cannot be shown now')
}

/** A form has one file, so the name of the field tells people nothing. */
function wordsOf({ field, problem, expected, message }: ApiError) {
  return field === 'file' ? describeError({ problem, expected }, 'expected') : message
}

interface ErrorView extends View {
  status: number
  retryAfter?: number | undefined
}

/** The page of an error. It shows the message of an error that the visitor can mend, and nothing of any other. */
export function errorView(thrown: Error, { link }: Pick<Visit, 'link'>): ErrorView {
  const error = thrown instanceof ApiError ? thrown : unreadable(thrown)
  const { code, status, problem, retryAfter } = error
  const words = wordsOf(error)
  const view = (title: string, text: string) => ({
    title,
    status,
    retryAfter,
    atOnce: true,
    narrow: true,
    main: html`<h1>${title}</h1>
<p>${text}</p>
<p><a href="${link('/')}">Go to the start</a></p>`
  })
  if (code === 'not_found')
    return view('There is nothing here', 'The address may be incomplete, or the page is not for you, or it is gone.')
  if (code === 'no_access' || code === 'insufficient_scope')
    return view('This form has expired', `${problem}. Go back, load the page again and repeat what you did.`)
  const sentence = words.endsWith('.') ? words : `${words}.`
  if (status === 429) return view('Too many requests', sentence)
  if (status < 500) return view('This is not possible', sentence)
  return view('This did not work', 'The server cannot answer now. Wait a moment, then load the page again.')
}

/** The page of an address that leads nowhere. */
export function unknownView(link: Visit['link']): View {
  return {
    title: 'There is no such page',
    status: 404,
    narrow: true,
    main: html`<h1>There is no such page</h1>
<p>Check the address, or begin with <a href="${link('/docs/')}">the guides</a> or <a href="${link('/v1/docs/')}">the API reference</a>.</p>`
  }
}
