import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createZip } from '../../../src/features/exports/zip-writer.ts'
import { hiddenFields, newBrowser, signInAs } from '../../support/console.ts'
import { exportTo, filesOf } from '../../support/exports.ts'
import { buildTestApp, testDatabase, testServer } from '../../support/server.ts'
import { newSharer } from '../../support/sharing.ts'
import { NOISE, sound } from '../../support/sound.ts'
import { trash } from '../../support/trash.ts'

const TUS = { 'tus-resumable': '1.0.0' }
const VTT = Buffer.from('WEBVTT\n\n00:01.000 --> 00:03.000\n<v Ada>Good morning, all of you.\n')
const NO_RECORDING =
  'The bytes are no audio or video: send a recording, such as .mp3, .m4a, .wav or .mp4, or the transcript under its own ending.'

let served: Awaited<ReturnType<typeof testServer>>
const folder = mkdtempSync(join(tmpdir(), 'parlance-test-console-uploads-'))

beforeAll(async () => {
  const app = await buildTestApp({ partsFolder: folder, transcribes: true })
  served = { ...(await testServer()), ...(await testDatabase()), app }
})
afterAll(async () => {
  await served.app.close()
  rmSync(folder, { recursive: true })
})

/** The page of uploads of a new user, and what its script sends. */
async function openPage() {
  const user = await newSharer()
  const browser = newBrowser(served)
  await signInAs(browser, user.email, served)
  const { _form: token = '' } = hiddenFields((await browser.get('/upload')).body, '/upload')
  const own = { ...TUS, 'x-form-token': token }

  async function begin(name: string, bytes: number) {
    const about = `filename ${Buffer.from(name).toString('base64')}`
    const { status, to } = await browser.call('POST', '/uploads', {
      ...own,
      'upload-length': String(bytes),
      'upload-metadata': about
    })
    expect([status, to]).toEqual([201, expect.stringMatching(/^\/uploads\/upl_\w+$/)])
    return String(to)
  }
  const append = (address: string, offset: number, bytes: Buffer, headers: Record<string, string> = own) =>
    browser.call('PATCH', address, { ...headers, ...partAt(offset) }, bytes)
  const offsetOf = async (address: string) => {
    const { status, headers } = await browser.call('HEAD', address, own)
    return [status, Number(headers['upload-offset'])]
  }
  async function send(name: string, file: Buffer) {
    const address = await begin(name, file.length)
    await append(address, 0, file)
    return address
  }
  const importOf = (address: string, fields = {}) =>
    browser.send(`${address}/import`, { _form: token, title: '', type: '', tag: '', folder: '', ...fields })
  const sendForm = (name: string, file: Buffer) =>
    browser.call('POST', '/upload', { 'content-type': 'multipart/form-data; boundary=x' }, formOf(token, name, file))
  return { user, browser, token, own, begin, append, offsetOf, send, importOf, sendForm }
}

function formOf(token: string, name: string, file: Buffer) {
  return Buffer.concat([
    Buffer.from(`--x\r\ncontent-disposition: form-data; name="_form"\r\n\r\n${token}\r\n`),
    Buffer.from(`--x\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\n\r\n`),
    file,
    Buffer.from('\r\n--x--\r\n')
  ])
}

/** A copy of an archive with some of its files. */
async function zipOf(path: string, isKept: (name: string) => boolean) {
  await using zip = await createZip(mkdtempSync(join(folder, 'zip-')), new Date('2026-03-02T10:00:00Z'))
  for (const [name, content] of await filesOf(path)) if (isKept(name)) await zip.add(name, content)
  await zip.finish()
  return zip.path
}

function partAt(offset: number) {
  return { 'content-type': 'application/offset+octet-stream', 'upload-offset': String(offset) }
}

describe('the page of uploads', () => {
  test('sends a file in parts, and makes a session of it with the fields that are filled in', async () => {
    const { user, begin, append, offsetOf, importOf } = await openPage()
    const address = await begin('weekly.vtt', VTT.length)
    expect((await append(address, 0, VTT.subarray(0, 20))).status).toBe(204)
    expect(await offsetOf(address)).toEqual([200, 20])
    const early = await importOf(address)
    expect([early.status, early.text]).toEqual([409, expect.stringContaining(`20 of ${VTT.length} bytes have arrived`)])
    expect((await append(address, 20, VTT.subarray(20))).status).toBe(204)
    const { status, to } = await importOf(address, { title: 'In parts', tag: 'a, b', folder: 'Clients' })
    expect([status, to]).toEqual([303, expect.stringMatching(/^\/s\/ses_\w+$/)])
    const { title, tags, folder_ids: folders } = (await user.get(`/v1/sessions/${String(to).slice(3)}`)).body
    expect({ title, tags, folders: folders.length }).toEqual({ title: 'In parts', tags: ['a', 'b'], folders: 1 })
    expect((await importOf(address)).to).toBe(to)
  })

  test('says what an exported library has brought, by the form and in parts, and what it could not', async () => {
    const owner = await newSharer()
    await owner.session({ title: 'One', segments: [{ speaker: 'Ada', text: 'Hello.' }] })
    await owner.session({ title: 'Two', segments: [{ speaker: 'Ada', text: 'Hello again.' }] })
    const path = await exportTo(folder, owner)
    const { user, sendForm, send, importOf } = await openPage()
    const inParts = await importOf(await send('library.zip', readFileSync(path)))
    expect([inParts.status, inParts.text]).toEqual([
      200,
      expect.stringContaining('2 conversations imported, 0 were here already, 0 problems.')
    ])
    expect((await user.get('/v1/sessions?status=all')).body.sessions).toHaveLength(2)
    const broken = await zipOf(path, name => !name.includes('/one-ses_') || !name.endsWith('document.json'))
    const byForm = await sendForm('library.zip', readFileSync(broken))
    expect([byForm.status, byForm.text]).toEqual([
      200,
      expect.stringMatching(
        /0 conversations imported, 1 were here already, 1 problem\. sessions\/undated\/one-ses_\w+: document\.json is missing/
      )
    ])
    expect(byForm.body).toContain('<div data-imported>')
  })

  test('refuses fields for a whole library, and imports the same upload without them', async () => {
    const owner = await newSharer()
    await owner.session({ title: 'One', segments: [{ speaker: 'Ada', text: 'Hello.' }] })
    const { send, importOf } = await openPage()
    const address = await send('library.zip', readFileSync(await exportTo(folder, owner)))
    const refused = await importOf(address, { title: 'All of them' })
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('a library is imported as it is')])
    expect((await importOf(address)).text).toContain('1 conversation imported')
  })

  test('refuses what is sent without the token of a form of this browser, or from a page of another site', async () => {
    const [mine, other] = [await openPage(), await openPage()]
    const address = await mine.begin('weekly.vtt', VTT.length)
    const foreign = [
      TUS,
      { ...TUS, 'x-form-token': '' },
      other.own,
      { ...mine.own, 'sec-fetch-site': 'cross-site' },
      { ...mine.own, origin: 'https://elsewhere.example' }
    ]
    for (const headers of foreign) {
      const sent = { 'upload-length': '9', 'upload-metadata': 'filename d2Vla2x5LnZ0dA==' }
      const refused = [
        await mine.browser.call('POST', '/uploads', { ...headers, ...sent }),
        await mine.browser.call('HEAD', address, headers),
        await mine.append(address, 0, VTT, headers),
        await mine.browser.call('DELETE', address, headers)
      ]
      expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403])
      expect(JSON.parse(refused[0]!.body).error.code).toBe('no_access')
    }
    expect((await mine.browser.send(`${address}/import`)).status).toBe(403)
    expect(await mine.offsetOf(address)).toEqual([200, 0])
  })

  test("answers 404 for another user's upload, and changes nothing of it", async () => {
    const [mine, other] = [await openPage(), await openPage()]
    const address = await mine.begin('weekly.vtt', VTT.length)
    const refused = [
      await other.browser.call('HEAD', address, other.own),
      await other.append(address, 0, VTT),
      await other.importOf(address),
      await other.browser.call('DELETE', address, other.own)
    ]
    expect(refused.map(({ status }) => status)).toEqual([404, 404, 404, 404])
    expect(await mine.offsetOf(address)).toEqual([200, 0])
  })

  test('asks a browser that is no longer signed in to sign in', async () => {
    const { browser, own, begin } = await openPage()
    const address = await begin('weekly.vtt', VTT.length)
    await browser.submit('/upload', '/sign-out')
    const { status, body } = await browser.call('DELETE', address, own)
    expect([status, JSON.parse(body).error.message]).toEqual([401, 'You are signed out; sign in, then go on'])
  })

  test('leads to a session in the trash, by the form and in parts, and imports the file once it is deleted for good', async () => {
    const { user, browser, sendForm, send, importOf, offsetOf } = await openPage()
    const page = String((await sendForm('weekly.vtt', VTT)).to)
    await trash(served, user.id, page.slice(3))
    expect(await sendForm('weekly.vtt', VTT)).toMatchObject({ status: 303, to: page })
    const address = await send('weekly.vtt', VTT)
    expect(await importOf(address)).toMatchObject({ status: 303, to: page })
    expect((await browser.get(page)).text).toContain('This session is in the trash.')
    expect((await user.delete(`/v1/sessions/${page.slice(3)}?permanently=true`)).status).toBe(200)
    expect(await offsetOf(address)).toEqual([200, VTT.length])
    const { status, to } = await importOf(address)
    expect([status, to === page]).toEqual([303, false])
  })

  test('cancels an upload, of which nothing is left', async () => {
    const { browser, own, send, offsetOf } = await openPage()
    const address = await send('talk.mp3', sound('talk'))
    expect((await browser.call('DELETE', address, own)).status).toBe(204)
    expect((await offsetOf(address))[0]).toBe(404)
    expect(readdirSync(folder).filter(name => name.endsWith(address.split('/').at(-1)!))).toEqual([])
  })

  test('refuses bytes that are no recording under the name of one, in parts and by the form, and says why', async () => {
    const { user, sendForm, send, importOf, offsetOf } = await openPage()
    const address = await send('talk.mp3', NOISE)
    const inParts = await importOf(address)
    const whole = await sendForm('talk.mp3', NOISE)
    for (const { status, text } of [inParts, whole])
      expect([status, text]).toEqual([400, expect.stringContaining(NO_RECORDING)])
    expect((await offsetOf(address))[0]).toBe(404)
    expect((await user.get('/v1/sessions?status=all')).body.sessions).toEqual([])
  })
})
