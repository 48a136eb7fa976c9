import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { Upload } from 'tus-js-client'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { LIMITS } from '../../../src/contract/limits.ts'
import { openAdmissions } from '../../../src/features/access/admission.ts'
import { findMiscounted, recount } from '../../../src/features/accounts/recount.ts'
import { removeLeftoverUploads } from '../../../src/features/ingest/uploads/leftovers.ts'
import { s3Media } from '../../../src/features/recordings/s3-store.ts'
import { sql } from '../../../src/platform/db/drizzle.ts'
import { matches } from '../../../src/platform/db/matches.ts'
import { sessions } from '../../../src/platform/db/schema/index.ts'
import { portOf } from '../../support/http.ts'
import { emptyDatabase, onPostgres, openPlace, until } from '../../support/process.ts'
import { BUCKET, S3_CREDENTIALS, startS3 } from '../../support/s3-server.ts'
import { buildTestApp, clock, NOW, newUserOf, testDatabase, testMediaFolder } from '../../support/server.ts'
import { NOISE, sound } from '../../support/sound.ts'
import { restore } from '../../support/trash.ts'

const TUS = { 'tus-resumable': '1.0.0' }
const PART = { ...TUS, 'content-type': 'application/offset+octet-stream' }
const metadataOf = (name: string) => `filename ${Buffer.from(name).toString('base64')},filetype YXVkaW8vbXBlZw==`
const beginning = (name: string, bytes: number) => ({
  ...TUS,
  'upload-length': String(bytes),
  'upload-metadata': metadataOf(name)
})

/** A recording of that many bytes. */
const recordingOf = (bytes: number) => {
  const start = sound('talk')
  return Buffer.concat([start, randomBytes(bytes - start.length)])
}

/** `alone`: in a database of its own, for a test that removes what all users have left. */
async function listening({
  alone = false,
  ...overrides
}: Parameters<typeof buildTestApp>[0] & { alone?: boolean } = {}) {
  const partsFolder = mkdtempSync(join(tmpdir(), 'parlance-test-parts-'))
  const { db } = alone ? await openPlace(await emptyDatabase(), { poolSize: 4 }) : await testDatabase()
  const admissions = openAdmissions(db, clock, { perMinute: 100_000, perDay: 1_000_000 })
  const own = { db, slow: db, replica: db, admissions }
  const app = await buildTestApp({ ...own, partsFolder, transcribes: true, ...overrides })
  await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(async () => {
    await app.close()
    rmSync(partsFolder, { recursive: true })
  })
  const user = await newUserOf({ db, app })
  const endpoint = `${app.listeningOrigin}/v1/uploads`

  async function ask(method: string, path: string, headers: Record<string, string>, body?: Buffer, token = user.token) {
    const answer = await fetch(new URL(path, endpoint), {
      method,
      headers: { authorization: `Bearer ${token}`, ...headers },
      ...(body && { body: new Uint8Array(body) })
    })
    const text = await answer.text()
    return { status: answer.status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) }
  }

  async function begin(name: string, bytes: number) {
    const { status, headers } = await ask('POST', '/v1/uploads', beginning(name, bytes))
    expect(status).toBe(201)
    return headers.get('location') ?? ''
  }

  /** Sends a file by tus-js-client, and returns the path of the upload. */
  function send(file: Buffer, options: ConstructorParameters<typeof Upload>[1] = {}) {
    return new Promise<string>((resolve, reject) => {
      const upload = new Upload(file, {
        endpoint,
        headers: { authorization: `Bearer ${user.token}` },
        metadata: { filename: 'talk.mp3', filetype: 'audio/mpeg' },
        chunkSize: 64 * 1024,
        retryDelays: [0, 100, 1_000, 5_000],
        ...options,
        onSuccess: () => resolve(new URL(upload.url ?? '').pathname),
        onError: reject
      })
      upload.start()
    })
  }

  const importOf = (path: string, query = '', headers: Record<string, string> = {}) =>
    ask('POST', `/v1/sessions/upload?upload=${path.split('/').at(-1)}${query}`, headers)
  /** The bytes of an upload of talk.mp3 that are on disk. A request would end the one that sends them. */
  const arrived = (path: string) => statSync(join(partsFolder, `${user.id}.${path.split('/').at(-1)}`, 'file.mp3')).size
  const bytesStored = async () => (await user.get('/v1/account')).body.quotas.bytes_stored.used
  const storedOf = (userId: string) =>
    readdirSync(join(testMediaFolder(), userId), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
  return { db, app, user, ask, begin, send, importOf, partsFolder, endpoint, arrived, bytesStored, storedOf }
}

const offsetOf = ({ headers }: { headers: Headers }) => Number(headers.get('upload-offset'))

describe('an upload by tus-js-client', () => {
  test('becomes a session whose recording is the file, byte for byte, and leaves nothing', async () => {
    const { user, send, importOf, partsFolder, storedOf, bytesStored, db } = await listening()
    const file = recordingOf(1_000_000)
    const path = await send(file)
    expect(await bytesStored()).toBe(file.length)
    const { status, body } = await importOf(path, '&title=Talk')
    expect([status, body]).toEqual([
      202,
      { id: expect.stringMatching(/^ses_/), status: 'processing', external_id: expect.any(String) }
    ])
    const { body: media } = await user.get(`/v1/sessions/${body.id}/media`)
    const link = new URL(media.audio_url)
    const { rawPayload } = await user.app.inject(link.pathname + link.search)
    expect(createHash('sha256').update(rawPayload).digest('hex')).toBe(createHash('sha256').update(file).digest('hex'))
    expect(readdirSync(partsFolder)).toEqual([])
    expect(storedOf(user.id)).toHaveLength(1)
    expect(await bytesStored()).toBe(file.length)
    expect(await findMiscounted(db)).not.toContain(user.id)
  })

  test('goes on where a connection broke off, without sending anything again', async () => {
    const { user, endpoint, send, importOf } = await listening()
    const file = recordingOf(600_000)
    const address = await new Promise<string>((resolve, reject) => {
      const upload: Upload = new Upload(file, {
        endpoint,
        headers: { authorization: `Bearer ${user.token}` },
        metadata: { filename: 'talk.mp3' },
        chunkSize: 100_000,
        onChunkComplete: (_, accepted) => {
          if (accepted < 300_000) return
          void upload.abort().then(() => resolve(upload.url ?? ''), reject)
        },
        onError: reject
      })
      upload.start()
    })
    const sent: number[] = []
    const path = await send(file, {
      uploadUrl: address,
      onBeforeRequest: asked =>
        void (asked.getMethod() === 'PATCH' && sent.push(Number(asked.getHeader('Upload-Offset'))))
    })
    expect(Math.min(...sent)).toBeGreaterThanOrEqual(300_000)
    expect((await importOf(path)).status).toBe(202)
  })

  test('goes on after the limit of requests in a minute with what the guide has, and gives up without', async () => {
    const { db } = await testDatabase()
    const rateLimits = { perMinute: 5, perDay: 100 }
    const { user, send, importOf } = await listening({
      rateLimits,
      admissions: openAdmissions(db, clock, rateLimits)
    })
    /** The minutes are those of the database. */
    const endMinute = () => db.execute(`delete from rate_counters where token_id = '${user.tokenId}'`)
    const file = recordingOf(600_000)
    await expect(send(file)).rejects.toThrow('response code: 429')
    await endMinute()
    const refusals: number[] = []
    const path = await send(file, {
      onShouldRetry(error) {
        const status = error.originalResponse?.getStatus() ?? 0
        refusals.push(status)
        return status < 400 || status >= 500 || [409, 423, 429].includes(status)
      },
      onBeforeRequest: async () => {
        if (refusals.length > 0) await endMinute()
      }
    })
    expect(refusals).toEqual([429])
    await endMinute()
    expect((await importOf(path)).status).toBe(202)
  })

  test('imports a transcript, and a recording of an unknown ending', async () => {
    const { user, send, importOf } = await listening()
    const vtt = Buffer.from('WEBVTT\n\n00:01.000 --> 00:03.000\n<v Ada>Good morning, all of you.\n')
    const text = await importOf(await send(vtt, { metadata: { filename: 'weekly.vtt' } }))
    expect((await user.get(`/v1/sessions/${text.body.id}/transcript`)).body.transcript).toBe(
      'Ada: Good morning, all of you.'
    )
    const other = await importOf(await send(recordingOf(9_000), { metadata: { filename: 'board.part1' } }))
    expect((await user.get(`/v1/sessions/${other.body.id}/media`)).body.audio_url).toMatch(/^http/)
  })

  test('may send its first bytes with its beginning', async () => {
    const { send, importOf } = await listening()
    expect((await importOf(await send(recordingOf(200_000), { uploadDataDuringCreation: true }))).status).toBe(202)
  })
})

describe('an upload in parts', () => {
  test('keeps what arrived of a request that broke off', async () => {
    const { app, user, ask, begin, arrived } = await listening()
    const path = await begin('talk.mp3', 400_000)
    const sent = request({
      host: '127.0.0.1',
      port: portOf(app),
      method: 'PATCH',
      path,
      headers: { authorization: `Bearer ${user.token}`, ...PART, 'upload-offset': 0, 'content-length': 400_000 }
    })
    sent.on('error', () => {})
    await new Promise(resolve => sent.write(randomBytes(100_000), resolve))
    await until('some of it is on disk', () => arrived(path) > 0)
    sent.destroy()
    const kept = offsetOf(await ask('HEAD', path, TUS))
    expect(kept).toBeGreaterThan(0)
    const rest = await ask('PATCH', path, { ...PART, 'upload-offset': String(kept) }, Buffer.alloc(400_000 - kept))
    expect([rest.status, offsetOf(rest)]).toEqual([204, 400_000])
  })

  test('is written by one request at a time: a second one ends the first, and goes on after its bytes', async () => {
    const { app, user, ask, begin, arrived } = await listening()
    const path = await begin('talk.mp3', 400_000)
    const first = request({
      host: '127.0.0.1',
      port: portOf(app),
      method: 'PATCH',
      path,
      headers: { authorization: `Bearer ${user.token}`, ...PART, 'upload-offset': 0, 'content-length': 400_000 }
    })
    onTestFinished(() => void first.destroy())
    const answer = new Promise<number | undefined>(resolve =>
      first.on('response', ({ statusCode }) => resolve(statusCode)).on('error', () => resolve(undefined))
    )
    await new Promise(resolve => first.write(randomBytes(100_000), resolve))
    await until('all of it is on disk', () => arrived(path) === 100_000)
    const offset = offsetOf(await ask('HEAD', path, TUS))
    expect(offset).toBe(100_000)
    expect([409, undefined]).toContain(await answer)
    const second = await ask(
      'PATCH',
      path,
      { ...PART, 'upload-offset': String(offset) },
      Buffer.alloc(400_000 - offset)
    )
    expect([second.status, offsetOf(second)]).toEqual([204, 400_000])
  })

  test('refuses another offset than its own, and names it', async () => {
    const { ask, begin } = await listening()
    const path = await begin('talk.mp3', 10)
    expect(await ask('PATCH', path, { ...PART, 'upload-offset': '5' }, Buffer.alloc(5))).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict', message: 'Upload-Offset: 0 bytes have arrived; send the bytes after them' } }
    })
  })

  test('refuses more bytes than it was announced with', async () => {
    const { ask, begin } = await listening()
    const path = await begin('talk.mp3', 10)
    expect(await ask('PATCH', path, { ...PART, 'upload-offset': '0' }, Buffer.alloc(11))).toMatchObject({ status: 413 })
    expect(offsetOf(await ask('HEAD', path, TUS))).toBe(0)
  })

  test('keeps nothing of bytes that do not have their checksum', async () => {
    const { ask, begin } = await listening()
    const path = await begin('talk.mp3', 10)
    const of = (bytes: Buffer) => `sha256 ${createHash('sha256').update(bytes).digest('base64')}`
    const headers = { ...PART, 'upload-offset': '0' }
    const wrong = await ask(
      'PATCH',
      path,
      { ...headers, 'upload-checksum': of(Buffer.from('other')) },
      Buffer.alloc(10)
    )
    expect(wrong).toMatchObject({ status: 460, body: { error: { param: 'Upload-Checksum' } } })
    expect(offsetOf(await ask('HEAD', path, TUS))).toBe(0)
    expect(
      (await ask('PATCH', path, { ...headers, 'upload-checksum': of(Buffer.alloc(10)) }, Buffer.alloc(10))).status
    ).toBe(204)
  })

  test('answers another user as if it did not exist, to every request', async () => {
    const { db, app, ask, begin } = await listening()
    const path = await begin('talk.mp3', 10)
    const { token } = await newUserOf({ db, app })
    const unknown = { code: 'not_found', message: 'Upload not found' }
    const answers = [
      await ask('PATCH', path, { ...PART, 'upload-offset': '0' }, Buffer.alloc(5), token),
      await ask('DELETE', path, TUS, undefined, token)
    ]
    for (const { status, body } of answers) expect([status, body.error]).toEqual([404, unknown])
    expect((await ask('HEAD', path, TUS, undefined, token)).status).toBe(404)
    const foreign = await ask('POST', `/v1/sessions/upload?upload=${path.split('/').at(-1)}`, {}, undefined, token)
    expect([foreign.status, foreign.body.error]).toEqual([
      404,
      { code: 'not_found', message: 'upload: upload not found', param: 'upload' }
    ])
    expect(offsetOf(await ask('HEAD', path, TUS))).toBe(0)
  })

  test.each<[string, Record<string, string>, number, string]>([
    ['no version of tus', { 'tus-resumable': '' }, 412, 'Tus-Resumable: send 1.0.0'],
    ['another version', { 'tus-resumable': '0.2.2' }, 412, 'Tus-Resumable: send 1.0.0'],
    ['no length', { 'upload-length': '' }, 400, 'or Upload-Defer-Length: 1 in its place'],
    ['a length that it defers', { 'upload-defer-length': '1' }, 400, 'or Upload-Defer-Length: 1 in its place'],
    ['no bytes', { 'upload-length': '0' }, 400, 'Upload-Length: send a whole number from 1'],
    ['a length that is no number', { 'upload-length': '1e3' }, 400, 'Upload-Length: send a whole number'],
    [
      'a transcript over its size',
      { 'upload-length': '16777217', 'upload-metadata': metadataOf('a.vtt') },
      413,
      'Upload-Length: send at most 16 MiB'
    ],
    ['a part of a joined upload', { 'upload-concat': 'partial' }, 400, 'Upload-Concat: send the file as one upload'],
    ['no name', { 'upload-metadata': 'filetype YQ==' }, 400, 'Upload-Metadata: send the name of a file'],
    ['metadata that is none', { 'upload-metadata': 'filename a b c' }, 400, 'Upload-Metadata: send filename and'],
    [
      'a path as the name',
      { 'upload-metadata': metadataOf('../../etc/passwd.mp3') },
      400,
      'Upload-Metadata: send the name of a file'
    ]
  ])('is refused with %s, and leaves nothing', async (_, headers, status, message) => {
    const { ask, partsFolder, bytesStored } = await listening()
    const sent = { ...beginning('talk.mp3', 10), ...headers }
    const refused = await ask(
      'POST',
      '/v1/uploads',
      Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== ''))
    )
    expect([refused.status, refused.body.error.message]).toEqual([status, expect.stringContaining(message)])
    expect(readdirSync(partsFolder)).toEqual([])
    expect(await bytesStored()).toBe(0)
  })

  test('of a recording is refused where nothing transcribes it', async () => {
    const { ask } = await listening({ transcribes: false })
    const { status, body } = await ask('POST', '/v1/uploads', beginning('talk.mp3', 10))
    expect([status, body.error.message]).toEqual([400, expect.stringContaining('can’t transcribe recordings')])
  })

  test('counts towards the quota of stored bytes from its beginning, until it is cancelled or expires', async () => {
    const { db, ask, begin, bytesStored, user, partsFolder } = await listening({
      alone: true,
      quotas: { bytes_stored: 1_000, sessions_per_day: 0, folders: 0, people: 0 }
    })
    const path = await begin('talk.mp3', 600)
    expect(await ask('POST', '/v1/uploads', beginning('other.mp3', 401))).toMatchObject({
      status: 400,
      body: { error: { code: 'limit_exceeded', param: 'Upload-Length' } }
    })
    await begin('other.mp3', 400)
    await recount(db, user.id)
    expect(await bytesStored()).toBe(1_000)
    expect((await ask('DELETE', path, TUS)).status).toBe(204)
    expect(await bytesStored()).toBe(400)
    const later = new Date(Date.parse(NOW) + LIMITS.partialUploads.ms + 1)
    await removeLeftoverUploads({ db, clock: { now: () => later }, partsFolder })
    expect(await bytesStored()).toBe(0)
  })

  test('is refused beyond a number of unfinished ones', async () => {
    const { db, user, ask } = await listening()
    await db.execute(
      `insert into uploads (user_id, upload_id, name, metadata, bytes, created_at, expires_at)
       select '${user.id}', 'upl_' || n, 'a.mp3', '', 1, '${NOW}', timestamptz '${NOW}' + interval '1 day' from generate_series(1, ${LIMITS.partialUploads.perUser}) n`
    )
    expect(await ask('POST', '/v1/uploads', beginning('talk.mp3', 10))).toMatchObject({
      status: 400,
      body: { error: { code: 'limit_exceeded', message: expect.stringContaining('100 unfinished uploads') } }
    })
  })

  test('is refused beyond that number also if 110 begin at once', async () => {
    const { ask, db, user } = await listening()
    const begun = await Promise.all(
      Array.from({ length: 110 }, () => ask('POST', '/v1/uploads', beginning('talk.mp3', 10)))
    )
    const { perUser } = LIMITS.partialUploads
    expect(begun.filter(({ status }) => status === 201)).toHaveLength(perUser)
    expect(begun.filter(({ status }) => status === 400)).toHaveLength(110 - perUser)
    const { rows } = await db.execute(`select count(*)::int as count from uploads where user_id = '${user.id}'`)
    expect(rows).toEqual([{ count: perUser }])
  })

  test('is gone a day after its beginning, with its bytes', async () => {
    const { db, ask, begin, partsFolder } = await listening({ alone: true })
    const path = await begin('talk.mp3', 10)
    const later = new Date(Math.max(Date.parse(NOW), Date.now()) + LIMITS.partialUploads.ms + 1)
    await removeLeftoverUploads({ db, clock: { now: () => later }, partsFolder })
    expect((await ask('HEAD', path, TUS)).status).toBe(404)
    expect(readdirSync(partsFolder)).toEqual([])
  })

  test('says that its bytes are on another server, where they are not here, and can be cancelled there', async () => {
    const { ask, begin, partsFolder, bytesStored } = await listening()
    const path = await begin('talk.mp3', 10)
    rmSync(join(partsFolder, readdirSync(partsFolder)[0]!), { recursive: true })
    expect(await ask('PATCH', path, { ...PART, 'upload-offset': '0' }, Buffer.alloc(10))).toMatchObject({
      status: 503,
      body: { error: { message: expect.stringContaining('on another server') } }
    })
    expect((await ask('DELETE', path, TUS)).status).toBe(204)
    expect(await bytesStored()).toBe(0)
  })

  test('takes metadata that end with a comma', async () => {
    const { ask } = await listening()
    const sent = { ...beginning('talk.mp3', 10), 'upload-metadata': `${metadataOf('talk.mp3')},` }
    expect((await ask('POST', '/v1/uploads', sent)).status).toBe(201)
  })

  test('takes the method of a POST to it from X-HTTP-Method-Override, but not that of other requests', async () => {
    const { ask, begin } = await listening()
    const path = await begin('talk.mp3', 10)
    const meaning = (method: string, headers = {}) => ({ ...TUS, 'x-http-method-override': method, ...headers })
    const first = await ask('POST', path, meaning('PATCH', { ...PART, 'upload-offset': '0' }), Buffer.from('12345'))
    expect([first.status, first.headers.get('upload-offset')]).toEqual([204, '5'])
    const head = await ask('POST', path, meaning('HEAD'))
    expect([head.status, head.headers.get('upload-offset')]).toEqual([200, '5'])
    expect((await ask('POST', path, meaning('GET'))).status).toBe(405)
    expect((await ask('POST', '/v1/folders', meaning('DELETE'))).status).toBe(400)
    expect((await ask('POST', path, meaning('DELETE'))).status).toBe(204)
    expect((await ask('HEAD', path, TUS)).status).toBe(404)
  })

  test('says what the server speaks, without a token', async () => {
    const { endpoint } = await listening()
    const { status, headers } = await fetch(endpoint, { method: 'OPTIONS' })
    expect([status, headers.get('tus-version'), headers.get('tus-extension'), headers.get('tus-max-size')]).toEqual([
      204,
      '1.0.0',
      'creation,creation-defer-length,creation-with-upload,termination,expiration,checksum',
      String(LIMITS.uploadBytes)
    ])
  })
})

describe('an upload of unknown length', () => {
  const DEFERRED = { ...TUS, 'upload-defer-length': '1', 'upload-metadata': metadataOf('talk.mp3') }
  const quotasOf = (bytes: number) => ({ bytes_stored: bytes, sessions_per_day: 0, folders: 0, people: 0 })

  async function deferring(options: Parameters<typeof listening>[0] = {}) {
    const { ask, ...rest } = await listening(options)
    const { status, headers, body } = await ask('POST', '/v1/uploads', DEFERRED)
    expect([status, body.bytes]).toEqual([201, null])
    const path = headers.get('location') ?? ''
    const append = (offset: number, bytes: Buffer, more = {}) =>
      ask('PATCH', path, { ...PART, 'upload-offset': String(offset), ...more }, bytes)
    return { ...rest, ask, path, append }
  }

  test('by tus-js-client becomes a session, byte for byte', async () => {
    const { user, endpoint, importOf, bytesStored, db } = await listening()
    const file = recordingOf(500_000)
    const path = await new Promise<string>((resolve, reject) => {
      const upload: Upload = new Upload(Readable.from(file, { objectMode: false }), {
        endpoint,
        headers: { authorization: `Bearer ${user.token}` },
        metadata: { filename: 'talk.mp3' },
        chunkSize: 64 * 1024,
        uploadLengthDeferred: true,
        onSuccess: () => resolve(new URL(upload.url ?? '').pathname),
        onError: reject
      })
      upload.start()
    })
    expect(await bytesStored()).toBe(file.length)
    const { status, body } = await importOf(path)
    expect(status).toBe(202)
    const link = new URL((await user.get(`/v1/sessions/${body.id}/media`)).body.audio_url)
    const { rawPayload } = await user.app.inject(link.pathname + link.search)
    expect(rawPayload.equals(file)).toBe(true)
    expect(await findMiscounted(db)).not.toContain(user.id)
  })

  test('shows that it is unknown, and is not imported until a PATCH has said it', async () => {
    const { ask, path, append, importOf } = await deferring()
    const file = recordingOf(9_000)
    expect((await append(0, file.subarray(0, 5_000))).status).toBe(204)
    const open = await ask('HEAD', path, TUS)
    expect(['upload-offset', 'upload-defer-length', 'upload-length'].map(name => open.headers.get(name))).toEqual([
      '5000',
      '1',
      null
    ])
    expect((await importOf(path)).body.error).toEqual({
      code: 'conflict',
      message: 'upload: 5000 bytes have arrived, and its length is not known; send Upload-Length to /v1/uploads first',
      param: 'upload'
    })
    expect((await append(5_000, file.subarray(5_000), { 'upload-length': '9000' })).status).toBe(204)
    const whole = await ask('HEAD', path, TUS)
    expect(['upload-offset', 'upload-defer-length', 'upload-length'].map(name => whole.headers.get(name))).toEqual([
      '9000',
      null,
      '9000'
    ])
    expect((await importOf(path)).status).toBe(202)
  })

  test('takes a length once, of at least what has arrived and at most what such a file may have', async () => {
    const { ask, append } = await deferring()
    await append(0, Buffer.alloc(600))
    const say = (length: number) => append(600, Buffer.alloc(0), { 'upload-length': String(length) })
    expect((await say(599)).body.error.message).toBe(
      'Upload-Length: send at least 600, because as many bytes have arrived'
    )
    expect((await say(700)).status).toBe(204)
    expect((await say(701)).body.error.message).toBe('Upload-Length: the upload has 700 bytes, and keeps its length')
    expect((await say(700)).status).toBe(204)
    expect((await append(600, Buffer.alloc(101))).status).toBe(413)
    const transcript = await ask('POST', '/v1/uploads', { ...DEFERRED, 'upload-metadata': metadataOf('a.vtt') })
    const headers = { ...PART, 'upload-offset': '0', 'upload-length': '16777217' }
    const tooLong = await ask('PATCH', transcript.headers.get('location') ?? '', headers, Buffer.alloc(0))
    expect([tooLong.status, tooLong.body.error.message]).toEqual([413, 'Upload-Length: send at most 16 MiB'])
  })

  test('counts towards the quota as its bytes arrive, and with its length once that is said', async () => {
    const { append, bytesStored, ask, path, db, user } = await deferring({ quotas: quotasOf(1_000) })
    expect((await append(0, Buffer.alloc(600))).status).toBe(204)
    expect(await bytesStored()).toBe(600)
    expect((await append(600, Buffer.alloc(401))).body.error.code).toBe('limit_exceeded')
    const said = await append(600, Buffer.alloc(0), { 'upload-length': '1001' })
    expect(said.body.error).toMatchObject({ code: 'limit_exceeded', param: 'Upload-Length' })
    expect(offsetOf(await ask('HEAD', path, TUS))).toBe(600)
    expect((await append(600, Buffer.alloc(0), { 'upload-length': '900' })).status).toBe(204)
    expect(await bytesStored()).toBe(900)
    expect(await findMiscounted(db)).not.toContain(user.id)
    const second = await ask('POST', '/v1/uploads', DEFERRED)
    expect(second.status).toBe(201)
    await ask('DELETE', path, TUS)
    expect(await bytesStored()).toBe(0)
  })

  test('is refused at its beginning where the quota is used up', async () => {
    const { ask, begin } = await listening({ quotas: quotasOf(10) })
    await begin('talk.mp3', 10)
    expect((await ask('POST', '/v1/uploads', DEFERRED)).body.error).toMatchObject({
      code: 'limit_exceeded',
      param: 'Upload-Defer-Length'
    })
  })

  test('takes a body of unknown length as far as the quota lets it, and counts what it has taken', async () => {
    const { app, user, path, bytesStored, ask, db, arrived } = await deferring({ quotas: quotasOf(300_000) })
    const sent = request({
      host: '127.0.0.1',
      port: portOf(app),
      method: 'PATCH',
      path,
      headers: { authorization: `Bearer ${user.token}`, ...PART, 'upload-offset': 0, 'transfer-encoding': 'chunked' }
    })
    const answer = new Promise<number | undefined>((resolve, reject) =>
      sent.on('response', ({ statusCode }) => resolve(statusCode)).on('error', reject)
    )
    sent.write(randomBytes(200_000))
    await until('the first bytes are on disk', () => arrived(path) === 200_000)
    sent.end(randomBytes(200_000))
    expect(await answer).toBe(400)
    const kept = offsetOf(await ask('HEAD', path, TUS))
    expect(kept).toBeGreaterThanOrEqual(200_000)
    expect(await bytesStored()).toBe(300_000)
    expect(await findMiscounted(db)).not.toContain(user.id)
  })
})

describe('POST /v1/sessions/upload?upload=', () => {
  test('says how much of an unfinished upload is missing', async () => {
    const { ask, begin, importOf } = await listening()
    const path = await begin('talk.mp3', 10)
    await ask('PATCH', path, { ...PART, 'upload-offset': '0' }, Buffer.alloc(4))
    expect(await importOf(path)).toMatchObject({
      status: 409,
      body: {
        error: {
          code: 'conflict',
          message: 'upload: 4 of 10 bytes have arrived, so 6 are missing; send the rest to /v1/uploads first'
        }
      }
    })
  })

  test('makes one session of an upload, also by several requests at once, and by a repetition with the same key', async () => {
    const { user, send, importOf, storedOf } = await listening()
    const path = await send(recordingOf(100_000))
    const key = { 'idempotency-key': 'one' }
    const answers = [
      await importOf(path, '', key),
      ...(await Promise.all([importOf(path, '', key), importOf(path), importOf(path)]))
    ]
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 200, 200])
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    expect(storedOf(user.id)).toHaveLength(1)
  })

  test('is gone once its session was deleted permanently, so that the same file can be imported again', async () => {
    const { user, db, send, importOf, ask } = await listening()
    const file = recordingOf(100_000)
    const path = await send(file)
    const { body: session } = await importOf(path)
    const headOf = async () => (await ask('HEAD', path, TUS)).status
    expect((await ask('DELETE', `/v1/sessions/${session.id}?permanently=false`, {})).status).toBe(200)
    expect([await headOf(), (await importOf(path)).status]).toEqual([200, 409])
    expect(await restore({ db }, user.id, session.id)).toBeDefined()
    expect((await ask('DELETE', `/v1/sessions/${session.id}`, {})).status).toBe(200)
    expect([await headOf(), (await importOf(path)).body]).toEqual([
      404,
      { error: { code: 'not_found', message: 'upload: upload not found', param: 'upload' } }
    ])
    const again = await importOf(await send(file))
    expect([again.status, again.body.id === session.id]).toEqual([202, false])
    expect(await findMiscounted(db)).not.toContain(user.id)
  })

  test.runIf(onPostgres)(
    'is not made a session that another transaction deletes meanwhile',
    { tags: ['postgres'] },
    async () => {
      const { user, db, send, importOf } = await listening({ alone: true })
      const file = recordingOf(100_000)
      const { body: session } = await importOf(await send(file))
      const path = await send(file)
      let importing: ReturnType<typeof importOf> | undefined
      await db.transaction(async tx => {
        await tx.delete(sessions).where(matches(sessions, { userId: user.id, sessionId: session.id }))
        importing = importOf(path)
        // On a cluster it is the worker that waits for the lock.
        const waiting = sql`select from pg_stat_activity where datname = current_database() and state = 'active'
          and query like '%for key share)%update uploads%' and pid <> pg_backend_pid()`
        await vi.waitUntil(async () => (await db.execute(waiting)).rows.length > 0, { timeout: 60_000 })
      })
      expect((await importing)?.body.error).toMatchObject({ code: 'service_unavailable' })
      expect((await importOf(path)).status).toBe(202)
    }
  )

  test('removes a file that is no recording', async () => {
    const { send, importOf, partsFolder, ask, bytesStored } = await listening()
    const path = await send(NOISE)
    const { status, body } = await importOf(path)
    expect([status, body.error.message]).toEqual([
      400,
      expect.stringContaining('file: The bytes are no audio or video')
    ])
    expect([readdirSync(partsFolder), (await ask('HEAD', path, TUS)).status, await bytesStored()]).toEqual([[], 404, 0])
  })

  test('takes neither a body nor a file with it', async () => {
    const { ask, begin } = await listening()
    const id = (await begin('talk.mp3', 10)).split('/').at(-1)
    const both = await ask('POST', `/v1/sessions/upload?upload=${id}&file=a.vtt`, {})
    expect([both.status, both.body.error.message]).toEqual([400, 'upload: send it without a body and without file'])
  })

  test('needs no room for the recording besides that of the upload', async () => {
    const bytes = 10_000
    const { send, importOf, bytesStored } = await listening({
      quotas: { bytes_stored: bytes, sessions_per_day: 0, folders: 0, people: 0 }
    })
    expect((await importOf(await send(recordingOf(bytes)))).status).toBe(202)
    expect(await bytesStored()).toBe(bytes)
  })
})

test('a finished upload goes into the bucket, if there is one, and leaves nothing on the disk', async () => {
  const server = await startS3()
  onTestFinished(() => server.stop())
  const credentials = {
    accessKeyId: S3_CREDENTIALS.AWS_ACCESS_KEY_ID,
    secretAccessKey: S3_CREDENTIALS.AWS_SECRET_ACCESS_KEY
  }
  const media = s3Media({ bucket: BUCKET, prefix: '', region: 'us-east-1', endpoint: server.endpoint, credentials })
  onTestFinished(() => media.close())
  const { user, send, importOf, partsFolder } = await listening({ media })
  const { status, body } = await importOf(await send(recordingOf(300_000)))
  expect(status).toBe(202)
  expect(server.keys()).toEqual([`${user.id}/${body.id}/audio.mp3`])
  expect(readdirSync(partsFolder)).toEqual([])
})

test('files of no upload are removed after a while, and those of open ones stay', async () => {
  const { db, begin, partsFolder, user } = await listening({ alone: true })
  await begin('talk.mp3', 10)
  const kept = readdirSync(partsFolder)
  writeFileSync(join(partsFolder, `${user.id}.upl_gone`), 'bytes')
  await removeLeftoverUploads({ db, clock: { now: () => new Date(NOW) }, partsFolder })
  expect(readdirSync(partsFolder).length).toBe(2)
  const later = new Date(Date.now() + 3_600_000)
  await db.execute(
    `update uploads set expires_at = '${new Date(later.getTime() + 1_000).toISOString()}' where user_id = '${user.id}'`
  )
  await removeLeftoverUploads({ db, clock: { now: () => later }, partsFolder })
  expect(readdirSync(partsFolder)).toEqual(kept)
})
