// Marks the first open action item as completed.
// Run it in the folder of the repository, after `npm ci`: npx node examples/typescript/complete-action-item.ts SESSION
import { createClient, ParlanceError } from '../../client/client.ts'
import { token, url } from './settings.ts'

const client = createClient({ url, token })
const [, , id] = process.argv
if (!id) throw new Error('Name the id of a session')
const params = { path: { id } }

for (;;) {
  const { data, response } = await client.GET('/v1/sessions/{id}/action-items', { params })
  const items = data?.action_items ?? []
  const open = items.find(item => !item.completed)
  if (!open) break

  // The whole list is sent back: items that are left out are removed.
  const action_items = items.map(({ id, text, completed }) => ({ id, text, completed: completed || id === open.id }))
  const header = { 'If-Match': response.headers.get('etag') ?? '' }
  try {
    await client.PATCH('/v1/sessions/{id}', { params: { ...params, header }, body: { action_items } })
    console.log(`☑ ${open.text}`)
    break
  } catch (fault) {
    // Somebody else was faster: read again.
    if (!(fault instanceof ParlanceError && fault.status === 409)) throw fault
  }
}
