// @module-tag postgres
import { appendFileSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { LONG, UNLIMITED } from '../faults/load.ts'
import {
  fileIn,
  migratedDatabase,
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

const SLOW = { timeout: LONG ? 3_600_000 : 600_000 }
/** FAULTS=long makes as many changes as a busy library sees in weeks. */
const CHANGES = LONG ? 2_000 : 240

interface Library {
  place: Place
  server: Serving
  token: string
  id: string
  sessions: string[]
}

async function library(count: number, titleOf = (number: number) => `Number ${number}`): Promise<Library> {
  const made = await migratedDatabase()
  const port = String(20_000 + Math.floor(Math.random() * 20_000))
  const place = { ...made, environment: { ...made.environment, ...UNLIMITED, PORT: port } }
  const server = await serve(place)
  const { token, id } = await newOwner(place)
  const lines = Array.from({ length: count }, (_, number) => {
    const segments = [
      { speaker: `Ada ${number % 3}`, start: 0, end: 2, text: `Said in number ${number}.` },
      { speaker: 'Ben', start: 2, end: 4, text: 'And answered.' }
    ]
    const people = [{ label: `Ada ${number % 3}`, person: `Ada ${number % 3}` }]
    return JSON.stringify({ title: titleOf(number), external_id: `n${number}`, segments, speakers: people })
  })
  const file = fileIn(temporaryFolder(), 'all.jsonl', lines.join('\n'))
  const taken = await runJson(place, 'import', '--user', id, '--folder', 'Clients', '--wait', file)
  return { place, server, token, id, sessions: taken.map(({ session_id }) => String(session_id)) }
}

async function send({ server, token }: Library, method: string, path: string, body?: object) {
  const headers = {
    authorization: `Bearer ${token}`,
    connection: 'close',
    ...(body && { 'content-type': 'application/json' })
  }
  const reply = await fetch(`${server.url}/v1/${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) })
  })
  return { status: reply.status, body: await reply.text() }
}

function pagesIn(folder: string) {
  const pages = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    entry => entry.isFile() && entry.name.endsWith('.md')
  )
  return new Map(
    pages.map(({ parentPath, name }) => {
      const path = join(parentPath, name)
      return [path.slice(folder.length + 1), readFileSync(path, 'utf8')]
    })
  )
}

const fieldOf = (page: string, name: string): unknown => JSON.parse(new RegExp(`^${name}: (.*)$`, 'm').exec(page)![1]!)

/** The folder of a mirror that begins now: a mirror that has followed for long has the same content, under names of its own. */
async function expectEqual(kept: string, made: Library) {
  const fresh = temporaryFolder()
  await once(fresh, made)
  const contents = (folder: string) =>
    [...pagesIn(folder)]
      .filter(([path]) => /^(Sessions|People|Folders)\//.test(path))
      // Names and links have the title of the first time.
      .map(([, page]) => page.replaceAll(/\]\([^)]*\)/g, ']'))
      .toSorted()
  expect(contents(kept)).toEqual(contents(fresh))
}

async function once(folder: string, { place, server, token }: Library) {
  return (await runJson(place, 'mirror', folder, '--token', token, '--url', server.url, '--once'))[0]
}

function linksOf(page: string) {
  return [...page.matchAll(/\]\(([^)]+)\)/g)].map(([, target]) => decodeURIComponent(target!))
}

test('has a page for each session, person and folder, with links that lead to files', SLOW, async () => {
  const made = await library(4)
  await send(made, 'PATCH', `sessions/${made.sessions[0]}`, {
    notes: 'A note',
    tags: ['a b'],
    action_items: [{ text: 'Send the offer' }]
  })
  const folder = temporaryFolder()
  expect(await once(folder, made)).toEqual({ written: 4 + 4 + 1, removed: 0 })
  const pages = pagesIn(folder)
  expect(pages.size).toBe(9)
  for (const [path, page] of pages) {
    for (const target of linksOf(page))
      expect(existsSync(join(folder, dirname(path), target)), `${path}: ${target}`).toBe(true)
  }
  const [, page] = [...pages].find(([, text]) => text.includes(String(made.sessions[0])))!
  expect(fieldOf(page, 'tags')).toEqual(['a b'])
  expect(fieldOf(page, 'folders')).toEqual(['Clients'])
  for (const part of ['## Notes\n\nA note', '- [ ] Send the offer', 'Said in number 0.', '[Ada 0](../People/Ada%200'])
    expect(page).toContain(part)
  expect(await once(folder, made)).toEqual({ written: 0, removed: 0 })
})

test('keeps names when titles change, follows folders and people, and removes what was deleted', SLOW, async () => {
  const made = await library(4)
  const [first, second, third] = made.sessions
  const folder = temporaryFolder()
  await once(folder, made)
  const names = [...pagesIn(folder).keys()].toSorted()
  await send(made, 'PATCH', `sessions/${first}`, { title: 'Another title' })
  const { body } = await send(made, 'GET', 'folders')
  const [clients] = JSON.parse(body).folders
  await send(made, 'PATCH', `folders/${clients.id}`, { name: 'Customers' })
  await send(made, 'DELETE', `folders/${clients.id}/sessions/${second}`)
  const people = JSON.parse((await send(made, 'GET', 'people')).body).people as { id: string; name: string }[]
  const ada = people.find(({ name }) => name === 'Ada 2')!
  await send(made, 'PATCH', `people/${ada.id}`, { name: 'Ada Lovelace' })
  await send(made, 'DELETE', `sessions/${third}`)
  await until('the person is renamed', async () => (await send(made, 'GET', 'people')).body.includes('Ada Lovelace'))
  await once(folder, made)
  const pages = pagesIn(folder)
  expect([...pages.keys()].every(name => names.includes(name))).toBe(true)
  expect([...pages.values()].some(text => text.includes(String(third)))).toBe(false)
  expect([...pages.values()].find(text => text.includes(String(first)))).toContain('# Another title')
  await expectEqual(folder, made)
})

test(
  'a mirror that is killed again and again, beside writers and a server that is killed, ends equal',
  SLOW,
  async () => {
    const made = await library(12)
    const folder = temporaryFolder()
    const foreign = fileIn(folder, 'mine.md', 'Mine')
    const words = ['mirror', folder, '--token', made.token, '--url', made.server.url, '--every', '1']
    let changes = 0
    let writing = true
    const writers = [0, 1].map(async writer => {
      for (let turn = 0; writing; turn++) {
        const id = made.sessions[(2 * turn + writer) % made.sessions.length]
        const text = `Turn ${turn} of ${writer}`
        const reply = await send(made, 'PATCH', `sessions/${id}`, { title: text, notes: text }).catch(() => undefined)
        if (reply?.status === 200) changes++
        await wait(reply ? 10 : 200)
      }
    })
    let mirror = start(made.place.environment, words)
    for (let kill = 0; kill < 6; kill++) {
      const before = changes
      await until('changes go on', () => changes >= before + CHANGES / 6)
      await wait(kill * 130)
      mirror.kill('SIGKILL')
      await mirror.ended
      if (kill % 2 === 1) {
        made.server.kill('SIGKILL')
        await made.server.ended
        made.server = await serve(made.place)
      }
      mirror = start(made.place.environment, words)
    }
    await send(made, 'DELETE', `sessions/${made.sessions.at(-1)}`)
    writing = false
    await Promise.all(writers)
    expect(changes).toBeGreaterThanOrEqual(CHANGES)
    await until('it has begun', () => mirror.output.stdout !== '')
    mirror.kill('SIGTERM')
    expect(await mirror.ended).toMatchObject({ code: 0 })
    await once(folder, made)
    await expectEqual(folder, made)
    expect(readFileSync(foreign, 'utf8')).toBe('Mine')
    expect(readdirSync(folder).toSorted()).toEqual(['.parlance', 'Folders', 'People', 'Sessions', 'mine.md'])
  }
)

test('names are valid everywhere and never climb, and files of others are not touched', SLOW, async () => {
  const titles = [
    '../../etc/passwd',
    'CON',
    'a/b\\c:d*e?"<>|#^[x]',
    `${'long '.repeat(90)}😀`,
    '. .',
    'ZÜRICH',
    'zürich'
  ]
  const made = await library(titles.length, number => titles[number]!)
  const folder = temporaryFolder()
  const outside = temporaryFolder()
  await once(folder, made)
  const names = [...pagesIn(folder).keys()]
  expect(names).toHaveLength(titles.length + 5)
  for (const name of names) {
    expect(name).toMatch(/^(Sessions|People|Folders)\/[^/\\:*?"<>|#^[\]\p{C}]+[^. ] \w{6}\.md$/u)
    expect(Buffer.byteLength(name)).toBeLessThan(200)
  }
  const path = join(
    folder,
    names.find(name => readFileSync(join(folder, name), 'utf8').includes(String(made.sessions[0])))!
  )
  appendFileSync(path, 'My own line\n')
  await send(made, 'PATCH', `sessions/${made.sessions[0]}`, { notes: 'Changed' })
  await once(folder, made)
  expect(readFileSync(path, 'utf8')).toContain('Changed')
  expect(readFileSync(path.replace('.md', ' (edited).md'), 'utf8')).toContain('My own line')

  const linked = temporaryFolder()
  symlinkSync(outside, join(linked, 'Sessions'))
  const words = ['mirror', linked, '--token', made.token, '--url', made.server.url, '--once']
  expect(await run(made.place, ...words)).toMatchObject({ code: 1, stderr: expect.stringContaining('leads out of') })
  expect(readdirSync(outside)).toEqual([])
})
