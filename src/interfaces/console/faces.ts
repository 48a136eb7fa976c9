import { initialsOf, voiceOf } from '../../platform/text/initials.ts'
import { type Html, html } from '../web/html.ts'

/** The initials of a person in their colour, beside the name. */
export function face(name: string, size: '' | 'mid' | 'big' = ''): Html {
  return html`<span class="face v${voiceOf(name)} ${size}" aria-hidden="true">${initialsOf(name)}</span>`
}
