// @module-tag both

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { EVENT_TYPES, TEST_EVENT } from '../../../src/contract/event.ts'
import { decideNext } from '../../../src/features/webhooks/delivery/judge-attempts.ts'
import { RETRY_SCHEDULE } from '../../../src/interfaces/http/document/webhook-description.ts'
import { dispatching, hookOf } from '../../support/dispatch.ts'
import { startReceiver } from '../../support/receiver.ts'
import { validatorsOf } from '../../support/schemas.ts'
import { acceptSession, completeSession } from '../../support/server.ts'

interface Receiving {
  parameters: { name: string; in: string; required: boolean; schema: object }[]
  requestBody: { content: Record<string, { schema: object }> }
  responses: Record<string, { description: string; headers?: Record<string, unknown> }>
}

const PATIENT = { timeout: 300_000, interval: 20 }
/** Headers of HTTP itself. */
const UNDESCRIBED = ['host', 'connection', 'content-type', 'content-length']

const document = JSON.parse(readFileSync('openapi/openapi.json', 'utf8'))
const webhooks: Record<string, { post: Receiving }> = document.webhooks
const validatorOf = validatorsOf(document)

test('a delivery of each event has exactly the headers and the payload that the document describes', async () => {
  const { db, newUser } = await dispatching()
  const user = await newUser()
  const receiver = await startReceiver()
  const { id } = await hookOf(user, receiver.url, [...EVENT_TYPES])
  const session = await user.session()
  await completeSession(
    user.id,
    await acceptSession(user.id, { segments: [], media: { audio: 'https://example.test/a.mp3' } }, db),
    undefined,
    db
  )
  await user.patch(`/v1/sessions/${session}`, { title: 'Changed', action_items: [{ text: 'Send the offer' }] })
  await user.delete(`/v1/sessions/${session}`)
  await user.post(`/v1/webhooks/${id}/rotate-secret`)
  await user.post(`/v1/webhooks/${id}/test`)
  const sent = () => [...new Set(receiver.received.map(({ body }) => JSON.parse(body).event))]
  await expect.poll(() => sent().toSorted(), PATIENT).toEqual([...EVENT_TYPES, TEST_EVENT].toSorted())

  for (const { headers, body } of receiver.received) {
    const payload = JSON.parse(body)
    const { parameters, requestBody } = webhooks[payload.event]!.post
    const described = parameters.map(({ name }) => name.toLowerCase())
    expect(Object.keys(headers).toSorted()).toEqual([...described, ...UNDESCRIBED].toSorted())
    expect(
      parameters.filter(({ name, schema }) => !validatorOf(schema)(headers[name.toLowerCase()])).map(({ name }) => name)
    ).toEqual([])
    const validate = validatorOf(requestBody.content[headers['content-type']!]!.schema)
    expect([validate(payload), validate.errors]).toEqual([true, null])
    const other = EVENT_TYPES.find(type => type !== payload.event)
    expect(validate({ ...payload, event: other }), 'as another event').toBe(false)
  }
})

/** What the document says of a status: the response that describes it most closely. */
function responseFor({ responses }: Receiving, status: number) {
  return responses[status] ?? responses[`${String(status)[0]}XX`] ?? responses.default!
}

test.each([200, 201, 204, 299, 300, 302, 400, 401, 404, 408, 409, 410, 411, 429, 500, 502, 503, 504])(
  'an answer of %s has the consequence that the document states',
  status => {
    const answered = { status, error: null, durationMs: 1, retryAfter: '3600', answer: '', answerHeaders: '' }
    const now = new Date('2026-03-02T10:00:00Z')
    const verdict = decideNext(answered, 1, now, () => 0.5)
    for (const type of EVENT_TYPES) {
      const { description, headers = {} } = responseFor(webhooks[type]!.post, status)
      const said = {
        delivered: description === 'The event is delivered.',
        gone: /not repeated, and the webhook is turned off/.test(description),
        repeated: description.includes(`is repeated after ${RETRY_SCHEDULE}.`),
        paused: 'Retry-After' in headers
      }
      expect(said).toEqual({
        delivered: verdict.ended === 'delivered',
        gone: verdict.ended === 'failed' && verdict.gone,
        repeated: verdict.ended === null,
        paused: 'pausedUntil' in verdict
      })
    }
  }
)
