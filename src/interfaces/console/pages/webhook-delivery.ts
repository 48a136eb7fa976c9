import type { Webhook } from '../../../contract/webhook.ts'
import type { Visitor } from '../../../features/sign-in/sign-in.ts'
import type { Exchange } from '../../../features/webhooks/delivery/exchange.ts'
import { getExchange } from '../../../features/webhooks/delivery/operations.ts'
import { getWebhook } from '../../../features/webhooks/operations.ts'
import { type Html, html, when } from '../../web/html.ts'
import { atTime } from '../dates.ts'
import { type Console, NONE } from '../open-console.ts'
import { settingsView } from '../settings.ts'
import type { Visit } from '../visit.ts'
import { DeliveryParams, WEBHOOKS_PATH } from '../webhook-path.ts'

/** The characters of a body that the page shows. */
const SHOWN_CHARACTERS = 65_536

/** One event: the request as it is sent, and what the receiver answered to each attempt. */
export function webhookDelivery({ services, user }: Console) {
  const path = `${WEBHOOKS_PATH}/:id/deliveries/:delivery_id`

  user.page(path, { ...NONE, params: DeliveryParams }, async (visit, { params: { id, delivery_id: deliveryId } }) => {
    const { actor } = visit.visitor
    const [webhook, exchange] = await Promise.all([
      getWebhook(services, actor, id),
      getExchange(services, actor, id, deliveryId)
    ])
    const ofWebhook = `${WEBHOOKS_PATH}/${id}`
    const again = `${ofWebhook}/deliveries/${deliveryId}/retry`
    const answers = exchange.attempts.map((attempt, index) => answerTo(visit, attempt, index + 1))
    return settingsView(visit, WEBHOOKS_PATH, {
      title: 'Delivery',
      main: html`<p class="address"><a href="${visit.link(ofWebhook)}">${webhook.url}</a></p>
<p class="facts"><code>${exchange.event}</code></p>
<h2>Request</h2>
${request(webhook, exchange)}
<h2>${answers.length === 1 ? 'Answer' : 'Answers'}</h2>
${answers.length > 0 ? html`<ol class="cards">${answers}</ol>` : html`<p class="empty">There was no attempt yet.</p>`}
${when(exchange.body !== null, () => visit.form(again, html`<button class="second">Send again</button>`))}`
    })
  })
}

/** The secret parts are left out: the signature, and the values of the owner's headers, as they are now. */
function request({ url, header_names: names }: Webhook, { id, body }: Exchange): Html {
  const own = names.map(name => `${name.toLowerCase()}: (stored encrypted)\n`).join('')
  const lines = `POST ${url}
${own}webhook-id: ${id}
webhook-timestamp: (seconds since 1970, at the attempt)
webhook-signature: (of id, timestamp and body)
content-type: application/json
user-agent: Parlance-Webhooks/1.0`
  if (body === null)
    return html`<pre class="as-sent" tabindex="0"><code>${lines}</code></pre>
<p class="facts">Its body is no longer kept. The body of a test never is.</p>`
  const text = indented(body)
  return html`<pre class="as-sent" tabindex="0"><code>${lines}

${text.slice(0, SHOWN_CHARACTERS)}</code></pre>
${when(text.length > SHOWN_CHARACTERS, () => html`<p class="facts">The rest of the body is left out here.</p>`)}`
}

function indented(json: string) {
  return JSON.stringify(JSON.parse(json), null, 2)
}

function answerTo({ visitor }: Visit<Visitor>, attempt: Exchange['attempts'][number], number: number): Html {
  const { attempted_at: at, status, reason, duration_ms: ms, headers, body } = attempt
  const text = [headers, body].filter(part => part !== '').join('\n\n')
  return html`<li><h3>Attempt ${number}</h3>
<p class="facts">${atTime(new Date(at), visitor.timeZone)}: ${status === null ? 'no answer' : `answered ${status}`} after ${ms} ms</p>
${when(reason, () => html`<p class="facts"><span class="broken">${reason}</span></p>`)}
${when(text, () => html`<pre class="as-sent" tabindex="0"><code>${text}</code></pre>`)}</li>`
}
