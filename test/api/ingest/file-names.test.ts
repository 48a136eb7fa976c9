import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { FIELD_LIMITS } from '../../../src/contract/limits.ts'
import { newBrowser, signInAs } from '../../support/console.ts'
import { buildTestApp, PUBLIC_URL, testDatabase } from '../../support/server.ts'
import { newSharer } from '../../support/sharing.ts'
import { sound } from '../../support/sound.ts'

/** Names without a telling ending, up to the longest, in bytes. */
const NAMES = [251, 252, 254, 255].map(bytes => `${'ä'.repeat(120)}${'x'.repeat(bytes - 244)}.bin`)
const TALK = sound('talk')
const VTT = Buffer.from('WEBVTT\n\n00:01.000 --> 00:03.000\n<v Ada>Good morning, all of you.\n')

/** An application that transcribes, and a user of it. */
async function served() {
  const partsFolder = mkdtempSync(join(tmpdir(), 'parlance-test-names-'))
  onTestFinished(() => rmSync(partsFolder, { recursive: true }))
  const { db } = await testDatabase()
  const app = await buildTestApp({ partsFolder, transcribes: true })
  const user = await newSharer({}, { db, app })
  const authorized = { authorization: `Bearer ${user.token}` }

  async function send(name: string, payload: Buffer, query = '') {
    const reply = await app.inject({
      method: 'POST',
      url: `/v1/sessions/upload?file=${encodeURIComponent(name)}${query}`,
      headers: { ...authorized, 'content-type': 'application/octet-stream' },
      payload
    })
    return { status: reply.statusCode, body: reply.json() }
  }

  async function sendInParts(name: string, payload: Buffer) {
    const filename = Buffer.from(name).toString('base64')
    const tus = { ...authorized, 'tus-resumable': '1.0.0' }
    const begun = await app.inject({
      method: 'POST',
      url: '/v1/uploads',
      headers: { ...tus, 'upload-length': String(payload.length), 'upload-metadata': `filename ${filename}` }
    })
    const path = new URL(String(begun.headers.location), PUBLIC_URL).pathname
    const type = { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' }
    await app.inject({ method: 'PATCH', url: path, headers: { ...tus, ...type }, payload })
    const upload = path.split('/').at(-1)
    const reply = await app.inject({ method: 'POST', url: `/v1/sessions/upload?upload=${upload}`, headers: authorized })
    return { status: reply.statusCode, body: reply.json() }
  }
  return { app, db, user, send, sendInParts }
}

/** The title of a session whose recording nobody names otherwise. */
async function titleOf({ user }: Awaited<ReturnType<typeof served>>, id: string) {
  const { rows } = await user.db.execute<{ title: string }>(`select title from sessions where session_id = '${id}'`)
  return rows[0]?.title
}

test.each(NAMES)('a recording under a long name is taken, and its session has the name: %#', async name => {
  const here = await served()
  const { status, body } = await here.send(name, TALK)
  expect(status).toBe(202)
  expect(await titleOf(here, body.id)).toBe(name)
})

test.each(NAMES)('a recording under a long name is taken in parts, and its session has the name: %#', async name => {
  const here = await served()
  const { status, body } = await here.sendInParts(name, TALK)
  expect(status).toBe(202)
  expect(await titleOf(here, body.id)).toBe(name)
})

test('a recording with the longest name is taken by a form of the API and of the console', async () => {
  const here = await served()
  const form = (token = '') => {
    const data = new FormData()
    if (token !== '') data.append('_form', token)
    data.append('file', new Blob([new Uint8Array(TALK)]), NAMES.at(-1))
    return new Response(data)
  }
  const toPayload = async (sent: Response) => ({
    type: String(sent.headers.get('content-type')),
    payload: Buffer.from(await sent.arrayBuffer())
  })
  const api = await toPayload(form())
  const reply = await here.app.inject({
    method: 'POST',
    url: '/v1/sessions/upload',
    headers: { authorization: `Bearer ${here.user.token}`, 'content-type': api.type },
    payload: api.payload
  })
  expect(reply.statusCode).toBe(202)
  const browser = newBrowser(here)
  await signInAs(browser, here.user.email, here)
  const page = await toPayload(form(browser.formToken('/upload')))
  const uploaded = await browser.call('POST', '/upload', { 'content-type': page.type }, page.payload)
  expect([uploaded.status, uploaded.to]).toEqual([303, expect.stringMatching(/^\/s\/ses_/)])
})

test('the name of a transcript still says its format, its title and its start', async () => {
  const here = await served()
  const name = `2026-01-05_${'w'.repeat(FIELD_LIMITS.fileName - 15)}.vtt`
  const upload = { whole: await here.send(name, VTT), parts: await here.sendInParts(`x${name.slice(1)}`, VTT) }
  expect([upload.whole.status, upload.parts.status]).toEqual([202, 200])
  expect(await titleOf(here, upload.whole.body.id)).toBe(name.replace('.vtt', '').replaceAll('_', ' '))
})
