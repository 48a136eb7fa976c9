// @module-tag postgres
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { FAILURES, WAITS } from '../../src/features/library/failure-reason.ts'
import { UNLIMITED } from '../faults/load.ts'
import { type AiReply, type AiServer, reset, startAiServer, status } from '../support/ai-server.ts'
import { command } from '../support/command.ts'
import {
  endOf,
  jsonLines,
  migratedDatabase,
  newOwner,
  openPlace,
  type Place,
  rowsOf,
  type Serving,
  serve,
  temporaryFolder,
  until
} from '../support/process.ts'
import { atMost, type Listener, openListener, type Script, speak } from '../support/speech.ts'

/** With RECORDINGS=long, the first recording is two hours long, and the provider has OpenAI's limit and is away for a minute. */
const LONG = process.env.RECORDINGS === 'long'
const SLOW = { timeout: LONG ? 3_600_000 : 600_000 }
const PATIENCE_MS = LONG ? 1_800_000 : 300_000
const MAX_BYTES = 100_000
const refused = (bytes: number) => status(413, `Maximum content size limit (${bytes}) exceeded`)

/** A place whose provider understands the tones of `speak`, and takes files up to a limit. */
async function newPlace(settings: Record<string, string> = {}, maxBytes = MAX_BYTES) {
  const provider = await startAiServer()
  onTestFinished(() => provider.close())
  const listener = openListener()
  provider.answer('transcriptions', atMost(maxBytes, listener.reply, refused(maxBytes)))
  const place = await migratedDatabase()
  const environment = {
    ...place.environment,
    ...UNLIMITED,
    EMBEDDING_MODEL: 'none',
    TRANSCRIPTION_MODEL: 'whisper-1',
    TRANSCRIPTION_BASE_URL: provider.url,
    TRANSCRIPTION_MAX_BYTES: String(maxBytes),
    ...settings
  }
  const owner = await newOwner(place)
  return { provider, listener, place: { ...place, environment }, owner }
}

async function speech(script: Script, name = 'talk.mp3') {
  return await speak(join(temporaryFolder(), name), script)
}

async function upload(server: Serving, token: string, path: string, query = '') {
  const reply = await fetch(`${server.url}/v1/sessions/upload?file=talk.mp3${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' },
    body: readFileSync(path)
  })
  expect(reply.status).toBe(202)
  return ((await reply.json()) as { id: string }).id
}

interface Detail {
  status: string
  failure_reason: string | null
  progress?: number
  waiting_reason?: string
  duration_seconds: number
}

async function detailOf(server: Serving, token: string, id: string) {
  return (await server.get(`/v1/sessions/${id}`, token)).body as Detail
}

async function settled(server: Serving, token: string, id: string) {
  return await until(
    'it is settled',
    async () => {
      const detail = await detailOf(server, token, id).catch(() => undefined)
      return detail && detail.status !== 'processing' ? detail : undefined
    },
    PATIENCE_MS
  )
}

interface Said {
  speaker: string
  start: number
  end: number
  text: string
}

async function transcriptOf(server: Serving, token: string, id: string) {
  const { body } = await server.get(`/v1/sessions/${id}/transcript`, token)
  return (body as { segments: Said[] }).segments
}

const wordsOf = (said: Said[]) => said.flatMap(({ text }) => text.split(' '))

function expectRising(said: Said[]) {
  for (const [at, { start, end }] of said.entries()) {
    expect(end).toBeGreaterThanOrEqual(start)
    expect(start).toBeGreaterThanOrEqual(said[at - 1]?.start ?? 0)
  }
}

/** As after the half minute in which a job of a killed process is released, and the delay of a retry. */
async function releaseJobs(place: Place, ...states: string[]) {
  const { pool, close } = await openPlace(place)
  await pool.query(
    "update pgboss.job set state = 'retry', heartbeat_on = null, start_after = created_on where state::text = any($1)",
    [states]
  )
  await close()
}

/** Answers one request in five with an error, and all with the connection gone while the provider is away. */
function faulty(provider: AiServer, listener: Listener, maxBytes: number) {
  const fault = { asked: 0, away: false }
  const good = atMost(maxBytes, listener.reply, refused(maxBytes))
  const reply: AiReply = (request, response) => {
    if (fault.away) return reset(request, response)
    fault.asked++
    if (fault.asked % 5 === 0) status(500, 'oops')(request, response)
    else good(request, response)
  }
  provider.answer('transcriptions', reply)
  return fault
}

test(
  'a long recording is transcribed whole, though the provider takes small files, fails, goes away, and the server is killed',
  SLOW,
  async () => {
    const [seconds, maxBytes] = LONG ? [7_200, 26_214_400] : [200, MAX_BYTES]
    const { provider, listener, place, owner } = await newPlace({}, maxBytes)
    const { token } = owner
    const fault = faulty(provider, listener, maxBytes)
    const talk = await speech({ seconds, sentence: 9 })
    expect(statSync(talk.path).size).toBeGreaterThan(maxBytes)
    let server = await serve(place)
    const id = await upload(server, token, talk.path)
    await until('two parts are done', () => listener.answered.length >= 2, PATIENCE_MS)
    server.kill('SIGKILL')
    await endOf(server)
    const beforeDeath = listener.answered.length
    await releaseJobs(place, 'active')
    server = await serve(place)
    await until('it has gone on', () => listener.answered.length > beforeDeath, PATIENCE_MS)
    fault.away = true
    const waiting = await until(
      'it waits',
      async () => {
        const detail = await detailOf(server, token, id)
        return detail.waiting_reason === undefined ? undefined : detail
      },
      PATIENCE_MS
    )
    expect(waiting).toMatchObject({ status: 'processing', waiting_reason: WAITS.provider })
    expect(waiting.progress).toBeGreaterThan(0)
    expect(waiting.progress).toBeLessThan(1)
    const sentence = 'the provider of AI does not answer; the session waits'
    await until('the log says so', () => server.output.stdout.includes(sentence))
    expect(await (await fetch(`${server.adminUrl}/metrics`)).text()).toMatch(/^parlance_provider_waits_total [1-9]/m)
    if (LONG) await setTimeout(60_000)
    fault.away = false
    await releaseJobs(place, 'retry', 'created')

    const detail = await settled(server, token, id)
    expect(detail).toMatchObject({ status: 'completed', failure_reason: null })
    expect(detail).not.toHaveProperty('progress')
    expect(detail).not.toHaveProperty('waiting_reason')
    expect(detail.duration_seconds).toBeCloseTo(talk.seconds, 0)
    const said = await transcriptOf(server, token, id)
    expect(wordsOf(said)).toEqual(talk.words)
    expectRising(said)
    expect(listener.largest).toBeLessThanOrEqual(maxBytes)
    expect(listener.answered.length - new Set(listener.answered).size).toBeLessThanOrEqual(1)
    expect(new Set(listener.answered).size).toBeGreaterThan(5)
    expect(await rowsOf(place, 'select from transcript_parts')).toEqual([])
    expect(readdirSync(join(place.dataDir, 'sound'))).toEqual([])
  }
)

test('speech without a pause is cut within words, and each of them is there once', SLOW, async () => {
  const { place, owner } = await newPlace()
  const talk = await speech({ seconds: 80, sentence: 10_000 })
  const server = await serve(place)
  const id = await upload(server, owner.token, talk.path)
  expect(await settled(server, owner.token, id)).toMatchObject({ status: 'completed' })
  const said = await transcriptOf(server, owner.token, id)
  expect(wordsOf(said)).toEqual(talk.words)
  expectRising(said)
})

test('a diarizing model hears the same speakers in every part, and keeps strangers apart', SLOW, async () => {
  const { listener, place, owner } = await newPlace({
    TRANSCRIPTION_MODEL: 'gpt-4o-transcribe-diarize',
    TRANSCRIPTION_SPEAKERS: 'true'
  })
  const talk = await speech({ seconds: 75, sentence: 8, voices: 2 })
  const server = await serve(place)
  const id = await upload(server, owner.token, talk.path)
  expect(await settled(server, owner.token, id)).toMatchObject({ status: 'completed' })
  const said = await transcriptOf(server, owner.token, id)
  expect(wordsOf(said)).toEqual(talk.words)
  const turns = talk.words.map((_, at) => `Speaker ${(Math.floor(at / 8) % 2) + 1}`)
  expect(said.flatMap(({ speaker, text }) => text.split(' ').map(() => speaker))).toEqual(turns)
  expect(listener.answered.length).toBeGreaterThanOrEqual(3)
  expect(
    listener.forms.every(form => form.response_format === 'diarized_json' && form.chunking_strategy === 'auto')
  ).toBe(true)
})

test('without ffmpeg a large recording fails with the reason and what each can do', SLOW, async () => {
  const { place, owner } = await newPlace({ PATH: temporaryFolder() })
  const talk = await speech({ seconds: 80 })
  const server = await serve(place)
  const id = await upload(server, owner.token, talk.path)
  expect(await settled(server, owner.token, id)).toMatchObject({ status: 'failed', failure_reason: FAILURES.tooLarge })
  expect(await rowsOf(place, 'select failure from sessions')).toEqual([
    {
      failure:
        'The recording is larger than the transcription server takes: install ffmpeg, which cuts it into parts, or raise TRANSCRIPTION_MAX_BYTES.'
    }
  ])
  const { stdout } = await command(place, 'doctor', '--json')
  const checks = jsonLines(stdout)
  expect(checks).toContainEqual({
    check: 'ffmpeg',
    ok: true,
    detail: 'not installed, so recordings of more than 100,000 bytes are not transcribed'
  })
  expect(checks).toContainEqual({
    check: 'ffprobe',
    ok: true,
    detail: 'not installed, so the first bytes of a recording decide whether it is one'
  })
})
