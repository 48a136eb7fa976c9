// @module-tag postgres
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { noCounts } from '../../src/features/exports/manifest.ts'
import { createZip } from '../../src/features/exports/zip-writer.ts'
import { UNLIMITED } from '../faults/load.ts'
import { migratedDatabase, newOwner, serve, temporaryFolder } from '../support/process.ts'

const MAX_LOOP_MS = 100
const MIB = 1024 ** 2

const MANIFEST = {
  ...{ kind: 'parlance-library', version: 1, created_at: '', issuer: '', user: { id: '', name: null, email: null } },
  ...{ format: 'zip', parts: [], since: null, recordings: false, counts: { ...noCounts(), files: 0 }, sha256: '' },
  left_out: { processing: 0, trash: 0 }
}

async function archiveOf(folder: string, files: Record<string, string>) {
  await using zip = await createZip(await mkdtemp(join(folder, 'zip-')), new Date('2026-03-02T10:00:00Z'))
  await zip.add('manifest.json', Buffer.from(JSON.stringify(MANIFEST)))
  for (const [name, content] of Object.entries(files)) await zip.add(name, Buffer.from(content))
  await zip.finish()
  return await readFile(zip.path)
}

/** The largest state that an import takes. */
function largeState() {
  const decisions = Array(9_900).fill({ text: 'x'.repeat(350), speaker: null, sources: [] })
  return {
    ...{ id: `ses_${'0'.repeat(26)}`, external_id: null, keep: false, warnings: null, audio_deleted_at: null },
    ...{ action_items: null, action_items_version: 0, action_items_updated_at: null },
    summary_made: {
      outline: { overview: null, sections: [], decisions, questions: [] },
      ...{ item_sources: {}, title: null, model: null, prompt_version: null, made_at: '2026-03-02T10:00:00Z' },
      ...{ input_tokens: null, output_tokens: null }
    }
  }
}

test('no archive of a library holds the event loop for 100 ms, whatever its lists and states are', {
  timeout: 300_000
}, async () => {
  const database = await migratedDatabase()
  const { token } = await newOwner(database)
  const folder = temporaryFolder()
  const watched = join(folder, 'loop')
  const watch = `--import ${join(process.cwd(), 'test/support/loop-watch.ts')}`
  const environment = { ...database.environment, ...UNLIMITED, LOOP_WATCH: watched, NODE_OPTIONS: watch }
  const server = await serve({ environment })
  const upload = async (files: Record<string, string>) => {
    const body = await archiveOf(folder, files)
    await writeFile(watched, '')
    const answer = await fetch(`${server.url}/v1/sessions/upload?file=library.zip`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' },
      body
    })
    const imported = JSON.parse(await answer.text())
    const loopMs = Math.max(...(await readFile(watched, 'utf8')).split('\n').map(Number))
    return { status: answer.status, body: imported, loopMs }
  }
  // What the first import loads is no work of an archive.
  await upload({ 'folders.json': '[]' })
  const session = (state: string) => ({
    'sessions/2026-03/one/document.json': JSON.stringify({
      title: 'One',
      segments: [{ speaker: 'Ada', text: 'Hello.' }]
    }),
    'sessions/2026-03/one/state.json': state
  })
  const lined = (entry: string, count: number) => `[\n${`${entry},\n`.repeat(count - 1)}${entry}\n]\n`
  const shares = '{"session_id":"","people":[],"pending_invites":[]}'
  for (const [files, count] of [
    [{ 'folders.json': lined(`{"name":7,"rest":"${'x'.repeat(700)}"}`, 40_000) }, 40_000],
    [{ 'people.json': lined('{"name":7}', 100_000) }, 100_000],
    [{ 'people.json': `[\n{"name":7}\n${'\n'.repeat(30 * MIB)}]` }, 1],
    [{ 'people.json': lined(`{"name":[${'0,'.repeat(7 * MIB)}0]}`, 2) }, 1],
    [{ 'people.json': `[${'{},'.repeat(20_000)}{}]` }, 20_001],
    [{ 'people.json': lined(`{"name":"${'x'.repeat(3 * MIB)}"}`, 10) }, 10],
    [{ 'terms.json': `[${'{},'.repeat(10 * MIB)}{}]` }, 1],
    [{ 'terms.json': `[${'0,'.repeat(1.9 * MIB)}0]` }, 1],
    [{ 'terms.json': '\n'.repeat(31 * MIB) }, 1],
    [{ 'shares.json': lined('{"a":1}', 3 * MIB) }, 1],
    [{ 'shares.json': lined(shares, 0.5 * MIB) }, 0],
    [session(`{"x":"${'x'.repeat(3 * MIB)}"}`), 1],
    [session(`{"x":[${'0,'.repeat(1.5 * MIB)}0]}`), 1],
    [session(`{"x":"${'x'.repeat(15 * MIB)}"}`), 1],
    [session(JSON.stringify(largeState())), 0]
  ] as const) {
    const { status, body, loopMs } = await upload(files)
    expect([status, body.problem_count]).toEqual([200, count])
    expect(loopMs).toBeLessThan(MAX_LOOP_MS)
  }
})
