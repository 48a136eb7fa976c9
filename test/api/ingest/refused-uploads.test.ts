import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { LIMITS } from '../../../src/contract/limits.ts'
import { portOf } from '../../support/http.ts'
import { buildTestApp, newUserOf, testDatabase } from '../../support/server.ts'

type Headers = Record<string, string | number>

const VTT = 'WEBVTT\n\n00:01.000 --> 00:03.000\n<v Ada>Good morning, all of you.\n'
const FORM = { 'content-type': 'multipart/form-data; boundary=x' }
const field = (name: string, value: string) =>
  `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
const file = (name: string) =>
  `--x\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\nthe first bytes`

/** An application on a socket, and uploads to it whose last bytes are held back. Its folder of uploads does not exist. */
async function listening(transcribes: boolean) {
  const folder = mkdtempSync(join(tmpdir(), 'parlance-test-refused-'))
  const uploadFolder = join(folder, 'uploads')
  const app = await buildTestApp({ uploadFolder, transcribes })
  await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(async () => {
    await app.close()
    rmSync(folder, { recursive: true })
  })
  const { db } = await testDatabase()

  /** Begins an upload of a user. */
  function begin(token: string, query: string, headers: Headers, bytes: string) {
    const sent = request({
      host: '127.0.0.1',
      port: portOf(app),
      method: 'POST',
      path: `/v1/sessions/upload${query}`,
      agent: false,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream', ...headers }
    })
    onTestFinished(() => void sent.destroy())
    const answer = new Promise<IncomingMessage>((resolve, reject) => sent.on('response', resolve).on('error', reject))
    answer.catch(() => {})
    sent.write(bytes)
    return { sent, answer }
  }

  return { uploadFolder, begin, newToken: async () => (await newUserOf({ db, app })).token }
}

async function read(answer: Promise<IncomingMessage>) {
  const response = await answer
  const { error } = JSON.parse(Buffer.concat(await response.toArray()).toString())
  return { status: response.statusCode, message: error.message, retryAfter: response.headers['retry-after'] }
}

test.each<[string, string, Headers, string, number, string]>([
  ['a recording that nobody transcribes', '?file=a.mp3', {}, 'sound', 400, 'can’t transcribe recordings'],
  [
    'a transcript over its size',
    '?file=a.vtt',
    { 'content-length': LIMITS.documentBytes + 1 },
    VTT,
    413,
    'file: send at most 16 MiB'
  ],
  ['an encoded body', '?file=a.vtt', { 'content-encoding': 'gzip' }, VTT, 415, 'Content-Encoding'],
  ['an encoded form', '', { ...FORM, 'content-encoding': 'gzip' }, file('a.vtt'), 415, 'Content-Encoding'],
  ['the recording of a form', '', FORM, file('a.mp3'), 400, 'can’t transcribe recordings'],
  ['a name without an ending', '', FORM, file('weekly'), 400, 'file: send the name of a file'],
  ['a wrong type before the file', '', FORM, field('type', 'talk') + file('a.vtt'), 400, 'type: send one of'],
  ['an unknown field before the file', '', FORM, field('titel', 'x') + file('a.vtt'), 400, 'form: leave out titel'],
  [
    'a form over the size of its file',
    '',
    { ...FORM, 'content-length': 2 * LIMITS.documentBytes },
    file('a.vtt'),
    413,
    'file: send at most 16 MiB'
  ],
  ['a form of too many fields', '', FORM, field('tag', 'a').repeat(1_000), 400, 'too many fields'],
  ['a form of too many parts', '', FORM, '--x\r\n\r\nz\r\n'.repeat(100_000), 400, 'too many fields']
])('refuses %s while it arrives, before a byte is on disk', async (_, query, headers, bytes, status, message) => {
  const { begin, newToken, uploadFolder } = await listening(false)
  const { answer } = begin(await newToken(), query, headers, bytes)
  expect(await read(answer)).toMatchObject({ status, message: expect.stringContaining(message) })
  expect(existsSync(uploadFolder)).toBe(false)
})

test('refuses a recording over its size before a byte is on disk', async () => {
  const { begin, newToken, uploadFolder } = await listening(true)
  const headers = { 'content-length': LIMITS.uploadBytes + 1 }
  const { answer } = begin(await newToken(), '?file=a.mp3', headers, 'sound')
  expect(await read(answer)).toMatchObject({ status: 413, message: 'file: send at most 4 GiB' })
  expect(existsSync(uploadFolder)).toBe(false)
})

test('takes as many uploads of a user at once as the limit says, and more of another user', async () => {
  const { begin, newToken } = await listening(false)
  const [ada, ben] = [await newToken(), await newToken()]
  const open = Array.from({ length: LIMITS.openUploads.perOwner + 1 }, () => begin(ada, '?file=a.vtt', {}, VTT))
  const refused = Promise.race(open.map(({ answer }) => answer))
  expect(await read(refused)).toMatchObject({ status: 503, retryAfter: '5' })
  const other = begin(ben, '?file=a.vtt', {}, VTT)
  other.sent.end()
  expect((await other.answer).statusCode).toBe(202)
  for (const { sent } of open) sent.end()
  const statuses = await Promise.all(open.map(async ({ answer }) => (await answer).statusCode))
  expect(statuses.toSorted()).toEqual([...Array(LIMITS.openUploads.perOwner - 1).fill(200), 202, 503])
  const last = begin(ada, '?file=a.vtt', {}, VTT)
  last.sent.end()
  expect((await last.answer).statusCode).toBe(200)
})
