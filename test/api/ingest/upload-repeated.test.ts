import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { portOf } from '../../support/http.ts'
import { buildTestApp, newUserOf, testDatabase } from '../../support/server.ts'

const VTT = 'WEBVTT\n\n00:01.000 --> 00:03.000\n<v Ada>Good morning, all of you.\n'
const HALF = 30
const PATIENT = { timeout: 60_000, interval: 10 }

type Headers = Record<string, string>

/** An application on a socket, and uploads to it whose body comes in two parts. */
async function listening() {
  const uploadFolder = mkdtempSync(join(tmpdir(), 'parlance-test-repeated-'))
  const { db } = await testDatabase()
  const app = await buildTestApp({ uploadFolder })
  await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(async () => {
    await app.close()
    rmSync(uploadFolder, { recursive: true })
  })
  const user = await newUserOf({ db, app })

  /** The uploads that have bytes on the disk of the server. */
  const arriving = () => {
    const files = readdirSync(uploadFolder, { recursive: true, encoding: 'utf8' }).filter(name =>
      name.endsWith('/file')
    )
    return files.filter(name => statSync(join(uploadFolder, name), { throwIfNoEntry: false })?.size).length
  }

  function send(query: string, headers: Headers) {
    const sent = request({
      host: '127.0.0.1',
      port: portOf(app),
      method: 'POST',
      path: `/v1/sessions/upload?file=a.vtt${query}`,
      headers: { authorization: `Bearer ${user.token}`, 'content-type': 'application/octet-stream', ...headers }
    })
    const answer = new Promise<IncomingMessage>((resolve, reject) => sent.on('response', resolve).on('error', reject))
    answer.catch(() => {})
    const finish = async (rest: string) => {
      sent.end(rest)
      const response = await answer
      const body = JSON.parse(Buffer.concat(await response.toArray()).toString())
      return { status: response.statusCode, body, replayed: response.headers['idempotent-replayed'] }
    }
    return { sent, finish }
  }

  /** An upload of which the server has the first half. */
  async function begin(query: string, headers: Headers) {
    const upload = send(query, headers)
    upload.sent.write(VTT.slice(0, HALF))
    await expect.poll(arriving, PATIENT).toBe(1)
    return upload
  }

  const count = async () => (await db.execute(`select from sessions where user_id = '${user.id}'`)).rows.length
  return { begin, send, arriving, count }
}

describe.each<[string, string, Headers]>([
  ['the same Idempotency-Key', '', { 'idempotency-key': 'key-1' }],
  ['the same external_id', '&external_id=zoom-1', {}],
  ['the same content alone', '', {}]
])('an upload with %s while the first body is still arriving', (_, query, headers) => {
  const isKeyed = 'idempotency-key' in headers

  test('is imported at once, and the first upload gets the same session when it is complete', async () => {
    const { begin, send, count } = await listening()
    const first = await begin(query, headers)
    const repeated = await send(query, headers).finish(VTT)
    expect(repeated).toMatchObject({ status: 202, replayed: undefined })
    const late = await first.finish(VTT.slice(HALF))
    expect(late).toEqual({ ...repeated, status: isKeyed ? 202 : 200, replayed: isKeyed ? 'true' : undefined })
    expect(await count()).toBe(1)
  })

  test('is imported even if the first upload never completes, which leaves nothing behind', async () => {
    const { begin, send, arriving, count } = await listening()
    const first = await begin(query, headers)
    expect(await send(query, headers).finish(VTT)).toMatchObject({ status: 202 })
    first.sent.destroy()
    await expect.poll(arriving, PATIENT).toBe(0)
    expect(await count()).toBe(1)
  })
})

test('with one Idempotency-Key and another file, the upload that is complete first counts and the other is refused', async () => {
  const { begin, send, count } = await listening()
  const headers = { 'idempotency-key': 'key-1' }
  const first = await begin('', headers)
  expect(await send('', headers).finish(VTT)).toMatchObject({ status: 202 })
  const other = await first.finish(`${VTT.slice(HALF)}\n00:04.000 --> 00:05.000\n<v Ben>Good morning.\n`)
  expect(other).toMatchObject({
    status: 422,
    body: { error: { code: 'invalid_request', message: expect.stringMatching(/^Idempotency-Key: /) } }
  })
  expect(await count()).toBe(1)
})
