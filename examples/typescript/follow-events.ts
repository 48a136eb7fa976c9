import { createClient, takeEvents } from '../../client/client.ts'
import { token, url } from './settings.ts'

/** Prints what has happened since the last run with this token. Run it every minute, or use a webhook. */
await takeEvents(createClient({ url, token }), ({ event, created_at, data }) => {
  console.log(`${created_at}  ${event}  ${data.session.id}`)
})
