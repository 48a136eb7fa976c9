import { describe, expect, test } from 'vitest'
import { signedIn } from '../../support/console.ts'
import { silence } from '../../support/sound.ts'

type Signed = Awaited<ReturnType<typeof signedIn>>

const WAV = silence(2)

async function add({ browser }: Pick<Signed, 'browser'>, id: string, name = 'call.wav', file: Buffer = WAV) {
  const path = `/s/${id}/recording`
  const head = `--x\r\ncontent-disposition: form-data; name="_form"\r\n\r\n${browser.formToken(path)}\r\n--x\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: application/octet-stream\r\n\r\n`
  const body = Buffer.concat([Buffer.from(head), file, Buffer.from('\r\n--x--\r\n')])
  return await browser.call('POST', path, { 'content-type': 'multipart/form-data; boundary=x' }, body)
}

describe('a recording of a session that has its words', () => {
  test('is added without a speech model, played and downloaded', async () => {
    const { user, browser } = await signedIn()
    const id = await user.session()
    expect((await browser.get(`/s/${id}`)).text).toContain('Add a recording')
    const { status, to } = await add({ browser }, id)
    expect([status, to]).toEqual([303, `/s/${id}`])
    const page = await browser.get(`/s/${id}`)
    expect(page.text).toContain('Download the recording')
    expect(page.text).not.toContain('Add a recording')
    const { audio_url: url } = (await user.get(`/v1/sessions/${id}/media`)).body
    const sent = await user.app.inject({ url: new URL(url).pathname + new URL(url).search })
    expect([sent.statusCode, sent.rawPayload.equals(WAV)]).toEqual([200, true])
    expect((await user.get('/v1/events')).body.events.map(({ event }: { event: string }) => event)).toEqual([
      'session.completed',
      'session.updated'
    ])
  })

  test('is one: a second is refused, also at the same time, and the first stays whole', async () => {
    const { user, browser } = await signedIn()
    const id = await user.session()
    const answers = await Promise.all([1, 2, 3].map(() => add({ browser }, id)))
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 409, 409])
    expect((await add({ browser }, id)).text).toContain('The session has a recording already')
    const { audio_url: url } = (await user.get(`/v1/sessions/${id}/media`)).body
    const sent = await user.app.inject({ url: new URL(url).pathname + new URL(url).search })
    expect(sent.rawPayload.equals(WAV)).toBe(true)
  })

  test('that is no recording is refused in words for people', async () => {
    const { user, browser } = await signedIn()
    const id = await user.session()
    for (const [name, file] of [
      ['call.wav', Buffer.from('nothing to hear')],
      ['minutes.vtt', Buffer.from('WEBVTT\n\n00:01.000 --> 00:02.000\nHello.\n')]
    ] as const) {
      const { status, text } = await add({ browser }, id, name, file)
      expect(status).toBe(400)
      expect(text).not.toContain('file:')
    }
    expect((await browser.get(`/s/${id}`)).text).toContain('Add a recording')
  })

  test('is added by the owner alone', async () => {
    const [{ user }, stranger] = [await signedIn(), await signedIn()]
    expect((await add(stranger, await user.session())).status).toBe(404)
  })
})

test('a recording alone is refused where nothing transcribes it, in words for people', async () => {
  const { browser } = await signedIn()
  const token = browser.formToken('/upload')
  const head = `--x\r\ncontent-disposition: form-data; name="_form"\r\n\r\n${token}\r\n--x\r\ncontent-disposition: form-data; name="file"; filename="call.wav"\r\n\r\n`
  const body = Buffer.concat([Buffer.from(head), WAV, Buffer.from('\r\n--x--\r\n')])
  const { status, text } = await browser.call(
    'POST',
    '/upload',
    { 'content-type': 'multipart/form-data; boundary=x' },
    body
  )
  expect(status).toBe(400)
  expect(text).toContain('This server can’t transcribe recordings. Add a transcript, or ask its operator')
  expect(text).not.toMatch(/file:|[A-Z]+_[A-Z]+/)
})
