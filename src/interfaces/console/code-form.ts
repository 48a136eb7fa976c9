import { type Html, html, when } from '../web/html.ts'
import type { Visit } from './visit.ts'

export const CODE_PATH = '/sign-in/code'

/** A form for the code in the mail, for people who read their mail elsewhere. `problem` says why the one before was refused. */
export function codeForm(form: Visit['form'], problem = ''): Html {
  return form(
    CODE_PATH,
    html`<label for="code">Or enter the code in the mail</label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required maxlength="20"${when(problem, () => html` aria-invalid="true" aria-describedby="code-problem"`)}>
${when(problem, () => html`<p id="code-problem" class="problem">${problem}</p>`)}
<button>Sign in</button>`
  )
}
