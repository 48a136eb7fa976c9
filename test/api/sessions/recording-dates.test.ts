import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { buildTestApp, newUserOf, testDatabase } from '../../support/server.ts'

const BYTES = { 'content-type': 'application/octet-stream' }
const HAS_FFMPEG = ['ffmpeg', 'ffprobe'].every(program => spawnSync(program, ['-version']).status === 0)

/** Uploads a second of sound that says when it was recorded, and returns the session. */
async function uploaded(name: string, recordedAt: string, query = '') {
  const folder = mkdtempSync(join(tmpdir(), 'parlance-test-dates-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'talk.m4a')
  const made = ['-f', 'lavfi', '-i', 'sine=duration=1', '-metadata', `creation_time=${recordedAt}`, path]
  expect(spawnSync('ffmpeg', ['-nostdin', '-v', 'error', ...made]).status).toBe(0)
  const { db } = await testDatabase()
  const app = await buildTestApp({ transcribes: true, uploadFolder: folder })
  const user = await newUserOf({ db, app })
  const { status, body } = await user.post(`/v1/sessions/upload?file=${name}${query}`, readFileSync(path), BYTES)
  expect(status).toBe(202)
  const session = (await user.get(`/v1/sessions/${body.id}`)).body
  return { timestamp: session.timestamp, type: session.type }
}

test.runIf(HAS_FFMPEG).each([
  ['when the file was recorded', 'talk.m4a', '2026-03-02T09:30:00Z', '', '2026-03-02T09:30:00.000Z'],
  [
    'the time of its name first',
    'GMT20260115-143000_Recording.m4a',
    '2026-03-02T09:30:00Z',
    '',
    '2026-01-15T14:30:00.000Z'
  ],
  [
    'the time that the caller gives',
    'talk.m4a',
    '2026-03-02T09:30:00Z',
    '&timestamp=2026-02-01T08:00:00Z',
    '2026-02-01T08:00:00.000Z'
  ],
  ['no time of a recorder whose clock was never set', 'talk.m4a', '1970-01-01T00:00:00Z', '', null]
])('a recording has %s', async (_, name, recordedAt, query, timestamp) => {
  expect(await uploaded(name, recordedAt, query)).toEqual({ timestamp, type: 'recording' })
})

test.runIf(HAS_FFMPEG)('a recording has the type that the caller gives', async () => {
  expect(await uploaded('talk.m4a', '2026-03-02T09:30:00Z', '&type=meeting')).toMatchObject({ type: 'meeting' })
})
