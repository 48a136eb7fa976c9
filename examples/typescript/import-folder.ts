// Imports the files of a folder and waits until each is processed. The next run imports what is new.
// Run it in the folder of the repository, after `npm ci`: npx node examples/typescript/import-folder.ts FOLDER
import { openAsBlob, readdirSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { createClient, ParlanceError } from '../../client/client.ts'
import { token, url } from './settings.ts'

const client = createClient({ url, token })
const [, , folder] = process.argv
if (folder === undefined) throw new Error('Name the folder')
const accepted = new Map<string, string>()

/** The requests for a file: its name and bytes, or those of each document if it has one a line. */
async function uploadsOf(file: string): Promise<{ name: string; file: string; bytes: Blob }[]> {
  const bytes = await openAsBlob(join(folder ?? '', file))
  if (!file.endsWith('.jsonl')) return [{ name: file, file, bytes }]
  const lines = (await bytes.text()).split('\n').map((line, at) => ({ line, name: `${file}:${at + 1}` }))
  const documents = lines.filter(({ line }) => line.trim() !== '')
  return documents.map(({ line, name }) => ({ name, file: file.replace(/l$/, ''), bytes: new Blob([line]) }))
}

const files = readdirSync(folder, { withFileTypes: true }).filter(entry => entry.isFile())
for (const { name, file, bytes } of (await Promise.all(files.map(entry => uploadsOf(entry.name)))).flat()) {
  // Sent again, by the next run or after a broken connection, a file with the same external_id is not imported twice.
  const query = { file, external_id: `${basename(resolve(folder))}/${name}` }
  const asBytes = { body: bytes, bodySerializer: () => bytes, headers: { 'Content-Type': 'application/octet-stream' } }
  try {
    const { data } = await client.POST('/v1/sessions/upload', { params: { query }, ...asBytes })
    if (data && !('problems' in data)) accepted.set(data.id, name)
  } catch (refusal) {
    // A file that cannot be read does not hold up the others.
    if (!(refusal instanceof ParlanceError && [400, 413].includes(refusal.status))) throw refusal
    process.exitCode = 1
    console.log(`${name}: refused: ${refusal.message}`)
  }
}

for (const [id, name] of accepted) {
  const read = async () => (await client.GET('/v1/sessions/{id}', { params: { path: { id } } })).data
  let session = await read()
  while (session?.status === 'processing') {
    await setTimeout(1_000)
    session = await read()
  }
  if (session?.status === 'failed') process.exitCode = 1
  console.log(`${name}: ${session?.status}${session?.failure_reason ? `: ${session.failure_reason}` : ''}`)
}
