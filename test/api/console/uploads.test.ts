import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createZip } from '../../../src/features/exports/zip-writer.ts'
import { hiddenFields, newBrowser, signInAs } from '../../support/console.ts'
import { exportTo, filesOf } from '../../support/exports.ts'
import { buildTestApp, completeSession, testDatabase, testServer } from '../../support/server.ts'
import { newSharer } from '../../support/sharing.ts'
import { NOISE, silence, sound } from '../../support/sound.ts'
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
  const sendForm = (name: string, file: Buffer) => sendFiles('/upload', [[name, file]])
  const sendFiles = (to: string, files: [string, Buffer][], fields: Record<string, string> = {}) =>
    browser.call('POST', to, { 'content-type': 'multipart/form-data; boundary=x' }, formOf(token, files, fields))
  return { user, browser, token, own, begin, append, offsetOf, send, importOf, sendForm, sendFiles }
}

function formOf(token: string, files: [string, Buffer][], fields: Record<string, string>) {
  return Buffer.concat([
    ...Object.entries({ _form: token, ...fields }).map(([name, value]) =>
      Buffer.from(`--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    ),
    ...files.flatMap(([name, file]) => [
      Buffer.from(`--x\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\n\r\n`),
      file,
      Buffer.from('\r\n')
    ]),
    Buffer.from('--x--\r\n')
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

  test('tells a script what became of a file, with the address of its session', async () => {
    const { user, send, importOf, sendFiles } = await openPage()
    const outcomeOf = ({ status, body }: { status: number; body: string }) => {
      const [, session, outcome] = /data-session="([^"]*)" data-outcome="(\w+)"/.exec(body) ?? []
      return [status, session, outcome]
    }
    const first = outcomeOf(await sendFiles('/upload', [['weekly.vtt', VTT]], { answer: 'short' }))
    expect(first).toEqual([200, expect.stringMatching(/^\/s\/ses_\w+$/), 'new'])
    const address = await send('weekly.vtt', VTT)
    expect(outcomeOf(await importOf(address, { answer: 'short' }))).toEqual([200, first[1], 'known'])
    await trash(served, user.id, String(first[1]).slice(3))
    const third = await sendFiles('/upload', [['weekly.vtt', VTT]], { answer: 'short' })
    expect(outcomeOf(third)).toEqual([200, first[1], 'trash'])
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

describe('a recording and its transcript', () => {
  const WAV = silence(2)
  const LATER = Buffer.from('WEBVTT\n\n00:01.000 --> 00:03.000\n<v Ben>Good evening.\n')

  /** The words and the recording of a session. */
  async function contentOf(user: Awaited<ReturnType<typeof openPage>>['user'], page: unknown) {
    const id = String(page).slice(3)
    const { body } = await user.get(`/v1/sessions/${id}/transcript`)
    const { audio_url: url } = (await user.get(`/v1/sessions/${id}/media`)).body
    const sent = url && (await user.app.inject({ url: new URL(url).pathname + new URL(url).search }))
    return {
      words: body.segments?.map((one: { text: string }) => one.text),
      isWhole: url && WAV.equals(sent.rawPayload)
    }
  }
  const MORNING = { words: ['Good morning, all of you.'], isWhole: true }

  test('become one session by the form, in either order, with the fields of the form', async () => {
    const { user, sendFiles } = await openPage()
    const one = await sendFiles(
      '/upload',
      [
        ['call.wav', WAV],
        ['call.vtt', VTT]
      ],
      { title: 'Call' }
    )
    expect([one.status, await contentOf(user, one.to)]).toEqual([303, MORNING])
    const other = await sendFiles('/upload', [
      ['late.vtt', LATER],
      ['late.wav', WAV]
    ])
    expect([other.status, (await contentOf(user, other.to)).isWhole]).toEqual([303, true])
    const { sessions } = (await user.get('/v1/sessions?status=all')).body
    expect(sessions.map(({ title }: { title: string }) => title).sort()).toEqual(['Call', 'late'])
  })

  test('become one session in parts, also when the import is sent again', async () => {
    const { user, send, sendFiles, offsetOf } = await openPage()
    const address = await send('call.wav', WAV)
    const first = await sendFiles(`${address}/transcript`, [['call.vtt', VTT]])
    expect([first.status, await contentOf(user, first.to)]).toEqual([303, MORNING])
    expect(await offsetOf(address)).toEqual([200, WAV.length])
    expect((await sendFiles(`${address}/transcript`, [['call.vtt', VTT]])).to).toBe(first.to)
    expect((await user.get('/v1/sessions?status=all')).body.sessions).toHaveLength(1)
    expect((await user.get('/v1/account')).body.quotas.bytes_stored.used).toBeLessThan(2 * WAV.length)
  })

  test('give the recording to a session whose transcript is there already, once', async () => {
    const { user, sendForm, sendFiles } = await openPage()
    const { to } = await sendForm('call.vtt', VTT)
    await completeSession(user.id, String(to).slice(3))
    for (const again of [1, 2]) {
      const { status, to: page } = await sendFiles('/upload', [
        ['call.wav', WAV],
        ['call.vtt', VTT]
      ])
      expect([again, status, page, await contentOf(user, page)]).toEqual([again, 303, to, MORNING])
    }
  })

  test.each([
    [
      'two transcripts',
      [
        ['a.vtt', VTT],
        ['b.vtt', LATER]
      ],
      'Neither file is a recording'
    ],
    [
      'two recordings',
      [
        ['a.wav', WAV],
        ['b.wav', WAV]
      ],
      'Both files are recordings'
    ],
    [
      'three files',
      [
        ['a.wav', WAV],
        ['a.vtt', VTT],
        ['b.vtt', LATER]
      ],
      'one file, or a recording and its transcript'
    ]
  ] as [string, [string, Buffer][], string][])('%s are refused, and make no session', async (_, files, words) => {
    const { user, sendFiles } = await openPage()
    const { status, text } = await sendFiles('/upload', files)
    expect([status, text]).toEqual([400, expect.stringContaining(words)])
    expect((await user.get('/v1/sessions?status=all')).body.sessions).toEqual([])
  })

  test('need no speech model, which a recording alone does', async () => {
    const app = await buildTestApp({ partsFolder: folder, transcribes: false })
    onTestFinished(() => app.close())
    const user = await newSharer()
    const browser = newBrowser({ app })
    await signInAs(browser, user.email, served)
    const { _form: token = '' } = hiddenFields((await browser.get('/upload')).body, '/upload')
    const post = (files: [string, Buffer][]) =>
      browser.call('POST', '/upload', { 'content-type': 'multipart/form-data; boundary=x' }, formOf(token, files, {}))
    const alone = await post([['call.wav', WAV]])
    expect([alone.status, alone.text]).toEqual([
      400,
      expect.stringContaining('This server can’t transcribe recordings')
    ])
    const pair = await post([
      ['call.wav', WAV],
      ['call.vtt', VTT]
    ])
    expect([pair.status, await contentOf(user, pair.to)]).toEqual([303, MORNING])
  })
})
