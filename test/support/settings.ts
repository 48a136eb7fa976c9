import { consoleActor } from '../../src/accounts/actor.ts'
import { createToken, revokeToken } from '../../src/accounts/operations.ts'
import { EVENT_TYPES } from '../../src/contract/event.ts'
import { ALL_SCOPES } from '../../src/contract/scopes.ts'
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
  return { webhook }
}
