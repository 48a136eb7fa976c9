import { z } from 'zod'
import { EVENT_TYPES } from '../../../contract/event.ts'
import { type Webhook, WebhookPatch } from '../../../contract/webhook.ts'
import type { Services } from '../../../features/services.ts'
import type { Visitor } from '../../../features/sign-in/sign-in.ts'
import { getWebhook, updateWebhook } from '../../../features/webhooks/operations.ts'
import { webhookTag } from '../../../features/webhooks/webhook-row.ts'
import { ApiError } from '../../../platform/core/api-error.ts'
import { readShape } from '../../../platform/core/remedy.ts'
import { type Html, html, when } from '../../web/html.ts'
import { conflictView } from '../conflict.ts'
import { checkField, hintBelow } from '../fields.ts'
import { problemAbove, problemOf } from '../form-problem.ts'
import { readHeaderLines } from '../header-lines.ts'
import { type Console, NONE } from '../open-console.ts'
import { settingsView } from '../settings.ts'
import type { View, Visit } from '../visit.ts'
import {
  eventBoxes,
  payloadBox,
  payloadOf,
  type SentWebhook,
  SentWebhookShape,
  toSentPayload,
  urlField
} from '../webhook-fields.ts'
import { WEBHOOKS_PATH, WebhookParams } from '../webhook-path.ts'

/** The webhook as the form was made from it, and the box that removes its headers. */
const Sent = SentWebhookShape.and(z.object({ seen: z.string().regex(/^[\w-]{27}$/, 'the form as the page has it') }))

const REMOVE = 'remove_headers'

/** The form that changes the URL, the events, the payload and the headers of a webhook. */
export function webhookChange({ services, user }: Console) {
  const path = `${WEBHOOKS_PATH}/:id/change`
  const shapes = { ...NONE, params: WebhookParams }

  user.page(path, shapes, async (visit, { params: { id } }) => {
    const webhook = await getWebhook(services, visit.visitor.actor, id)
    return changeView(visit, webhook, { sent: toSent(webhook) })
  })

  user.form(path, { ...shapes, body: Sent }, async (visit, { params: { id }, body: sent }) => {
    const { actor } = visit.visitor
    try {
      const change = readShape(WebhookPatch, toChange(sent))
      await updateWebhook(services, actor, id, change, { seen: sent.seen })
      return { to: `${WEBHOOKS_PATH}/${id}` }
    } catch (error) {
      if (error instanceof ApiError && error.code === 'precondition_failed')
        return await conflictOf(services, visit, id, sent)
      const problem = problemOf(error)
      return changeView(visit, await getWebhook(services, actor, id), { sent, problem })
    }
  })
}

function toSent({ url, events, payload }: Webhook): SentWebhook {
  return { url, ...toSentPayload(payload), ...Object.fromEntries(events.map(type => [type, 'on'])) }
}

/** Empty headers keep those that are stored, because the form can't show them. */
function toChange(sent: SentWebhook): z.input<typeof WebhookPatch> {
  const headers = readHeaderLines(sent.headers ?? '')
  const isReplaced = sent[REMOVE] !== undefined || Object.keys(headers).length > 0
  return {
    url: sent.url?.trim() ?? '',
    events: EVENT_TYPES.filter(type => sent[type] !== undefined),
    payload: payloadOf(sent),
    ...(isReplaced && { headers })
  }
}

interface Filled {
  sent: SentWebhook
  problem?: string
}

function changeView(visit: Visit, webhook: Webhook, { sent, problem }: Filled): View {
  const { id } = webhook
  return settingsView(visit, WEBHOOKS_PATH, {
    title: 'Change the webhook',
    status: problem === undefined ? 200 : 400,
    main: html`${visit.form(
      `${WEBHOOKS_PATH}/${id}/change`,
      html`${problemAbove(problem)}
${fields(webhook, sent)}
<button>Save</button> <a href="${visit.link(`${WEBHOOKS_PATH}/${id}`)}">Cancel</a>`,
      { class: 'sheet' }
    )}`
  })
}

function fields(webhook: Webhook, sent: SentWebhook): Html {
  const { header_names: names } = webhook
  const kept = `Leave them empty to keep ${names.join(', ')}. A URL of another origin needs them again.`
  return html`<input type="hidden" name="seen" value="${webhookTag(webhook)}">
${urlField(sent)}
${eventBoxes(sent)}
${payloadBox(sent)}
<label>Headers of your own<textarea name="headers" rows="3" spellcheck="false">${sent.headers ?? ''}</textarea></label>
${hintBelow(names.length > 0 ? kept : 'A line each, such as “Authorization: Bearer key-of-your-receiver”.')}
${when(names.length > 0, () => checkField(REMOVE, 'Remove the headers', sent[REMOVE] !== undefined))}`
}

async function conflictOf(services: Services, visit: Visit<Visitor>, id: string, sent: SentWebhook): Promise<View> {
  const webhook = await getWebhook(services, visit.visitor.actor, id)
  const { url, events, payload, active, header_names: names } = webhook
  return conflictView({
    mine: visit.form(`${WEBHOOKS_PATH}/${id}/change`, html`${fields(webhook, sent)}<button>Save mine</button>`),
    theirs: html`<p class="address"><strong>${url}</strong></p><p>${active ? 'On' : 'Off'}</p>
<ul class="facts">${events.map(type => html`<li><code>${type}</code></li>`)}</ul>
${when(payload === 'thin', () => html`<p class="facts">Only the id of the session is sent</p>`)}
${when(names.length > 0, () => html`<p class="facts">Headers: ${names.join(', ')}</p>`)}`,
    keep: visit.link(`${WEBHOOKS_PATH}/${id}`),
    part: 'settings'
  })
}
