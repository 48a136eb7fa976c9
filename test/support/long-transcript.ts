import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Environment, migratedDatabase, newOwner, rowsOf, serve, temporaryFolder, until } from './process.ts'

const SEGMENTS = 50_000
const TEXT = 'Alpha budget contract delivery engineer forecast growth holiday invoice.'

/** The text of the last segment. */
export const LAST_TEXT = `${TEXT} ${SEGMENTS - 1}`

export type LongTranscript = Awaited<ReturnType<typeof withLongTranscript>>

/** A server whose event loop is watched, with a transcript of 50,000 segments, and functions that ask it. */
export async function withLongTranscript(settings: Environment, place: { group?: string } = {}) {
  const database = await migratedDatabase()
  const { token } = await newOwner(database)
  const { token: otherToken } = await newOwner(database)
  const watched = join(temporaryFolder(), 'loop')
  const watch = `--import ${join(process.cwd(), 'test/support/loop-watch.ts')}`
  const environment = { ...database.environment, ...settings, LOOP_WATCH: watched, NODE_OPTIONS: watch }
  const server = await serve({ ...place, environment })
  const asking =
    (bearer: string) =>
    async (method: string, path: string, body?: object, given: Record<string, string> = {}) => {
      const type = body && { 'content-type': 'application/json' }
      const headers = { authorization: `Bearer ${bearer}`, ...type, ...given }
      const answer = await fetch(`${server.url}${path}`, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) })
      })
      return { status: answer.status, headers: answer.headers, text: await answer.text() }
    }
  const ask = asking(token)
  const segments = ['Ada', 'Ben', 'Cyd'].map((speaker, at) => ({ speaker, start: at, end: at + 1, text: TEXT }))
  const created = await ask('POST', '/v1/sessions', { title: 'Long', segments })
  const { id } = JSON.parse(created.text) as { id: string }
  await until('it is completed', async () => (await ask('GET', `/v1/sessions/${id}`)).text.includes('"completed"'))
  await rowsOf(
    database,
    `update transcripts set segments = (select jsonb_agg(jsonb_build_object('speaker', (array['Ada','Ben','Cyd'])[n % 3 + 1],
      'start', n * 0.7, 'end', n * 0.7 + 0.69, 'text', '${TEXT} ' || n) order by n) from generate_series(0, ${SEGMENTS - 1}) n)`
  )
  /** Runs the requests, and returns their answers with the longest time that the loop was held. */
  const measure = async <T>(run: () => Promise<T>) => {
    writeFileSync(watched, '')
    const answer = await run()
    return { answer, loopMs: Math.max(...readFileSync(watched, 'utf8').split('\n').map(Number)) }
  }
  return { server, id, token, ask, askAsOther: asking(otherToken), measure }
}
