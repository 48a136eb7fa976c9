import { once } from 'node:events'
import { truncate, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { UnsuitableRecording } from '../../../src/platform/ai/ai.ts'
import {
  type AiReply,
  type AiServer,
  body,
  drip,
  flood,
  hang,
  json,
  reset,
  startAiServer,
  status
} from '../../support/ai-server.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { collectGarbage } from '../../support/garbage.ts'
import { type ProviderSettings, providerAi } from '../../support/provider.ts'

let server: AiServer
beforeEach(async () => {
  server = await startAiServer()
})
afterEach(() => server.close())

function transcribe(path: string, options: ProviderSettings = {}, signal?: AbortSignal) {
  const ai = providerAi(server.url, { transcriptionModel: 'whisper-1', ...options })
  return ai.transcripts!.transcribe({ path, name: 'recording.mp3', contentType: 'audio/mpeg' }, signal)
}

async function recording(content = 'Welcome to the review.\nThe offer goes out today.\n') {
  const path = join(temporaryFolder(), 'talk.mp3')
  await writeFile(path, content)
  return path
}

test('the file goes out as a form with the model, and comes back as segments with their times', async () => {
  const path = await recording()
  expect(await transcribe(path)).toEqual({
    segments: [
      { speaker: 'Speaker', start: 0, end: 2, text: 'Welcome to the review.' },
      { speaker: 'Speaker', start: 2, end: 4, text: 'The offer goes out today.' }
    ],
    language: 'en',
    durationSeconds: 4.5
  })
  const [request] = server.requests
  expect(request).toMatchObject({
    form: { model: 'whisper-1', response_format: 'verbose_json' },
    file: { name: 'recording.mp3', type: 'audio/mpeg', content: 'Welcome to the review.\nThe offer goes out today.\n' }
  })
  expect(request!.headers).toMatchObject({
    authorization: 'Bearer sk-test-key',
    'content-length': expect.stringMatching(/^\d+$/)
  })
})

test('without a model there is no transcription', () => {
  expect(providerAi(server.url).transcripts).toBeUndefined()
})

test('a model that knows no times is asked for the text alone', async () => {
  server.script('transcriptions', status(400, "response_format 'verbose_json' is not compatible with model 'other'"))
  expect(await transcribe(await recording('Hello.'))).toEqual({
    segments: [{ speaker: 'Speaker', start: null, end: null, text: 'Hello.' }],
    language: null,
    durationSeconds: 0
  })
  expect(server.requests.map(({ form }) => form?.response_format)).toEqual(['verbose_json', 'json'])
})

test.each(['gpt-4o-transcribe', 'gpt-4o-mini-transcribe-2025-12-15', 'gpt-transcribe'])(
  '%s, which knows no times, is asked for the text alone at once',
  async transcriptionModel => {
    await transcribe(await recording('Hello.'), { transcriptionModel })
    expect(server.requests.map(({ form }) => form)).toEqual([{ model: transcriptionModel, response_format: 'json' }])
  }
)

const DIARIZING = { transcriptionModel: 'gpt-4o-transcribe-diarize', asksSpeakers: true }
const SAID_BY_A = {
  task: 'transcribe',
  duration: 3,
  text: 'Hi.',
  segments: [{ id: '1', start: 0, end: 3, text: 'Hi.', speaker: 'A' }]
}

test('a diarizing model gets the format and the chunking that it needs, and its speakers come back', async () => {
  server.answer('transcriptions', json(SAID_BY_A))
  expect((await transcribe(await recording(), DIARIZING)).segments).toEqual([
    { speaker: 'Speaker A', start: 0, end: 3, text: 'Hi.' }
  ])
  expect(server.requests.map(({ form }) => form)).toEqual([
    { model: DIARIZING.transcriptionModel, response_format: 'diarized_json', chunking_strategy: 'auto' }
  ])
})

test('speakers are asked for by the setting, whatever the name of the model is', async () => {
  server.answer('transcriptions', json(SAID_BY_A))
  await transcribe(await recording(), { transcriptionModel: 'own-model', asksSpeakers: true })
  await transcribe(await recording(), { transcriptionModel: 'own-diarizer' })
  expect(server.requests.map(({ form }) => form?.response_format)).toEqual(['diarized_json', 'verbose_json'])
})

test('known voices go to a diarizing model as data URLs, and are left out for a server that does not know them', async () => {
  server.answer('transcriptions', json(SAID_BY_A))
  const [path, voice] = [await recording(), await recording('a voice')]
  const voices = [{ name: 'Speaker 1', path: voice, contentType: 'audio/ogg' }]
  const ai = providerAi(server.url, DIARIZING)
  const asked = { path, name: 'part.ogg', contentType: 'audio/ogg', voices }
  expect(await ai.transcripts!.transcribe(asked)).toMatchObject({ knowsVoices: true })
  const known = {
    'known_speaker_names[]': 'Speaker 1',
    'known_speaker_references[]': `data:audio/ogg;base64,${Buffer.from('a voice').toString('base64')}`
  }
  expect(server.requests.at(-1)?.form).toMatchObject(known)

  server.script('transcriptions', status(400, 'Unknown parameter: known_speaker_names'))
  expect(await ai.transcripts!.transcribe(asked)).not.toHaveProperty('knowsVoices')
  expect(server.requests.at(-1)?.form).not.toHaveProperty('known_speaker_names[]')

  const plain = providerAi(server.url, { transcriptionModel: 'whisper-1' })
  await plain.transcripts!.transcribe(asked)
  expect(server.requests.at(-1)?.form).not.toHaveProperty('known_speaker_names[]')
})

test('the words of the owner go along as a prompt, as many as a model reads, the first ones first', async () => {
  const ai = providerAi(server.url, { transcriptionModel: 'whisper-1' })
  const words = ['Parlance', 'Kuber Netes', ...Array.from({ length: 500 }, (_, at) => `Word ${at}`)]
  const asked = { path: await recording(), name: 'talk.mp3', contentType: 'audio/mpeg' }
  await ai.transcripts!.transcribe({ ...asked, words })
  await ai.transcripts!.transcribe({ ...asked, words: [] })
  const [prompt, none] = server.requests.map(({ form }) => form?.prompt)
  expect(none).toBeUndefined()
  expect(prompt).toMatch(/^Parlance, Kuber Netes, Word 0, Word 1, .*Word \d+\.$/)
  expect(String(prompt).length).toBeGreaterThan(600)
  expect(String(prompt).length).toBeLessThanOrEqual(800)
})

test('a model that takes no prompt gets none again, and none that tells speakers apart', async () => {
  const ai = providerAi(server.url, { transcriptionModel: 'whisper-1' })
  const asked = { path: await recording(), name: 'talk.mp3', contentType: 'audio/mpeg', words: ['Parlance'] }
  server.script('transcriptions', status(400, 'Unrecognized request argument: prompt'))
  await ai.transcripts!.transcribe(asked)
  await ai.transcripts!.transcribe(asked)
  const diarizing = providerAi(server.url, DIARIZING)
  await diarizing.transcripts!.transcribe(asked)
  expect(server.requests.map(({ form }) => form?.prompt)).toEqual(['Parlance.', undefined, undefined, undefined])
})

test('the language of the session goes along, but not to a model that does not know it', async () => {
  const ai = providerAi(server.url, { transcriptionModel: 'whisper-1' })
  const asked = { path: await recording(), name: 'talk.mp3', contentType: 'audio/mpeg', language: 'cy' }
  server.script('transcriptions', status(400, "Invalid language 'cy'"))
  await ai.transcripts!.transcribe(asked)
  expect(server.requests.map(({ form }) => form?.language)).toEqual(['cy', undefined])
})

test('a server that requires a chunking strategy gets one, and the next request has it at once', async () => {
  server.script('transcriptions', status(400, 'chunking_strategy is required for this model'))
  const ai = providerAi(server.url, { transcriptionModel: 'house-model' })
  const asked = { path: await recording(), name: 'talk.mp3', contentType: 'audio/mpeg' }
  for (const _ of [1, 2]) await ai.transcripts!.transcribe(asked)
  expect(server.requests.map(({ form }) => form?.chunking_strategy)).toEqual([undefined, 'auto', 'auto'])
})

test.each([
  [413, 'Maximum content size limit (26214400) exceeded (30000000 bytes read)'],
  [413, 'Request Entity Too Large'],
  [400, 'audio duration 2000.5 seconds is longer than 1400 seconds which is the maximum for this model'],
  [400, "Invalid file format. Supported formats: ['flac', 'm4a', 'mp3']"],
  [415, 'Unsupported Media Type']
])('a refusal with %i, %s, says that another file may do', async (code, words) => {
  server.answer('transcriptions', status(code, words))
  await expect(transcribe(await recording())).rejects.toBeInstanceOf(UnsuitableRecording)
})

test.each([
  [
    'silence',
    { text: '', language: 'english', duration: 3.5, segments: [] },
    { segments: [], language: 'en', durationSeconds: 3.5 }
  ],
  [
    'blank segments',
    { text: ' ', segments: [{ start: 0, end: 1, text: '  ' }] },
    { segments: [], language: null, durationSeconds: 0 }
  ],
  [
    'speakers, odd times, long names and bytes no database holds',
    {
      text: 'a',
      duration: '9',
      segments: [
        { start: 4, end: 2, text: 'a\0\n b', speaker: ' A\0da ' },
        { start: -1, text: 'c' },
        { text: 'd', speaker: `A\nda ${'😀'.repeat(200)}` }
      ]
    },
    {
      segments: [
        { speaker: 'Speaker', start: 0, end: 0, text: 'c' },
        { speaker: `A da ${'😀'.repeat(97)}`, start: 0, end: 4, text: 'd' },
        { speaker: 'Ada', start: 4, end: 4, text: 'a b' }
      ],
      language: null,
      durationSeconds: 9
    }
  ],
  ...Object.entries({
    'numbers as speakers and times as text': {
      segments: [
        { start: '0.0', end: '2.5', text: 'Is it signed?', speaker: 0 },
        { start: '2.5', end: '4.0', text: 'Yes.', speaker: 1 }
      ]
    },
    'ids of speakers, and no text at the top': {
      segments: [
        { start: 0, end: 2.5, text: 'Is it signed?', speaker_id: 0 },
        { start: 2.5, end: 4, text: 'Yes.', speaker_id: 1 }
      ]
    },
    utterances: {
      text: 'Is it signed? Yes.',
      utterances: [
        { start: 0, end: 2.5, text: 'Is it signed?', speaker: 0 },
        { start: 2.5, end: 4, text: 'Yes.', speaker: 1 }
      ]
    },
    'speakers in the words': {
      text: 'Is it signed? Yes.',
      words: [
        { word: 'Is', start: 0, end: 0.5, speaker: 0 },
        { word: 'it', start: 0.5, end: 1, speaker: 0 },
        { word: 'signed', start: 1, end: 2.5, speaker: 0 },
        { word: 'Yes', start: 2.5, end: 4, speaker: 1 }
      ]
    },
    'speakers before the texts': {
      text: '(speaker 0) Is it signed? (speaker 1) Yes.',
      segments: [
        { start: 0, end: 2.5, text: '(speaker 0) Is it signed?' },
        { start: 2.5, end: 4, text: '(speaker 1) Yes.' }
      ]
    }
  }).map(([how, answer]): [string, object, object] => [
    how,
    answer,
    {
      segments: [
        { speaker: 'Speaker 0', start: 0, end: 2.5, text: 'Is it signed?' },
        { speaker: 'Speaker 1', start: 2.5, end: 4, text: 'Yes.' }
      ],
      language: null,
      durationSeconds: 4
    }
  ])
])('reads an answer with %s', async (_, answer, expected) => {
  server.answer('transcriptions', json(answer))
  expect(await transcribe(await recording())).toEqual(expected)
})

test.each<[string, AiReply]>([
  ['500', status(500, 'oops')],
  ['429', status(429, 'slow down')],
  ['a reset connection', reset]
])('%s is met with two more tries, each with the whole file', async (_, fault) => {
  server.script('transcriptions', fault, fault)
  const path = await recording('Hello.')
  expect((await transcribe(path)).segments).toHaveLength(1)
  expect(server.requests.map(({ file }) => file?.content)).toEqual(['Hello.', 'Hello.', 'Hello.'])
  server.answer('transcriptions', fault)
  await expect(transcribe(path)).rejects.toMatchObject({ name: 'AiError', final: false })
  expect(server.requests).toHaveLength(6)
})

test.each<[string, AiReply]>([
  ['a web page', body('<h1>Hi</h1>', 'text/html')],
  ['JSON of another kind', json({ data: [] })],
  ['a list', json([])]
])('%s is no transcript, and worth another attempt later', async (_, garbage) => {
  server.answer('transcriptions', garbage)
  const message = 'The transcription model whisper-1 did not answer with a transcript.'
  await expect(transcribe(await recording())).rejects.toMatchObject({ name: 'AiError', message, final: false })
})

test.each<[string, AiReply]>([
  ['never answers', hang],
  ['never ends its answer', drip]
])('a provider that %s is left after the time-out', async (_, reply) => {
  server.answer('transcriptions', reply)
  const message = 'The AI provider did not answer in time.'
  await expect(transcribe(await recording(), { transcriptionTimeoutMs: 300 })).rejects.toMatchObject({
    message,
    final: false
  })
})

test('an answer without end is cut off', async () => {
  server.answer('transcriptions', flood)
  const message = 'The connection to the AI provider failed (UND_ERR_RES_EXCEEDED_MAX_SIZE).'
  await expect(transcribe(await recording(), { maxResponseBytes: 100_000 })).rejects.toMatchObject({ message })
})

test("the provider's limit is final, in its own words", async () => {
  server.answer('transcriptions', status(413, 'Maximum content size limit (26214400) exceeded (30000000 bytes read)'))
  const message = 'The AI provider answered 413: Maximum content size limit (26214400) exceeded (30000000 bytes read)'
  await expect(transcribe(await recording())).rejects.toMatchObject({ message, final: true })
  expect(server.requests).toHaveLength(1)
})

test('a caller that gives up ends the request', async () => {
  server.answer('transcriptions', hang)
  const stop = new AbortController()
  const asked = transcribe(await recording(), {}, stop.signal)
  setTimeout(() => stop.abort(new Error('stopping')), 100)
  await expect(asked).rejects.toThrow('stopping')
})

test('a caller that gives up while the file is sent leaves no error that nobody awaits', async () => {
  server.answer('transcriptions', hang)
  const path = await recording()
  await truncate(path, 20_000_000)
  const lost: unknown[] = []
  const note = (error: unknown) => void lost.push(error)
  process.on('unhandledRejection', note)
  onTestFinished(() => void process.off('unhandledRejection', note))
  for (let ms = 0; ms < 100; ms++) {
    const stop = AbortSignal.timeout(ms)
    await expect(transcribe(path, {}, stop)).rejects.toThrow()
  }
  expect(lost).toEqual([])
})

test('a large file goes out as it is read and is never in memory as a whole', async () => {
  const path = join(temporaryFolder(), 'long.mp3')
  const bytes = 96 * 1024 * 1024
  await writeFile(path, '')
  await truncate(path, bytes)
  let received = 0
  let looked = 0
  let most = 0
  collectGarbage()
  const started = process.memoryUsage().arrayBuffers
  const sink = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => {
      received += chunk.length
      if (received - looked < bytes / 20) return
      looked = received
      collectGarbage()
      most = Math.max(most, process.memoryUsage().arrayBuffers - started)
    })
    request.on('end', () => response.setHeader('content-type', 'application/json').end('{"text":"Long."}'))
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void sink.close())
  await once(sink, 'listening')
  const baseUrl = `http://127.0.0.1:${(sink.address() as AddressInfo).port}/v1`
  expect((await transcribe(path, { baseUrl })).segments).toHaveLength(1)
  expect(received).toBeGreaterThan(bytes)
  expect(looked).toBeGreaterThan(bytes / 2)
  expect(most).toBeLessThan(bytes / 3)
})
