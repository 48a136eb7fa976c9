// @module-tag embedded
import { expect, test } from 'vitest'
import { startAiServer } from '../support/ai-server.ts'
import { type Environment, fileIn, jsonLines, serverPorts, temporaryFolder, until } from '../support/process.ts'
import { cannotTrace, startTraced, type Traced } from '../support/traced.ts'

// Packages report their use, ask for updates and load what they need later from elsewhere. This test is the promise that none of ours does.

const SLOW = { timeout: 300_000 }
const SILENT = { code: 0, peers: [], written: [], left: [] }
const CLI = 'src/cli.ts'

test.skipIf(cannotTrace)(
  'a server and its commands reach nobody, write only into DATA_DIR and the cache of compiled code, and log only JSON',
  SLOW,
  async () => {
    const dataDir = temporaryFolder()
    const server = await startServer(dataDir)
    await command(dataDir, 'user', 'create', '--email', 'ada@example.test', '--json')
    const file = fileIn(
      temporaryFolder(),
      'talk.txt',
      'Ada: The budget of the battery is too small.\nBob: I will raise it by Friday.'
    )
    await command(dataDir, 'import', '--user', 'ada@example.test', '--wait', file)
    const [issued] = jsonLines(
      await command(
        dataDir,
        'token',
        'create',
        '--user',
        'ada@example.test',
        '--name',
        'a',
        '--scopes',
        'all',
        '--json'
      )
    )

    // On a busy machine the first embeddings may be late, and then a search compares terms only, or a search gets 503.
    const token = String(issued?.token)
    const counts: (number | undefined)[] = []
    await until('a search compares meaning', async () => {
      counts.push(await countByMeaning(server, token))
      return counts.at(-1) !== undefined
    })
    expect(counts.at(-1)).toBe(1)
    for (const page of ['/v1/docs/', '/v1/docs/try', '/v1/docs/js/scalar.js', '/v1/openapi.json', '/docs/', '/'])
      expect([page, (await fetch(server.url + page)).status]).toEqual([page, 200])
    expect((await fetch(`${server.adminUrl}/metrics`)).status).toBe(200)
    await stop(server)
  }
)

test.skipIf(cannotTrace)('a server with an AI provider reaches only the provider', SLOW, async () => {
  const ai = await startAiServer()
  const [dataDir, { host }] = [temporaryFolder(), new URL(ai.url)]
  const provider = { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: ai.url, TRANSCRIPTION_MODEL: 'whisper-1' }
  const server = await startServer(dataDir, provider)
  await command(dataDir, 'user', 'create', '--email', 'ada@example.test')
  const file = fileIn(temporaryFolder(), 'talk.txt', 'Ada: The budget of the battery is too small.')
  // With --wait the command would do the work itself.
  await command(dataDir, 'import', '--user', 'ada@example.test', file)
  await until('the provider is asked', () => ai.requests.some(({ endpoint }) => endpoint === 'chat'))
  await stop(server, [host])
  await ai.close()
})

test.skipIf(cannotTrace)(
  'the demo reaches nobody and writes only into DATA_DIR and the cache of compiled code',
  SLOW,
  async () => {
    const dataDir = temporaryFolder()
    const demo = startTraced(dataDir, ['src/server/demo.ts'], await serverPorts())
    await until('it says what to try', () => demo.output.stdout.includes('Ctrl-C'))
    demo.kill('SIGINT')
    expect(await demo.footprint()).toEqual(SILENT)
    expect(demo.output.stderr).toBe('')
  }
)

async function startServer(dataDir: string, environment: Environment = {}) {
  const ports = await serverPorts()
  const server = startTraced(dataDir, ['src/server/main.ts'], { ...environment, ...ports })
  await until('it is ready', () => server.output.stdout.includes('"ready"'))
  return { ...server, url: `http://127.0.0.1:${ports.PORT}`, adminUrl: `http://127.0.0.1:${ports.ADMIN_PORT}` }
}

async function stop(server: Traced, peers: string[] = []) {
  server.kill('SIGTERM')
  expect(await server.footprint()).toEqual({ ...SILENT, peers })
  expect(server.output.stderr).toBe('')
  expect(jsonLines(server.output.stdout).map(({ level }) => level)).not.toContain(undefined)
}

/** Runs a command of `parlance`, which has to succeed in silence, and returns its output. */
async function command(dataDir: string, ...words: string[]) {
  const running = startTraced(dataDir, [CLI, ...words])
  expect([words, await running.footprint()]).toEqual([words, SILENT])
  expect(running.output.stderr).toBe('')
  return running.output.stdout
}

/** Returns how many sessions a search finds; undefined if it is refused, or compares terms only. */
async function countByMeaning({ url }: { url: string }, token: string) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const reply = await fetch(`${url}/v1/sessions/search`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ query: 'battery money' })
  })
  const { results } = (await reply.json()) as { results?: unknown[] }
  return reply.headers.has('x-search-mode') ? undefined : results?.length
}
