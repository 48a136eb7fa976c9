// @module-tag postgres
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { UNLIMITED } from '../faults/load.ts'
import {
  endOf,
  fileIn,
  migratedDatabase,
  newOwner,
  type Place,
  run,
  type Serving,
  serve,
  start,
  temporaryFolder,
  until
} from '../support/process.ts'
import { sound } from '../support/sound.ts'

const SLOW = { timeout: 600_000 }

interface Listed {
  id: string
  title: string
  external_id?: string | null
}

async function sessionsOf(server: Serving, token: string) {
  const all: Listed[] = []
  for (let cursor = ''; ; ) {
    const query = new URLSearchParams({ limit: '100', ...(cursor && { cursor }) })
    const { status, body } = await server.get(`/v1/sessions?${query}`, token)
    expect(status).toBe(200)
    const page = body as { sessions: Listed[]; next_cursor: string | null }
    all.push(...page.sessions)
    if (!page.next_cursor) return all
    cursor = page.next_cursor
  }
}

async function served() {
  const made = await migratedDatabase()
  const place: Place = { ...made, environment: { ...made.environment, ...UNLIMITED } }
  return { place, server: await serve(place), owner: await newOwner(place), folder: temporaryFolder() }
}

const caption = (text: string) => `WEBVTT\n\n00:00:00.000 --> 00:00:02.000\n<v Ada>${text}\n`

function filesBelow(folder: string) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted()
}

test('a hundred files copied slowly, with two kills, are a hundred sessions, each once', SLOW, async () => {
  const { place, server, owner, folder } = await served()
  const words = ['watch', folder, '--user', owner.id, '--rest', '1']
  let watching = start(place.environment, words)
  const names = Array.from({ length: 100 }, (_, number) => `meeting-${number}.vtt`)
  const copying = (async () => {
    for (const [number, name] of names.entries()) {
      writeFileSync(join(folder, name), `WEBVTT\n\n00:00:00.000 --> 00:00:01.000\n<v Ada>Begin ${number}\n`)
      await wait(60)
      appendFileSync(join(folder, name), `\n00:00:01.000 --> 00:00:02.000\n<v Ben>The end of ${number}\n`)
    }
  })()
  for (const taken of [20, 60]) {
    await until(
      `${taken} are taken`,
      () => existsSync(join(folder, 'done')) && filesBelow(join(folder, 'done')).length >= taken
    )
    watching.kill('SIGKILL')
    expect((await watching.ended).signal).toBe('SIGKILL')
    watching = start(place.environment, words)
  }
  await copying
  await until('all are taken', () => filesBelow(join(folder, 'done')).length === names.length)
  watching.kill('SIGTERM')
  expect(await endOf(watching)).toMatchObject({ code: 0 })
  expect(filesBelow(join(folder, 'done'))).toEqual(names.toSorted())
  expect(existsSync(join(folder, 'failed'))).toBe(false)
  const sessions = await until('all are processed', async () => {
    const found = await sessionsOf(server, owner.token)
    return found.length >= names.length ? found : undefined
  })
  expect(sessions.map(({ title }) => title).toSorted()).toEqual(names.map(name => name.replace('.vtt', '')).toSorted())
  for (const { id } of sessions.slice(0, 10)) {
    const { body } = await server.get(`/v1/sessions/${id}/transcript`, owner.token)
    expect(JSON.stringify(body)).toContain('The end of')
  }
})

test('subfolders name folders, a document belongs to its recording, and failures say why', SLOW, async () => {
  const { place, server, owner, folder } = await served()
  mkdirSync(join(folder, 'Clients', 'Acme'), { recursive: true })
  const segments = [{ speaker: 'Ada', start: 0, end: 2, text: 'Said in the recording.' }]
  fileIn(join(folder, 'Clients'), 'call.mp3', sound('a sound'))
  fileIn(join(folder, 'Clients'), 'call.json', JSON.stringify({ title: 'The call', tags: ['phone'], segments }))
  fileIn(join(folder, 'Clients', 'Acme'), 'weekly.vtt', caption('In a folder of a folder'))
  fileIn(folder, 'noise.bin', Buffer.from([0, 1, 2, 3, 255]))
  fileIn(folder, 'list.mp3', sound('another sound'))
  fileIn(folder, 'list.json', '[1, 2]')
  const watching = start(place.environment, ['watch', folder, '--user', owner.id, '--rest', '1', '--json'])
  await until('all are taken', () => filesBelow(folder).filter(name => !/^(done|failed)/.test(name)).length === 0)
  watching.kill('SIGINT')
  expect(await endOf(watching)).toMatchObject({ code: 0 })
  expect(filesBelow(folder)).toEqual(
    [
      'done/Clients/Acme/weekly.vtt',
      'done/Clients/call.json',
      'done/Clients/call.mp3',
      'failed/list.json',
      'failed/list.mp3',
      'failed/list.mp3.reason.txt',
      'failed/noise.bin',
      'failed/noise.bin.reason.txt'
    ].toSorted()
  )
  expect(readFileSync(join(folder, 'failed/list.mp3.reason.txt'), 'utf8')).toContain('no JSON object')
  const sessions = await until('both are processed', async () => {
    const found = await sessionsOf(server, owner.token)
    return found.length === 2 ? found : undefined
  })
  const call = sessions.find(({ title }) => title === 'The call')
  const { body } = await server.get(`/v1/sessions/${call?.id}/media`, owner.token)
  expect(body).toMatchObject({ audio_url: expect.stringContaining('http') })
  const { body: folders } = await server.get('/v1/folders', owner.token)
  expect(folders).toMatchObject({
    folders: [
      { name: 'Acme', session_count: 1 },
      { name: 'Clients', session_count: 2 }
    ]
  })
})

test('files that programs are still writing are left until they have their names', SLOW, async () => {
  const { place, owner, server, folder } = await served()
  const temporary = [
    '.meeting.vtt.Xa81kQ',
    '.syncthing.meeting.vtt.tmp',
    '~syncthing~meeting.vtt.tmp',
    'meeting.vtt.crdownload',
    'meeting.vtt.part',
    'meeting.vtt.download',
    '~$notes.docx',
    'backup.txt~'
  ]
  for (const name of temporary) fileIn(folder, name, caption(name))
  writeFileSync(join(folder, 'empty.vtt'), '')
  const watching = start(place.environment, [
    'watch',
    folder,
    '--url',
    server.url,
    '--token',
    owner.token,
    '--rest',
    '1'
  ])
  await until('it watches', () => watching.output.stderr.includes('Watching'))
  await wait(4_000)
  expect(filesBelow(folder)).toEqual([...temporary, 'empty.vtt'].toSorted())
  renameSync(join(folder, temporary[0]!), join(folder, 'meeting.vtt'))
  await until('it is taken', () => existsSync(join(folder, 'done', 'meeting.vtt')))
  await until('it is said', () => watching.output.stdout !== '')
  expect(watching.output.stdout).toMatch(/^\w+ +ses_\w+ {2}meeting\.vtt\n$/)
})

test('a folder that is missing, and options for two places, are refused', SLOW, async () => {
  const place = await migratedDatabase()
  const folder = temporaryFolder()
  expect(await run(place, 'watch', join(folder, 'none'), '--user', 'a')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is no folder')
  })
  expect(await run(place, 'watch', folder)).toMatchObject({ code: 2, stderr: expect.stringContaining('Name --user') })
})
