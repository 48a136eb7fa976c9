import { randomBytes } from 'node:crypto'
import { existsSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { everyScope } from '../../../src/features/access/actor.ts'
import { deleteRecording } from '../../../src/features/recordings/operations.ts'
import type { MediaKind } from '../../../src/platform/ports/media-store.ts'
import { fetchBytes, pathOf, record as store } from '../../support/recordings.ts'
import { acceptSession, buildTestApp, clock, NO_QUEUE, NOW, newUser, testMediaFolder } from '../../support/server.ts'

type User = Awaited<ReturnType<typeof newUser>>

const NO_MEDIA = { error: { code: 'not_found', message: 'Media not found' } }
const BYTES = randomBytes(1_000)

/** Stores a recording and returns its file. */
async function record(user: User, sessionId: string, kind: MediaKind = 'audio', bytes: Buffer = BYTES) {
  return join(testMediaFolder(), await store(user, sessionId, kind, bytes))
}

async function recorded(kind: MediaKind = 'audio', bytes: Buffer = BYTES) {
  const user = await newUser()
  const id = await user.session()
  const file = await record(user, id, kind, bytes)
  const { body } = await user.get(`/v1/sessions/${id}/media`)
  return { user, id, file, url: pathOf(body[`${kind}_url`]) }
}

describe('GET /v1/sessions/{id}/media', () => {
  test('answers links to the stored recordings, valid for an hour', async () => {
    const { user, id } = await recorded()
    const { status, body } = await user.get(`/v1/sessions/${id}/media`)
    expect(status).toBe(200)
    expect(body).toEqual({
      id,
      audio_url: expect.stringMatching(
        /^http:\/\/parlance\.test\/v1\/media\/usr_\w+\/ses_\w+\/audio\?expires=\d+&signature=[\w-]{43}$/
      ),
      video_url: null,
      expires_at: '2026-03-02T11:00:00.000Z',
      audio_deleted_at: null
    })
  })

  test('answers audio and video side by side, each with a link of its own', async () => {
    const { user, id } = await recorded()
    const film = randomBytes(50)
    await record(user, id, 'video', film)
    const { body } = await user.get(`/v1/sessions/${id}/media`)
    expect((await fetchBytes(user, pathOf(body.video_url))).bytes.equals(film)).toBe(true)
    expect((await fetchBytes(user, pathOf(body.audio_url))).bytes.equals(BYTES)).toBe(true)
  })

  test('answers the URLs of external recordings unchanged, and null without one', async () => {
    const user = await newUser()
    const video = 'https://www.youtube.com/watch?v=dQw4w9WgXcQ'
    const id = await user.session({ media: { video } })
    const expires = { expires_at: '2026-03-02T11:00:00.000Z', audio_deleted_at: null }
    expect((await user.get(`/v1/sessions/${id}/media`)).body).toEqual({
      id,
      audio_url: null,
      video_url: video,
      ...expires
    })
    const bare = await user.session()
    expect((await user.get(`/v1/sessions/${bare}/media`)).body).toEqual({
      id: bare,
      audio_url: null,
      video_url: null,
      ...expires
    })
  })

  test('answers null links once the recording is deleted, with the time of the deletion', async () => {
    const { user, id } = await recorded()
    await record(user, id, 'video')
    await deleteRecording({ db: user.db, jobs: NO_QUEUE, clock }, everyScope(user.id, 'command'), id)
    expect((await user.get(`/v1/sessions/${id}/media`)).body).toMatchObject({
      audio_url: null,
      video_url: null,
      audio_deleted_at: NOW
    })
  })

  test('answers for a session that is still processing', async () => {
    const user = await newUser()
    const id = await acceptSession(user.id)
    await record(user, id)
    const { body } = await user.get(`/v1/sessions/${id}/media`)
    expect((await fetchBytes(user, pathOf(body.audio_url))).status).toBe(200)
  })
})

describe('a download', () => {
  test('continues beyond the time limit of other answers', async () => {
    const bytes = randomBytes(32 * 1024 * 1024)
    const { url } = await recorded('audio', bytes)
    const app = await buildTestApp({}, { answerTimeoutMs: 5_000 })
    onTestFinished(() => app.close())
    app.get('/v1/late', { config: { scopes: 'public' }, schema: { hide: true } }, () => new Promise(() => {}))
    const origin = await app.listen({ host: '127.0.0.1', port: 0 })
    const reply = await fetch(origin + url)
    const chunks: Uint8Array[] = []
    for await (const chunk of reply.body!) {
      // A request that is sent after the first chunk reaches its limit before the next one is read.
      if (chunks.length === 0) expect((await fetch(`${origin}/v1/late`)).status).toBe(503)
      chunks.push(chunk)
    }
    expect(Buffer.concat(chunks).equals(bytes)).toBe(true)
  })

  test('of a client that stops reading does not delay the stop of a server', async () => {
    const { url } = await recorded('audio', randomBytes(32 * 1024 * 1024))
    const app = await buildTestApp()
    const reply = await fetch((await app.listen({ host: '127.0.0.1', port: 0 })) + url)
    await app.close()
    await expect(reply.arrayBuffer()).rejects.toThrow()
  })
})

describe('a signed link', () => {
  test('needs no token and answers the bytes with their content type, which browsers must not guess', async () => {
    const { user, url } = await recorded()
    const { status, headers, bytes } = await fetchBytes(user, url)
    expect(status).toBe(200)
    expect(bytes.equals(BYTES)).toBe(true)
    expect(headers).toMatchObject({
      'content-type': 'audio/mpeg',
      'content-length': '1000',
      'content-disposition': 'inline; filename="recording.mp3"',
      'cache-control': 'private',
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
      etag: expect.stringMatching(/^W\/"/),
      'x-request-id': expect.any(String)
    })
    for (const name of ['limit', 'remaining', 'reset']) expect(headers[`x-ratelimit-${name}`]).toMatch(/^\d+$/)
  })

  test.each([
    ['bytes=0-', 0, 999],
    ['bytes=0-0', 0, 0],
    ['bytes=10-19', 10, 19],
    ['bytes=990-5000', 990, 999],
    ['bytes=-5', 995, 999],
    ['bytes=-1000', 0, 999]
  ])('answers Range: %s with that part', async (range, first, last) => {
    const { user, url } = await recorded()
    const { status, headers, bytes } = await fetchBytes(user, url, { range })
    expect(status).toBe(206)
    expect(headers).toMatchObject({
      'content-range': `bytes ${first}-${last}/1000`,
      'content-length': String(last - first + 1)
    })
    expect(bytes.equals(BYTES.subarray(first, last + 1))).toBe(true)
  })

  test.each(['bytes=1000-', 'bytes=5000-6000', 'bytes=-0'])(
    'answers Range: %s, beyond the end, with 416 and the length',
    async range => {
      const { user, url } = await recorded()
      const { status, headers, body } = await fetchBytes(user, url, { range })
      expect({ status, range: headers['content-range'] }).toEqual({ status: 416, range: 'bytes */1000' })
      expect(JSON.parse(body)).toMatchObject({
        error: { code: 'invalid_request', message: expect.stringContaining('1000 bytes') }
      })
    }
  )

  test.each(['bytes=5-2', 'bytes=-', 'bytes=a-b', 'bytes=0-1,5-6', 'lines=0-5', 'bytes 0-5', 'bytes=-1001'])(
    'answers Range: %s with the whole recording',
    async range => {
      const { user, url } = await recorded()
      const { status, bytes } = await fetchBytes(user, url, { range })
      expect({ status, length: bytes.length }).toEqual({ status: 200, length: 1_000 })
    }
  )

  test('answers a range under If-Range while the recording is the same, otherwise the whole', async () => {
    const { user, url } = await recorded()
    const { headers } = await fetchBytes(user, url)
    const range = 'bytes=0-9'
    for (const known of [headers.etag, headers['last-modified']])
      expect((await fetchBytes(user, url, { range, 'if-range': String(known) })).status).toBe(206)
    for (const other of ['"other"', 'Mon, 01 Jan 2001 00:00:00 GMT'])
      expect((await fetchBytes(user, url, { range, 'if-range': other })).status).toBe(200)
  })

  test('answers 304 under If-None-Match, and 412 under If-Match of another recording', async () => {
    const { user, url } = await recorded()
    const etag = String((await fetchBytes(user, url)).headers.etag)
    const known = await fetchBytes(user, url, { 'if-none-match': etag })
    expect({ status: known.status, length: known.bytes.length }).toEqual({ status: 304, length: 0 })
    const other = await fetchBytes(user, url, { 'if-match': '"other"' })
    expect({ status: other.status, body: JSON.parse(other.body) }).toMatchObject({
      status: 412,
      body: { error: { code: 'invalid_request' } }
    })
  })

  test('answers HEAD with headers only, even for a part', async () => {
    const { user, url } = await recorded()
    const whole = await fetchBytes(user, url, {}, 'HEAD')
    expect({ status: whole.status, length: whole.bytes.length }).toEqual({ status: 200, length: 0 })
    expect(whole.headers).toMatchObject({
      'content-length': '1000',
      'content-type': 'audio/mpeg',
      'accept-ranges': 'bytes'
    })
    const part = await fetchBytes(user, url, { range: 'bytes=0-9' }, 'HEAD')
    expect({ status: part.status, length: part.bytes.length }).toEqual({ status: 206, length: 0 })
    expect(part.headers).toMatchObject({ 'content-length': '10', 'content-range': 'bytes 0-9/1000' })
  })

  test('is valid until the second of expires_at, and refused from then on', async () => {
    const { user, url } = await recorded()
    const at = async (now: string) => {
      const app = await buildTestApp({ clock: { now: () => new Date(now) } })
      return (await fetchBytes({ ...user, app }, url)).status
    }
    expect(await at('2026-03-02T10:59:59.999Z')).toBe(200)
    expect(await at('2026-03-02T11:00:00.000Z')).toBe(404)
  })

  test('is refused with any one character changed, like text that is not a link', async () => {
    const { user, url } = await recorded()
    const from = '/v1/media/'.length
    const refused = async (changed: string) => {
      const { status, body } = await fetchBytes(user, changed)
      return { changed, status, body: JSON.parse(body) }
    }
    for (let at = from; at < url.length; at++) {
      const name = /(expires|signature)=[^&]*$/.exec(url.slice(0, at + 1))
      if ('/?&='.includes(url[at]!) || !(name || at < url.indexOf('?'))) continue
      const changed = url.slice(0, at) + (url[at] === '1' ? '2' : '1') + url.slice(at + 1)
      expect(await refused(changed)).toEqual({ changed, status: 404, body: NO_MEDIA })
    }
    const [path, query] = url.split('?')
    const others = [
      path!,
      `${path}?`,
      `${url}&grant=inv_1`,
      `${url}&expires=1`,
      `${path}?${query!.replace('expires=', 'expires=0')}`
    ]
    for (const other of [
      ...others,
      `${url}x`,
      '/v1/media/a/b/audio?expires=1&signature=',
      `/v1/media/a/../b?${query}`
    ]) {
      const { status, body } = await refused(other)
      expect({ other, status, code: body.error.code }).toEqual({ other, status: 404, code: 'not_found' })
    }
  })

  test('opens only its own session and kind', async () => {
    const { user, url, id } = await recorded()
    await record(user, id, 'video')
    const other = await user.session()
    await record(user, other)
    for (const changed of [url.replace(id, other), url.replace('/audio?', '/video?')])
      expect((await fetchBytes(user, changed)).status).toBe(404)
  })

  test('is refused from the moment the session or its recording is deleted, before the file is', async () => {
    const { user, url, id, file } = await recorded()
    await user.delete(`/v1/sessions/${id}`)
    expect(JSON.parse((await fetchBytes(user, url)).body)).toEqual(NO_MEDIA)
    expect(existsSync(file)).toBe(true)
    const second = await recorded()
    await deleteRecording(
      { db: second.user.db, jobs: NO_QUEUE, clock },
      everyScope(second.user.id, 'command'),
      second.id
    )
    expect(JSON.parse((await fetchBytes(second.user, second.url)).body)).toEqual(NO_MEDIA)
    expect(existsSync(second.file)).toBe(true)
  })

  test('answers not_found for a lost file, and 503 for a file that cannot be read now', async () => {
    const { user, url, file } = await recorded()
    rmSync(file)
    const lost = await fetchBytes(user, url)
    expect({ status: lost.status, body: JSON.parse(lost.body) }).toEqual({ status: 404, body: NO_MEDIA })
    // A link that leads to itself: there, and unreadable to everyone.
    symlinkSync(file, file)
    onTestFinished(() => rmSync(file))
    const { status, headers, body } = await fetchBytes(user, url)
    expect({ status, retryAfter: headers['retry-after'], code: JSON.parse(body).error.code }).toEqual({
      status: 503,
      retryAfter: '60',
      code: 'service_unavailable'
    })
  })

  test('does not count against a limit, and shows one', async () => {
    const { user, url } = await recorded()
    const app = await buildTestApp({ rateLimits: { perMinute: 1, perDay: 10 } })
    const statuses = []
    for (let index = 0; index < 70; index++) statuses.push((await fetchBytes({ ...user, app }, url)).status)
    expect(statuses).toEqual(Array(70).fill(200))
    expect((await app.inject('/v1/openapi.json')).headers['x-ratelimit-remaining']).toBe('9')
    expect((await app.inject('/v1/account')).headers['x-ratelimit-remaining']).toBe('9')
  })

  test('counts like a bad token when it is forged, whatever the number of its session', async () => {
    const { user, url } = await recorded()
    const app = await buildTestApp({ rateLimits: { perMinute: 1, perDay: 10 } })
    const statuses = []
    for (let index = 0; index < 11; index++) statuses.push((await fetchBytes({ ...user, app }, `${url}x`)).status)
    expect(statuses).toEqual([...Array(10).fill(404), 429])
    expect((await fetchBytes({ ...user, app }, url)).status).toBe(200)
  })
})
