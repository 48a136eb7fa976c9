// @module-tag postgres

import { existsSync, mkdirSync, mkdtempSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  deleteSession,
  fileIn,
  migratedDatabase,
  newOwner,
  openPlace,
  rowsOf,
  runJson,
  serve,
  temporaryFolder,
  until
} from '../support/process.ts'
import { startReceiver } from '../support/receiver.ts'
import { filesWith, tablesWith } from '../support/remains.ts'
import { sound } from '../support/sound.ts'

const SLOW = { timeout: 600_000 }
const WORD = 'zanzibarquux'

/** A session with the word in every place that takes text, its recording included. */
const EVERYWHERE = {
  external_id: WORD,
  title: WORD,
  type: 'phone',
  platform: 'zoom',
  notes: WORD,
  tags: [WORD],
  phone: { contact_name: WORD, to_number: WORD, provider: 'twilio' },
  speakers: [{ label: 'Speaker 1', person: WORD }],
  segments: [{ speaker: 'Speaker 1', start: 0, end: 2, text: `I will say ${WORD} by Friday.` }],
  media: { audio: 'sound.mp3' }
}

test(
  'a permanently deleted session leaves no word in a table, a mail, an upload, a recording or an answer of a receiver',
  SLOW,
  async () => {
    const place = await migratedDatabase()
    const server = await serve({
      environment: { ...place.environment, WEBHOOK_ALLOW_HTTP: 'true', WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' }
    })
    const owner = await newOwner(place)
    await rowsOf(place, 'update users set email_verified_at = now() where user_id = $1', [owner.id])
    const send = async (path: string, body: object) => {
      const headers = {
        authorization: `Bearer ${owner.token}`,
        'content-type': 'application/json',
        connection: 'close'
      }
      return (await fetch(`${server.url}/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).status
    }
    const receiver = await startReceiver(
      ({ body }) =>
        response =>
          response.writeHead(200).end(body)
    )
    expect(await send('/webhooks', { url: receiver.url, events: ['session.completed', 'session.deleted'] })).toBe(201)
    const folder = temporaryFolder()
    fileIn(folder, 'sound.mp3', sound(`the sound of ${WORD}`))
    const [taken] = await runJson(
      place,
      'import',
      '--user',
      owner.id,
      '--wait',
      fileIn(folder, 'a.json', JSON.stringify(EVERYWHERE))
    )
    const id = String(taken?.session_id)
    expect(await send(`/sessions/${id}/sharing/invites`, { emails: ['guest@example.test'], message: WORD })).toBe(200)
    const database = await openPlace(place)
    await until('the receiver has repeated it', async () =>
      (await tablesWith(database, WORD)).includes('webhook_attempts')
    )
    await until('the mail is written', () => filesWith(place.dataDir, WORD).some(name => name.startsWith('outbox')))
    expect(filesWith(place.dataDir, WORD).map(name => name.split('/')[0])).toEqual(['media', 'outbox'])

    expect(await deleteSession(server, owner.token, id)).toBe(200)
    expect(await tablesWith(database, WORD)).toEqual([])
    await until('no file has it', () => filesWith(place.dataDir, WORD).length === 0)
    await expect.poll(() => filesWith(place.dataDir, id), { timeout: 60_000 }).toEqual(['deletions.jsonl'])
  }
)

test(
  'a starting server removes mails of deleted invites and ended links, files of killed processes, and no other file',
  SLOW,
  async () => {
    const place = await migratedDatabase()
    const [outbox, uploads] = [join(place.dataDir, 'outbox'), join(place.dataDir, 'uploads')]
    for (const folder of [outbox, join(uploads, 'upload-old'), join(uploads, 'upload-young')])
      mkdirSync(folder, { recursive: true })
    for (const name of ['inv_gone.1.eml', 'inv_gone.2.eml.part', 'notes.txt']) writeFileSync(join(outbox, name), WORD)
    utimesSync(join(uploads, 'upload-old'), 0, 0)
    const download = mkdtempSync(join(tmpdir(), 'parlance-media-'))
    utimesSync(download, 0, 0)
    await serve(place)
    const [{ id }] = (await runJson(place, 'user', 'create', '--email', 'ada@example.com')) as [{ id: string }]
    const [{ url }] = (await runJson(place, 'user', 'sign-in-link', '--user', id)) as [{ url: string }]
    const open = `${/sil_\w+/.exec(url)![0]}.1.eml`
    for (const name of [open, 'sil_gone.1.eml']) writeFileSync(join(outbox, name), WORD)
    await until('the download is gone', () => !existsSync(download))
    await until('the upload is gone', () => !existsSync(join(uploads, 'upload-old')))
    await until('the mails are gone', () => readdirSync(outbox).length === 2)
    expect(readdirSync(outbox).sort()).toEqual(['notes.txt', open])
    // Another server on the same PostgreSQL may be receiving it.
    expect(existsSync(join(uploads, 'upload-young'))).toBe(place.environment.DATABASE_URL !== undefined)
  }
)
