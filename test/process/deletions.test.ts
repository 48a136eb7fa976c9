// @module-tag both

import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { backUp, restore } from '../support/backup.ts'
import { command, commandJson } from '../support/command.ts'
import {
  deleteSession,
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
import { tablesWith } from '../support/remains.ts'
import { sound } from '../support/sound.ts'

const SLOW = { timeout: 600_000 }
/** For a test that proves nothing of the database. */
const ONCE = { ...SLOW, tags: ['postgres'] }
const VTT = 'WEBVTT\n\n00:00.000 --> 00:02.000\n<v Ada>Hello.\n'

/** One session for each name, with a recording. */
async function importSessions(place: Place, user: string, ...names: string[]) {
  const folder = temporaryFolder()
  fileIn(folder, 'sound.mp3', sound('a sound'))
  const files = names.map(name => {
    const segments = [{ speaker: 'Ada', start: 0, end: 2, text: `Said in ${name}.` }]
    return fileIn(folder, `${name}.json`, JSON.stringify({ title: name, segments, media: { audio: 'sound.mp3' } }))
  })
  const taken = await commandJson(place, 'import', '--user', user, '--wait', ...files)
  return names.map(name => String(taken.find(({ file }) => String(file).endsWith(`${name}.json`))?.session_id))
}

async function stop(server: Serving) {
  server.kill('SIGTERM')
  expect(await server.ended).toMatchObject({ code: 0, stderr: '' })
}

const ledgerOf = ({ dataDir }: Place) => join(dataDir, 'deletions.jsonl')
const linesOf = (place: Place) => (existsSync(ledgerOf(place)) ? jsonLines(readFileSync(ledgerOf(place), 'utf8')) : [])

test(
  'a deletion after the backup is repeated when the backup is restored, before the server answers',
  SLOW,
  async () => {
    const place = await migratedDatabase()
    let server = await serve(place)
    const owner = await newOwner(place)
    const [kept = '', deleted = '', silenced = ''] = await importSessions(
      place,
      owner.id,
      'kept',
      'deleted',
      'silenced'
    )
    if (!onPostgres) await stop(server)
    const backup = await backUp(place)
    if (!onPostgres) server = await serve(place)
    expect(await deleteSession(server, owner.token, deleted)).toBe(200)
    await commandJson(place, 'session', 'delete-audio', '--user', owner.id, silenced)
    await stop(server)
    expect(linesOf(place).map(({ user, session, what, by }) => ({ user, session, what, by }))).toEqual([
      { user: owner.id, session: deleted, what: 'session', by: 'user' },
      { user: owner.id, session: silenced, what: 'recording', by: 'operator' }
    ])

    const restored = await restore(backup)
    copyFileSync(ledgerOf(place), ledgerOf(restored))
    const again = await serve(restored)
    const status = async (path: string) => (await again.get(path, owner.token)).status
    expect([await status(`/v1/sessions/${kept}`), await status(`/v1/sessions/${deleted}`)]).toEqual([200, 404])
    expect((await again.get(`/v1/sessions/${silenced}/media`, owner.token)).body).toMatchObject({ audio_url: null })
    expect((await again.get(`/v1/sessions/${kept}/media`, owner.token)).body).toMatchObject({
      audio_url: expect.any(String)
    })
    expect(jsonLines(again.output.stdout)).toContainEqual(
      expect.objectContaining({
        msg: 'deletions made after this backup are made again',
        missed: 2,
        sessions: 1,
        recordings: 1
      })
    )
    const left = await rowsOf(restored, 'select session_id from media')
    expect(left).toEqual([{ session_id: kept }])
    await until('the store has neither', () => !existsSync(join(restored.dataDir, 'media', owner.id, deleted)))
    await stop(again)
    const third = await serve(restored)
    expect(jsonLines(third.output.stdout).filter(({ missed }) => missed !== undefined)).toEqual([])
  }
)

test(
  'a user deleted after the backup is deleted again when it is restored, with everything they have',
  ONCE,
  async () => {
    const place = await migratedDatabase()
    const [kept, deleted] = [await newOwner(place), await newOwner(place)]
    await serve(place).then(async server => {
      await importSessions(place, deleted.id, 'one', 'two')
      await stop(server)
    })
    const backup = await backUp(place)
    const server = await serve(place)
    expect(await commandJson(place, 'user', 'delete', '--user', deleted.email, '--yes')).toEqual([
      { id: deleted.id, deleted: true }
    ])
    expect((await server.get('/v1/account', deleted.token)).status).toBe(401)
    await until(
      'nothing is left',
      async () => (await rowsOf(place, 'select from users where user_id = $1', [deleted.id])).length === 0
    )
    await until(
      'the store has nothing',
      () =>
        !existsSync(join(place.dataDir, 'media', deleted.id)) ||
        readdirSync(join(place.dataDir, 'media', deleted.id)).length === 0
    )
    await stop(server)
    expect(linesOf(place).map(({ user, session, what }) => ({ user, session, what }))).toEqual([
      { user: deleted.id, session: '', what: 'user' }
    ])

    const restored = await restore(backup)
    copyFileSync(ledgerOf(place), ledgerOf(restored))
    const again = await serve(restored)
    const status = async (token: string) => (await again.get('/v1/account', token)).status
    expect([await status(kept.token), await status(deleted.token)]).toEqual([200, 401])
    await until(
      'nothing is left',
      async () => (await rowsOf(restored, 'select from users where user_id = $1', [deleted.id])).length === 0
    )
    const database = await openPlace(restored)
    expect((await tablesWith(database, deleted.id)).filter(name => !name.startsWith('pgboss.'))).toEqual(['deletions'])
  }
)

test('what retention deleted after the backup is deleted again when the backup is restored', SLOW, async () => {
  const place = await migratedDatabase()
  const keeping = { environment: { ...place.environment, RETENTION_AUDIO_DAYS: '30', RETENTION_SESSION_DAYS: '365' } }
  let server = await serve(place)
  const owner = await newOwner(place)
  const [young = '', month = '', year = ''] = await importSessions(place, owner.id, 'young', 'month', 'year')
  for (const [id, days] of [
    [month, 31],
    [year, 366]
  ]) {
    const aged = `created_at = created_at - $2 * interval '1 day' where session_id = $1`
    for (const table of ['sessions', 'media']) await rowsOf(place, `update ${table} set ${aged}`, [id, days])
  }
  if (!onPostgres) await stop(server)
  const backup = await backUp(place)
  if (!onPostgres) server = await serve(place)

  const ofSession = (what: string, session: string) => ({ what, user: owner.id, session, since: expect.any(String) })
  const expired = [ofSession('session', year), ofSession('recording', month)]
  expect(await commandJson(keeping, 'retention', '--dry-run')).toEqual(expired)
  expect(await commandJson(place, 'retention')).toEqual([])
  const filesOf = (id: string) => existsSync(join(place.dataDir, 'media', owner.id, id))
  expect([filesOf(young), filesOf(month), filesOf(year)]).toEqual([true, true, true])
  const { stdout } = await command(keeping, 'retention', '--dry-run')
  expect(stdout).toMatch(new RegExp(`^what +user +session +since\nsession +${owner.id} +${year} `))
  expect(stdout).toContain('\nRETENTION_AUDIO_DAYS is 30, RETENTION_SESSION_DAYS is 365. In ')
  expect(await commandJson(keeping, 'retention')).toEqual(expired)
  await until('the store has neither', () => !filesOf(month) && !filesOf(year))
  expect(filesOf(young)).toBe(true)
  expect(await commandJson(keeping, 'retention')).toEqual([])
  await stop(server)
  expect(linesOf(place).map(({ session, what, by }) => ({ session, what, by }))).toEqual([
    { session: year, what: 'session', by: 'retention' },
    { session: month, what: 'recording', by: 'retention' }
  ])

  const restored = await restore(backup)
  copyFileSync(ledgerOf(place), ledgerOf(restored))
  const again = await serve(restored)
  const answer = async (path: string) => await again.get(path, owner.token)
  expect((await answer(`/v1/sessions/${year}`)).status).toBe(404)
  expect((await answer(`/v1/sessions/${month}/media`)).body).toMatchObject({ audio_url: null })
  expect((await answer(`/v1/sessions/${month}/transcript`)).status).toBe(200)
  expect((await answer(`/v1/sessions/${young}/media`)).body).toMatchObject({ audio_url: expect.any(String) })
  const by = 'select session_id, by from deletions order by what'
  expect(await rowsOf(restored, by)).toEqual([
    { session_id: month, by: 'retention' },
    { session_id: year, by: 'retention' }
  ])
})

test('restore-deletions reads ledgers of other folders, and finds nothing the second time', ONCE, async () => {
  const place = await migratedDatabase()
  const server = await serve(place)
  const owner = await newOwner(place)
  const file = fileIn(temporaryFolder(), 'a.vtt', VTT)
  const [taken] = await commandJson(place, 'import', '--user', owner.id, '--wait', file)
  const line = (session: unknown) =>
    JSON.stringify({ user: owner.id, session, what: 'session', at: '2026-01-01T00:00:00.000Z' })
  const one = fileIn(temporaryFolder(), 'one.jsonl', `${line(taken?.session_id)}\n`)
  const other = fileIn(temporaryFolder(), 'other.jsonl', `${line('ses_never')}\n${line(taken?.session_id)}\n{"cut off`)
  expect(await commandJson(place, 'restore-deletions', one, other)).toEqual([
    { missed: 2, sessions: 1, recordings: 0, users: 0 }
  ])
  expect((await server.get(`/v1/sessions/${taken?.session_id}`, owner.token)).status).toBe(404)
  expect(await commandJson(place, 'restore-deletions', one, other)).toEqual([
    { missed: 0, sessions: 0, recordings: 0, users: 0 }
  ])
  await stop(server)
  expect(
    linesOf(place)
      .map(({ session }) => session)
      .sort()
  ).toEqual([taken?.session_id, 'ses_never'].sort())
  const { code, stderr } = await command(place, 'restore-deletions', '/nowhere/deletions.jsonl')
  expect({ code, stderr }).toEqual({ code: 1, stderr: 'There is no ledger /nowhere/deletions.jsonl\n' })
  expect(await command(place, 'restore-deletions', one, file)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: `${file} has no deletions; name the deletions.jsonl of a server\n`
  })
})

test.runIf(onPostgres)('each server has the deletions of all servers in its own ledger', SLOW, async () => {
  const place = await migratedDatabase()
  const second = { ...place, dataDir: temporaryFolder() }
  const servers = [await serve(place), await serve({ environment: { ...place.environment, DATA_DIR: second.dataDir } })]
  const owner = await newOwner(place)
  const [id = ''] = await importSessions(place, owner.id, 'one')
  expect(await deleteSession(servers[0]!, owner.token, id)).toBe(200)
  await until('the first has it', () => linesOf(place).length === 1)
  for (const server of servers) await stop(server)
  expect(linesOf(second)).toEqual(linesOf(place))
})
