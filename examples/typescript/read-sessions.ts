// Prints the sessions of the last month with their open action items.
// Run it in the folder of the repository, after `npm ci`: npx node examples/typescript/read-sessions.ts
import { createClient, sessionsOf } from '../../client/client.ts'
import { token, url } from './settings.ts'

const client = createClient({ url, token })
const since = new Date(Date.now() - 30 * 86_400_000).toISOString()

for await (const { id, title, timestamp } of sessionsOf(client, { since })) {
  const { data: session } = await client.GET('/v1/sessions/{id}', { params: { path: { id } } })
  console.log(`${timestamp?.slice(0, 10) ?? 'undated   '}  ${title}`)
  for (const item of session?.action_items ?? []) if (!item.completed) console.log(`  ☐ ${item.text}`)
}
