// @module-tag postgres
import { readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startAiServer } from '../support/ai-server.ts'
import { hasBrowser, launchBrowser, takePicture } from '../support/browser.ts'
import { commandJson } from '../support/command.ts'
import { digestOf, MIB, writeRecording } from '../support/large-files.ts'
import {
  fileIn,
  freePort,
  migratedDatabase,
  newOwner,
  type Serving,
  serve,
  temporaryFolder,
  until
} from '../support/process.ts'

const PART = 8 * MIB
const SIZE = 3 * PART + MIB
const BYTES_PER_SECOND = 6 * MIB
/** So slow that a file is still on its way when something happens to it, however busy the machine is. */
const HELD_BYTES_PER_SECOND = MIB / 8

interface Session {
  id: string
  title: string
  timestamp: string
  folder_ids: string[]
}

describe.runIf(hasBrowser)('the page of uploads', () => {
  let browser: Browser

  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser?.close())

  type Opened = Awaited<ReturnType<typeof open>>

  /** A server, a user whose browser is signed in there, and a recording on their disk. */
  async function open() {
    const provider = await startAiServer()
    onTestFinished(() => provider.close())
    const fresh = await migratedDatabase()
    const PORT = String(await freePort())
    const origin = `http://127.0.0.1:${PORT}`
    const settings = {
      PORT,
      PUBLIC_URL: origin,
      OPENAI_API_KEY: 'sk-test',
      OPENAI_BASE_URL: provider.url,
      TRANSCRIPTION_MODEL: 'whisper-1'
    }
    const place = { ...fresh, environment: { ...fresh.environment, ...settings } }
    const { id: userId, token } = await newOwner(place)
    let server: Serving = await serve(place)
    const [{ url }] = (await commandJson(place, 'user', 'sign-in-link', '--user', userId)) as [{ url: string }]
    const context = await browser.newContext({ viewport: { width: 1280, height: 844 } })
    onTestFinished(() => context.close())
    const signIn = await context.newPage()
    await signIn.goto(url)
    await signIn.getByRole('button', { name: 'Sign in' }).click()
    await signIn.getByRole('heading', { name: 'Sessions' }).waitFor()
    const file = join(temporaryFolder(), 'talk.mp3')
    writeRecording(file, SIZE)

    return {
      file,
      /** Opens the page on a slow connection, which can be held up. Returns it with the offsets at which it has sent bytes. */
      async openPage() {
        const page = await context.newPage()
        const offsets: number[] = []
        page.on('request', request => {
          if (request.method() === 'PATCH') offsets.push(Number(request.headers()['upload-offset']))
        })
        const network = await context.newCDPSession(page)
        await network.send('Network.enable')
        const send = (uploadThroughput: number) =>
          network.send('Network.emulateNetworkConditions', {
            offline: false,
            latency: 0,
            downloadThroughput: -1,
            uploadThroughput
          })
        const [hold, release] = [() => send(HELD_BYTES_PER_SECOND), () => send(BYTES_PER_SECOND)]
        await release()
        await page.goto(`${origin}/upload`)
        return { page, offsets, hold, release }
      },
      ask: async <T = Session>(path: string) => (await server.get(path, token)).body as T,
      async kill() {
        server.kill('SIGKILL')
        await server.ended
      },
      async start() {
        server = await serve(place)
      },
      /** Exports the library of the user, which has the recording with a transcript, and returns the path of the file. */
      async exportLibrary(...words: string[]) {
        const segments = [{ speaker: 'Ada', start: 0, end: 2, text: 'Hello.' }]
        const document = fileIn(dirname(file), 'talk.json', JSON.stringify({ segments, media: { audio: 'talk.mp3' } }))
        await commandJson(place, 'import', '--user', userId, '--wait', document)
        const out = join(temporaryFolder(), 'library.zip')
        await commandJson(place, 'export', '--url', origin, '--token', token, '--out', out, ...words)
        return out
      },
      /** The bytes that have arrived. */
      arrived() {
        const parts = join(place.dataDir, 'parts')
        const files = readdirSync(parts, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
        return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
      },
      /** Waits for the page of the session, and compares its recording with the file. */
      async expectSession(page: Page) {
        await page.waitForURL(/\/s\/ses_\w+$/)
        const id = page.url().split('/').at(-1)!
        expect(await digestOf(join(place.dataDir, 'media', userId, id, 'audio.mp3'))).toBe(await digestOf(file))
        expect(readdirSync(join(place.dataDir, 'parts'))).toEqual([])
        await until('it is processed', async () => (await server.get(`/v1/sessions/${id}`, token)).status === 200)
      }
    }
  }

  function rowOf(page: Page, name: string) {
    return page.locator('.queue > li').filter({ hasText: name })
  }

  async function choose(page: Page, file: string) {
    await page.locator('#file').setInputFiles(file)
    await page.getByRole('button', { name: 'Upload' }).click()
  }

  /** Lets a page send the first part of the file, and holds the second one up. */
  async function begin({ page, offsets, hold }: Awaited<ReturnType<Opened['openPage']>>, file: string) {
    await choose(page, file)
    await until('the second part is on its way', () => offsets.length > 1)
    await hold()
  }

  /** Opens two pages with the same file. The second one waits while the first one sends, which is held up. */
  async function openTwo({ file, openPage }: Pick<Opened, 'file' | 'openPage'>) {
    const [first, second] = [await openPage(), await openPage()]
    await begin(first, file)
    await choose(second.page, file)
    await second.page.getByText('Another page is sending this file. It goes on by itself.').waitFor()
    return [first, second] as const
  }

  test('goes on by itself after the server was killed in the middle, and makes a session with the same bytes', {
    timeout: 240_000
  }, async () => {
    const { file, openPage, kill, start, arrived, expectSession } = await open()
    const opened = await openPage()
    const { page, offsets } = opened
    await begin(opened, file)
    await kill()
    const before = arrived()
    expect([before >= PART, before < SIZE]).toEqual([true, true])
    await page.getByText('The connection was interrupted. It goes on by itself.').waitFor()
    await takePicture(page, 'upload-interrupted')
    await opened.release()
    await start()
    await expectSession(page)
    expect(offsets[2]).toBeGreaterThanOrEqual(PART)
  })

  test('goes on from where it was when the page was closed and the same file is chosen again', {
    timeout: 240_000
  }, async () => {
    const { file, openPage, arrived, expectSession } = await open()
    const first = await openPage()
    await begin(first, file)
    await first.page.close()
    expect(arrived()).toBeLessThan(SIZE)
    const second = await openPage()
    await choose(second.page, file)
    await expectSession(second.page)
    expect(second.offsets[0]).toBeGreaterThanOrEqual(PART)
  })

  test('sends a file once when two pages have it, and not again when it is chosen later', {
    timeout: 240_000
  }, async () => {
    const { file, openPage, expectSession } = await open()
    const [first, second] = await openTwo({ file, openPage })
    await takePicture(second.page, 'upload-waits')
    await first.release()
    await expectSession(first.page)
    await expectSession(second.page)
    expect(second.page.url()).toBe(first.page.url())
    const later = await openPage()
    await choose(later.page, file)
    await later.page.waitForURL(first.page.url())
    expect([first.offsets, second.offsets, later.offsets]).toEqual([[0, PART, 2 * PART, 3 * PART], [], []])
  })

  test('takes its turn when the page that sends the file is closed', { timeout: 240_000 }, async () => {
    const { file, openPage, expectSession } = await open()
    const [first, second] = await openTwo({ file, openPage })
    await first.page.close()
    await expectSession(second.page)
    expect(second.offsets[0]).toBeGreaterThanOrEqual(PART)
  })

  test('says why the server refuses a large file, and sends the file after it', { timeout: 240_000 }, async () => {
    const { file, openPage, arrived } = await open()
    const { page, offsets } = await openPage()
    const noise = join(temporaryFolder(), 'noise.mp3')
    writeFileSync(noise, Buffer.alloc(PART + MIB, 'noise'))
    await page.locator('#file').setInputFiles([noise, file])
    await page.getByRole('button', { name: 'Upload' }).click()
    await Promise.all([
      rowOf(page, 'noise.mp3').getByText('The bytes are no audio or video').waitFor(),
      page.getByRole('progressbar', { name: 'Transfer of talk.mp3' }).waitFor()
    ])
    expect(offsets.slice(0, 2)).toEqual([0, PART])
    await page.getByRole('link', { name: 'Open talk.mp3' }).waitFor()
    expect(arrived()).toBe(0)
  })

  test('says beside the file what an exported library has brought, in one request and in parts', {
    timeout: 240_000
  }, async () => {
    const { openPage, exportLibrary } = await open()
    const [small, large] = [await exportLibrary(), await exportLibrary('--recordings')]
    const { page, offsets } = await openPage()
    for (const [index, file] of [small, large].entries()) {
      await choose(page, file)
      const row = page.locator('.queue > li').nth(index)
      await row.getByText('0 conversations imported, 1 were here already, 0 problems.').waitFor()
      await row.getByText('Done', { exact: true }).waitFor()
    }
    expect(offsets).toHaveLength(4)
    await takePicture(page, 'upload-library')
  })

  test('shows how much has arrived, and Cancel removes it from the server', { timeout: 240_000 }, async () => {
    const { file, openPage, arrived } = await open()
    const opened = await openPage()
    const { page } = opened
    await begin(opened, file)
    const bar = page.getByRole('progressbar', { name: 'Transfer of talk.mp3' })
    await expect.poll(async () => Number(await bar.getAttribute('value')), { timeout: 30_000 }).toBeGreaterThan(MIB)
    await takePicture(page, 'upload-transfer')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Cancelled').waitFor()
    expect(arrived()).toBe(0)
  })

  test('has a row for each file with its date, title and folder, and makes a recording and its transcript one session', {
    timeout: 240_000
  }, async () => {
    const { file, openPage, ask } = await open()
    const { page, offsets } = await openPage()
    const words = (name: string, text: string) =>
      fileIn(dirname(file), name, `WEBVTT\n\n00:01.000 --> 00:03.000\n<v Ada>${text}\n`)
    const [transcript, other] = [words('talk.vtt', 'This is the talk.'), words('other.vtt', 'This is another one.')]
    utimesSync(other, new Date(), new Date('2025-06-01T12:00:00Z'))
    await page.locator('#file').setInputFiles([file, transcript, other])
    await page.getByText('2 conversations', { exact: true }).waitFor()
    const row = rowOf(page, 'other.vtt')
    expect(await row.getByLabel('Took place').inputValue()).toMatch(/^2025-06-0[12]T/)
    await row.getByLabel('Title').fill('Another one')
    await row.getByLabel('Folder').fill('Clients')
    await takePicture(page, 'upload-queue')
    await page.getByRole('button', { name: 'Upload 2 conversations' }).click()
    await page.getByRole('link', { name: 'Open talk.mp3' }).waitFor()
    await page.getByRole('link', { name: 'Open other.vtt' }).waitFor()
    expect(offsets.slice(0, 2)).toEqual([0, PART])
    const list = () => ask<{ sessions: Session[] }>('/v1/sessions')
    await until('both are processed', async () => (await list()).sessions.length === 2)
    const found = await Promise.all((await list()).sessions.map(({ id }) => ask(`/v1/sessions/${id}`)))
    const titled = (title: string) => found.find(one => one.title === title)!
    const [one, talk] = [titled('Another one'), titled('talk')]
    expect([one.timestamp.slice(0, 10), one.folder_ids.length]).toEqual(['2025-06-01', 1])
    const { audio_url: url } = await ask<{ audio_url: string }>(`/v1/sessions/${talk.id}/media`)
    expect(url).toContain('/v1/media/')
    const { segments } = await ask<{ segments: { text: string }[] }>(`/v1/sessions/${talk.id}/transcript`)
    expect(segments.map(({ text }) => text)).toEqual(['This is the talk.'])
  })
})
