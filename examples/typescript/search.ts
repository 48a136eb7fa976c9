// Prints where in which session the question is answered.
// Run it in the folder of the repository, after `npm ci`: npx node examples/typescript/search.ts why the launch slipped
import { createClient } from '../../client/client.ts'
import { token, url } from './settings.ts'

const query = process.argv.slice(2).join(' ')
if (!query) throw new Error('Name what to search for')
const { data } = await createClient({ url, token }).POST('/v1/sessions/search', {
  body: { query, limit: 3, include_passages: true }
})

for (const { title, snippet, passages = [] } of data?.results ?? []) {
  console.log(`${title}\n  ${snippet}`)
  for (const { start, speaker } of passages) if (start !== null) console.log(`  at ${Math.floor(start)} s, ${speaker}`)
}
