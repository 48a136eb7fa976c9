import { EVENT_TYPES } from '../../src/contract/event.ts'
import { ALL_SCOPES } from '../../src/contract/scopes.ts'
import { consoleActor } from '../../src/features/access/actor.ts'
import { createToken, revokeToken } from '../../src/features/accounts/operations.ts'
import { clock } from './server.ts'
import type { User } from './sharing.ts'

const LONG = 'w'.repeat(100)

/** Fills a user's settings with usual and with unbroken names, for pictures of their pages. */
export async function fillSettings(user: User) {
  const { db, id } = user
  const services = { db, clock }
  const actor = consoleActor(id, { guest: false })
  const token = { name: 'Nightly export', scopes: [...ALL_SCOPES], expires_in: 90 * 86_400 }
  await createToken(services, actor, token)
  await createToken(services, actor, { ...token, name: LONG, scopes: ['sessions:read'], expires_in: 12 * 86_400 })
  const revoked = await createToken(services, actor, { ...token, name: 'Old script' })
  await revokeToken(services, actor, revoked.id)
  const hook = {
    url: `http://127.0.0.1:9/${LONG.repeat(5)}`,
    events: [...EVENT_TYPES],
    headers: { Authorization: 'Bearer x' }
  }
  const { body } = await user.post('/v1/webhooks', hook)
  const webhook = String(body.id)
  await user.post(`/v1/webhooks/${webhook}/test`)
  const { body: log } = await user.get(`/v1/webhooks/${webhook}/deliveries`)
  await user.session({
    title: LONG.repeat(5),
    segments: [{ speaker: LONG, start: 0, end: 2, text: 'Good morning.' }],
    action_items: [
      { text: 'Send the offer', assignee: 'Ben', due_date: '2026-03-01' },
      { text: LONG.repeat(5), assignee: LONG, due_date: '2026-03-06' },
      { text: 'Order the part', completed: true }
    ]
  })
  for (const name of ['Clients', LONG]) await user.post('/v1/folders', { name })
  await user.post('/v1/people', { name: 'Ben Bitdiddle', is_me: true })
  const { body: person } = await user.post('/v1/people', { name: 'Cleo' })
  return { webhook, delivery: `${webhook}/deliveries/${log.deliveries[0].id}`, person: String(person.id) }
}
