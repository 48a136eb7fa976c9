// @module-tag both

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { commandJson } from '../support/command.ts'
import {
  fileIn,
  jsonLines,
  migratedDatabase,
  newOwner,
  onPostgres,
  openPlace,
  type Place,
  rowsOf,
  type Serving,
  serve,
  temporaryFolder,
  until
} from '../support/process.ts'
import { filesWith, tablesWith } from '../support/remains.ts'
import { sound } from '../support/sound.ts'
import { LONG, UNLIMITED } from './load.ts'

/** FAULTS=long kills for longer. The embedded database takes its time to come up again. */
const KILLS = LONG ? 25 : onPostgres ? 3 : 2
const SLOW = { timeout: LONG ? 1_800_000 : 600_000 }
const KEY = 'a-key-for-tests-and-for-nothing-else'

type Owner = Awaited<ReturnType<typeof newOwner>>

async function newPlace() {
  const fresh = await migratedDatabase()
  const place = { ...fresh, environment: { ...fresh.environment, ...UNLIMITED, APP_API_KEY: KEY } }
  return { place, owner: await newOwner(place), server: await serve(place) }
}

/** Sessions with a recording, each with a word of its own in transcript, title and recording. */
async function importSessions(place: Place, owner: Owner, words: string[]) {
  const folder = temporaryFolder()
  const files = words.map(word => {
    fileIn(folder, `${word}.mp3`, sound(`the sound of ${word}`))
    const segments = [{ speaker: 'Ada', start: 0, end: 2, text: `I say ${word}.` }]
    const made = { summary: `About ${word}.`, action_items: [] }
    return fileIn(
      folder,
      `${word}.json`,
      JSON.stringify({ title: word, segments, ...made, media: { audio: `${word}.mp3` } })
    )
  })
  const taken = await commandJson(place, 'import', '--user', owner.id, '--wait', ...files)
  return words.map(word => ({
    word,
    id: String(taken.find(({ file }) => String(file).endsWith(`${word}.json`))?.session_id)
  }))
}

/** The status that the admin API answers a deletion with; 0 where the connection broke. */
async function ask({ adminUrl }: Serving, path: string) {
  const headers = { authorization: `Bearer ${KEY}`, connection: 'close' }
  return await fetch(`${adminUrl}/app/v1${path}`, { method: 'DELETE', headers }).then(
    ({ status }) => status,
    () => 0
  )
}

async function kill(server: Serving, place: Place) {
  await wait(Math.random() * 100)
  server.kill('SIGKILL')
  expect(await server.ended).toMatchObject({ signal: 'SIGKILL' })
  return await serve(place)
}

const linesOf = ({ dataDir }: Place) => jsonLines(readFileSync(join(dataDir, 'deletions.jsonl'), 'utf8'))
/** Jobs that have something to erase now; the one entered before a recording is stored waits for a day. */
const unfinished = (place: Place) =>
  rowsOf(
    place,
    `select name, state from pgboss.job
     where state <> 'completed' and name in ('purge-media', 'delete-user') and start_after < now() + interval '1 hour'`
  )

test(
  'a server that is killed again and again while it deletes leaves nothing of what was deleted, and its ledger names it',
  SLOW,
  async () => {
    const { place, owner, server: first } = await newPlace()
    let server = first
    const words = Array.from({ length: KILLS }, (_, n) => [`deletedquux${n}x`, `alsoquux${n}x`, `silencedquux${n}x`])
    const sessions = await importSessions(place, owner, words.flat())
    const acknowledged: string[] = []
    for (const some of words) {
      const [one, other, silenced] = some.map(word => sessions.find(session => session.word === word)!.id)
      const paths = [`${one}?permanently=true`, `${other}?permanently=true`, `${silenced}/audio`].map(
        path => `/users/${owner.id}/sessions/${path}`
      )
      const asked = paths.map(async path => (await ask(server, path)) === 200 && acknowledged.push(path))
      server = await kill(server, place)
      await Promise.all(asked)
      // What was acknowledged is done; of the rest each is whole or gone.
      for (const id of [one, other]) {
        const found = await Promise.all(
          ['', '/transcript', '/media'].map(part => server.get(`/v1/sessions/${id}${part}`, owner.token))
        )
        const statuses = found.map(({ status }) => status)
        const gone = acknowledged.some(path => path.includes(id!))
        expect([[404, 404, 404], ...(gone ? [] : [[200, 200, 200]])]).toContainEqual(statuses)
      }
      for (const path of paths) await ask(server, path)
    }
    await until('the store has confirmed', async () => (await unfinished(place)).length === 0, 120_000)
    server.kill('SIGTERM')
    await server.ended

    const database = await openPlace(place)
    for (const { word, id } of sessions) {
      const silenced = word.startsWith('silenced')
      expect({ word, files: filesWith(place.dataDir, word) }).toEqual({ word, files: [] })
      expect({ word, files: filesWith(place.dataDir, id) }).toEqual({ word, files: ['deletions.jsonl'] })
      if (!silenced) expect({ word, tables: await tablesWith(database, word) }).toEqual({ word, tables: [] })
      expect(
        await tablesWith(database, `${id}/audio`).then(tables => tables.filter(name => !name.startsWith('pgboss.')))
      ).toEqual([])
      expect(linesOf(place)).toContainEqual(
        expect.objectContaining({ user: owner.id, session: id, what: silenced ? 'recording' : 'session' })
      )
    }
    const silenced = sessions.filter(({ word }) => word.startsWith('silenced'))
    expect(
      await rowsOf(place, 'select count(*)::int as left from sessions where audio_deleted_at is not null')
    ).toEqual([{ left: silenced.length }])
  }
)

test(
  'a server that is killed again and again while it deletes a user deletes all they have in the end',
  SLOW,
  async () => {
    const { place, owner, server: first } = await newPlace()
    let server = first
    const other = await newOwner(place)
    const sessions = await importSessions(
      place,
      owner,
      Array.from({ length: 12 }, (_, n) => `word${n}quux`)
    )
    const [kept] = await importSessions(place, other, ['keptquux'])
    for (let turn = 0; turn < KILLS; turn++) {
      const asked = ask(server, `/users/${owner.id}`)
      server = await kill(server, place)
      await asked
    }
    expect([200, 404]).toContain(await ask(server, `/users/${owner.id}`))
    await until(
      'the user is gone',
      async () => (await rowsOf(place, 'select from users where user_id = $1', [owner.id])).length === 0,
      120_000
    )
    await until('the store has confirmed', async () => (await unfinished(place)).length === 0, 120_000)
    expect((await server.get(`/v1/sessions/${kept!.id}`, other.token)).status).toBe(200)
    server.kill('SIGTERM')
    await server.ended

    const database = await openPlace(place)
    expect((await tablesWith(database, owner.id)).filter(name => !name.startsWith('pgboss.'))).toEqual(['deletions'])
    for (const { word } of sessions)
      expect([await tablesWith(database, word), filesWith(place.dataDir, word)]).toEqual([[], []])
    expect(linesOf(place).filter(({ what }) => what === 'user')).toEqual([
      expect.objectContaining({ user: owner.id, session: '' })
    ])
  }
)
