// Keeps a copy of every session in a file. The next run goes on where this one ended.
// Run it in the folder of the repository, after `npm ci`: npx node examples/typescript/sync.ts FILE
// When the server says that the cursor is too old, delete FILE and run it again.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createClient, type Schemas } from '../../client/client.ts'
import { token, url } from './settings.ts'

interface Copy {
  cursor?: string | null
  sessions: Record<string, Schemas['SessionListItem']>
}

const client = createClient({ url, token })
const [, , path] = process.argv
if (path === undefined) throw new Error('Name the file of the copy')
const copy: Copy = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : { sessions: {} }

for (let more = true; more; ) {
  const query = { order: 'updated', include: 'deleted', limit: 100, ...(copy.cursor && { cursor: copy.cursor }) } as const
  const { data: page } = await client.GET('/v1/sessions', { params: { query } })
  for (const session of page?.sessions ?? []) {
    if ('deleted_at' in session) delete copy.sessions[session.id]
    else copy.sessions[session.id] = session as Schemas['SessionListItem']
  }
  copy.cursor = page?.next_cursor
  more = page?.has_more ?? false
  // Rows and cursor are written together: a run that is stopped repeats a page, and skips none.
  writeFileSync(`${path}.new`, JSON.stringify(copy))
  renameSync(`${path}.new`, path)
}
console.log(Object.keys(copy.sessions).length, 'sessions')
