import { type Html, html } from '../web/html.ts'
import type { Visit } from './visit.ts'

/** Adds a recording to a session that has none. */
export function recordingForm({ form }: Pick<Visit, 'form'>, sessionId: string): Html {
  const fields = html`<label>A recording of this conversation<input type="file" name="file" accept="audio/*,video/*" required></label>
<button>Add the recording</button>`
  return html`<details class="add-recording"><summary>Add a recording</summary>${form(`/s/${sessionId}/recording`, fields, { parts: true })}</details>`
}
