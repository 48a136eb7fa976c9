import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { processSession } from '../../../src/features/ingest/pipeline.ts'
import { FAILURES } from '../../../src/features/library/failure-reason.ts'
import { openVoiceDetector } from '../../../src/platform/ai/voice/open-voice-detector.ts'
import { type AiReply, type AiServer, json, startAiServer, status } from '../../support/ai-server.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { providerAi } from '../../support/provider.ts'
import {
  buildTestApp,
  clock,
  FOR_PIPELINE,
  NO_QUOTAS,
  newUserOf,
  testDatabase,
  testMedia
} from '../../support/server.ts'
import { hear, openHearer, record, say } from '../../support/spoken.ts'

const HAS_PROGRAMS = ['ffmpeg', 'espeak-ng'].every(program => spawnSync(program, ['--version']).error === undefined)
const BYTES = { 'content-type': 'application/octet-stream' }
const silence = (seconds: number) => ['-f', 'lavfi', '-t', String(seconds), '-i', 'anullsrc=r=48000:cl=mono']
const refuseFormat = status(400, 'Invalid file format. Supported formats: ogg')

let provider: AiServer
let speech: string
const folder = temporaryFolder(afterAll)
const voices = openVoiceDetector(error => {
  throw error
})

beforeAll(async () => {
  provider = await startAiServer()
  if (HAS_PROGRAMS)
    speech = await say(join(folder, 'speech.wav'), 'Did the bank approve the loan? Yes, they signed it.')
})
afterAll(async () => {
  await provider.close()
  await voices.close()
})

/** Uploads a recording, has it transcribed, and returns what became of it. */
async function transcribe(path: string, reply: AiReply) {
  const user = await newUserOf({ db: (await testDatabase()).db, app: await buildTestApp({ transcribes: true }) })
  const name = path.split('/').at(-1)
  const { status: code, body } = await user.post(`/v1/sessions/upload?file=${name}`, readFileSync(path), BYTES)
  expect(code).toBe(202)
  provider.answer('transcriptions', reply)
  const ai = providerAi(provider.url, { transcriptionModel: 'whisper-1' })
  onTestFinished(() => ai.close())
  const sound = { folder: join(folder, 'work'), programPath: process.env.PATH, voices }
  const pipeline = {
    db: user.db,
    ai,
    media: testMedia(),
    clock,
    quotas: NO_QUOTAS,
    ...FOR_PIPELINE,
    sound,
    onFailure() {}
  }
  const attempt = { last: true, signal: new AbortController().signal }
  await processSession(pipeline, { userId: user.id, sessionId: body.id }, attempt)
  const { body: session } = await user.get(`/v1/sessions/${body.id}`)
  const { body: transcript } = await user.get(`/v1/sessions/${body.id}/transcript`)
  return { session, said: (transcript.segments ?? []) as { start: number; end: number; text: string }[] }
}

/** A server that hears as usual but takes Ogg only, so that recordings are sent in parts. */
function inParts(reply: AiReply): AiReply {
  return (request, response) => (request.file?.name.endsWith('.ogg') ? reply : refuseFormat)(request, response)
}

describe.runIf(HAS_PROGRAMS)('a recording', () => {
  test('is heard on all its tracks', async () => {
    const tracks = ['-map', '0:a', '-map', '1:a', '-c:a', 'aac']
    const path = await record(join(folder, 'screen.mkv'), ...silence(4), '-i', speech, ...tracks)
    for (const server of ['whole', 'parts']) {
      const hearer = openHearer()
      const { said } = await transcribe(path, server === 'parts' ? inParts(hearer.reply) : hearer.reply)
      expect(hearer.heard.at(-1)?.level).toBeGreaterThan(-40)
      expect(said[0]?.start).toBeLessThan(0.5)
    }
  })

  test.each([
    ['one track', []],
    ['two tracks', ['-map', '[a]', '-map', '[b]']]
  ])('is heard where it is in opposite phase in the channels of %s', async (name, map) => {
    const graph = map.length > 0 ? '[0:a]asplit=2[a][c];[c]volume=-1[b]' : '[0:a]pan=stereo|c0=c0|c1=-1*c0'
    const path = await record(join(folder, `phase-${name}.mkv`), '-i', speech, '-filter_complex', graph, ...map)
    const hearer = openHearer()
    const { said } = await transcribe(path, hearer.reply)
    expect(hearer.heard.at(-1)?.level).toBeGreaterThan(-40)
    expect(said.length).toBeGreaterThan(0)
  })

  test('keeps the clock of a player after a pause of the recorder, and all words', async () => {
    const length = (await hearFile(speech)).seconds
    const pause = "asetpts='if(gt(T,1.5),PTS+9/TB,PTS)'"
    const path = await record(join(folder, 'paused.webm'), '-i', speech, '-af', pause, '-c:a', 'libopus')
    for (const server of ['whole', 'parts']) {
      const hearer = openHearer()
      const { session, said } = await transcribe(path, server === 'parts' ? inParts(hearer.reply) : hearer.reply)
      const sent = hearer.heard.at(-1)?.speech ?? []
      expect(sent.reduce((sum, { start, end }) => sum + end - start, 0)).toBeGreaterThan(length - 1.2)
      expect(said.map(({ start }) => start)[0]).toBeLessThan(0.3)
      expect(said.some(({ start }) => Math.abs(start - 10.5) < 0.3)).toBe(true)
      expect(session.duration_seconds).toBeCloseTo(length + 9, 0)
    }
  })

  test('is sent without its long silence, and the times stay', async () => {
    const graph = '[0:a]aresample=48000,aformat=channel_layouts=mono,asplit=2[a][b];[a][1:a][b]concat=n=3:v=0:a=1'
    const path = await record(join(folder, 'silent.mp3'), '-i', speech, ...silence(60), '-filter_complex', graph)
    const { seconds, speech: places } = await hearFile(path)
    const hearer = openHearer()
    const { session, said } = await transcribe(path, hearer.reply)
    expect(hearer.heard.map(heard => heard.seconds < 15)).toEqual([true])
    expect(said).toHaveLength(places.length)
    for (const [at, { start, end }] of places.entries()) {
      expect(said[at]?.start).toBeCloseTo(start, 0)
      expect(said[at]?.end).toBeCloseTo(end, 0)
    }
    expect(session.duration_seconds).toBeCloseTo(seconds, 0)
  })

  test('of silence has no speech, and is not sent', async () => {
    const path = await record(join(folder, 'nothing.mp3'), ...silence(30))
    const hearer = openHearer()
    const { session, said } = await transcribe(path, hearer.reply)
    expect([session.status, session.failure_reason, said, hearer.sent]).toEqual(['failed', FAILURES.noSpeech, [], []])
  })

  test('without a voice keeps no sentence that models write for silence, and names it in the warnings', async () => {
    const path = await record(join(folder, 'hum.mp3'), '-f', 'lavfi', '-t', '20', '-i', 'sine=frequency=200')
    const segments = [
      { start: 0, end: 10, text: ' Thank you for watching!' },
      { start: 10, end: 20, text: ' The pump is loud.' }
    ]
    const { session, said } = await transcribe(path, json({ language: 'en', duration: 20, segments, text: '' }))
    expect(said.map(({ text }) => text)).toEqual(['The pump is loud.'])
    expect(session.warnings).toEqual(['Thank you for watching! at 0:00 is left out, because nobody speaks there.'])
  })

  test('keeps what is said, and leaves out what a server writes of sounds', async () => {
    const texts = ['[BLANK_AUDIO]', 'Did the bank approve the loan?', '(wind blowing)', '♪♪', 'Thank you.']
    const segments = texts.map((text, at) => ({ start: at * 0.6, end: at * 0.6 + 0.6, text }))
    const { session, said } = await transcribe(speech, json({ language: 'en', duration: 3, segments, text: '' }))
    expect(said.map(({ text }) => text)).toEqual(['Did the bank approve the loan?', 'Thank you.'])
    expect(session.warnings).toEqual([
      '[BLANK_AUDIO] at 0:00 is left out, because it is not speech.',
      '(wind blowing) at 0:01 is left out, because it is not speech.',
      '♪♪ at 0:01 is left out, because it is not speech.'
    ])
  })

  test('has its length and one segment when the server answers with a text alone', async () => {
    const graph = '[0:a]aloop=loop=8:size=200000,atrim=end=26'
    const path = await record(join(folder, 'long.mp3'), '-i', speech, '-af', graph)
    const { session, said } = await transcribe(path, json({ text: 'They signed it.' }))
    expect(session.duration_seconds).toBeCloseTo(26, 1)
    expect(said).toEqual([{ speaker: 'Speaker', start: 0, end: session.duration_seconds, text: 'They signed it.' }])
  })
})

async function hearFile(path: string) {
  return await hear(readFileSync(path))
}
