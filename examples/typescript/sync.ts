// Keeps a copy of every session in a file. The next run goes on where this one ended.
// Run it in the folder of the repository, after `npm ci`: npx node examples/typescript/sync.ts FILE
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createClient, ParlanceError, type Schemas } from '../../client/client.ts'
import { token, url } from './settings.ts'

interface Copy {
  cursor?: string | null
  sessions: Record<string, Schemas['SessionListItem']>
}

const client = createClient({ url, token })
const [, , path] = process.argv
if (path === undefined) throw new Error('Name the file of the copy')
let copy: Copy = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : { sessions: {} }

for (let more = true; more; ) {
  const query = {
    order: 'updated',
    include: 'deleted',
    limit: 100,
    ...(copy.cursor && { cursor: copy.cursor })
  } as const
  const page = await client.GET('/v1/sessions', { params: { query } }).then(({ data }) => data, unlessTooOld)
  if (!page) {
    copy = { sessions: {} }
    continue
  }
  for (const session of page.sessions) {
    if ('deleted_at' in session) delete copy.sessions[session.id]
    else copy.sessions[session.id] = session as Schemas['SessionListItem']
  }
  copy.cursor = page.next_cursor
  more = page.has_more
  // Rows and cursor are written together: a run that is stopped repeats a page, and skips none.
  writeFileSync(`${path}.new`, JSON.stringify(copy))
  renameSync(`${path}.new`, path)
}
console.log(Object.keys(copy.sessions).length, 'sessions')

/** Throws any other fault than a cursor from before deletions that the server no longer knows. */
function unlessTooOld(fault: unknown) {
  if (!(fault instanceof ParlanceError && fault.param === 'cursor')) throw fault
}
