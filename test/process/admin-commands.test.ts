// @module-tag postgres
import { describe, expect, test } from 'vitest'
import { command, commandJson } from '../support/command.ts'
import {
  afterFile,
  fileIn,
  migratedDatabase,
  newOwner,
  type Place,
  rowsOf,
  run,
  serve,
  temporaryFolder,
  until
} from '../support/process.ts'

const SLOW = { timeout: 300_000 }
const KEY = 'a-key-for-tests-and-for-nothing-else'

let served: ReturnType<typeof open> | undefined
const finally_ = afterFile()

async function open() {
  const place = await migratedDatabase(finally_)
  const withKey: Place = { ...place, environment: { ...place.environment, APP_API_KEY: KEY } }
  return { place: withKey, server: await serve(withKey, finally_) }
}

function sharedPlace() {
  served ??= open()
  return served
}

async function importedSession(place: Place, email: string, title = 'Talk') {
  const document = {
    title,
    speakers: [
      { label: 'A', person: 'Ada' },
      { label: 'B', person: 'Countess' }
    ],
    segments: [
      { speaker: 'A', text: 'Hello.' },
      { speaker: 'B', text: 'Hello there.' }
    ]
  }
  const file = fileIn(temporaryFolder(), 'talk.json', JSON.stringify(document))
  const [imported] = await commandJson(place, 'import', '--user', email, '--wait', file)
  return String(imported?.session_id)
}

describe('the admin API of a server', () => {
  test('is served on the admin port only, and needs its key', SLOW, async () => {
    const { server } = await sharedPlace()
    expect(await server.get('/app/v1/users', KEY)).toMatchObject({ status: 404 })
    const ask = async (key: string) =>
      (await fetch(`${server.adminUrl}/app/v1/users`, { headers: { authorization: `Bearer ${key}` } })).status
    expect([await ask(KEY), await ask('another')]).toEqual([200, 401])
    expect(server.output.stdout + server.output.stderr).not.toContain(KEY)
  })

  test('imports a session, which the server then completes', SLOW, async () => {
    const { place, server } = await sharedPlace()
    const owner = await newOwner(place)
    const reply = await fetch(`${server.adminUrl}/app/v1/users/${owner.id}/sessions/upload?file=talk.txt`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/octet-stream' },
      body: 'Ada: Hello.'
    })
    const { id } = (await reply.json()) as { id: string }
    for (let state = 'processing'; state !== 'completed'; ) {
      const asked = await fetch(`${server.adminUrl}/app/v1/users/${owner.id}/sessions/${id}`, {
        headers: { authorization: `Bearer ${KEY}` }
      })
      ;({ state } = (await asked.json()) as { state: string })
      expect(['processing', 'completed']).toContain(state)
    }
    expect(await server.get('/v1/sessions', owner.token)).toMatchObject({ body: { sessions: [{ id }] } })
  })

  test('refuses a short key', SLOW, async () => {
    const { code, stderr } = await run({ environment: { APP_API_KEY: 'short', DATA_DIR: temporaryFolder() } }, 'serve')
    expect([code, stderr]).toEqual([1, 'APP_API_KEY: set at least 32 characters\n'])
  })
})

describe('person', () => {
  test('list, create, rename and merge do as the admin API does', SLOW, async () => {
    const { place, server } = await sharedPlace()
    const owner = await newOwner(place)
    await importedSession(place, owner.email)
    const people = await commandJson(place, 'person', 'list', '--user', owner.email)
    const [ada, countess] = ['Ada', 'Countess'].map(name => String(people.find(person => person.name === name)?.id))
    const [renamed] = await commandJson(place, 'person', 'rename', '--user', owner.email, ada!, 'Ada Lovelace')
    expect(renamed).toMatchObject({ id: ada, name: 'Ada Lovelace', recording_count: 1 })
    for (let turn = 0; turn < 2; turn++) {
      const [merged] = await commandJson(place, 'person', 'merge', '--user', owner.email, countess!, '--into', ada!)
      expect(merged).toMatchObject({ id: ada, recording_count: 1 })
    }
    expect(await server.get(`/v1/people/${countess}/sessions`, owner.token)).toMatchObject({
      status: 404,
      body: { error: { merged_into: ada } }
    })
    const [made] = await commandJson(place, 'person', 'create', '--user', owner.email, '--me', 'Me Myself')
    expect(made).toMatchObject({ name: 'Me Myself', is_me: true })
    expect(
      await command(place, 'person', 'rename', '--user', owner.email, String(made?.id), 'ada lovelace')
    ).toMatchObject({
      code: 1,
      stderr: 'name: another person has this name; give a different one, or merge the two\n'
    })
    expect(await command(place, 'person', 'rename', '--user', owner.email, 'per_0', 'X')).toMatchObject({
      code: 1,
      stderr: 'The user has no person per_0; see: npm run -s parlance -- person list\n'
    })
    expect(await command(place, 'person', 'merge', '--user', owner.email, ada!, '--into', countess!)).toMatchObject({
      code: 1,
      stderr: `The user has no person ${countess}: it was merged into ${ada}\n`
    })
    expect((await command(place, 'person', 'create', '--user', owner.email, ' ')).code).toBe(2)
  })
})

describe('session', () => {
  test('update, delete, restore and retry do as the admin API does', SLOW, async () => {
    const { place, server } = await sharedPlace()
    const owner = await newOwner(place)
    const id = await importedSession(place, owner.email)
    const session = (what: string, ...words: string[]) =>
      commandJson(place, 'session', what, '--user', owner.email, id, ...words)
    const [updated] = await session(
      'update',
      '--title',
      'New',
      '--summary',
      '## New',
      '--tag',
      'a',
      '--tag',
      'b',
      '--favorite',
      'yes'
    )
    expect(updated).toMatchObject({ id, title: 'New', summary: '## New', tags: ['a', 'b'], favorite: true })
    const [again] = await session('update', '--no-tags', '--favorite', 'no', '--at', '2026-03-02T11:00:00+01:00')
    expect(again).toMatchObject({ title: 'New', tags: [], favorite: false, timestamp: '2026-03-02T10:00:00.000Z' })
    expect((await session('delete'))[0]).toMatchObject({ state: 'deleted' })
    expect(await server.get(`/v1/sessions/${id}`, owner.token)).toMatchObject({ status: 404 })
    expect((await session('restore'))[0]).toMatchObject({ state: 'completed' })
    expect(await command(place, 'session', 'retry', '--user', owner.email, id)).toMatchObject({
      code: 1,
      stderr: 'The session is already completed\n'
    })
    // Sessions of other tests may have failed before.
    expect(await commandJson(place, 'session', 'retry', '--failed', '--since', '2999-01-01')).toEqual([{ queued: 0 }])
    expect(await command(place, 'session', 'retry', '--failed', '--user', owner.email)).toMatchObject({ code: 2 })
    expect(await session('delete', '--permanently')).toEqual([{ id, deleted: true }])
    expect(await command(place, 'session', 'restore', '--user', owner.email, id)).toMatchObject({
      code: 1,
      stderr: `The user has no session ${id}\n`
    })
    const { body } = await server.get('/v1/events', owner.token)
    expect((body as { events: { event: string }[] }).events.map(({ event }) => event)).toEqual([
      'session.completed',
      'session.updated',
      'session.updated',
      'session.deleted',
      'session.updated',
      'session.deleted'
    ])
  })

  test('update with no change, or with too many, is wrong usage', SLOW, async () => {
    const { place } = await sharedPlace()
    const owner = await newOwner(place)
    const nothing = await command(place, 'session', 'update', '--user', owner.email, 'ses_0')
    expect(await command(place, 'session', 'update', '--user', owner.email, 'ses_x', '--at', 'soon')).toMatchObject({
      code: 2,
      stderr: 'timestamp: give an ISO 8601 date such as 2026-03-02T10:00:00Z\n'
    })
    expect([nothing.code, nothing.stderr]).toEqual([
      2,
      'Name something to change; see: npm run -s parlance -- session update --help\n'
    ])
    expect(
      await command(place, 'session', 'update', '--user', owner.email, 'ses_0', '--title', 'x'.repeat(501))
    ).toMatchObject({
      code: 2,
      stderr: 'title: give a text of at most 500 characters\n'
    })
  })
})

describe('session list', () => {
  test(
    'lists the sessions of the user in every state, newest first, or in one state, up to the limit',
    SLOW,
    async () => {
      const { place } = await sharedPlace()
      const [owner, stranger] = [await newOwner(place), await newOwner(place)]
      const first = await importedSession(place, owner.email)
      const second = await importedSession(place, owner.email, 'Tab\tand\nline')
      await commandJson(place, 'session', 'delete', '--user', owner.email, first)
      const list = async (...words: string[]) =>
        (await commandJson(place, 'session', 'list', '--user', owner.email, ...words)).map(({ id }) => id)
      expect(await list()).toEqual([second, first])
      expect(await list('--limit', '1')).toEqual([second])
      expect(await list('--status', 'deleted')).toEqual([first])
      expect(await list('--status', 'failed')).toEqual([])
      expect(await commandJson(place, 'session', 'list', '--user', stranger.email)).toEqual([])
      const { stdout } = await command(place, 'session', 'list', '--user', owner.email, '--status', 'completed')
      expect(stdout.split('\n')).toEqual([
        expect.stringMatching(/^id +state/),
        expect.stringContaining('Tab and line'),
        ''
      ])
    }
  )
})

describe('token create --expires-in', () => {
  test('sets the end of the token', SLOW, async () => {
    const { place } = await sharedPlace()
    const owner = await newOwner(place)
    const create = (time: string) => [
      'token',
      'create',
      '--user',
      owner.email,
      '--name',
      'n',
      '--scopes',
      'all',
      '--expires-in',
      time
    ]
    const before = Date.now()
    const [made] = await commandJson(place, ...create('30d'))
    const lifetime = Date.parse(String(made?.expires_at)) - 30 * 86_400_000
    expect(lifetime).toBeGreaterThanOrEqual(before)
    expect(lifetime).toBeLessThanOrEqual(Date.now())
  })
})

describe('user delete', () => {
  test('deletes permanently with --yes, and nothing without it and a terminal', SLOW, async () => {
    const { place, server } = await sharedPlace()
    const owner = await newOwner(place)
    await importedSession(place, owner.email)
    const refused = await command(place, 'user', 'delete', '--user', owner.email)
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/^Add --yes: /)])
    expect((await server.get('/v1/account', owner.token)).status).toBe(200)
    expect(await commandJson(place, 'user', 'delete', '--user', owner.email, '--yes')).toEqual([
      { id: owner.id, deleted: true }
    ])
    expect((await server.get('/v1/account', owner.token)).status).toBe(401)
    expect(await command(place, 'user', 'delete', '--user', owner.email, '--yes')).toMatchObject({
      code: 1,
      stderr: `There is no user ${owner.email}; see: npm run -s parlance -- user list\n`
    })
    await until(
      'all of it is gone',
      async () => (await rowsOf(place, 'select from users where user_id = $1', [owner.id])).length === 0
    )
  })
})

describe('share claim', () => {
  test('refuses text that is not a link', SLOW, async () => {
    const { place } = await sharedPlace()
    const owner = await newOwner(place)
    const outcome = await command(place, 'share', 'claim', '--user', owner.email, 'http://127.0.0.1:8080/join/nothing')
    expect(outcome).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('There is no such link') })
  })
})
