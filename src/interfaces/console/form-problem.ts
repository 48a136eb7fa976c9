import { ApiError } from '../../platform/core/api-error.ts'
import { type Html, html, when } from '../web/html.ts'

/** Why a form was refused, so that its page shows it again as it was filled in. Throws an error that other fields would not mend. */
export function problemOf(error: unknown): string {
  if (!(error instanceof ApiError) || ![400, 409, 422].includes(error.status)) throw error
  const { field = '', problem, expected } = error
  const remedy = expected === undefined ? '' : `Expected: ${expected}`
  const words = [problem, remedy].filter(part => part !== '').join('. ')
  const name = field.split('.')[0]?.replaceAll('_', ' ') ?? ''
  return `${capital(name === '' ? words : `${name}: ${words}`)}.`
}

/** The problem above a form. */
export function problemAbove(problem: string | undefined): Html | '' {
  return when(problem, () => html`<p class="problem" role="alert">${problem}</p>`)
}

function capital(text: string) {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
