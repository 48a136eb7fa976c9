// @module-tag postgres
import { expect, onTestFinished, test } from 'vitest'
import { UNLIMITED } from '../faults/load.ts'
import { goodVectors, startAiServer } from '../support/ai-server.ts'
import {
  fileIn,
  migratedDatabase,
  newOwner,
  rowsOf,
  runJson,
  type Serving,
  serve,
  temporaryFolder,
  until
} from '../support/process.ts'

const WORDS = [
  'amber',
  'basalt',
  'copper',
  'diamond',
  'emerald',
  'flint',
  'garnet',
  'hematite',
  'iron',
  'jade',
  'krypton',
  'lead'
]
/** How many requests of another model are answered before the server is killed. */
const ANSWERED = 5

test('another embedding model replaces all vectors, even after a kill, and meanwhile each search finds its terms', {
  timeout: 300_000
}, async () => {
  const provider = await startAiServer()
  onTestFinished(() => provider.close())
  const place = await migratedDatabase()
  const owner = await newOwner(place)
  const withModel = (EMBEDDING_MODEL: string) => {
    const environment = {
      ...place.environment,
      ...UNLIMITED,
      OPENAI_API_KEY: 'sk-test',
      OPENAI_BASE_URL: provider.url,
      EMBEDDING_MODEL
    }
    return { ...place, environment }
  }
  const imported = await runJson(withModel('old'), 'import', '--user', owner.id, '--wait', library())
  const sessionOf = new Map(WORDS.map((word, at) => [word, imported[at]?.session_id]))

  let answered = 0
  provider.answer('embeddings', (request, response) => {
    const isPassage = request.body.input?.some(text => text.includes('We found'))
    if (!isPassage || answered++ < ANSWERED) goodVectors(request, response)
  })
  const killed = await serve(withModel('new'))
  const found = searching(killed, owner.token, sessionOf)
  await until('the provider holds a request', () => answered > ANSWERED)
  await found.everything()
  await expect.poll(vectors, { timeout: 60_000 }).toEqual([
    { model: 'new', sessions: ANSWERED },
    { model: 'old', sessions: WORDS.length }
  ])
  killed.kill('SIGKILL')
  await killed.ended
  // As if the heartbeat and the delay of a retry were over, for which the queue would wait most of a minute.
  await rowsOf(
    place,
    "update pgboss.job set state = 'retry', start_after = now() - interval '1 day' where name = 'search-index'"
  )

  provider.answer('embeddings', goodVectors)
  const resuming = await serve(withModel('new'))
  const foundAgain = searching(resuming, owner.token, sessionOf)
  await until('all vectors are of the new model', async () => (await vectors()).every(({ model }) => model === 'new'))
  await foundAgain.everything()
  expect(await vectors()).toEqual([{ model: 'new', sessions: WORDS.length }])

  async function vectors() {
    return await rowsOf(
      place,
      'select model, count(distinct session_id)::integer as sessions from embeddings group by model order by model'
    )
  }
})

/** A session for each word, which no other has. */
function library() {
  const documents = WORDS.map(word => ({
    external_id: word,
    title: 'Field trip',
    summary: 'Given.',
    action_items: [],
    segments: [{ speaker: 'Ada', start: 0, end: 5, text: `We found ${word} under the hill.` }]
  }))
  return fileIn(temporaryFolder(), 'library.jsonl', documents.map(document => JSON.stringify(document)).join('\n'))
}

/** Searches for one word after the other, without end. */
function searching({ url }: Serving, token: string, sessionOf: ReadonlyMap<string, unknown>) {
  let rounds = 0
  let wanted = Number.POSITIVE_INFINITY
  const searched = searchAll()

  async function searchAll() {
    for (; rounds < wanted; rounds++)
      for (const [word, sessionId] of sessionOf) expect(await first(word)).toEqual([word, 200, sessionId])
  }

  async function first(query: string) {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const reply = await fetch(`${url}/v1/sessions/search`, { method: 'POST', headers, body: JSON.stringify({ query }) })
    const { results } = (await reply.json()) as { results?: { id: string }[] }
    return [query, reply.status, results?.[0]?.id]
  }

  return {
    /** Ends after a whole round from now on. Rejects when a search found something else. */
    async everything() {
      wanted = rounds + 2
      await searched
    }
  }
}
