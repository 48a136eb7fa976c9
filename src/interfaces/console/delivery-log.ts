import type { Delivery } from '../../contract/delivery.ts'
import type { Webhook } from '../../contract/webhook.ts'
import { type Html, html, when } from '../web/html.ts'
import { moreLink } from './cards.ts'
import { atTime } from './dates.ts'
import type { Visit } from './visit.ts'
import { WEBHOOKS_PATH } from './webhook-path.ts'

const STATES = [
  { status: undefined, name: 'All' },
  { status: 'pending', name: 'Waiting' },
  { status: 'delivered', name: 'Delivered' },
  { status: 'failed', name: 'Failed' }
] as const

interface LogPage {
  status: Delivery['status'] | undefined
  next: number | null
}

/** Shows the deliveries of a webhook, newest event first: the request of each event, and the answer to each attempt. */
export function deliveryLog(
  { link, form, visitor }: Pick<Visit, 'link' | 'form' | 'visitor'>,
  webhook: Webhook,
  deliveries: readonly Delivery[],
  { status, next }: LogPage
): Html {
  const path = `${WEBHOOKS_PATH}/${webhook.id}`
  const at = (query: Record<string, string>) => link(`${path}?${new URLSearchParams(query)}#log`)
  const states = STATES.map(
    one =>
      html`<a href="${at(one.status ? { status: one.status } : {})}"${when(one.status === status, () => html` aria-current="true"`)}>${one.name}</a>`
  )
  const rows = deliveries.map(delivery => row({ form, link }, webhook, delivery, visitor?.timeZone ?? 'UTC'))
  return html`<nav class="tabs" aria-label="Deliveries">${states}</nav>
${rows.length > 0 ? html`<ol class="cards">${rows}</ol>` : html`<p class="empty">There is no such delivery.</p>`}
${moreLink(next?.toString(), cursor => at({ ...(status && { status }), cursor }), 'Older ones')}`
}

function row(
  { form, link }: Pick<Visit, 'form' | 'link'>,
  { id: webhookId, url }: Webhook,
  { id, seq, event, status, next_attempt_at: next, attempts }: Delivery,
  timeZone: string
): Html {
  const time = (at: string) => atTime(new Date(at), timeZone)
  const state = {
    pending: html`<span class="works">waiting</span>${when(next, () => html`, next attempt ${time(next ?? '')}`)}`,
    delivered: html`<span class="works">delivered</span>`,
    failed: html`<span class="broken">failed</span>`
  }
  const answers = attempts.map(
    ({ attempted_at: at, status: answered, error, reason, duration_ms: ms }) =>
      html`<li>${time(at)}: ${answered === null ? 'no answer' : `answered ${answered}`} after ${ms} ms${when(
        error,
        () => html`. <span class="broken">${reason ?? error}</span>`
      )}</li>`
  )
  return html`<li><h3>${event}</h3>
<p class="facts">${state[status]}${when(seq !== null, () => html`, event ${seq} of the feed`)}</p>
<details${when(status !== 'delivered', () => html` open`)}><summary>Request and ${attempts.length === 1 ? 'answer' : 'answers'}</summary>
<p class="facts"><code>POST ${url}</code> <code>webhook-id: ${id}</code></p>
<p class="facts"><a href="${link(`${WEBHOOKS_PATH}/${webhookId}/deliveries/${id}`)}">Body, headers and what was answered</a></p>
${answers.length > 0 ? html`<ol>${answers}</ol>` : html`<p class="facts">No attempt yet.</p>`}</details>
${when(seq !== null, () => form(`${WEBHOOKS_PATH}/${webhookId}/deliveries/${id}/retry`, html`<button class="second">Send again</button>`))}</li>`
}
