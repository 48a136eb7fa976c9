// Prints what has happened since the last run with this token. Run it every minute, or use a webhook.
// Run it in the folder of the repository, after `npm ci`: npx node examples/typescript/follow-events.ts
import { createClient, takeEvents } from '../../client/client.ts'
import { token, url } from './settings.ts'

await takeEvents(createClient({ url, token }), ({ event, created_at, data }) => {
  console.log(`${created_at}  ${event}  ${data.session.id}`)
})
