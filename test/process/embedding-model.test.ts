// @module-tag postgres
import { mkdirSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { noDisk, smallDisk } from '../faults/disk.ts'
import { UNLIMITED } from '../faults/load.ts'
import { modelFolder } from '../support/models.ts'
import {
  endOf,
  fileIn,
  migratedDatabase,
  newOwner,
  type Place,
  rowsOf,
  runJson,
  type Serving,
  serve,
  startNode,
  temporaryFolder,
  until
} from '../support/process.ts'

const SLOW = { timeout: 300_000 }
const FILE = 'all-MiniLM-L6-v2-int8.onnx'
const STALE = `${FILE}.6f1d3c1e-5d5e-4a39-9c55-0d1f6f1f3a60.part`

test.each(['5', '20', '50', '100'])(
  'a process that exits %s ms after it began to embed has its own exit code, and no crash',
  SLOW,
  async ms => {
    const exiting = startNode({}, ['test/process/embedding-exit.ts', modelFolder, ms])
    expect(await endOf(exiting)).toEqual({ code: 7, signal: null, stdout: '', stderr: '' })
  }
)

test('servers that end while they make the model or embed do no harm to the next one', SLOW, async () => {
  const place = await migratedPlace()
  const models = join(place.dataDir, 'models')
  const { email, token } = await newOwner(place)

  const making = await serve(place)
  await accept(place, email, 'first')
  await until('the first makes the model', () => filesIn(models) !== undefined)
  making.kill('SIGKILL')
  await making.ended
  mkdirSync(models, { recursive: true })
  writeFileSync(join(models, STALE), 'of a process that was killed')

  const embedding = await serve(place)
  await accept(place, email, 'second')
  await until('the second has made it', () => filesIn(models)?.join() === FILE)
  embedding.kill('SIGTERM')
  expect(await endOf(embedding)).toMatchObject({ code: 0, signal: null, stderr: '' })

  truncateSync(join(models, FILE), 1_000)
  const server = await serve(place)
  await until('both are embedded', async () => (await search(server, token)).similar === 2)
  expect(filesIn(models)).toEqual([FILE])
})

test(
  'a server without space or a folder for the model says so and compares terms, and embeds once there is space',
  SLOW,
  async context => {
    context.skip(noDisk !== undefined, noDisk)
    const place = await migratedPlace()
    const models = join(place.dataDir, 'models')
    const { email, token } = await newOwner(place)
    writeFileSync(models, '')
    const byWords = { status: 200, mode: 'lexical', similar: 0 }

    const first = await serve(place)
    await runJson(place, 'import', '--user', email, '--wait', conversation('first', 1))
    expect(await search(first, token)).toEqual({ ...byWords, found: 1 })
    expect(first.output.stdout).toContain(
      `Search compares terms only: ${models} is a file, and should be the folder of the embedding model`
    )
    first.kill('SIGTERM')
    expect(await endOf(first)).toMatchObject({ code: 0, stderr: '' })

    rmSync(models)
    const disk = smallDisk(24)
    symlinkSync(disk.folder, models)
    disk.fill({ leave: 22 * 2 ** 20 })
    const second = await serve(place)
    await runJson(place, 'import', '--user', email, '--wait', conversation('second', 1))
    expect(await search(second, token)).toEqual({ ...byWords, found: 2 })
    expect(second.output.stdout).toContain(
      `Search compares terms only: the embedding model takes 23 MiB of ${models}, and that disk has less room`
    )
    second.kill('SIGTERM')
    expect(await endOf(second)).toMatchObject({ code: 0, stderr: '' })

    disk.free()
    const third = await serve(place)
    disk.fill()
    await accept(place, email, 'third', 1)
    // Soon it tries again, and the job is in another state meanwhile.
    const failed = await until('the third has tried', async () => {
      const rows = await rowsOf(place, FAILED)
      return rows.length > 0 ? rows : undefined
    })
    expect(failed.map(({ output }) => (output as { message: string }).message)).toEqual([
      'The embedding model cannot be written: ENOSPC: no space left on device, write'
    ])
    expect((await search(third, token)).found).toBe(2)
    disk.free()
    await until('all are embedded', async () => (await search(third, token)).similar === 3)
    expect(filesIn(disk.folder)).toEqual([FILE])
  }
)

const FAILED = `select output from pgboss.job where name = 'process-session' and state in ('retry', 'failed')`

/** Without the model, which other tests are given. */
async function migratedPlace(): Promise<Place> {
  const place = await migratedDatabase()
  rmSync(join(place.dataDir, 'models'), { recursive: true })
  return { ...place, environment: { ...place.environment, ...UNLIMITED } }
}

async function accept(place: Place, email: string, name: string, minutes = 200) {
  await runJson(place, 'import', '--user', email, conversation(name, minutes))
}

/** A conversation of so many minutes. Three hours take the model more than a second. */
function conversation(name: string, minutes: number) {
  const segments = Array.from({ length: minutes }, (_, at) => ({
    speaker: 'Ada',
    start: at * 60,
    end: at * 60 + 60,
    text: Array.from({ length: 20 }, (_, word) => `The budget of project ${name}${at * 20 + word} is due.`).join(' ')
  }))
  return fileIn(
    temporaryFolder(),
    `${name}.json`,
    JSON.stringify({ title: name, summary: 'Given.', action_items: [], segments })
  )
}

function filesIn(folder: string) {
  try {
    return readdirSync(folder)
  } catch {
    return undefined
  }
}

/** How many sessions a search finds, and how many of them by similarity too. */
async function search({ url }: Serving, token: string) {
  const reply = await fetch(`${url}/v1/sessions/search`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({ query: 'budget' })
  })
  // A busy server may refuse a search.
  const { results = [] } = (await reply.json()) as { results?: { similarity?: number }[] }
  return {
    status: reply.status,
    mode: reply.headers.get('x-search-mode'),
    found: results.length,
    similar: results.filter(({ similarity }) => similarity !== undefined).length
  }
}
