import { z } from 'zod'
import { type Html, html } from '../../web/html.ts'
import { checkField } from '../fields.ts'
import { type Console, NONE } from '../open-console.ts'
import type { Visit } from '../visit.ts'

const PATH = '/settings/keys'

const Keys = z.object({ keys: z.string().optional() })

/** Turns the keys of a single letter on or off. It is kept in the browser, because it depends on how somebody types there. */
export function keysForm({ user }: Console) {
  user.form(PATH, { ...NONE, body: Keys }, async ({ cookies }, { body: { keys } }) => {
    cookies.useKeys(keys !== undefined)
    return { to: '/settings#keys' }
  })
}

export function keysSection({ form, cookies }: Visit): Html {
  return html`<h2 id="keys">Keys</h2>
${form(
  PATH,
  html`${checkField('keys', 'Use keys of a single letter in this browser', cookies.usesKeys())}
<p class="hint">Turn them off if you dictate, or press keys by accident. Ctrl-K searches all the same.</p><button>Save</button>`,
  { class: 'sheet' }
)}`
}
