import { z } from 'zod'
import { DeliveriesQuery, ReplayRequest } from '../../../contract/delivery.ts'
import type { Webhook } from '../../../contract/webhook.ts'
import type { Services } from '../../../features/services.ts'
import type { Visitor } from '../../../features/sign-in/sign-in.ts'
import { listDeliveries, replayEvents, retryDelivery } from '../../../features/webhooks/delivery/operations.ts'
import {
  deleteWebhook,
  getWebhook,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook
} from '../../../features/webhooks/operations.ts'
import { readShape } from '../../../platform/core/remedy.ts'
import { type Html, html, when } from '../../web/html.ts'
import { onDay } from '../dates.ts'
import { deliveryLog } from '../delivery-log.ts'
import { confirmed, textField } from '../fields.ts'
import { problemOf } from '../form-problem.ts'
import { type Notice, noticeAbove } from '../notice.ts'
import { type Console, NONE } from '../open-console.ts'
import { settingsView } from '../settings.ts'
import type { View, Visit } from '../visit.ts'
import { eventWords } from '../webhook-fields.ts'
import { DeliveryParams, WEBHOOKS_PATH, WebhookParams } from '../webhook-path.ts'
import { secretView, stateOf } from './webhooks.ts'

const { status, cursor } = DeliveriesQuery.shape
const Log = z.object({ status, cursor })
type Log = z.output<typeof Log>

const Turn = z.object({ active: z.stringbool() })
const Replay = z.object({ since: z.string().default('') })

/** A webhook: whether it works, what it sent and what was answered, and the forms that test, change and delete it. */
export function webhookPage({ services, user }: Console) {
  const path = `${WEBHOOKS_PATH}/:id`
  const shapes = { ...NONE, params: WebhookParams }

  user.page(path, { ...shapes, query: Log }, async (visit, { params: { id }, query }) =>
    webhookView(services, visit, id, { log: query })
  )

  user.form(`${path}/test`, shapes, async (visit, { params: { id } }) => {
    const { success, status, reason, duration_ms: ms } = await testWebhook(services, visit.visitor.actor, id)
    const words = success
      ? `The test was delivered in ${ms} ms: it answered with ${status}.`
      : `The test failed. ${reason}.`
    return await webhookView(services, visit, id, { notice: { words, isBad: !success } })
  })

  user.form(`${path}/rotate`, shapes, async (visit, { params: { id } }) =>
    secretView(visit, await rotateWebhookSecret(services, visit.visitor.actor, id), 200)
  )

  user.form(`${path}/active`, { ...shapes, body: Turn }, async ({ visitor }, { params: { id }, body: { active } }) => {
    await updateWebhook(services, visitor.actor, id, { active })
    return { to: `${WEBHOOKS_PATH}/${id}` }
  })

  user.form(`${path}/delete`, shapes, async ({ visitor }, { params: { id } }) => {
    await deleteWebhook(services, visitor.actor, id)
    return { to: WEBHOOKS_PATH }
  })

  user.form(
    `${path}/deliveries/:delivery_id/retry`,
    { ...NONE, params: DeliveryParams },
    async (visit, { params: { id, delivery_id: deliveryId } }) => {
      const notice = await noticeOf(async () => {
        await retryDelivery(services, visit.visitor.actor, id, deliveryId)
        return 'The event is sent again now.'
      })
      return await webhookView(services, visit, id, { notice })
    }
  )

  user.form(`${path}/replay`, { ...shapes, body: Replay }, async (visit, { params: { id }, body: { since } }) => {
    const notice = await noticeOf(async () => {
      const request = readShape(ReplayRequest, { since })
      const { queued, next_seq: rest } = await replayEvents(services, visit.visitor.actor, id, request)
      const more = rest === null ? '' : ' There are more: replay again from a later day.'
      return `${queued === 1 ? '1 event is' : `${queued} events are`} sent again.${more}`
    })
    return await webhookView(services, visit, id, { notice })
  })
}

/** Runs an operation and returns the line that says what it did, or why it refused. Another's webhook is not found. */
async function noticeOf(run: () => Promise<string>): Promise<Notice> {
  try {
    return { words: await run() }
  } catch (error) {
    return { words: problemOf(error), isBad: true, status: 400 }
  }
}

async function webhookView(
  services: Services,
  visit: Visit<Visitor>,
  id: string,
  { log = {}, notice }: { log?: Log; notice?: Notice }
): Promise<View> {
  const { actor, timeZone } = visit.visitor
  const [webhook, { deliveries, next_cursor: next }] = await Promise.all([
    getWebhook(services, actor, id),
    listDeliveries(services, actor, id, { ...log, limit: 20 })
  ])
  return settingsView(visit, WEBHOOKS_PATH, {
    title: 'Webhook',
    status: notice?.status ?? 200,
    main: html`<p class="address"><strong>${webhook.url}</strong></p>
${noticeAbove(notice)}
<p class="facts">${stateOf(webhook, timeZone)}</p>
<p class="facts">Made on ${onDay(new Date(webhook.created_at), timeZone)}${when(
      webhook.header_names.length > 0,
      () => html`, with the headers ${webhook.header_names.join(', ')}`
    )}${when(webhook.payload === 'thin', () => html`, sending only the id of the session`)}</p>
<ul class="facts">${webhook.events.map(type => html`<li>${eventWords(type)} <code>${type}</code></li>`)}</ul>
${actions(visit, webhook)}
<h2 id="log">Deliveries</h2>
${deliveryLog(visit, webhook, deliveries, { status: log.status, next })}
<h2 id="replay">Send events again</h2>
${replayForm(visit, webhook)}
${removal(visit, webhook)}`
  })
}

function actions({ form, link }: Visit, { id, active }: Webhook): Html {
  const path = `${WEBHOOKS_PATH}/${id}`
  return html`<div class="inline">${form(`${path}/test`, html`<button>Send a test</button>`)}
${form(
  `${path}/active`,
  html`<input type="hidden" name="active" value="${String(!active)}"><button class="second">${active ? 'Turn off' : 'Turn on'}</button>`
)}
<a class="button second" href="${link(`${path}/change`)}">Change</a></div>
${confirmed(
  'Replace the secret',
  'You get a new secret. For a day, events are signed with both, so that you can change your receiver.',
  form(`${path}/rotate`, html`<button>Replace the secret</button>`)
)}`
}

function replayForm({ form }: Visit, { id }: Webhook): Html {
  return form(
    `${WEBHOOKS_PATH}/${id}/replay`,
    html`${textField({ name: 'since', label: 'All events since', type: 'date', required: true, hint: 'The day begins at 00:00 UTC. The server keeps events for 30 days.' })}
<button>Send them again</button>`,
    { class: 'sheet' }
  )
}

function removal({ form }: Visit, { id }: Webhook): Html {
  return confirmed(
    'Delete the webhook',
    'Events that wait for it are deleted too. This cannot be undone.',
    form(`${WEBHOOKS_PATH}/${id}/delete`, html`<button class="bad">Delete the webhook</button>`)
  )
}
