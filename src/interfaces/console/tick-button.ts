import { type Html, html } from '../web/html.ts'

/** The button of a form that completes an action item, or opens it again. */
export function tickButton(text: string, completed: boolean): Html {
  return html`<input type="hidden" name="completed" value="${String(!completed)}">
<button class="tick" role="checkbox" aria-checked="${String(completed)}"><span dir="auto">${text}</span></button>`
}
