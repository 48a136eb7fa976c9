// @module-tag postgres
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { noDisk, smallDisk } from '../faults/disk.ts'
import { LONG, UNLIMITED } from '../faults/load.ts'
import { embeddedPlace } from '../support/embedded.ts'
import { makeSessions } from '../support/made-sessions.ts'
import {
  fileIn,
  newOwner,
  type Place,
  run,
  runJson,
  type Serving,
  serve,
  start,
  temporaryFolder,
  until
} from '../support/process.ts'
import { sound } from '../support/sound.ts'

const SLOW = { timeout: LONG ? 3_600_000 : 600_000 }
/** FAULTS=long compares the time with that of a plain copy, which takes a database of some size. */
const MADE = LONG ? 30_000 : 20
const WRITERS = 8

async function fill(place: Place, count: number) {
  const owner = await newOwner(place)
  const folder = temporaryFolder()
  fileIn(folder, 'sound.mp3', sound('a sound'))
  const files = Array.from({ length: count }, (_, index) => {
    const segments = [{ speaker: 'Ada', start: 0, end: 2, text: `Said in number ${index}.` }]
    const document = { title: `Number ${index}`, segments, media: { audio: 'sound.mp3' } }
    return fileIn(folder, `${index}.json`, JSON.stringify(document))
  })
  const taken = await runJson(place, 'import', '--user', owner.id, '--wait', ...files)
  return { ...owner, ids: taken.map(({ session_id }) => String(session_id)) }
}

/** Writers that each change a session of their own as fast as they are answered. */
function startWriters({ url }: Serving, token: string, ids: string[]) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const acknowledged = new Map(ids.map(id => [id, 0]))
  let writing = true
  let slowestMs = 0
  const writers = ids.map(async id => {
    for (let turn = 1; writing; turn++) {
      const startedAt = performance.now()
      const text = `Turn ${turn}`
      const body = JSON.stringify({ title: text, notes: text, tags: [text] })
      const reply = await fetch(`${url}/v1/sessions/${id}`, { method: 'PATCH', body, headers })
      await reply.arrayBuffer()
      expect(reply.status).toBe(200)
      acknowledged.set(id, turn)
      slowestMs = Math.max(slowestMs, performance.now() - startedAt)
    }
  })
  return {
    acknowledged,
    slowestMs: () => slowestMs,
    async stop() {
      writing = false
      await Promise.all(writers)
    }
  }
}

/** Makes a backup, in a long run between a plain copy of the same files and the start of a command that does next to nothing. */
async function timedBackup(from: Place, file: string) {
  const copy = join(temporaryFolder(), 'copy')
  const copyMs = LONG
    ? await timeOf(() => promisify(execFile)('sh', ['-c', `cp -a '${from.dataDir}' '${copy}' && sync -f '${copy}'`]))
    : 0
  let done: Record<string, unknown> | undefined
  const backupMs = await timeOf(async () => {
    done = (await runJson(from, 'backup', file))[0]
  })
  const startMs = LONG ? await timeOf(() => runJson(from, 'user', 'list')) : 0
  return { done, copyMs, backupMs, startMs }
}

async function timeOf(act: () => Promise<unknown>) {
  const startedAt = performance.now()
  await act()
  return performance.now() - startedAt
}

async function restoreAt(backup: string, from: Place) {
  const place = await embeddedPlace(UNLIMITED)
  await runJson(place, 'restore', backup)
  writeFileSync(join(place.dataDir, 'secret.key'), readFileSync(join(from.dataDir, 'secret.key')), { mode: 0o600 })
  return place
}

interface Detail {
  title: string
  notes: string
  tags: string[]
}

test('a backup under eight writers is one moment, whole, with its recordings, and they hardly wait', SLOW, async () => {
  const from = await embeddedPlace(UNLIMITED)
  const server = await serve(from)
  const owner = await fill(from, WRITERS)
  await makeSessions(from, owner.id, MADE)
  const writers = startWriters(server, owner.token, owner.ids)
  await until('all have written', () => [...writers.acknowledged.values()].every(turn => turn > 3))
  const before = new Map(writers.acknowledged)
  const file = join(temporaryFolder(), 'backup.tar')
  const { done, ...took } = await timedBackup(from, file)
  const after = new Map(writers.acknowledged)
  await wait(200)
  await writers.stop()
  expect(done).toMatchObject({ file, recordings: 'included', recording_files: WRITERS })
  expect(statSync(file).mode & 0o077).toBe(0)
  if (LONG) console.log(`backup: ${JSON.stringify({ ...took, bytes: done?.bytes, slowestMs: writers.slowestMs() })}`)
  if (LONG) expect(took.backupMs - took.startMs).toBeLessThan(2 * took.copyMs)
  // Compared with themselves on an idle machine, writers wait for some files of the database at most.
  expect(writers.slowestMs()).toBeLessThan(10_000)

  const restored = await serve(await restoreAt(file, from))
  const last = new Map<string, string>()
  let expected = 1
  for (let cursor: number | null = 0; cursor !== null; ) {
    const { body } = await restored.get(`/v1/events?limit=200&cursor=${cursor}`, owner.token)
    const page = body as { events: { seq: number; data: { session: Detail & { id: string } } }[]; has_more: boolean }
    for (const { seq, data } of page.events) {
      expect(seq).toBe(expected++)
      last.set(data.session.id, data.session.title)
    }
    cursor = page.has_more ? expected - 1 : null
  }
  for (const id of owner.ids) {
    const { body } = await restored.get(`/v1/sessions/${id}`, owner.token)
    const { title, notes, tags } = body as Detail
    expect([notes, ...tags, last.get(id)]).toEqual([title, title, title])
    const turn = Number(title.split(' ')[1])
    expect(turn).toBeGreaterThanOrEqual(before.get(id)!)
    // One request more may have been stored before its answer arrived.
    expect(turn).toBeLessThanOrEqual(after.get(id)! + 1)
    const { body: media } = await restored.get(`/v1/sessions/${id}/media`, owner.token)
    const { pathname, search } = new URL((media as { audio_url: string }).audio_url)
    expect((await fetch(`${restored.url}${pathname}${search}`)).status).toBe(200)
  }
})

test('a backup that is killed leaves no file of that name, and the server goes on', SLOW, async () => {
  const from = await embeddedPlace(UNLIMITED)
  const server = await serve(from)
  const owner = await fill(from, 2)
  const folder = temporaryFolder()
  for (const waitMs of [0, 150, 400]) {
    const running = start(from.environment, ['backup', join(folder, 'backup.tar')])
    await until('it has begun', () => readdirSync(folder).length > 0)
    await wait(waitMs)
    running.kill('SIGKILL')
    if ((await running.ended).signal === null) break
    expect(readdirSync(folder)).toEqual(['backup.tar.partial'])
    expect(await server.get(`/v1/sessions/${owner.ids[0]}`, owner.token)).toMatchObject({ status: 200 })
  }
  await runJson(from, 'backup', join(folder, 'backup.tar'))
  expect(readdirSync(folder)).toEqual(['backup.tar'])
})

test('restore refuses a folder with data, a cut and a changed file, and leaves nothing of them', SLOW, async () => {
  const from = await embeddedPlace()
  await runJson(from, 'migrate')
  const file = join(temporaryFolder(), 'backup.tar')
  await runJson(from, 'backup', file)
  const to = await embeddedPlace()
  const refusal = async (place: Place, path: string) => {
    const { code, stderr } = await run(place, 'restore', path)
    expect(code).toBe(1)
    return stderr
  }
  expect(await refusal(from, file)).toContain('is not empty; name a new DATA_DIR')
  expect(await refusal(to, join(to.dataDir, 'none.tar'))).toContain('There is no file')

  const whole = readFileSync(file)
  for (const bytes of [0, 700, Math.floor(whole.length / 2), whole.length - 2048 - 200_000]) {
    truncateSync(file, bytes)
    expect(await refusal(to, file)).toMatch(/is cut off.*; nothing was restored\n$/)
    writeFileSync(file, whole)
  }
  const changed = Buffer.from(whole)
  const at = changed.lastIndexOf('database/PG_VERSION\0') + 512
  changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
  writeFileSync(file, changed)
  expect(await refusal(to, file)).toMatch(/is damaged: database\/PG_VERSION is not as it was; nothing was restored\n$/)
  writeFileSync(file, Buffer.alloc(20_000, 'no tar '))
  expect(await refusal(to, file)).toContain('is no tar file')
  expect(readdirSync(to.dataDir).filter(name => /^(database|media|restore.partial)$/.test(name))).toEqual([])

  writeFileSync(file, whole)
  fileIn(to.dataDir, 'deletions.jsonl', '{"newer":"line"}\n')
  await runJson(to, 'restore', file)
  expect(readFileSync(join(to.dataDir, 'deletions.jsonl'), 'utf8')).toBe('{"newer":"line"}\n')
  expect(await run(to, 'migrate', '--check')).toMatchObject({ code: 0 })
})

test.skipIf(noDisk)('a backup to a full disk fails with a sentence, and leaves no part of it', SLOW, async () => {
  const from = await embeddedPlace()
  await runJson(from, 'migrate')
  const disk = smallDisk(4)
  const { code, stderr } = await run(from, 'backup', join(disk.folder, 'backup.tar'))
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('ENOSPC') })
  expect(readdirSync(disk.folder)).toEqual([])
})
