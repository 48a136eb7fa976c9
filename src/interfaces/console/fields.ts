import { type Html, html, when } from '../web/html.ts'

interface TextField {
  name: string
  label: string
  value?: string | number
  type?: 'text' | 'url' | 'email' | 'date' | 'search'
  /** The most characters that the browser lets people type. */
  max?: number
  required?: boolean
  /** A sentence below the field. */
  hint?: string
}

export function textField({
  name,
  label,
  value = '',
  type = 'text',
  max,
  required = false,
  hint = ''
}: TextField): Html {
  return html`<label>${label}<input type="${type}" name="${name}" dir="auto" value="${value}"${when(max, () => html` maxlength="${max}"`)}${when(required, () => html` required`)}></label>${hintBelow(hint)}`
}

export interface Choice {
  value: string
  words: string
}

export function selectField(name: string, label: string, choices: readonly Choice[], chosen: string): Html {
  const options = choices.map(
    ({ value, words }) =>
      html`<option value="${value}"${when(value === chosen, () => html` selected`)}>${words}</option>`
  )
  return html`<label>${label}<select name="${name}">${options}</select></label>`
}

/** A box to tick, which sends its name if it is ticked. */
export function checkField(name: string, label: string | Html, isTicked: boolean): Html {
  return html`<label class="check"><input type="checkbox" name="${name}" value="on"${when(isTicked, () => html` checked`)}><span>${label}</span></label>`
}

export function hintBelow(hint: string): Html | '' {
  return when(hint, () => html`<p class="hint">${hint}</p>`)
}

/** A button behind a second click, for what cannot be undone. `words` say what happens. */
export function confirmed(summary: string, words: string | Html, form: Html): Html {
  return html`<details class="confirm"><summary>${summary}</summary><p>${words}</p>${form}</details>`
}
