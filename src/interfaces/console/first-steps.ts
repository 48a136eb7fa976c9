import { type Html, html } from '../web/html.ts'
import type { Visit } from './visit.ts'

/** Shows what to do in a library without sessions. */
export function firstSteps({ link }: Pick<Visit, 'link'>, publicUrl: string): Html {
  return html`<div class="empty steps"><h2>There is nothing yet</h2>
<ol><li><h3>Upload a conversation</h3>
<p>A recording or a transcript becomes a session with its summary, action items and transcript.</p>
<p><a class="button" href="${link('/upload')}">Upload a recording or a transcript</a></p></li>
<li><h3>Or have a program send them</h3>
<p><a href="${link('/settings/tokens')}">Make a token</a>, and put it in the place of <code>$TOKEN</code>:</p>
<pre><code>curl -F file=@weekly.vtt -H "Authorization: Bearer $TOKEN" ${publicUrl}/v1/sessions/upload</code></pre>
<p>The guides say <a href="${link('/docs/api/import')}">how to import</a> what you have elsewhere.</p></li></ol></div>`
}
