// @module-tag postgres

import { describe, expect, onTestFinished, test } from 'vitest'
import { ALL_SCOPES } from '../../src/contract/scopes.ts'
import { newId } from '../../src/platform/core/ids.ts'
import { startAiServer, status } from '../support/ai-server.ts'
import { command, commandJson } from '../support/command.ts'
import { startConnectProxy } from '../support/connect-proxy.ts'
import {
  afterFile,
  type Environment,
  fileIn,
  freePort,
  jsonLines,
  migratedDatabase,
  newOwner,
  onPostgres,
  type Place,
  rowsOf,
  run,
  runJson,
  serve,
  temporaryFolder
} from '../support/process.ts'

const STACK = /^ +at .*:\d+:\d+\)?$/m
const SLOW = { timeout: 300_000 }
/** For a test that proves nothing of the database. */
const ONCE = { ...SLOW, tags: ['postgres'] }
const INSTANT = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)

let served: Promise<Place> | undefined
const finally_ = afterFile()

/** The database most tests share, with a server on it. A test is alone in it because its users are new. */
function sharedPlace() {
  served ??= open()
  return served

  async function open() {
    const place = await migratedDatabase(finally_)
    await serve(place, finally_)
    return place
  }
}

/** A place for commands that never reach a database. */
function nowhere(): { environment: Environment } {
  return { environment: { DATA_DIR: temporaryFolder() } }
}

test('parlance prints its version', ONCE, async () => {
  expect(await run(nowhere(), '--version')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/)
  })
})

test('a command that is used wrongly says so in a sentence and ends with 2', ONCE, async () => {
  const outcome = await run(nowhere(), 'user', 'create', '--email', 'a@b.test', '--colour', 'red')
  expect(outcome).toEqual({ code: 2, signal: null, stdout: '', stderr: "error: unknown option '--colour'\n" })
})

test('a command that changes something names the database that has the change', SLOW, async () => {
  const { environment, dataDir, url } = await sharedPlace()
  const email = `${newId('usr')}@example.test`
  const { host, pathname } = new URL(url ?? 'postgres://none/none')
  const where =
    url === undefined ? `the embedded database in ${dataDir}` : `the database ${pathname.slice(1)} at ${host}`
  for (const words of [
    ['user', 'create', '--email', email],
    ['user', 'update', email, '--name', 'Ada'],
    ['token', 'create', '--user', email, '--name', 'n', '--scopes', 'all'],
    ['person', 'create', '--user', email, 'Ben'],
    ['import', '--user', email, fileIn(temporaryFolder(), 'talk.txt', 'Ada: Hello.')],
    ['migrate'],
    ['user', 'delete', '--user', email, '--yes']
  ])
    expect((await command({ environment }, ...words)).stdout.split('\n').slice(-2), words.join(' ')).toEqual([
      `In ${where}.`,
      ''
    ])
})

describe('a failing command says why in one sentence and ends with 1', () => {
  test.each([
    [
      ['token', 'create', '--user', 'nobody@example.test', '--name', 'n', '--scopes', 'all'],
      'There is no user nobody@example.test; see: npm run -s parlance -- user list'
    ],
    [['token', 'revoke', 'tok_unknown'], 'There is no token tok_unknown; see: npm run -s parlance -- token list'],
    [['import', '--user', 'nobody', 'x.vtt'], 'There is no user nobody; see: npm run -s parlance -- user list'],
    [
      ['session', 'show', '--user', 'nobody', 'ses_x'],
      'There is no user nobody; see: npm run -s parlance -- user list'
    ],
    [
      ['share', 'claim', '--user', 'ben@example.test', 'https://example.test/join/x'],
      'There is no user ben@example.test; see: npm run -s parlance -- user list, or add the recipient: npm run -s parlance -- user create --email ben@example.test'
    ]
  ])('for %j', ONCE, async (words, sentence) => {
    expect(await command(await sharedPlace(), ...words)).toEqual({ code: 1, stdout: '', stderr: `${sentence}\n` })
  })

  test('for a missing database, without its password', ONCE, async () => {
    const port = await freePort()
    const environment = {
      DATABASE_URL: `postgres://parlance:hushhush@127.0.0.1:${port}/none`,
      SECRET_KEY: 'x'.repeat(40)
    }
    const outcome = await run({ environment }, 'user', 'list')
    expect(outcome).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: expect.stringMatching(/^The database server at 127[^\n]* ECONNREFUSED [^\n]*\n$/)
    })
  })

  test('for a session of another user', ONCE, async () => {
    const place = await sharedPlace()
    const [owner, stranger] = [await newOwner(place), await newOwner(place)]
    const file = fileIn(temporaryFolder(), 'talk.txt', 'Ada: Hello.')
    const [imported] = await commandJson(place, 'import', '--user', owner.email, file)
    const outcome = await command(place, 'session', 'show', '--user', stranger.email, String(imported?.session_id))
    expect(outcome).toEqual({ code: 1, stdout: '', stderr: `The user has no session ${imported?.session_id}\n` })
  })
})

describe('user', () => {
  test('create prints the user, whom list then shows', ONCE, async () => {
    const place = await sharedPlace()
    const [made] = await runJson(
      place,
      'user',
      'create',
      '--email',
      ' Ada@Example.TEST ',
      '--name',
      'Ada',
      '--time-zone',
      'Europe/Berlin'
    )
    expect(made).toEqual({
      id: expect.stringMatching(/^usr_[0-9a-z]{26}$/),
      email: 'ada@example.test',
      name: 'Ada',
      time_zone: 'Europe/Berlin',
      email_verified: false,
      guest: false,
      operator: false,
      subscription_active: true,
      verified_caller_id: null,
      quotas: expect.anything(),
      retention: { audio_days: null, session_days: null },
      created_at: INSTANT
    })
    expect(await commandJson(place, 'user', 'list')).toContainEqual(made)
    expect((await command(place, 'user', 'list')).stdout).toContain('ada@example.test')
  })

  test('list shows users in the order in which they were added', ONCE, async () => {
    const place = await sharedPlace()
    const added: string[] = [await newOwner(place), await newOwner(place)].map(({ id }) => id)
    await commandJson(place, 'user', 'update', added[0]!, '--name', 'Changed later')
    const listed = (await commandJson(place, 'user', 'list')).map(({ id }) => String(id))
    expect(listed.filter(id => added.includes(id))).toEqual(added)
  })

  test('create refuses an address that another user has, in any case', ONCE, async () => {
    const place = await sharedPlace()
    await commandJson(place, 'user', 'create', '--email', 'twice@example.test')
    expect(await command(place, 'user', 'create', '--email', 'TWICE@example.test')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'email: another user has this address; give one of their own\n'
    })
  })

  test('create succeeds once for several commands at once with one address', ONCE, async () => {
    const place = await sharedPlace()
    const outcomes = await Promise.all(
      Array.from({ length: 4 }, () => run(place, 'user', 'create', '--email', 'race@example.test'))
    )
    expect(outcomes.map(({ code }) => code).sort()).toEqual([0, 1, 1, 1])
  })

  test('update changes the given fields, by id or by address', ONCE, async () => {
    const place = await sharedPlace()
    const owner = await newOwner(place)
    const [byAddress] = await commandJson(place, 'user', 'update', owner.email, '--name', 'New', '--verified')
    expect(byAddress).toMatchObject({ id: owner.id, email: owner.email, name: 'New', email_verified: true })
    const [byId] = await commandJson(
      place,
      'user',
      'update',
      owner.id,
      '--email',
      `new-${owner.email}`,
      '--subscription',
      'inactive',
      '--caller-id',
      '+12025550123',
      '--operator',
      'yes'
    )
    expect(byId).toMatchObject({
      email: `new-${owner.email}`,
      name: 'New',
      email_verified: false,
      guest: false,
      operator: true,
      subscription_active: false,
      verified_caller_id: '+12025550123'
    })
    expect((await commandJson(place, 'user', 'update', owner.id, '--caller-id', 'none'))[0]).toMatchObject({
      verified_caller_id: null
    })
    expect((await command(place, 'user', 'update', owner.email, '--name', 'X')).code).toBe(1)
    const quotas = ['--quota', 'folders=200', '--quota', 'bytes_stored=none']
    const [limited] = await commandJson(place, 'user', 'update', owner.id, ...quotas)
    const { folders, bytes_stored } = limited!.quotas as Record<string, object>
    expect([folders, bytes_stored]).toEqual([
      { used: 0, limit: 200, is_default: false },
      { used: 0, limit: null, is_default: false }
    ])
    expect(await commandJson(place, 'user', 'update', owner.id, '--quota', 'folders=default')).toMatchObject([
      { quotas: { folders: { limit: 10_000, is_default: true }, bytes_stored: { limit: null } } }
    ])
    for (const wrong of ['folders', 'folders=', 'folders=-1', 'webhooks=3', 'folders=1e3'])
      expect(await command(place, 'user', 'update', owner.id, '--quota', wrong)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('such as folders=200')
      })
    const [reused] = await commandJson(place, 'user', 'create', '--email', owner.email)
    expect(reused).toMatchObject({ email: owner.email })
  })
})

describe('token', () => {
  test('create prints id, token and expiry, and nothing shows the token again', ONCE, async () => {
    const place = await sharedPlace()
    const { email } = await newOwner(place)
    const [made] = await commandJson(
      place,
      'token',
      'create',
      '--user',
      email,
      '--name',
      'robot',
      '--scopes',
      'sessions:read,account:read'
    )
    expect(made).toEqual({
      id: expect.stringMatching(/^tok_[0-9a-z]{26}$/),
      token: expect.stringMatching(/^prl_[0-9A-Za-z]{36}$/),
      expires_at: INSTANT
    })
    const [lines, words] = [
      await command(place, 'token', 'list', '--user', email, '--json'),
      await command(place, 'token', 'list')
    ]
    expect(jsonLines(lines.stdout).find(({ id }) => id === made?.id)).toMatchObject({
      name: 'robot',
      scopes: 'sessions:read,account:read',
      expires_at: made?.expires_at,
      revoked_at: null
    })
    expect(words.stdout).toContain(String(made?.id))
    expect(lines.stdout + words.stdout).not.toContain(String(made?.token).slice(8))
  })

  test('list names all scopes by one word in the table, and each of them as JSON', ONCE, async () => {
    const place = await sharedPlace()
    const { email, tokenId } = await newOwner(place)
    const table = await command(place, 'token', 'list', '--user', email)
    expect(table.stdout.split('\n').map(line => line.split(/ {2,}/)[4])).toEqual(['scopes', 'all', undefined])
    expect(await commandJson(place, 'token', 'list', '--user', email)).toMatchObject([
      { id: tokenId, scopes: ALL_SCOPES.join(',') }
    ])
  })

  test('revoke ends the token, and says so a second time', ONCE, async () => {
    const place = await sharedPlace()
    const { tokenId, email } = await newOwner(place)
    expect(await commandJson(place, 'token', 'revoke', tokenId)).toEqual([{ id: tokenId, revoked: true }])
    expect(await command(place, 'token', 'revoke', tokenId)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(new RegExp(`^${tokenId} was revoked before.\\nIn .+\\.\\n$`))
    })
    expect(await commandJson(place, 'token', 'list', '--user', email)).toMatchObject([
      { id: tokenId, revoked_at: INSTANT }
    ])
  })
})

describe('the configuration', () => {
  test('is refused with a line for each error, which names the variable', ONCE, async () => {
    const environment = {
      PORT: '99999',
      ADMIN_PORT: 'http',
      LOG_LEVEL: 'loud',
      SECRET_KEY: 'short',
      DATABASE_URL: 'mysql://x'
    }
    const { code, stdout, stderr } = await run({ environment }, 'serve')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    const names = stderr
      .trim()
      .split('\n')
      .map(line => line.slice(0, line.indexOf(':')))
    expect(names.sort()).toEqual(['ADMIN_PORT', 'DATABASE_URL', 'LOG_LEVEL', 'PORT', 'SECRET_KEY'])
    expect(stderr).not.toMatch(STACK)
  })

  test('must name the secret of a database server', ONCE, async () => {
    const outcome = await command({ environment: { DATABASE_URL: 'postgres://127.0.0.1/x' } }, 'migrate')
    expect(outcome).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^SECRET_KEY: required with DATABASE_URL[^\n]*\n$/)
    })
  })
})

test(
  'webhooks over http are refused in production, unless the networks that they may reach are named',
  ONCE,
  async () => {
    const environment = {
      DATABASE_URL: 'postgres://127.0.0.1:1/x',
      SECRET_KEY: 'x'.repeat(40),
      NODE_ENV: 'production',
      WEBHOOK_ALLOW_HTTP: 'true'
    }
    const refused = await command({ environment }, 'migrate')
    expect(refused).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^WEBHOOK_ALLOW_HTTP: [^\n]*WEBHOOK_ALLOWED_CIDRS[^\n]*\n$/)
    })
    const named = await command({ environment: { ...environment, WEBHOOK_ALLOWED_CIDRS: '10.0.0.0/8' } }, 'migrate')
    expect(named.stderr).not.toMatch(/WEBHOOK/)
  }
)

describe('doctor', () => {
  test('shows the settings and the checks, and ends with 0', SLOW, async () => {
    const place = await sharedPlace()
    const values = await runJson(place, 'doctor')
    expect(values).toContainEqual({ setting: 'RATE_LIMIT_PER_MINUTE', value: '60' })
    expect(values.filter(({ value }) => value === 'undefined')).toEqual([])
    const unused = [
      'OPENAI_BASE_URL',
      'SUMMARY_MODEL',
      'TRANSCRIPTION_MAX_BYTES',
      'OTEL_TRACES_SAMPLER_ARG',
      'transcripts'
    ]
    expect(values.filter(({ setting, check }) => unused.includes(String(setting ?? check)))).toEqual([])
    const database = onPostgres
      ? /^PostgreSQL \S+ .*\(server\), pgvector \S+, up to date$/
      : /^PostgreSQL \S+ \(embedded\), pgvector \S+, up to date$/
    expect(values).toContainEqual({ check: 'database', ok: true, detail: expect.stringMatching(database) })
    expect(values).toContainEqual({ check: 'summaries', ok: true, detail: 'offline' })
    expect(values).toContainEqual({ check: 'clock', ok: true, detail: "the database's clock is this machine's" })
    expect(values).toContainEqual({ check: 'webhooks', ok: true, detail: 'https to public addresses' })
    expect(values).toContainEqual({
      check: 'disk',
      ok: true,
      detail: expect.stringMatching(/^[\d.]+ of [\d.]+ GiB free at \//)
    })
  })

  test('names a wrong count of a quota, which user recount corrects', ONCE, async () => {
    const place = await migratedDatabase()
    const [ada, ben] = [await newOwner(place), await newOwner(place)]
    await commandJson(place, 'person', 'create', '--user', ada.email, 'Countess')
    await rowsOf(place, 'update user_counters set folder_count = 3, person_count = 0 where user_id = $1', [ada.id])
    const { code, stderr } = await command(place, 'doctor')
    expect([code, stderr]).toEqual([1, 'Not working: quotas\n'])
    expect(await commandJson(place, 'user', 'recount')).toEqual([{ recounted: 1 }])
    const users = await commandJson(place, 'user', 'list')
    expect(users).toMatchObject([
      { id: ada.id, quotas: { folders: { used: 0 }, people: { used: 1 } } },
      { id: ben.id, quotas: { folders: { used: 0 }, people: { used: 0 } } }
    ])
    expect((await commandJson(place, 'doctor')).find(({ check }) => check === 'quotas')).toMatchObject({ ok: true })
  })

  test.runIf(onPostgres)('shows the difference between the clocks of database and server', ONCE, async () => {
    const place = await migratedDatabase()
    const name = new URL(place.url!).pathname.slice(1)
    await rowsOf(
      place,
      `create function public.clock_timestamp() returns timestamptz language sql as $$ select pg_catalog.clock_timestamp() - interval '1 minute' $$`
    )
    await rowsOf(place, `alter database ${name} set search_path = public, pg_catalog`)
    const { code, stdout, stderr } = await command(place, 'doctor', '--json')
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'Not working: clock\n' })
    const clock = jsonLines(stdout).find(({ check }) => check === 'clock')
    expect(clock).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/^The database's clock is (59|60)\.\d s behind this machine's; /)
    })
  })

  test.runIf(onPostgres)('names folders with too little space, or with unknown space', ONCE, async () => {
    const place = await migratedDatabase()
    const { stderr } = await command(
      { environment: { ...place.environment, DATA_DIR: '/proc/self/parlance' } },
      'doctor'
    )
    expect(stderr).toBe('Not working: embeddings, media, disk\n')
  })

  test('names failed checks and ends with 1', ONCE, async () => {
    const port = await freePort()
    const environment = {
      DATABASE_URL: `postgres://parlance:hushhush@localhost:${port}/none`,
      SECRET_KEY: 'x'.repeat(40)
    }
    const { code, stdout, stderr } = await command({ environment }, 'doctor', '--json')
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'Not working: database\n' })
    expect(jsonLines(stdout)).toContainEqual({
      check: 'database',
      ok: false,
      detail: expect.stringContaining('ECONNREFUSED')
    })
  })

  test.each([
    ['a password', 'postgres://parlance:HUSH-HUSH@127.0.0.1:1/none'],
    ['a password with an @', 'postgres://parlance:pass@HUSH-HUSH@127.0.0.1:1/none'],
    ['a password in the query', 'postgres://127.0.0.1:1/none?user=parlance&password=HUSH-HUSH'],
    ['a password without a name', 'postgres://:HUSH-HUSH@127.0.0.1:1/none']
  ])('never prints %s of the database', ONCE, async (_, url) => {
    const outcome = await command({ environment: { DATABASE_URL: url, SECRET_KEY: 'HUSH-HUSH'.repeat(5) } }, 'doctor')
    expect(outcome.code).toBe(1)
    expect(outcome.stdout).toContain('DATABASE_URL')
    expect(outcome.stdout + outcome.stderr).not.toContain('HUSH')
  })

  test('never prints a secret, not even one that the provider repeats', ONCE, async () => {
    const provider = await startAiServer()
    onTestFinished(() => provider.close())
    const key = 'sk-HUSH-HUSH-HUSH'
    for (const endpoint of ['models', 'chat', 'embeddings'] as const)
      provider.answer(endpoint, status(401, `Incorrect API key provided: ${key}`))
    const { environment } = await sharedPlace()
    const secrets = { OPENAI_API_KEY: key, OPENAI_BASE_URL: provider.url, SECRET_KEY: 'HUSH-HUSH'.repeat(5) }
    const outcome = await command({ environment: { ...environment, ...secrets } }, 'doctor')
    expect(outcome).toMatchObject({ code: 1, stderr: 'Not working: secret_key, summaries, embeddings\n' })
    expect(outcome.stdout).toMatch(/OPENAI_API_KEY +set/)
    expect(outcome.stdout + outcome.stderr).not.toContain('HUSH')
  })
})

describe('doctor with a proxy', () => {
  const proxyCheck = async (HTTPS_PROXY: string) => {
    const { environment } = await sharedPlace()
    const { stdout } = await command({ environment: { ...environment, HTTPS_PROXY } }, 'doctor', '--json')
    expect(stdout).not.toContain('hush')
    return jsonLines(stdout).find(({ check }) => check === 'proxy')
  }

  test('says whether it answers, and takes its credentials', ONCE, async () => {
    const [proxy, strict] = [await startConnectProxy(() => 502), await startConnectProxy(() => 407)]
    const [host, strictHost] = [new URL(proxy.url).host, new URL(strict.url).host]
    expect(await proxyCheck(proxy.url)).toEqual({ check: 'proxy', ok: true, detail: `${host} answers` })
    expect(await proxyCheck(strict.url.replace('//', '//ada:hush@'))).toEqual({
      check: 'proxy',
      ok: false,
      detail: `The proxy ${strictHost} wants other credentials; set its user and password in its URL.`
    })
    await proxy.stop()
    expect(await proxyCheck(proxy.url)).toEqual({
      check: 'proxy',
      ok: false,
      detail: `The proxy ${host} does not answer; start it, or correct HTTPS_PROXY or HTTP_PROXY.`
    })
  })
})

test('openapi prints the OpenAPI document', ONCE, async () => {
  const { code, stdout, stderr } = await run(nowhere(), 'openapi')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(JSON.parse(stdout)).toMatchObject({
    openapi: '3.1.0',
    info: { version: '1.0.0' },
    paths: { '/v1/sessions': {} }
  })
})
