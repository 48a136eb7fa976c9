import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { UNLIMITED } from '../faults/load.ts'
import { migratedDatabase, newOwner, rowsOf, serve, temporaryFolder, until } from '../support/process.ts'

const SLOW = { timeout: 900_000 }
const MAX_LOOP_MS = 100
const SEGMENTS = 50_000
const TEXT = 'Alpha budget contract delivery engineer forecast growth holiday invoice.'

/** A server whose event loop is watched, with a transcript of 50,000 segments, and functions that ask it. */
async function withLongTranscript() {
  const place = await migratedDatabase()
  const { token } = await newOwner(place)
  const watched = join(temporaryFolder(), 'loop')
  const watch = `--import ${join(process.cwd(), 'test/support/loop-watch.ts')}`
  const server = await serve({
    environment: { ...place.environment, ...UNLIMITED, LOOP_WATCH: watched, NODE_OPTIONS: watch }
  })
  const ask = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const answer = await fetch(`${server.url}${path}`, init)
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }
  const segments = ['Ada', 'Ben', 'Cyd'].map((speaker, at) => ({ speaker, start: at, end: at + 1, text: TEXT }))
  const created = await ask('POST', '/v1/sessions', { title: 'Long', segments })
  const { id } = JSON.parse(created.text) as { id: string }
  await until('it is completed', async () => (await ask('GET', `/v1/sessions/${id}`)).text.includes('"completed"'))
  await rowsOf(
    place,
    `update transcripts set segments = (select jsonb_agg(jsonb_build_object('speaker', (array['Ada','Ben','Cyd'])[n % 3 + 1],
      'start', n * 0.7, 'end', n * 0.7 + 0.69, 'text', '${TEXT} ' || n) order by n) from generate_series(0, ${SEGMENTS - 1}) n)`
  )
  /** Runs the requests, and returns their answers with the longest time that the loop was held. */
  const measure = async <T>(run: () => Promise<T>) => {
    writeFileSync(watched, '')
    const answer = await run()
    return { answer, loopMs: Math.max(...readFileSync(watched, 'utf8').split('\n').map(Number)) }
  }
  return { id, ask, measure }
}

test('a file of a transcript of 50,000 segments holds the event loop for less than 100 ms', SLOW, async () => {
  const { id, ask, measure } = await withLongTranscript()
  for (const format of ['vtt', 'srt', 'txt', 'md']) {
    const run = () => ask('GET', `/v1/sessions/${id}/transcript.${format}`)
    const { answer, loopMs } = await measure(run)
    expect([format, answer.status]).toEqual([format, 200])
    expect(answer.headers.get('content-length')).toBe(String(Buffer.byteLength(answer.text)))
    expect(answer.text).toContain(`${TEXT} ${SEGMENTS - 1}`)
    expect({ format, loopMs }).toEqual({ format, loopMs: expect.toSatisfy(ms => ms < MAX_LOOP_MS) })
  }
})

test(
  'of twenty corrections of it at once, each is made, or refused with 503 and when to come again',
  SLOW,
  async () => {
    const { id, ask } = await withLongTranscript()
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, at) => {
        const change = { from: 'Ada', segments: [at * 3], name: `Guest ${at}` }
        const { status, headers } = await ask('PATCH', `/v1/sessions/${id}/speakers`, change)
        return { status, retryAfter: headers.get('retry-after') }
      })
    )
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused).toEqual(refused.map(() => ({ status: 503, retryAfter: expect.stringMatching(/^[1-9]\d*$/) })))
    const { text } = await ask('GET', `/v1/sessions/${id}/transcript.txt`)
    expect(new Set(text.match(/^Guest \d+(?=:)/gm)).size).toBe(answers.length - refused.length)
  }
)
