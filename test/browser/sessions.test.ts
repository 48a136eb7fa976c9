import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, launchBrowser, takePicture } from '../support/browser.ts'
import { record } from '../support/recordings.ts'
import { acceptSession, buildTestApp, completeSession } from '../support/server.ts'
import { newSharer } from '../support/sharing.ts'
import { signInOnce } from '../support/signed-in.ts'
import { silence } from '../support/sound.ts'

const VTT = `WEBVTT

00:00.000 --> 00:04.000
<v Ada>Welcome to the weekly review.

00:20.000 --> 00:24.000
<v Ben>I will send the offer for the spring order on Friday.

00:40.000 --> 00:44.000
<v Ada>Then that is settled.
`

const SUMMARY = `# Weekly review

The team agreed on the **spring order**.

- Ben sends the offer on Friday
- The battery waits for a new part`

describe.runIf(hasBrowser)('sessions in a browser', () => {
  let browser: Browser
  let app: Awaited<ReturnType<typeof buildTestApp>>
  let origin: string
  let user: Awaited<ReturnType<typeof newSharer>>
  let session: string
  let signedIn: Awaited<ReturnType<typeof signInOnce>>

  beforeAll(async () => {
    app = await buildTestApp()
    origin = await app.listen({ host: '127.0.0.1', port: 0 })
    browser = await launchBrowser()
    user = await newSharer({ name: 'Ada Lovelace' })
    session = await user.session({
      title: 'Weekly review with the client',
      timestamp: '2026-03-01T09:00:00Z',
      summary: SUMMARY,
      notes: 'Ask about the part.',
      tags: ['sales', 'weekly'],
      folders: ['Clients'],
      platform: 'zoom',
      action_items: [
        { text: 'Send the offer', assignee: 'Ben', due_date: '2026-03-06', source_start: 20 },
        { text: 'Order the part', completed: true }
      ],
      segments: Array.from({ length: 300 }, (_, at) => ({
        speaker: Math.floor(at / 3) % 2 ? 'Ben' : 'Ada Lovelace',
        start: at * 5,
        end: at * 5 + 4,
        text:
          at === 40 ? 'The battery waits for a new part.' : `Line ${at}: we go on about the offer and the spring order.`
      }))
    })
    await record(user, session, 'audio', silence(1_500))
    signedIn = await signInOnce(browser, origin, user.email)
  })

  afterAll(async () => {
    await browser?.close()
    await app?.close()
  })

  async function open(
    options: Parameters<Browser['newContext']>[0] = {}
  ): Promise<{ context: BrowserContext; page: Page }> {
    const context = await browser.newContext({ ...signedIn, viewport: { width: 1280, height: 844 }, ...options })
    return { context, page: await context.newPage() }
  }

  test('the list leads by search to the moment, which plays, and the transcript follows', async () => {
    const { context, page } = await open()
    await page.goto(origin)
    await page.getByLabel('Search everywhere').fill('battery part')
    await page.keyboard.press('Enter')
    await page
      .getByRole('link', { name: /The battery waits/ })
      .first()
      .click()
    await page.waitForURL(/\/s\/ses_\w+#t=\d+$/)
    const second = Number(/t=(\d+)/.exec(page.url())![1])
    const line = page.locator('.talk .there')
    await expect.poll(() => line.count()).toBe(1)
    expect(await line.evaluate(element => (element as unknown as { dataset: { s: string } }).dataset.s)).toBe(
      String(second)
    )
    const position = () =>
      page.locator('.recording audio').evaluate(player => (player as unknown as { currentTime: number }).currentTime)
    await expect.poll(position).toBeGreaterThanOrEqual(second)
    const battery = page.locator('[data-s="200"]')
    // Waited for from before the click on, because the next line has its turn five seconds later.
    await Promise.all([page.locator('[data-s="200"].now').waitFor(), battery.locator('span').click()])
    await expect.poll(position).toBeGreaterThan(200)
    await page.keyboard.press('k')
    await expect
      .poll(() =>
        page.locator('.recording audio').evaluate(player => (player as unknown as { paused: boolean }).paused)
      )
      .toBe(true)
    await page.keyboard.press('>')
    expect(await page.locator('#speed').inputValue()).toBe('1.25')
    await context.close()
  })

  test('an item is ticked off by keyboard, without scripts', async () => {
    const { context, page } = await open({ javaScriptEnabled: false })
    await page.goto(`${origin}/s/${session}`)
    await page.getByRole('checkbox', { name: 'Send the offer', checked: false }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('checkbox', { name: 'Send the offer', checked: true }).waitFor()
    await context.close()
  })

  const corrected = async (id: string) => {
    const { body } = await user.get(`/v1/sessions/${id}/transcript`)
    return body.segments.map(({ text }: { text: string }) => text)
  }
  const heard = ['Welcome to par lance.', 'I will send it.', 'Um.'].map((text, at) => {
    return { speaker: at === 1 ? 'Ben' : 'Ada', start: at * 20, end: at * 20 + 4, text }
  })

  test('a line is corrected where it stands, and emptied to remove it', async () => {
    const { context, page } = await open()
    const id = await user.session({ segments: heard })
    await record(user, id, 'audio', silence(60))
    await page.goto(`${origin}/s/${id}`)
    const line = (second: number) => page.locator(`[data-s="${second}"]`)
    await line(0).hover()
    await line(0).getByTitle('Correct this line').click()
    const field = page.getByRole('textbox', { name: 'Ada 0:00' })
    await expect.poll(() => field.evaluate(one => one === one.ownerDocument.activeElement)).toBe(true)
    await takePicture(page, 'correct-in-place-1280')
    await field.fill('Welcome to Parlance.')
    await field.press('Enter')
    await line(0).getByText('Welcome to Parlance.').waitFor()
    expect(await corrected(id)).toEqual(['Welcome to Parlance.', 'I will send it.', 'Um.'])
    const isPaused = page
      .locator('.recording audio')
      .evaluate(player => (player as unknown as { paused: boolean }).paused)
    expect(await isPaused).toBe(true)

    await line(20).getByTitle('Correct this line').click()
    await page.getByRole('textbox', { name: 'Ben' }).press('Escape')
    await line(20).getByText('I will send it.').waitFor()

    await line(40).getByTitle('Correct this line').click()
    await page.getByRole('textbox', { name: 'Ada 0:40' }).fill('')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect.poll(() => line(40).count()).toBe(0)
    expect(await corrected(id)).toHaveLength(2)

    // Somebody else is faster.
    await line(20).getByTitle('Correct this line').click()
    await page.getByRole('textbox', { name: 'Ben' }).fill('Mine.')
    await user.patch(
      `/v1/sessions/${id}/transcript`,
      { segments: [{ index: 1, text: 'Theirs.' }] },
      { 'if-match': '*' }
    )
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Theirs.').waitFor()
    await page.getByRole('button', { name: 'Save mine' }).click()
    await page.getByText('Saved.').waitFor()
    expect(await corrected(id)).toEqual(['Welcome to Parlance.', 'Mine.'])
    await context.close()
  })

  test('a line leads to the page that corrects it, without scripts', async () => {
    const { context, page } = await open({ viewport: { width: 390, height: 844 }, javaScriptEnabled: false })
    const id = await user.session({ segments: heard })
    await page.goto(`${origin}/s/${id}`)
    await page.locator('[data-s="20"]').getByTitle('Correct this line').click()
    const field = page.getByRole('textbox', { name: 'Ben 0:20' })
    await field.fill('I will send the offer.')
    await takePicture(page, 'correct-lines-390')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved.').waitFor()
    expect(await corrected(id)).toEqual(['Welcome to par lance.', 'I will send the offer.', 'Um.'])
    await page.getByRole('link', { name: 'Back to the conversation' }).click()
    await page.waitForURL(/#t=20$/)
    await context.close()
  })

  test('notes that somebody else changed meanwhile are shown beside mine, and I choose', async () => {
    const { context, page } = await open({ viewport: { width: 390, height: 844 }, javaScriptEnabled: false })
    const id = await user.session({ notes: 'First' })
    await page.goto(`${origin}/s/${id}`)
    await user.patch(`/v1/sessions/${id}`, { notes: 'Theirs' })
    await page.getByRole('textbox', { name: 'Notes' }).fill('Mine')
    await page.getByRole('button', { name: 'Save notes' }).click()
    await page.getByText('Theirs').waitFor()
    await takePicture(page, 'conflict-390')
    await page.getByRole('button', { name: 'Save mine' }).click()
    await page.waitForURL(/#your-notes$/)
    expect((await user.get(`/v1/sessions/${id}`)).body.notes).toBe('Mine')
    await context.close()
  })

  test('a recording that the browser cannot play says so, and is offered for download', async () => {
    const { context, page } = await open()
    const id = await user.session()
    await record(user, id, 'audio', Buffer.from('not a sound that any browser plays'))
    const failed = () =>
      page.locator('.recording audio').evaluate(player => (player as unknown as { error: unknown }).error !== null)
    // The browser may give the recording up before the script runs, or after it.
    await page.route('**/assets/session.js', async route => {
      await expect.poll(failed, { timeout: 30_000 }).toBe(true)
      await route.continue()
    })
    await page.goto(`${origin}/s/${id}`)
    await page.getByText("This browser can't play the recording.").waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download the recording' }).click()
    ])
    expect(download.suggestedFilename()).toMatch(/^recording\.\w+$/)
    await context.close()
  })

  test('a dropped file shows its progress, is processed, and is found', async () => {
    const { context, page } = await open()
    await page.goto(`${origin}/upload`)
    await page.locator('#file').setInputFiles({ name: 'spring.vtt', mimeType: 'text/vtt', buffer: Buffer.from(VTT) })
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.waitForURL(/\/s\/ses_\w+$/)
    await page.locator('[data-state=processing]').waitFor()
    const id = page.url().split('/').at(-1)!
    await completeSession(user.id, id)
    await page.locator('[data-state]').waitFor({ state: 'detached' })
    await page.getByText('Then that is settled.').waitFor()
    await record(user, id, 'audio', silence(60))
    await page.goto(`${origin}/search?q=settled`)
    await page
      .getByRole('link', { name: /that is settled/ })
      .first()
      .click()
    await page.waitForURL(new RegExp(`/s/${id}#t=`))
    await page.locator('.talk .there').waitFor()
    await page.goto(`${origin}/upload`)
    await page.locator('#file').setInputFiles([
      { name: 'empty.vtt', mimeType: 'text/vtt', buffer: Buffer.from('') },
      { name: 'broken.json', mimeType: 'application/json', buffer: Buffer.from('{') },
      { name: 'other.vtt', mimeType: 'text/vtt', buffer: Buffer.from(VTT.replace('settled', 'agreed')) }
    ])
    await page.getByRole('button', { name: 'Upload' }).click()
    const row = (name: string) => page.locator('.queue > li').filter({ hasText: name })
    await row('empty.vtt').getByText('The file is empty. Choose a transcript or a recording.').waitFor()
    await row('broken.json').getByText(/JSON/).waitFor()
    const other = row('other.vtt')
    await other.getByText('Processing', { exact: true }).waitFor()
    const [, uploaded = ''] = /\/s\/(ses_\w+)/.exec((await other.getByRole('link').getAttribute('href')) ?? '') ?? []
    await completeSession(user.id, uploaded)
    await other.getByText('Done', { exact: true }).waitFor()
    await takePicture(page, 'upload-done')
    await page.evaluate(`(() => {
      const dropped = new DataTransfer()
      dropped.items.add(new File([${JSON.stringify(VTT.replace('settled', 'decided'))}], 'dropped.vtt'))
      document.querySelector('.drop').dispatchEvent(new DragEvent('drop', { dataTransfer: dropped, bubbles: true, cancelable: true }))
    })()`)
    await page.getByRole('button', { name: 'Upload', exact: true }).click()
    await row('dropped.vtt').getByRole('link', { name: 'Open dropped.vtt' }).click()
    await page.waitForURL(/\/s\/ses_\w+$/)
    await page.getByText('Then that is decided.').waitFor()
    await context.close()
  })

  test('a small file is sent again after an interruption, and only once imported', async () => {
    const { context, page } = await open()
    const text = VTT.replace('settled', 'repeated')
    let interrupted = 0
    await page.route('**/upload', async route => {
      if (route.request().method() !== 'POST' || interrupted > 0) return route.continue()
      interrupted += 1
      // The server has the file, and the browser gets no answer.
      await route.fetch({ maxRedirects: 0 })
      await route.abort()
    })
    await page.goto(`${origin}/upload`)
    await page.locator('#file').setInputFiles({ name: 'repeated.vtt', mimeType: 'text/vtt', buffer: Buffer.from(text) })
    // It is shown until the file is sent again.
    await Promise.all([
      page.getByText('The connection was interrupted. It goes on by itself.').waitFor(),
      page.getByRole('button', { name: 'Upload' }).click()
    ])
    await page.waitForURL(/\/s\/ses_\w+$/)
    const { sessions } = (await user.get('/v1/sessions?status=all')).body
    expect([interrupted, sessions.filter(({ title }: { title: string }) => title === 'repeated').length]).toEqual([
      1, 1
    ])
    await context.close()
  })

  test('the page shows a processed session also where a proxy refuses its events', async () => {
    const { context, page } = await open()
    const id = await acceptSession(user.id, { title: 'Refused' })
    await page.route('**/progress?*', route => route.fulfill({ status: 502 }))
    await page.goto(`${origin}/s/${id}`)
    await page.locator('[data-state=processing]').waitFor()
    await completeSession(user.id, id)
    await page.locator('[data-state]').waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: 'Summary' }).waitFor()
    await context.close()
  })
})
