// @module-tag postgres

import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  fileIn,
  migratedDatabase,
  newOwner,
  onPostgres,
  rowsOf,
  run,
  runJson,
  serve,
  temporaryFolder,
  until
} from '../support/process.ts'
import { sound } from '../support/sound.ts'
import { noDisk, smallDisk } from './disk.ts'
import { UNLIMITED } from './load.ts'

const KEY = 'a-key-for-tests-and-for-nothing-else'
const MIB = 2 ** 20
const segments = [{ speaker: 'Ada', start: 0, end: 1, text: 'Hello.' }]

// With the embedded database, the database would be what is full.
test.runIf(onPostgres && Boolean(process.env.FAULTS))(
  'a full DATA_DIR refuses recordings and uploads and leaves nothing of them, takes deletions and invites, and makes up for both when there is room',
  { timeout: 300_000 },
  async context => {
    context.skip(noDisk !== undefined, noDisk)
    const disk = smallDisk(12)
    const fresh = await migratedDatabase()
    const place = {
      ...fresh,
      dataDir: disk.folder,
      environment: {
        ...fresh.environment,
        ...UNLIMITED,
        APP_API_KEY: KEY,
        DATA_DIR: disk.folder,
        DISK_RESERVE_MIB: '0'
      }
    }
    const server = await serve(place)
    const owner = await newOwner(place)
    await rowsOf(place, 'update users set email_verified_at = now() where user_id = $1', [owner.id])
    const source = temporaryFolder()
    const [first, second, shared] = (
      await importOf('many.jsonl', ['first', 'second', 'shared'].map(name => documentOf(name)).join('\n'))
    ).map(String)
    const recording = Buffer.concat([sound('talk'), randomBytes(3 * MIB)])
    fileIn(source, 'talk.mp3', recording)
    const talk = fileIn(source, 'talk.json', documentOf('talk', { media: { audio: 'talk.mp3' } }))
    const long = 'Ada: Hello to everyone who is here today.\n'.repeat(50_000)

    disk.fill({ leave: MIB })
    const refused = await run(place, 'import', '--user', owner.id, talk)
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('The disk of the recordings is full') })
    expect(filesIn('media')).toEqual([])
    expect(await upload('long.txt', long)).toEqual({
      status: 503,
      retryAfter: '30',
      body: { error: { code: 'service_unavailable', message: expect.any(String) } }
    })
    expect(filesIn('uploads')).toEqual([])
    expect(server.output.stdout).toContain('ENOSPC')
    expect(await upload('short.txt', 'Ada: There is room for this one.')).toMatchObject({ status: 202 })

    disk.free()
    disk.fill()
    // A deletion is as good as its row, which is in the database; the file that a restored backup is compared with comes after.
    expect(await ask('DELETE', `/sessions/${first}`)).toBe(200)
    expect(await ask('GET', `/sessions/${first}`)).toBe(404)
    await until('the log says so', () => server.output.stdout.includes('the ledger of deletions is not written'))
    expect(ledger()).not.toContain(first)
    expect(await ask('POST', `/sessions/${shared}/sharing/invites`, { emails: ['ben@example.test'] })).toBe(200)
    await until('the mail was tried', async () => (await rowsOf(place, MAILS_TRIED)).length > 0)
    expect(filesIn('outbox').filter(name => name.endsWith('.eml'))).toEqual([])

    disk.free()
    expect(await ask('DELETE', `/sessions/${second}`)).toBe(200)
    await until('the ledger has both', () => ledger().includes(first!) && ledger().includes(second!))
    await until('the mail is there', () => filesIn('outbox').some(name => name.endsWith('.eml')))
    expect(await upload('long.txt', long)).toMatchObject({ status: 202 })
    const [kept] = await runJson(place, 'import', '--user', owner.id, '--wait', talk)
    const { audio_url: link } = (await server.get(`/v1/sessions/${kept?.session_id}/media`, owner.token)).body as {
      audio_url: string
    }
    expect(recording.equals(Buffer.from(await (await fetch(link)).arrayBuffer()))).toBe(true)

    async function importOf(name: string, content: string) {
      const imported = await runJson(place, 'import', '--user', owner.id, '--wait', fileIn(source, name, content))
      return imported.map(({ session_id }) => session_id)
    }

    async function ask(method: string, path: string, body?: object) {
      const headers = { authorization: `Bearer ${owner.token}`, ...(body && { 'content-type': 'application/json' }) }
      return (await fetch(`${server.url}/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) }))
        .status
    }

    async function upload(name: string, content: string) {
      const reply = await fetch(`${server.adminUrl}/app/v1/users/${owner.id}/sessions/upload?file=${name}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/octet-stream' },
        body: content
      })
      return { status: reply.status, retryAfter: reply.headers.get('retry-after'), body: await reply.json() }
    }

    function filesIn(folder: string) {
      const path = join(disk.folder, folder)
      if (!existsSync(path)) return []
      return readdirSync(path, { recursive: true, withFileTypes: true })
        .filter(entry => entry.isFile())
        .map(({ name }) => name)
    }

    function ledger() {
      const path = join(disk.folder, 'deletions.jsonl')
      return existsSync(path) ? readFileSync(path, 'utf8') : ''
    }
  }
)

function documentOf(name: string, more: object = {}) {
  return JSON.stringify({ external_id: name, title: name, summary: 'Given.', action_items: [], segments, ...more })
}

const MAILS_TRIED = "select from pgboss.job where name = 'send-invite' and (retry_count > 0 or state = 'retry')"
