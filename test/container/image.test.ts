import { execFile, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { startAiServer } from '../support/ai-server.ts'
import { temporaryFolder } from '../support/folders.ts'
import { serverPorts } from '../support/ports.ts'
import { openHearer, record, say } from '../support/spoken.ts'

const IMAGE = 'localhost/parlance-test'
const MAX_BYTES = 400e6
/** No line of /etc/passwd has this id. */
const NAMELESS = 23_456
const PATIENTLY = { timeout: 120_000, interval: 100 }

const engine = ['podman', 'docker'].find(name => spawnSync(name, ['info']).status === 0)
const obstacle = findObstacle()

beforeAll(async () => {
  if (obstacle === undefined) await ask('build', '--tag', IMAGE, '.')
}, 1_200_000)

beforeEach(({ skip }) => skip(obstacle !== undefined, obstacle))

test(`the image has at most ${MAX_BYTES / 1e6} MB`, async () => {
  expect(Number(await ask('image', 'inspect', '--format', '{{.Size}}', IMAGE))).toBeLessThanOrEqual(MAX_BYTES)
})

test('a user without a name runs it on a read-only disk, and a stop under load answers what is in flight', async () => {
  const { id, url, isReady, parlance } = await runContainer()
  await vi.waitUntil(isReady, PATIENTLY)
  const callAs = async (email: string) => {
    await parlance('user', 'create', '--email', email)
    const { token } = await parlance('token', 'create', '--user', email, '--name', 'test', '--scopes', 'all')
    return caller(url, token)
  }
  const call = await callAs('ada@example.com')
  const callIdly = await callAs('bob@example.com')
  const text = 'The battery is fixed by Friday, and then we ship the new version to all clients.'
  const created = await call('POST', '/v1/sessions', { title: 'Change 0', segments: [{ speaker: 'Ada', text }] })
  const session = `/v1/sessions/${created.body.id}`
  await vi.waitUntil(async () => (await call('GET', session)).body.status === 'completed', PATIENTLY)
  // The embedding model runs in a native library, of which the image has one system's binaries.
  const { body } = await call('POST', '/v1/sessions/search', { query: 'when is the accumulator repaired' })
  expect(body.results[0]).toMatchObject({ id: created.body.id, similarity: expect.any(Number) })
  expect((await ask('exec', id, 'ls', '/data')).split('\n')).not.toContain('models')

  let acknowledged = 0
  const statuses = new Set<number>()
  const change = async () => {
    for (;;) {
      const { status } = await call('PATCH', session, { title: `Change ${acknowledged + 1}` })
      statuses.add(status)
      if (status === 200) acknowledged++
    }
  }
  const read = async () => {
    for (;;) statuses.add((await call('GET', '/v1/sessions')).status)
  }
  const load = Promise.allSettled([change(), read(), read(), read()])
  await vi.waitUntil(() => acknowledged > 20, PATIENTLY)
  let answered = false
  const inFlight = callIdly('GET', '/v1/events?wait=30').finally(() => {
    answered = true
  })
  await vi.waitUntil(() => acknowledged > 40, PATIENTLY)
  expect(answered).toBe(false)
  await ask('stop', '--time', '40', id)
  await load
  expect(await inFlight).toMatchObject({ status: 200, body: { events: [] } })
  expect([...statuses]).toEqual([200])
  expect(await ask('inspect', '--format', '{{.State.ExitCode}}', id)).toBe('0')

  await ask('start', id)
  await vi.waitUntil(isReady, PATIENTLY)
  expect([acknowledged, acknowledged + 1].map(n => `Change ${n}`)).toContain((await call('GET', session)).body.title)
}, 600_000)

test('it has ffmpeg and ffprobe, takes a long recording apart, and refuses bytes that are none', async () => {
  const provider = await startAiServer()
  onTestFinished(() => provider.close())
  const { id, url, isReady, parlance } = await runContainer({
    TRANSCRIPTION_MODEL: 'whisper-1',
    TRANSCRIPTION_BASE_URL: provider.url,
    TRANSCRIPTION_MAX_BYTES: '100000'
  })
  await vi.waitUntil(isReady, PATIENTLY)
  for (const program of ['ffmpeg', 'ffprobe'])
    expect(await ask('exec', id, program, '-version')).toMatch(new RegExp(`^${program} version `))
  const checks = (await ask('exec', id, 'node', 'src/cli.ts', 'doctor', '--json'))
    .split('\n')
    .map(line => JSON.parse(line))
  for (const program of ['ffmpeg', 'ffprobe'])
    expect(checks).toContainEqual({
      check: program,
      ok: true,
      detail: expect.stringMatching(new RegExp(`^${program} \\d`))
    })

  await parlance('user', 'create', '--email', 'ada@example.com')
  const { token } = await parlance('token', 'create', '--user', 'ada@example.com', '--name', 'test', '--scopes', 'all')
  const call = caller(url, token)
  const upload = async (name: string, bytes: Buffer) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' }
    const address = `${url}/v1/sessions/upload?file=${name}`
    const reply = await fetch(address, { method: 'POST', headers, body: new Uint8Array(bytes) })
    return { status: reply.status, body: JSON.parse(await reply.text()) }
  }
  const hearer = openHearer()
  provider.answer('transcriptions', hearer.reply)
  const transcribe = async (path: string) => {
    const { status, body } = await upload(basename(path), readFileSync(path))
    expect(status).toBe(202)
    const read = async () => (await call('GET', `/v1/sessions/${body.id}`)).body
    await vi.waitUntil(async () => ['completed', 'failed'].includes((await read()).status), PATIENTLY)
    return await read()
  }
  const folder = temporaryFolder()
  const speech = await say(join(folder, 'speech.wav'), 'Did the bank approve the loan? Yes, they signed it.')
  const pause = ['-f', 'lavfi', '-t', '60', '-i', 'anullsrc=r=48000:cl=mono']
  const phases = '[0:a]aresample=48000,aformat=channel_layouts=mono,asplit=2[a][b];[a][1:a][b]concat=n=3:v=0:a=1'
  const recordings = [
    await record(join(folder, 'tracks.mkv'), ...pause, '-i', speech, '-map', '0:a', '-map', '1:a', '-c:a', 'aac'),
    await record(join(folder, 'phase.wav'), '-i', speech, '-af', 'pan=stereo|c0=c0|c1=-1*c0'),
    await record(join(folder, 'long.mp3'), '-i', speech, ...pause, '-filter_complex', phases)
  ]
  for (const path of recordings) {
    const { failure_reason } = await transcribe(path)
    expect([basename(path), failure_reason, hearer.sent.at(-1)?.bytes.toString('latin1', 0, 4)]).toEqual([
      basename(path),
      null,
      'OggS'
    ])
    expect(hearer.heard.at(-1)?.level).toBeGreaterThan(-40)
    expect(hearer.heard.at(-1)?.seconds).toBeLessThan(15)
  }
  expect(await transcribe(await record(join(folder, 'nothing.mp3'), ...pause))).toMatchObject({ status: 'failed' })
  expect(hearer.sent).toHaveLength(recordings.length)
  const refused = await upload('noise.mp3', randomBytes(3_000))
  expect(refused).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringContaining('The bytes are no audio or video') } }
  })
}, 600_000)

/** Why the image cannot be built and run here; undefined if it can. */
function findObstacle() {
  if (engine === undefined) return 'there is neither Podman nor Docker'
  if (process.getuid?.() !== 0) return 'only root can give a folder to a user without a name'
  const unknown = ['ffmpeg', 'espeak-ng'].find(program => spawnSync(program, ['-version']).error !== undefined)
  if (unknown) return `the recordings are made by ${unknown}, which is not here`
  const bases = [...readFileSync('Dockerfile', 'utf8').matchAll(/^FROM (\S+)/gm)].map(([, name]) => name ?? '')
  const missing = bases.find(base => {
    const isHere = spawnSync(engine, ['image', 'inspect', base]).status === 0
    return !isHere && spawnSync(engine, ['pull', '--quiet', base]).status !== 0
  })
  return missing && `${engine} has no image ${missing}, and cannot fetch it`
}

async function ask(...words: string[]) {
  const { stdout } = await promisify(execFile)(engine ?? '', words, { maxBuffer: 2 ** 26 })
  return stdout.trim()
}

async function runContainer(more: Record<string, string> = {}) {
  const data = temporaryFolder()
  chownSync(data, NAMELESS, NAMELESS)
  const ports = await serverPorts()
  const settings = { ...ports, HOST: '127.0.0.1', ADMIN_HOST: '127.0.0.1', RATE_LIMIT_PER_MINUTE: '1000000', ...more }
  const id = await ask(
    ...['run', '--detach', '--network', 'host', '--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL'],
    ...['--security-opt', 'no-new-privileges', '--user', `${NAMELESS}:${NAMELESS}`, '--volume', `${data}:/data`],
    ...Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
    IMAGE
  )
  onTestFinished(async () => void (await ask('rm', '--force', id)))
  const isReady = () =>
    fetch(`http://127.0.0.1:${ports.ADMIN_PORT}/readyz`).then(
      ({ ok }) => ok,
      () => false
    )
  const parlance = async (...words: string[]) =>
    JSON.parse(await ask('exec', id, 'node', 'src/cli.ts', ...words, '--json'))
  return { id, url: `http://127.0.0.1:${ports.PORT}`, isReady, parlance }
}

function caller(url: string, token: string) {
  return async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
    const reply = await fetch(`${url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    return { status: reply.status, body: JSON.parse(await reply.text()) }
  }
}
