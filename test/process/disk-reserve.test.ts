// @module-tag both

import { randomBytes } from 'node:crypto'
import { cpSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { noDisk, smallDisk } from '../faults/disk.ts'
import { startAiServer } from '../support/ai-server.ts'
import {
  fileIn,
  migratedDatabase,
  newOwner,
  onPostgres,
  type Place,
  run,
  type Serving,
  serve,
  temporaryFolder
} from '../support/process.ts'
import { sound } from '../support/sound.ts'

const KEY = 'a-key-for-tests-and-for-nothing-else'
const MIB = 2 ** 20
const SLOW = { timeout: 300_000 }
const TUS = { 'tus-resumable': '1.0.0' }
const PART = { ...TUS, 'content-type': 'application/offset+octet-stream' }
const BYTES = { 'content-type': 'application/octet-stream' }
const FULL = {
  status: 503,
  retryAfter: '300',
  code: 'service_unavailable',
  message: /disk of this server is almost full/
}

const recordingOf = (bytes: number) => Buffer.concat([sound('talk'), randomBytes(bytes)])

/** A server whose data is on a small disk, also that of the embedded database. */
async function serverOn(folder: string, settings: Record<string, string>) {
  const provider = await startAiServer()
  onTestFinished(() => provider.close())
  const where = inject('database')
  const fresh = onPostgres ? await migratedDatabase() : { environment: {}, url: undefined }
  if (!onPostgres && 'template' in where) cpSync(where.template, folder, { recursive: true })
  const environment = {
    ...fresh.environment,
    DATA_DIR: folder,
    APP_API_KEY: KEY,
    TRANSCRIPTION_MODEL: 'whisper-1',
    TRANSCRIPTION_BASE_URL: provider.url,
    ...settings
  }
  const place: Place = { ...fresh, environment, dataDir: folder }
  const server = await serve(place)
  return { place, server, owner: await newOwner(place), ...asking(server) }
}

/** Requests of a user, or of the operator below `/app/v1`. */
function asking({ url, adminUrl }: Serving) {
  return {
    async ask(
      token: string,
      method: string,
      path: string,
      headers: Record<string, string> = {},
      body?: RequestInit['body']
    ) {
      const [base, key] = path.startsWith('/app/') ? [adminUrl, KEY] : [url, token]
      const answer = await fetch(new URL(path, base), {
        method,
        headers: { authorization: `Bearer ${key}`, ...headers },
        ...(body !== undefined && { body, duplex: 'half' })
      })
      const text = await answer.text()
      const { error, ...rest } = text === '' ? {} : JSON.parse(text)
      return {
        status: answer.status,
        retryAfter: answer.headers.get('retry-after'),
        code: error?.code,
        message: error?.message,
        location: answer.headers.get('location') ?? '',
        offset: Number(answer.headers.get('upload-offset')),
        body: rest
      }
    }
  }
}

/** A body of unknown length. */
function streamOf(bytes: Buffer) {
  return new Blob([new Uint8Array(bytes)]).stream()
}

const beginning = (bytes: number) => ({
  ...TUS,
  'upload-length': String(bytes),
  'upload-metadata': `filename ${Buffer.from('talk.mp3').toString('base64')}`
})

test('uploads of every kind leave the reserve of the disk alone, and the database goes on', SLOW, async context => {
  context.skip(noDisk !== undefined, noDisk)
  const disk = smallDisk(300)
  const { place, server, owner, ask: askAs } = await serverOn(disk.folder, { DISK_RESERVE_MIB: '64' })
  const ask = (...sent: Parameters<typeof askAs> extends [string, ...infer Rest] ? Rest : never) =>
    askAs(owner.token, ...sent)
  const filesIn = (name: string) => {
    const folder = join(disk.folder, name)
    if (!existsSync(folder)) return []
    return readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  }
  const segments = [{ speaker: 'Ada', start: 0, end: 1, text: 'Hello.' }]
  const JSON_TYPE = { 'content-type': 'application/json' }
  const documentOf = (notes: string) => JSON.stringify({ title: 'Talk', notes, segments })
  const large = recordingOf(10 * MIB)
  const form = () => {
    const form = new FormData()
    form.append('file', new Blob([new Uint8Array(large)]), 'talk.mp3')
    return form
  }
  const expectFull = async (what: string, answer: ReturnType<typeof ask>) => {
    const { status, retryAfter, code, message } = await answer
    const seen = { status, retryAfter, code, message }
    expect({ what, ...seen }).toEqual({ what, ...FULL, message: expect.stringMatching(FULL.message) })
  }
  const begun = await ask('POST', '/v1/uploads', beginning(large.length))
  expect(begun.status).toBe(201)

  disk.fill({ leave: 70 * MIB })
  const upload = '/v1/sessions/upload?file=talk.mp3'
  await expectFull('a whole body', ask('POST', upload, BYTES, new Uint8Array(large)))
  await expectFull('one of unknown length', ask('POST', upload, BYTES, streamOf(large)))
  await expectFull('a form', ask('POST', '/v1/sessions/upload', {}, form()))
  const admin = `/app/v1/users/${owner.id}/sessions/upload?file=talk.mp3`
  await expectFull('the operator', ask('POST', admin, BYTES, new Uint8Array(large)))
  await expectFull('the operator, of unknown length', ask('POST', admin, BYTES, streamOf(large)))
  expect(filesIn('uploads')).toEqual([])
  expect(filesIn('media')).toEqual([])
  await expectFull('the beginning of one in parts', ask('POST', '/v1/uploads', beginning(large.length)))
  expect(filesIn('parts').length).toBe(1)
  const at0 = { ...PART, 'upload-offset': '0' }
  await expectFull('a part', ask('PATCH', begun.location, at0, new Uint8Array(large)))
  await expectFull('a part of unknown length', ask('PATCH', begun.location, at0, streamOf(large)))
  const { offset } = await ask('HEAD', begun.location, TUS)
  expect(offset).toBeLessThan(7 * MIB)
  const talk = fileIn(temporaryFolder(), 'talk.mp3', large)
  expect(await run(place, 'import', '--user', owner.id, talk)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('The disk of the recordings is almost full')
  })

  // What is small or makes room goes on.
  disk.fill({ leave: 70 * MIB })
  const { status, body } = await ask('POST', '/v1/sessions', JSON_TYPE, documentOf('Short.'))
  expect(status).toBe(202)
  expect((await ask('POST', upload, BYTES, new Uint8Array(recordingOf(MIB)))).status).toBe(202)
  disk.fill({ leave: 63 * MIB })
  const spaces = ' '.repeat(MIB)
  await expectFull('a large document', ask('POST', '/v1/sessions', JSON_TYPE, documentOf('Short.') + spaces))
  expect((await ask('DELETE', `/v1/sessions/${body.id}`)).status).toBe(200)
  expect(server.output.stdout).toContain('DISK_RESERVE_MIB')

  disk.free()
  const rest = large.subarray(offset)
  const resumed = await ask('PATCH', begun.location, { ...PART, 'upload-offset': String(offset) }, new Uint8Array(rest))
  expect(resumed).toMatchObject({ status: 204, offset: large.length })
  expect((await ask('POST', upload, BYTES, new Uint8Array(large))).status).toBe(202)
})

test.runIf(onPostgres)(
  'without a reserve, an upload in parts keeps what a full disk took, and goes on when there is room',
  SLOW,
  async context => {
    context.skip(noDisk !== undefined, noDisk)
    const disk = smallDisk(40)
    const { owner, ask } = await serverOn(disk.folder, { DISK_RESERVE_MIB: '0' })
    const file = recordingOf(8 * MIB)
    const { location } = await ask(owner.token, 'POST', '/v1/uploads', beginning(file.length))
    disk.fill({ leave: 2 * MIB })
    const at0 = { ...PART, 'upload-offset': '0' }
    expect(await ask(owner.token, 'PATCH', location, at0, new Uint8Array(file))).toMatchObject({
      status: 503,
      retryAfter: '30',
      code: 'service_unavailable'
    })
    const { offset } = await ask(owner.token, 'HEAD', location, TUS)
    expect(offset).toBeLessThan(3 * MIB)
    disk.free()
    const rest = new Uint8Array(file.subarray(offset))
    const sent = await ask(owner.token, 'PATCH', location, { ...PART, 'upload-offset': String(offset) }, rest)
    expect(sent).toMatchObject({ status: 204, offset: file.length })
    const id = location.split('/').at(-1)
    expect((await ask(owner.token, 'POST', `/v1/sessions/upload?upload=${id}`)).status).toBe(202)
  }
)
