// @module-tag postgres
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createZip } from '../../src/features/exports/zip-writer.ts'
import { UNLIMITED } from '../faults/load.ts'
import { startBreakingProxy } from '../support/broken-downloads.ts'
import { command, commandJson } from '../support/command.ts'
import { embeddedPlace } from '../support/embedded.ts'
import { filesOf } from '../support/exports.ts'
import { digestOf, MIB, writeRecording } from '../support/large-files.ts'
import {
  endOf,
  fileIn,
  migratedDatabase,
  newOwner,
  type Place,
  type Serving,
  serve,
  start,
  temporaryFolder,
  until
} from '../support/process.ts'

const SLOW = { timeout: 300_000 }
const unzips = await promisify(execFile)('unzip', ['-v']).then(
  () => true,
  () => false
)

/** A server whose library has two conversations, one of them with a recording of a MiB. */
async function filled() {
  const fresh = await migratedDatabase()
  const place = { ...fresh, environment: { ...fresh.environment, ...UNLIMITED } }
  const server = await serve(place)
  const owner = await newOwner(place)
  const folder = temporaryFolder()
  writeRecording(join(folder, 'talk.mp3'), MIB)
  const said = (text: string) => [{ speaker: 'Ada', start: 0, end: 2, text }]
  const talk = { title: 'Talk', segments: said('We meet on Friday.'), media: { audio: 'talk.mp3' } }
  const files = [
    fileIn(folder, 'talk.json', JSON.stringify(talk)),
    fileIn(folder, 'note.json', JSON.stringify({ title: 'Note', segments: said('Just a note.'), tags: ['soil'] }))
  ]
  await commandJson(place, 'import', '--user', owner.id, '--folder', 'Clients', '--wait', ...files)
  return { place, server, owner, recording: join(folder, 'talk.mp3') }
}

/** Exports a library with its recordings, and returns the path of the file. */
async function exported({ place, server, owner }: Awaited<ReturnType<typeof filled>>) {
  const path = join(temporaryFolder(), 'library.zip')
  const words = ['export', '--url', server.url, '--token', owner.token, '--recordings', '--out', path]
  const [done] = await commandJson(place, ...words)
  expect(done).toMatchObject({ file: path, status: 'completed', sessions_done: 2, bytes: statSync(path).size })
  return path
}

/** A copy of an archive in which a file is changed, missing or added. */
async function repacked(path: string, change: (files: Map<string, Buffer>) => void) {
  const files = await filesOf(path)
  change(files)
  const folder = join(dirname(path), `copy-${readdirSync(dirname(path)).length}`)
  mkdirSync(folder)
  await using zip = await createZip(folder, new Date('2026-03-02T10:00:00Z'))
  for (const [name, content] of files) await zip.add(name, content)
  await zip.finish()
  return zip.path
}

/** The titles, transcripts and folders of a library. */
async function shownBy(server: Serving, token: string) {
  const get = async (path: string) => JSON.stringify((await server.get(`/v1/${path}`, token)).body)
  const { sessions } = JSON.parse(await get('sessions')) as { sessions: { id: string; title: string }[] }
  const texts = await Promise.all(
    sessions.map(async ({ id, title }) => {
      const { transcript } = JSON.parse(await get(`sessions/${id}/transcript`))
      return { title, transcript }
    })
  )
  const { folders } = JSON.parse(await get('folders')) as { folders: { name: string }[] }
  return { texts: texts.toSorted((a, b) => a.title.localeCompare(b.title)), folders: folders.map(({ name }) => name) }
}

function recordingOf({ dataDir }: Place) {
  const folder = join(dataDir, 'media')
  const [found] = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  return join(found!.parentPath, found!.name)
}

describe('export', () => {
  test('goes on by Range after a broken download, and when it is started again after its end', SLOW, async () => {
    const { server, owner } = await filled()
    const proxy = await startBreakingProxy(server.url, [
      { bytes: 300_000, end: 'cut' },
      { bytes: 200_000, end: 'hold' }
    ])
    const folder = temporaryFolder()
    const out = join(folder, 'library.zip')
    const words = ['export', '--url', proxy.url, '--token', owner.token, '--recordings', '--out', out]
    const first = start({}, words, onTestFinished)
    const partial = () => readdirSync(folder).find(name => name.endsWith('.partial'))
    await until('two parts have arrived', () => {
      const name = partial()
      return name !== undefined && statSync(join(folder, name)).size === 500_000
    })
    first.kill('SIGKILL')
    await endOf(first)
    const again = await endOf(start({}, words, onTestFinished))
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining(`${out}: 2 sessions, `)])
    expect(proxy.ranges).toEqual(['bytes=0-', 'bytes=300000-', 'bytes=500000-'])
    // The second start went on with the export of the first one.
    expect(proxy.begun).toHaveLength(1)
    expect(readdirSync(folder)).toEqual(['library.zip'])
    const verified = await endOf(start({}, ['verify', out, '--keys', `${server.url}/.well-known/jwks.json`]))
    expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining('Each file is as it was.')])
    if (unzips) expect((await promisify(execFile)('unzip', ['-t', out])).stdout).toContain('No errors detected')
  })
})

describe('verify', () => {
  test('accepts an export as it is, and names what is changed by one bit, missing or added', SLOW, async () => {
    const library = await filled()
    const { place } = library
    const path = await exported(library)
    expect(await command(place, 'verify', path)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Signed with the key .*\n2 sessions, \d+ files\. Each file is as it was\.\n/)
    })
    const names = [...(await filesOf(path)).keys()]
    const recording = names.find(name => name.endsWith('/audio.mp3'))!
    const flipped = readFileSync(path)
    // The recording is by far the longest, and so in the middle.
    flipped[Math.floor(flipped.length / 2)]! ^= 1
    const changed = join(dirname(path), 'changed.zip')
    writeFileSync(changed, flipped)
    const missing = await repacked(path, files => files.delete(recording))
    const added = await repacked(path, files => files.set('sessions/more.txt', Buffer.from('more')))
    for (const [file, said] of [
      [changed, `changed: ${recording}\n`],
      [missing, `missing: ${recording}\n`],
      [added, 'added: sessions/more.txt\n']
    ] as const) {
      const { code, stdout, stderr } = await command(place, 'verify', file)
      expect([code, stderr, stdout]).toEqual([1, said, expect.stringContaining('1 are not as they were.')])
    }
    const foreign = join(dirname(path), 'foreign.json')
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }
    writeFileSync(foreign, JSON.stringify({ keys: [jwk] }))
    expect(await command(place, 'verify', path, '--keys', foreign)).toMatchObject({
      code: 1,
      stderr: `The key of the signature is none of ${foreign}\n`
    })
  })
})

describe('import of an export', () => {
  test(
    'makes the same library on an empty server with the embedded database, and says what came in',
    SLOW,
    async () => {
      const library = await filled()
      const path = await exported(library)
      const before = await shownBy(library.server, library.owner.token)
      const place = await embeddedPlace(UNLIMITED)
      const server = await serve(place)
      const owner = await newOwner(place)
      const elsewhere = { environment: { DATA_DIR: temporaryFolder() } }
      const through = ['import', '--url', server.url, '--token', owner.token]
      expect(await command(elsewhere, ...through, '--wait', path)).toMatchObject({
        code: 0,
        stdout: `${path}: 2 conversations imported, 0 imported before\nAt ${server.url}.\n`
      })
      expect(await shownBy(server, owner.token)).toEqual(before)
      expect(await digestOf(recordingOf(place))).toBe(await digestOf(library.recording))
      expect(await commandJson(elsewhere, ...through, path)).toEqual([
        { file: path, session_id: null, status: 'existing', library: { sessions_added: 0, sessions_existing: 2 } }
      ])
      expect(await commandJson(place, 'import', '--user', owner.id, path)).toMatchObject([
        { status: 'existing' },
        { status: 'existing' }
      ])
      const titled = await command(elsewhere, ...through, '--title', 'All', path)
      expect([titled.code, titled.stderr]).toEqual([1, expect.stringContaining('a library is imported as it is')])
      const broken = await repacked(path, files => {
        for (const name of files.keys())
          if (name.includes('/talk-') && name.endsWith('document.json')) files.delete(name)
      })
      const partly = await command(elsewhere, ...through, broken)
      expect(partly).toMatchObject({
        code: 1,
        stdout: expect.stringContaining('0 conversations imported, 1 imported before'),
        stderr: expect.stringMatching(
          /library\.zip: sessions\/undated\/talk-ses_\w+: document\.json is missing\n2 conversations: 1 imported before, 1 refused or failed\n/
        )
      })
    }
  )
})
