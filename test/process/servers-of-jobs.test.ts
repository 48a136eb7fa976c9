// @module-tag postgres
import { expect, onTestFinished, test } from 'vitest'
import { startAiServer, status } from '../support/ai-server.ts'
import { command, commandJson } from '../support/command.ts'
import {
  type Environment,
  fileIn,
  jsonLines,
  migratedDatabase,
  newOwner,
  rowsOf,
  temporaryFolder
} from '../support/process.ts'
import { sound } from '../support/sound.ts'

const SLOW = { timeout: 300_000 }
const SPEECH = "Welcome to the review.\nI'll send the offer.\n"

async function aiServer() {
  const server = await startAiServer()
  onTestFinished(() => server.close())
  return server
}

/** Imports a text and a recording with these settings. Returns what became of each, by title. */
async function importBoth(settings: Environment) {
  const place = await migratedDatabase()
  const environment = { ...place.environment, ...settings }
  const owner = await newOwner(place)
  const folder = temporaryFolder()
  const files = [fileIn(folder, 'said.txt', "Ada: I'll send the offer.\n"), fileIn(folder, 'heard.mp3', sound(SPEECH))]
  await commandJson({ environment }, 'import', '--user', owner.email, '--wait', ...files)
  const rows = await rowsOf(place, 'select title, state, failure from sessions order by title')
  return { environment, rows }
}

async function checksOf(environment: Environment) {
  const { stdout } = await command({ environment }, 'doctor', '--json')
  return jsonLines(stdout).filter(({ check }) => ['summaries', 'transcripts', 'embeddings'].includes(String(check)))
}

test('summaries, transcripts and embeddings come from three servers, each with its own key', SLOW, async () => {
  const [general, speech, vectors] = [await aiServer(), await aiServer(), await aiServer()]
  const { environment, rows } = await importBoth({
    OPENAI_API_KEY: 'key-of-summaries',
    OPENAI_BASE_URL: general.url,
    SUMMARY_MODEL: 'writer',
    TRANSCRIPTION_MODEL: 'listener',
    TRANSCRIPTION_BASE_URL: speech.url,
    TRANSCRIPTION_API_KEY: 'key-of-transcripts',
    EMBEDDING_MODEL: 'embedder',
    EMBEDDING_BASE_URL: vectors.url
  })
  expect(rows).toEqual([
    { title: 'heard', state: 'completed', failure: null },
    { title: 'said', state: 'completed', failure: null }
  ])
  const asked = (server: typeof general) => [
    ...new Set(server.requests.map(({ endpoint, headers }) => `${endpoint} ${headers.authorization ?? 'no key'}`))
  ]
  expect(asked(general)).toEqual(['chat Bearer key-of-summaries'])
  expect(asked(speech)).toEqual(['transcriptions Bearer key-of-transcripts'])
  expect(asked(vectors)).toEqual(['embeddings no key'])

  expect(await checksOf(environment)).toEqual([
    { check: 'summaries', ok: true, detail: `writer at ${general.url}` },
    { check: 'transcripts', ok: true, detail: `listener at ${speech.url}` },
    { check: 'embeddings', ok: true, detail: `embedder at ${vectors.url}` }
  ])
  speech.answer('transcriptions', status(404, 'No such model'))
  expect((await checksOf(environment))[1]).toEqual({
    check: 'transcripts',
    ok: false,
    detail: 'The AI provider answered 404 (check TRANSCRIPTION_BASE_URL and the name of the model): No such model'
  })
})

test(
  'beside a server that only transcribes, summaries are made offline and texts are imported as ever',
  SLOW,
  async () => {
    const speech = await aiServer()
    for (const endpoint of ['chat', 'embeddings', 'models'] as const) speech.answer(endpoint, status(404, 'Not Found'))
    const settings = { TRANSCRIPTION_MODEL: 'listener', SEARCH_WAIT_MS: '60000', EMBEDDING_MODEL: 'none' }
    const completed = [
      { title: 'heard', state: 'completed', failure: null },
      { title: 'said', state: 'completed', failure: null }
    ]
    const alone = await importBoth({ ...settings, TRANSCRIPTION_BASE_URL: speech.url })
    expect(alone.rows).toEqual(completed)
    const shared = { ...settings, OPENAI_API_KEY: 'key', OPENAI_BASE_URL: speech.url, SUMMARY_MODEL: 'none' }
    const { environment, rows } = await importBoth(shared)
    expect(rows).toEqual(completed)
    expect(new Set(speech.requests.map(({ endpoint }) => endpoint))).toEqual(new Set(['transcriptions']))
    expect((await checksOf(environment)).filter(({ ok }) => !ok)).toEqual([])

    const { SUMMARY_MODEL: _, ...without } = shared
    expect(await checksOf({ ...environment, ...without, SUMMARY_MODEL: 'gpt-4.1-mini' })).toContainEqual({
      check: 'summaries',
      ok: false,
      detail: expect.stringContaining('The AI provider answered 404')
    })
  }
)
