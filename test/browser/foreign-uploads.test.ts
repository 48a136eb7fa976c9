// @module-tag embedded
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { hasBrowser, launchBrowser } from '../support/browser.ts'
import { buildTestApp, newUser } from '../support/server.ts'

const VTT = `WEBVTT\n\n${'00:01.000 --> 00:03.000\n<v Ada>Good morning, all of you.\n\n'.repeat(2_000)}`
const PART = 50_000
const TUS = fileURLToPath(new URL('../../node_modules/tus-js-client/dist/tus.js', import.meta.url))

/** What the page of an application does, as the guide has it. It stops after so many bytes, or imports the file and returns the answer. */
const UPLOAD = `({ url, token, text, chunkSize, until }) => new Promise((resolve, reject) => {
  const file = new File([text], 'weekly.vtt', { lastModified: 1 })
  const headers = { authorization: 'Bearer ' + token }
  const upload = new tus.Upload(file, {
    endpoint: url + '/v1/uploads',
    headers,
    metadata: { filename: file.name },
    chunkSize,
    retryDelays: [0, 1_000, 5_000],
    onError: reject,
    onChunkComplete(_, accepted) {
      if (accepted >= until) upload.abort().then(() => resolve({ accepted }))
    },
    async onSuccess() {
      const id = upload.url.split('/').at(-1)
      const reply = await fetch(url + '/v1/sessions/upload?upload=' + id, { method: 'POST', headers })
      resolve({ status: reply.status, id: (await reply.json()).id })
    }
  })
  upload.findPreviousUploads().then(([previous]) => {
    if (previous) upload.resumeFromPreviousUpload(previous)
    upload.start()
  })
})`

describe.runIf(hasBrowser)('a page of another origin', () => {
  test('uploads in parts with tus-js-client, and goes on after it was loaded again', async () => {
    const script = readFileSync(TUS)
    const pages = createServer(({ url }, response) => {
      const isScript = url === '/tus.js'
      response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
      response.end(isScript ? script : '<script src="/tus.js"></script>')
    })
    await new Promise<void>(listening => pages.listen(0, '127.0.0.1', listening))
    const origin = `http://localhost:${(pages.address() as AddressInfo).port}`
    const partsFolder = mkdtempSync(join(tmpdir(), 'parlance-test-parts-'))
    const app = await buildTestApp({ partsFolder }, { corsOrigins: [origin] })
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const browser = await launchBrowser()
    onTestFinished(async () => {
      await browser.close()
      await app.close()
      pages.close()
      rmSync(partsFolder, { recursive: true })
    })
    const user = await newUser()
    const page = await (await browser.newContext()).newPage()
    const sent: string[] = []
    page.on('request', request => sent.push(`${request.method()} ${request.headers()['upload-offset'] ?? ''}`))
    const task = { url, token: user.token, text: VTT, chunkSize: PART, until: PART }
    await page.goto(origin)
    expect(await page.evaluate(`(${UPLOAD})(${JSON.stringify(task)})`)).toEqual({ accepted: PART })
    await page.reload()
    const again = await page.evaluate<{ status: number; id: string }>(
      `(${UPLOAD})(${JSON.stringify({ ...task, until: Number.MAX_SAFE_INTEGER })})`
    )
    expect(again).toEqual({ status: 202, id: expect.stringMatching(/^ses_/) })
    expect(sent.filter(line => line === 'PATCH 0')).toHaveLength(1)
    expect(sent).toContain(`PATCH ${PART}`)
    expect((await user.get(`/v1/sessions/${again.id}`)).status).toBe(200)
  })
})
