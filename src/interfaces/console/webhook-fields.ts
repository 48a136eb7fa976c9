import { z } from 'zod'
import { EVENT_TYPES, type EventType } from '../../contract/event.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { WebhookPayload } from '../../contract/webhook.ts'
import { type Html, html } from '../web/html.ts'
import { checkField, hintBelow, textField } from './fields.ts'

const EVENT_WORDS: Record<EventType, string> = {
  'session.completed': 'A session is processed',
  'session.updated': 'A session changes',
  'session.deleted': 'A session is deleted',
  'session.action_items.updated': 'The action items of a session change',
  'session.created': 'A session is accepted, before it is processed',
  'session.failed': 'Processing of a session fails'
}

/** The fields of a webhook's form, as a browser sends them: a box that is ticked has the name of its event. */
export const SentWebhookShape = z.record(z.string(), z.string())
export type SentWebhook = z.output<typeof SentWebhookShape>

export function eventWords(type: EventType) {
  return EVENT_WORDS[type]
}

export function urlField(sent: SentWebhook): Html {
  return textField({
    name: 'url',
    label: 'URL',
    type: 'url',
    value: sent.url ?? '',
    max: LIMITS.webhookUrl,
    required: true
  })
}

const THIN = 'thin'

/** Reads the box for the payload. */
export function payloadOf(sent: SentWebhook): WebhookPayload {
  return sent[THIN] === undefined ? 'full' : 'thin'
}

export function toSentPayload(payload: WebhookPayload): SentWebhook {
  return payload === 'thin' ? { [THIN]: 'on' } : {}
}

export function payloadBox(sent: SentWebhook): Html {
  return html`${checkField(THIN, 'Send only the id of the session', payloadOf(sent) === 'thin')}
${hintBelow('Your receiver then fetches the session with its own token.')}`
}

export function eventBoxes(sent: SentWebhook): Html {
  const boxes = EVENT_TYPES.map(type =>
    checkField(type, html`${EVENT_WORDS[type]} <code>${type}</code>`, sent[type] !== undefined)
  )
  return html`<fieldset><legend>It is called when</legend>${boxes}</fieldset>`
}
