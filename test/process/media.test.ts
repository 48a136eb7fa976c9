// @module-tag postgres
import { existsSync, readdirSync, symlinkSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startAiServer, status } from '../support/ai-server.ts'
import { command, commandJson } from '../support/command.ts'
import {
  deleteSession,
  fileIn,
  heldDatabase,
  migratedDatabase,
  newOwner,
  type Place,
  rowsOf,
  serve,
  temporaryFolder,
  until
} from '../support/process.ts'
import { S3_CREDENTIALS, startS3 } from '../support/s3-server.ts'
import { sound } from '../support/sound.ts'

const SLOW = { timeout: 300_000 }
const SESSION = expect.stringMatching(/^ses_[0-9a-z]{26}$/)
const SPEECH = "Welcome to the review.\nI'll send the offer.\n"
const NEEDS_MODEL =
  'This server can’t transcribe recordings. Add a transcript, or ask its operator to set up a speech model.'

/** A place whose provider transcribes. */
async function speakingPlace(database = heldDatabase, settings: Record<string, string> = {}) {
  const provider = await startAiServer()
  onTestFinished(() => provider.close())
  const place = await database()
  const openai = { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: provider.url, TRANSCRIPTION_MODEL: 'whisper-1' }
  return { provider, place: { ...place, environment: { ...place.environment, ...openai, ...settings } } }
}

const filesOf = ({ dataDir }: Place) =>
  existsSync(join(dataDir, 'media'))
    ? readdirSync(join(dataDir, 'media'), { recursive: true, encoding: 'utf8' }).filter(name => name.includes('.'))
    : []

const mediaOf = (place: Place) => rowsOf(place, 'select session_id, kind, content_type, bytes from media order by kind')

async function toSessionDetail(place: Place, id: unknown) {
  const [row] = await rowsOf(
    place,
    'select state, failure, title, language, duration_seconds, summary, segments from sessions join transcripts using (user_id, session_id) where session_id = $1',
    [id]
  )
  return row
}

describe('importing a recording', () => {
  test('stores and transcribes it, and continues as with any transcript', SLOW, async () => {
    const { place, provider } = await speakingPlace()
    const owner = await newOwner(place)
    const file = fileIn(temporaryFolder(), '2026-03-02_weekly-review.mp3', sound(SPEECH))
    const [taken] = await commandJson(place, 'import', '--user', owner.email, '--wait', file)
    expect(taken).toEqual({ file, session_id: SESSION, status: 'completed' })
    expect(await toSessionDetail(place, taken?.session_id)).toMatchObject({
      title: '2026-03-02 weekly-review',
      language: 'en',
      duration_seconds: 4.5,
      segments: [
        { speaker: 'Speaker', start: 0, end: 2, text: 'Welcome to the review.' },
        { speaker: 'Speaker', start: 2, end: 4, text: "I'll send the offer." }
      ]
    })
    expect(await mediaOf(place)).toEqual([
      { session_id: taken?.session_id, kind: 'audio', content_type: 'audio/mpeg', bytes: sound(SPEECH).length }
    ])
    expect(filesOf(place)).toEqual([`${owner.id}/${taken?.session_id}/audio.mp3`])
    expect(provider.requests.filter(({ endpoint }) => endpoint === 'transcriptions')).toMatchObject([
      { file: { name: 'recording.mp3', content: SPEECH } }
    ])
  })

  test('stores every kind of recording with its content type, as audio where it has no picture', SLOW, async () => {
    const { place } = await speakingPlace()
    const owner = await newOwner(place)
    const folder = temporaryFolder()
    const types = {
      m4a: 'audio/mp4',
      wav: 'audio/wav',
      ogg: 'audio/ogg',
      OPUS: 'audio/ogg',
      flac: 'audio/flac',
      aac: 'audio/aac',
      webm: 'audio/webm',
      mp4: 'audio/mp4',
      mov: 'audio/quicktime',
      mkv: 'audio/x-matroska',
      aiff: 'audio/aiff',
      amr: 'audio/amr',
      wma: 'audio/x-ms-wma',
      '3gp': 'audio/3gpp',
      avi: 'audio/x-msvideo'
    }
    const files = Object.keys(types).map(extension =>
      fileIn(folder, `talk.${extension}`, sound(`Spoken in ${extension}.`))
    )
    await commandJson(place, 'import', '--user', owner.email, ...files)
    const stored = await rowsOf(
      place,
      'select content_type, kind from media join sessions using (user_id, session_id) order by sort_at'
    )
    expect(stored).toEqual(Object.values(types).map(type => ({ content_type: type, kind: 'audio' })))
  })

  test('finds it again by its bytes, and stores it once', SLOW, async () => {
    const { place } = await speakingPlace()
    const owner = await newOwner(place)
    const [first] = await commandJson(
      place,
      'import',
      '--user',
      owner.email,
      fileIn(temporaryFolder(), 'a.mp3', sound(SPEECH))
    )
    const [again] = await commandJson(
      place,
      'import',
      '--user',
      owner.email,
      fileIn(temporaryFolder(), 'other.mp3', sound(SPEECH))
    )
    expect(again).toMatchObject({ session_id: first?.session_id, status: 'existing' })
    expect(filesOf(place)).toHaveLength(1)
  })

  test('without a transcription model prints one line that names the setting, and stores nothing', SLOW, async () => {
    const place = await heldDatabase()
    const owner = await newOwner(place)
    const folder = temporaryFolder()
    const file = fileIn(folder, 'talk.mp3', sound(SPEECH))
    const { code, stderr } = await command(place, 'import', '--user', owner.email, file)
    expect({ code, stderr }).toEqual({ code: 1, stderr: `${file}: ${NEEDS_MODEL}\n` })
    expect(await rowsOf(place, 'select from sessions')).toEqual([])
    expect(filesOf(place)).toEqual([])
  })

  test('that the provider refuses fails for the reason it gives', SLOW, async () => {
    const { place, provider } = await speakingPlace()
    provider.answer('transcriptions', status(413, 'Maximum content size limit (26214400) exceeded'))
    const owner = await newOwner(place)
    const file = fileIn(temporaryFolder(), 'talk.mp3', sound(SPEECH))
    const { code, stderr } = await command(place, 'import', '--user', owner.email, '--wait', file)
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `${file}: The AI provider answered 413: Maximum content size limit (26214400) exceeded\n`
    })
  })

  test('transcribes once, even if a later step has to be repeated', SLOW, async () => {
    const { place, provider } = await speakingPlace()
    provider.script('chat', status(500, 'oops'), status(500, 'oops'), status(500, 'oops'))
    const owner = await newOwner(place)
    const [taken] = await commandJson(
      place,
      'import',
      '--user',
      owner.email,
      '--wait',
      fileIn(temporaryFolder(), 'talk.mp3', sound(SPEECH))
    )
    expect(taken).toMatchObject({ status: 'completed' })
    expect(provider.requests.filter(({ endpoint }) => endpoint === 'transcriptions')).toHaveLength(1)
  })

  test('leaves nothing if the folder of recordings cannot be written, and says why', SLOW, async () => {
    const { place } = await speakingPlace()
    fileIn(place.dataDir, 'media', 'a file in the way')
    const owner = await newOwner(place)
    const file = fileIn(temporaryFolder(), 'talk.mp3', sound(SPEECH))
    const { code, stderr } = await command(place, 'import', '--user', owner.email, file)
    expect(code).toBe(1)
    expect(stderr).toMatch(new RegExp(`^${file}: The folder of the recordings is`))
    expect(await rowsOf(place, 'select from sessions')).toEqual([])
  })

  test.each([
    ['an empty file', '', 'The file is empty.'],
    ['a folder', undefined, 'The recording is not a file.']
  ])('refuses %s', SLOW, async (_, content, reason) => {
    const { place } = await speakingPlace()
    const owner = await newOwner(place)
    const folder = temporaryFolder()
    const file = join(folder, 'talk.mp3')
    if (content === undefined) await mkdir(file)
    else fileIn(folder, 'talk.mp3', content)
    expect(await command(place, 'import', '--user', owner.email, file)).toMatchObject({
      code: 1,
      stderr: `${file}: ${reason}\n`
    })
  })
})

describe('importing a document with recordings', () => {
  const segments = [{ speaker: 'Ada', start: 0, end: 2, text: 'Hello.' }]

  test('stores the files beside it, which need no model if it has a transcript', SLOW, async () => {
    const place = await heldDatabase()
    const owner = await newOwner(place)
    const folder = temporaryFolder()
    await mkdir(join(folder, 'media'))
    fileIn(folder, 'media/talk.mp3', sound('sound'))
    fileIn(folder, 'film.webm', sound('pictures'))
    const both = fileIn(
      folder,
      'a.json',
      JSON.stringify({ segments, media: { audio: 'media/talk.mp3', video: './film.webm' } })
    )
    const lines = fileIn(
      folder,
      'b.jsonl',
      [{ audio: 'film.webm', video: 'https://youtu.be/x' }, { audio: 'missing.mp3' }, { audio: 'media/talk.mp3' }]
        .map((media, n) => JSON.stringify({ segments, external_id: `line-${n}`, media }))
        .join('\n')
    )
    const { stdout, stderr } = await command(place, 'import', '--user', owner.email, '--json', both, lines)
    expect(stderr).toContain(`${lines}:2: media.audio: there is no file missing.mp3 beside the document.\n`)
    const statuses = stdout
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line).status)
    expect(statuses).toEqual(['processing', 'processing', 'failed', 'processing'])
    const types = (await mediaOf(place)).map(({ content_type: type }) => type)
    expect(types.sort()).toEqual(['audio/mpeg', 'audio/mpeg', 'audio/webm', 'video/webm'])
    expect(await rowsOf(place, 'select audio_url, video_url from sessions where video_url is not null')).toEqual([
      { audio_url: null, video_url: 'https://youtu.be/x' }
    ])
  })

  test('cannot read files outside its folder, by a path or by a link', SLOW, async () => {
    const place = await heldDatabase()
    const owner = await newOwner(place)
    const folder = temporaryFolder()
    const secret = fileIn(temporaryFolder(), 'secret.mp3', sound('secret'))
    symlinkSync(secret, join(folder, 'linked.mp3'))
    symlinkSync('/etc/hostname', join(folder, 'host.mp3'))
    const documents = ['linked.mp3', 'host.mp3', secret, '../secret.mp3'].map((audio, n) =>
      fileIn(folder, `${n}.json`, JSON.stringify({ segments, media: { audio } }))
    )
    const { code, stderr } = await command(place, 'import', '--user', owner.email, ...documents)
    expect(code).toBe(1)
    const said = stderr.split('\n').slice(0, 4)
    expect(said[0]).toContain(
      'media.audio: linked.mp3 is a link to something other than a recording beside the document.'
    )
    expect(said[1]).toContain('media.audio: host.mp3 is a link to')
    for (const line of said.slice(2))
      expect(line).toContain('media.audio: expected an http(s) URL, or the path of a recording in the folder')
    expect(filesOf(place)).toEqual([])
  })

  test('without speech needs a model, like a single recording', SLOW, async () => {
    const place = await heldDatabase()
    const owner = await newOwner(place)
    const folder = temporaryFolder()
    fileIn(folder, 'talk.mp3', sound(SPEECH))
    const file = fileIn(folder, 'a.json', JSON.stringify({ title: 'Talk', media: { audio: 'talk.mp3' } }))
    expect(await command(place, 'import', '--user', owner.email, file)).toMatchObject({
      code: 1,
      stderr: `${file}: ${NEEDS_MODEL}\n`
    })
  })
})

describe('a recording that was imported', () => {
  test('is read over the link of a running server, and removed from disk soon after its deletion', SLOW, async () => {
    const { place } = await speakingPlace(migratedDatabase)
    const server = await serve(place)
    const owner = await newOwner(place)
    const { token } = owner
    const folder = temporaryFolder()
    const files = ['one', 'two'].map(word => fileIn(folder, `${word}.mp3`, sound(`${SPEECH}${word}`)))
    const [one, two] = await commandJson(place, 'import', '--user', owner.email, '--wait', ...files)
    const linkOf = async (id: unknown) =>
      (await server.get(`/v1/sessions/${id}/media`, token)).body as Record<string, string>
    const { audio_url: url } = await linkOf(one?.session_id)
    const part = await fetch(url!, { headers: { range: 'bytes=21-27' } })
    expect({ status: part.status, text: await part.text() }).toEqual({ status: 206, text: 'Welcome' })

    const [deleted] = await commandJson(
      place,
      'session',
      'delete-audio',
      '--user',
      owner.email,
      String(one?.session_id)
    )
    expect(deleted).toEqual({ id: one?.session_id, audio_deleted_at: expect.stringMatching(/Z$/) })
    expect((await fetch(url!)).status).toBe(404)
    expect(await linkOf(one?.session_id)).toMatchObject({
      audio_url: null,
      audio_deleted_at: deleted?.audio_deleted_at
    })
    expect(await toSessionDetail(place, one?.session_id)).toMatchObject({
      state: 'completed',
      segments: [{}, {}, {}],
      summary: expect.stringMatching(/./)
    })
    await until('its file is gone', () => filesOf(place).length === 1)

    expect(await deleteSession(server, token, two?.session_id)).toBe(200)
    await until('the other is gone', () => filesOf(place).length === 0)
    expect(
      await rowsOf(place, `select type from events where session_id = $1 order by seq`, [one?.session_id])
    ).toEqual([{ type: 'session.completed' }])
  })

  test('can be deleted twice; an unknown session is named', SLOW, async () => {
    const place = await heldDatabase()
    const owner = await newOwner(place)
    const [taken] = await commandJson(
      place,
      'import',
      '--user',
      owner.email,
      fileIn(temporaryFolder(), 'a.txt', 'Ada: Hello.')
    )
    const words = ['session', 'delete-audio', '--user', owner.email, String(taken?.session_id)]
    expect(await commandJson(place, ...words)).toEqual(await commandJson(place, ...words))
    const { code, stderr } = await command(place, 'session', 'delete-audio', '--user', owner.email, 'ses_none')
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'The user has no session ses_none\n' })
  })

  test('is stored in a configured bucket, and deleted there as soon as it is available again', SLOW, async () => {
    const bucket = await startS3()
    const { place } = await speakingPlace(migratedDatabase, { MEDIA_URL: bucket.mediaUrl, ...S3_CREDENTIALS })
    const server = await serve(place)
    const owner = await newOwner(place)
    const { token } = owner
    const [taken] = await commandJson(
      place,
      'import',
      '--user',
      owner.email,
      '--wait',
      fileIn(temporaryFolder(), 'a.mp3', sound(SPEECH))
    )
    expect(taken).toMatchObject({ status: 'completed' })
    expect(bucket.keys()).toEqual([`${owner.id}/${taken?.session_id}/audio.mp3`])
    const { body } = await server.get(`/v1/sessions/${taken?.session_id}/media`, token)
    const url = (body as Record<string, string>).audio_url!
    expect(await (await fetch(url, { headers: { range: 'bytes=21-27' } })).text()).toBe('Welcome')

    await bucket.stop()
    expect(await deleteSession(server, token, taken?.session_id)).toBe(200)
    const tried = "select from pgboss.job where name = 'purge-media' and state = 'retry'"
    await until('the deletion was tried', async () => (await rowsOf(place, tried)).length > 0)
    await bucket.start()
    await until('it is gone', () => bucket.keys().length === 0)
  })
})

describe('doctor', () => {
  test('checks the store of recordings', SLOW, async () => {
    const bucket = await startS3()
    const place = await heldDatabase()
    const environment = { ...place.environment, ...S3_CREDENTIALS }
    const check = async (MEDIA_URL: string) => {
      const { stdout } = await command({ environment: { ...environment, MEDIA_URL } }, 'doctor', '--json')
      return stdout.split('\n').find(line => line.startsWith('{"check":"media"'))
    }
    expect(await check('')).toContain(`"ok":true,"detail":"${place.dataDir}/media`)
    expect(await check(bucket.mediaUrl)).toContain('"ok":true,"detail":"s3://recordings/ at http://')
    expect(await check(bucket.mediaUrl.replace('recordings', 'elsewhere'))).toContain('There is no bucket elsewhere')
  })

  test('reads the credentials of the bucket from files, and prints none', SLOW, async () => {
    const bucket = await startS3()
    const place = await heldDatabase()
    const check = async (accessKey: string) => {
      const fileOf = (content: string) => fileIn(temporaryFolder(), 'secret', `${content}\n`)
      const files = { AWS_ACCESS_KEY_ID_FILE: fileOf(accessKey), AWS_SECRET_ACCESS_KEY_FILE: fileOf('S3RVER') }
      const environment = { ...place.environment, ...files, MEDIA_URL: bucket.mediaUrl }
      const { stdout } = await command({ environment }, 'doctor', '--json')
      expect(stdout).toContain('{"setting":"AWS_SECRET_ACCESS_KEY","value":"set"}')
      return stdout.split('\n').find(line => line.startsWith('{"check":"media"'))
    }
    expect(await check('S3RVER')).toContain('"ok":true,"detail":"s3://recordings/ at http://')
    expect(await check('another')).toContain('refuses the credentials (InvalidAccessKeyId)')
  })

  test.each([
    [
      'https://bucket',
      'MEDIA_URL: set s3://bucket?region=…&endpoint=…, where the bucket has 3 to 63 lower-case letters, digits, dots and hyphens'
    ],
    [
      's3://Bucket',
      'MEDIA_URL: set s3://bucket?region=…&endpoint=…, where the bucket has 3 to 63 lower-case letters, digits, dots and hyphens'
    ],
    [
      's3://key:secret@bucket',
      'MEDIA_URL: set s3://bucket?region=…&endpoint=…, where the bucket has 3 to 63 lower-case letters, digits, dots and hyphens'
    ],
    ['s3://bucket?zone=x', 'MEDIA_URL: has no parameter zone; set region, endpoint, public_endpoint and style'],
    ['s3://bucket?endpoint=minio:9000', 'MEDIA_URL: set an http or https URL as the endpoint']
  ])('refuses MEDIA_URL=%s', SLOW, async (MEDIA_URL, message) => {
    expect(await command({ environment: { MEDIA_URL } }, 'doctor')).toMatchObject({ code: 1, stderr: `${message}\n` })
  })

  test('refuses a transcription model without a provider', SLOW, async () => {
    const outcome = await command({ environment: { TRANSCRIPTION_MODEL: 'whisper-1' } }, 'doctor')
    expect(outcome).toMatchObject({
      code: 1,
      stderr: 'TRANSCRIPTION_MODEL: needs OPENAI_API_KEY or TRANSCRIPTION_BASE_URL as well\n'
    })
  })
})
