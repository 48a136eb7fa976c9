import { describe, expect, test } from 'vitest'
import { hiddenFields, signedIn } from '../../support/console.ts'
import { NOW } from '../../support/server.ts'

const VTT = 'WEBVTT\n\n00:01.000 --> 00:03.000\n<v Ada>Good morning, all of you.\n'

/** The form of the upload page as a browser with scripts sends it. */
function formOf(fields: Record<string, string>, name: string) {
  const head = Object.entries(fields).map(
    ([field, value]) => `--x\r\ncontent-disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`
  )
  const file = `--x\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: text/vtt\r\n\r\n${VTT}\r\n--x--\r\n`
  return Buffer.from(head.join('') + file)
}

async function upload({ browser, user }: Awaited<ReturnType<typeof signedIn>>, modified: string, name = 'minutes.vtt') {
  const { _form = '' } = hiddenFields((await browser.get('/upload')).body, '/upload')
  const type = { 'content-type': 'multipart/form-data; boundary=x' }
  const { status, to } = await browser.call('POST', '/upload', type, formOf({ _form, modified }, name))
  expect([status, to]).toEqual([303, expect.stringMatching(/^\/s\/ses_\w+$/)])
  return (await user.get(`/v1/sessions/${String(to).slice('/s/'.length)}`)).body.timestamp
}

describe('the form for date and type', () => {
  test('shows both as the user’s clock has them, and saves what was changed', async () => {
    const { user, browser } = await signedIn()
    await browser.submit('/settings', '/settings', { name: 'Ada', time_zone: 'Europe/Berlin' })
    const id = await user.session({ timestamp: '2026-02-01T10:00:30Z', type: 'import' })
    const { body } = await browser.get(`/s/${id}`)
    expect(body).toContain('name="timestamp" value="2026-02-01T11:00"')
    const save = (fields: Record<string, string>) => browser.submit(`/s/${id}`, `/s/${id}/date`, fields)
    expect((await save({ timestamp: '2026-02-01T11:00', type: 'meeting' })).to).toBe(`/s/${id}?open=about#about`)
    expect((await user.get(`/v1/sessions/${id}`)).body).toMatchObject({
      timestamp: '2026-02-01T10:00:30.000Z',
      type: 'meeting'
    })
    await save({ timestamp: '2021-07-05T09:30', type: 'meeting' })
    expect((await user.get(`/v1/sessions/${id}`)).body.timestamp).toBe('2021-07-05T07:30:00.000Z')
    expect((await save({ timestamp: '', type: 'podcast' })).status).toBe(303)
    expect((await user.get(`/v1/sessions/${id}`)).body).toMatchObject({
      timestamp: '2021-07-05T07:30:00.000Z',
      type: 'podcast'
    })
    expect((await save({ timestamp: 'soon', type: 'podcast' })).status).toBe(400)
    expect((await save({ type: 'chat' })).status).toBe(400)
  })

  test('dates a session that had no date', async () => {
    const { user, browser } = await signedIn()
    const id = await user.session({ timestamp: null })
    expect((await browser.get(`/s/${id}`)).body).toContain('name="timestamp" value=""')
    await browser.submit(`/s/${id}`, `/s/${id}/date`, { timestamp: '2021-03-04T10:00' })
    expect((await user.get('/v1/sessions?since=2021-03-01&until=2021-04-01')).body.sessions).toMatchObject([{ id }])
  })

  test('of a call has the date alone', async () => {
    const { user, browser } = await signedIn()
    const id = await user.session({ type: 'phone' })
    const { body } = await browser.get(`/s/${id}`)
    expect(body).toContain('name="timestamp"')
    expect(body).not.toContain('name="type"')
    expect((await browser.submit(`/s/${id}`, `/s/${id}/date`, { timestamp: '2026-01-02T10:00' })).status).toBe(303)
  })
})

describe('an upload', () => {
  test('without a date gets the time of the last change of its file', async () => {
    expect(await upload(await signedIn(), '2024-05-06T07:08:09.123Z')).toBe('2024-05-06T07:08:09.000Z')
  })

  test('keeps the date that its name has', async () => {
    const at = await upload(await signedIn(), '2024-05-06T07:08:09.123Z', 'GMT20231002-080000 Recording.vtt')
    expect(at).toBe('2023-10-02T08:00:00.000Z')
  })

  test.each(['1970-01-01T00:00:00.000Z', new Date(Date.parse(NOW) + 1_000).toISOString(), 'yesterday', ''])(
    'has no date from a file that was changed at %j',
    async modified => {
      expect(await upload(await signedIn(), modified)).toBeNull()
    }
  )

  test('in parts gets the time of the last change of its file', async () => {
    const { user, browser } = await signedIn()
    const { _form = '' } = hiddenFields((await browser.get('/upload')).body, '/upload')
    const own = { 'tus-resumable': '1.0.0', 'x-form-token': _form }
    const about = `filename ${Buffer.from('minutes.vtt').toString('base64')}`
    const begun = await browser.call('POST', '/uploads', {
      ...own,
      'upload-length': String(VTT.length),
      'upload-metadata': about
    })
    const part = { 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }
    await browser.call('PATCH', String(begun.to), { ...own, ...part }, Buffer.from(VTT))
    const { to } = await browser.send(`${begun.to}/import`, { _form, modified: '2024-05-06T07:08:09.000Z' })
    const { body } = await user.get(`/v1/sessions/${String(to).slice('/s/'.length)}`)
    expect(body.timestamp).toBe('2024-05-06T07:08:09.000Z')
  })
})
