import type { z } from 'zod'
import { EVENT_TYPES } from '../../../contract/event.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { type Webhook, WebhookCreate } from '../../../contract/webhook.ts'
import type { Services } from '../../../features/services.ts'
import type { Visitor } from '../../../features/sign-in/sign-in.ts'
import { createWebhook, listWebhooks } from '../../../features/webhooks/operations.ts'
import { readShape } from '../../../platform/core/remedy.ts'
import { type Html, html, when } from '../../web/html.ts'
import { cardList } from '../cards.ts'
import { atTime } from '../dates.ts'
import { hintBelow } from '../fields.ts'
import { problemAbove, problemOf } from '../form-problem.ts'
import { readHeaderLines } from '../header-lines.ts'
import { counted } from '../numbers.ts'
import { type Console, NONE } from '../open-console.ts'
import { settingsView } from '../settings.ts'
import type { View, Visit } from '../visit.ts'
import { eventBoxes, payloadBox, payloadOf, type SentWebhook, SentWebhookShape, urlField } from '../webhook-fields.ts'
import { WEBHOOKS_PATH } from '../webhook-path.ts'

const USUAL: SentWebhook = { 'session.completed': 'on' }

/** The user's webhooks, and a form that adds one, whose secret is shown once. */
export function webhooksPage({ services, user }: Console) {
  user.page(WEBHOOKS_PATH, NONE, async visit => await webhooksView(services, visit, { sent: USUAL }))

  user.form(WEBHOOKS_PATH, { ...NONE, body: SentWebhookShape }, async (visit, { body: sent }) => {
    try {
      const webhook = await createWebhook(services, visit.visitor.actor, readShape(WebhookCreate, toWebhook(sent)))
      return secretView(visit, webhook, 201)
    } catch (error) {
      return await webhooksView(services, visit, { sent, problem: problemOf(error) })
    }
  })
}

function toWebhook(sent: SentWebhook): z.input<typeof WebhookCreate> {
  return {
    url: sent.url?.trim() ?? '',
    events: EVENT_TYPES.filter(type => sent[type] !== undefined),
    payload: payloadOf(sent),
    headers: readHeaderLines(sent.headers ?? '')
  }
}

async function webhooksView(
  services: Services,
  visit: Visit<Visitor>,
  { sent, problem }: { sent: SentWebhook; problem?: string }
): Promise<View> {
  const { webhooks } = await listWebhooks(services, visit.visitor.actor)
  return settingsView(visit, WEBHOOKS_PATH, {
    title: 'Webhooks',
    status: problem === undefined ? 200 : 400,
    main: html`<p>A webhook sends signed events to a URL of yours as they happen. <a href="${visit.link('/docs/api/webhooks')}">How to receive them</a></p>
${cardList(webhooks, webhook => row(visit, webhook), 'You have no webhook.')}
<h2 id="new">Add a webhook</h2>
${newForm(visit, sent, problem)}`
  })
}

function row({ link, visitor }: Visit<Visitor>, webhook: Webhook): Html {
  return html`<li><a href="${link(`${WEBHOOKS_PATH}/${webhook.id}`)}"><h2>${webhook.url}</h2></a>
<p class="facts">${stateOf(webhook, visitor.timeZone)}</p></li>`
}

/** Whether a webhook works, in words. */
export function stateOf(
  { active, failure_count, last_delivery_at, last_delivery_status }: Webhook,
  timeZone: string
): Html {
  const last =
    last_delivery_at === null ? 'nothing sent yet' : `last sent on ${atTime(new Date(last_delivery_at), timeZone)}`
  const answer = last_delivery_status === null ? '' : `, answered ${last_delivery_status}`
  return html`<span class="${active ? 'works' : 'broken'}">${active ? 'On' : 'Off'}</span>, ${last}${answer}${when(
    failure_count > 0,
    () => html`, <span class="broken">${counted(failure_count, 'failed attempt')} in a row</span>`
  )}`
}

function newForm({ form }: Visit, sent: SentWebhook, problem: string | undefined): Html {
  const { max } = LIMITS.webhookHeaders
  return form(
    WEBHOOKS_PATH,
    html`${problemAbove(problem)}
${urlField(sent)}
${eventBoxes(sent)}
${payloadBox(sent)}
<label>Headers of your own<textarea name="headers" rows="3" spellcheck="false">${sent.headers ?? ''}</textarea></label>
${hintBelow(`Up to ${max}, a line each, such as “Authorization: Bearer key-of-your-receiver”. They are stored encrypted and not shown again.`)}
<button>Add the webhook</button>`,
    { class: 'sheet' }
  )
}

/** The page with a new secret, which no other page shows. */
export function secretView(visit: Visit, { id, url, secret }: Webhook, status: number): View {
  return settingsView(visit, WEBHOOKS_PATH, {
    title: 'The new secret',
    status,
    main: html`<p>Copy the secret of <strong>${url}</strong> now: it is shown this once. Your receiver
<a href="${visit.link('/docs/api/webhooks')}">checks the signature</a> of each event with it.</p>
<pre class="secret"><code>${secret}</code></pre>
<p><a class="button" href="${visit.link(`${WEBHOOKS_PATH}/${id}`)}">I have copied it</a></p>`
  })
}
