import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { askAdmin, buildTestAdminApi } from '../../support/admin-api.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { buildTestApp, newUserOf, testDatabase, testMediaFolder } from '../../support/server.ts'
import { NOISE, silence, sound } from '../../support/sound.ts'
import { record } from '../../support/spoken.ts'

const BYTES = { 'content-type': 'application/octet-stream' }
const FORM = { 'content-type': 'multipart/form-data; boundary=x' }
const HAS_FFPROBE = spawnSync('ffprobe', ['-version']).status === 0
const NO_SOUND = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')
const REFUSAL = {
  status: 400,
  body: {
    error: {
      code: 'invalid_request',
      message:
        'file: The bytes are no audio or video: send a recording, such as .mp3, .m4a, .wav or .mp4, or the transcript under its own ending.'
    }
  }
}

async function transcribing(programPath = process.env.PATH) {
  const folder = mkdtempSync(join(tmpdir(), 'parlance-test-checked-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const { db } = await testDatabase()
  const services = { transcribes: true, uploadFolder: folder, sound: { folder, programPath } }
  const user = await newUserOf({ db, app: await buildTestApp(services) })
  const adminApi = await buildTestAdminApi(services)
  const upload = (name: string, bytes: Buffer) => user.post(`/v1/sessions/upload?file=${name}`, bytes, BYTES)
  const remains = async () => ({
    uploads: readdirSync(folder),
    stored: existsSync(join(testMediaFolder(), user.id)),
    sessions: (await user.get('/v1/sessions')).body.sessions
  })
  return { user, adminApi, upload, remains }
}

const formOf = (name: string, bytes: Buffer) =>
  Buffer.concat([
    Buffer.from(`--x\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`),
    bytes,
    Buffer.from('\r\n--x--\r\n')
  ])

test('bytes that are no recording are refused under the name of one, at every door, and leave nothing', async () => {
  const { user, adminApi, upload, remains } = await transcribing()
  expect(await upload('talk.mp3', NOISE)).toEqual(REFUSAL)
  expect(await user.post('/v1/sessions/upload', formOf('talk.mp4', NOISE), FORM)).toEqual(REFUSAL)
  const url = `/users/${user.id}/sessions/upload?file=talk.wav`
  expect(await askAdmin('POST', url, NOISE, { app: adminApi, headers: BYTES })).toMatchObject(REFUSAL)
  expect(await remains()).toEqual({ uploads: [], stored: false, sessions: [] })
})

test('without ffprobe the first bytes decide', async () => {
  const { upload } = await transcribing('/nowhere')
  expect(await upload('talk.mp3', Buffer.from('Ada: Good morning.'))).toEqual(REFUSAL)
  expect((await upload('talk.mp3', sound('talk'))).status).toBe(202)
})

test.runIf(HAS_FFPROBE)('a recording without sound is refused', async () => {
  const { upload, remains } = await transcribing()
  const { status, body } = await upload('talk.mp4', NO_SOUND)
  expect([status, body.error.message]).toEqual([400, 'file: The recording has no sound: send one with an audio track.'])
  expect(await remains()).toEqual({ uploads: [], stored: false, sessions: [] })
})

test.each([
  '#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n/etc/hostname\n#EXT-X-ENDLIST\n',
  'ffconcat version 1.0\nfile talk.mp3\n'
])('a playlist is refused, because it names files that the sender may not read: %j', async playlist => {
  const { upload } = await transcribing()
  expect(await upload('talk.mp3', Buffer.from(playlist))).toEqual(REFUSAL)
})

test('a recording is taken under an ending that the server does not know', async () => {
  const { user, upload } = await transcribing()
  const { status, body } = await upload('board_meeting.part1', silence(1))
  expect(status).toBe(202)
  const { body: media } = await user.get(`/v1/sessions/${body.id}/media`)
  const link = new URL(media.audio_url)
  expect((await user.app.inject(link.pathname + link.search)).headers['content-type']).toBe('audio/wav')
  expect((await upload('notes.part1', Buffer.from('Ada: Good morning.\nBen: Good morning.\n'))).status).toBe(202)
})

describe.runIf(spawnSync('ffmpeg', ['-version']).status === 0)('the streams of a recording, and not its name,', () => {
  const TONE = ['-f', 'lavfi', '-t', '1', '-i', 'sine']
  const PICTURE = ['-f', 'lavfi', '-t', '1', '-i', 'testsrc=size=64x64:rate=5']

  test.each([
    ['sound.webm', 'audio', 'audio/webm', [...TONE, '-c:a', 'libopus']],
    ['sound.mp4', 'audio', 'audio/mp4', TONE],
    ['sound.mts', 'audio', 'audio/mp2t', [...TONE, '-f', 'mpegts']],
    ['film.mp4', 'video', 'video/mp4', [...TONE, ...PICTURE]],
    ['film.webm', 'video', 'video/webm', [...TONE, ...PICTURE, '-c:a', 'libopus', '-c:v', 'libvpx']]
  ])('say what %s is: %s', async (name, kind, type, args) => {
    const { user, upload } = await transcribing()
    const path = await record(join(temporaryFolder(), name), ...args)
    const { status, body } = await upload(name, readFileSync(path))
    expect(status).toBe(202)
    const { body: media } = await user.get(`/v1/sessions/${body.id}/media`)
    const [there, absent] = kind === 'audio' ? ['audio_url', 'video_url'] : ['video_url', 'audio_url']
    expect(media[absent]).toBe(null)
    const link = new URL(media[there])
    expect((await user.app.inject(link.pathname + link.search)).headers['content-type']).toBe(type)
  })

  test('show that it has no samples, and it is refused at once', async () => {
    const { upload, remains } = await transcribing()
    const { status, body } = await upload('empty.wav', silence(0))
    expect([status, body.error.message]).toEqual([
      400,
      'file: The audio track of the recording is empty, as when the recorder was stopped at once: send a recording with sound in it.'
    ])
    expect(await remains()).toEqual({ uploads: [], stored: false, sessions: [] })
  })
})
