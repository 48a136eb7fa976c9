// @module-tag postgres
import { execFile, spawn, spawnSync } from 'node:child_process'
import { once as nextEvent } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createClient, ParlanceError, type Schemas, sessionsOf, takeEvents } from '../../client/client.ts'
import { removeOldTombstones } from '../../src/features/events/remove-old.ts'
import { commandJson } from '../support/command.ts'
import {
  afterFile,
  fileIn,
  freePort,
  migratedDatabase,
  newOwner,
  openPlace,
  type Place,
  type Serving,
  serve,
  until
} from '../support/process.ts'

const finally_ = afterFile()
let place: Place
let server: Serving

beforeAll(async () => {
  const made = await migratedDatabase(finally_)
  const settings = { WEBHOOK_ALLOW_HTTP: 'true', WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8', RATE_LIMIT_PER_MINUTE: '10000' }
  place = { ...made, environment: { ...made.environment, ...settings } }
  server = await serve(place, finally_)
})

const TITLES = ['Weekly review', 'Call with the supplier']

/** What a shell may read as escapes, or take for the end of a page. */
const NOTES = 'C:\\new\\cold and "next_cursor":99,"has_more"'

/** An owner of two sessions with two open items each, and what a program is told of the server. */
async function newcomer() {
  const owner = await newOwner(place)
  const sessions = TITLES.map((title, n) => ({
    title,
    timestamp: new Date(Date.now() - (n + 1) * 3_600_000).toISOString(),
    segments: [
      { speaker: 'Ada', start: 4, end: 9, text: 'The launch slipped since the translation of the manual came late.' }
    ],
    summary: 'Given.',
    notes: NOTES,
    action_items: [{ text: 'Send the offer' }, { text: 'Call the printer' }]
  }))
  const files = sessions.map((document, n) => fileIn(place.dataDir, `${owner.id}-${n}.json`, JSON.stringify(document)))
  const imported = await commandJson(place, 'import', '--user', owner.id, '--wait', ...files)
  expect(imported).toMatchObject(TITLES.map(() => ({ status: 'completed' })))
  const ids = imported.map(({ session_id }) => String(session_id))
  return { ...owner, sessions: ids, environment: { PARLANCE_URL: server.url, PARLANCE_TOKEN: owner.token } }
}
type Newcomer = Awaited<ReturnType<typeof newcomer>>

/** Made by the first test that asks, for all of its group. */
function once<T>(make: () => Promise<T>) {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** How a program of the examples is run, and what its file is called. */
const LANGUAGES = {
  curl: {
    command: existsSync('/bin/dash') ? '/bin/dash' : 'sh',
    needs: 'curl',
    file: (name: string) => `examples/curl/${name}.sh`
  },
  python: {
    command: 'python3',
    needs: 'python3',
    file: (name: string) => `examples/python/${name.replaceAll('-', '_')}.py`
  },
  typescript: { command: process.execPath, needs: 'node', file: (name: string) => `examples/typescript/${name}.ts` }
}

describe.each(Object.keys(LANGUAGES) as (keyof typeof LANGUAGES)[])('the examples in %s', language => {
  const { command, needs, file } = LANGUAGES[language]
  const isInstalled = spawnSync(needs, ['--version']).status === 0
  const isShell = language === 'curl'
  const userOf = once(newcomer)

  async function run(name: string, ...words: string[]) {
    const user = await userOf()
    return (await runWith(user.environment, name, ...words)).stdout
  }

  async function runWith(environment: NodeJS.ProcessEnv, name: string, ...words: string[]) {
    const env = { ...environment, PATH: process.env.PATH, NODE_NO_WARNINGS: '1' }
    return await promisify(execFile)(command, [resolve(file(name)), ...words], {
      env,
      timeout: 120_000,
      cwd: environment.PWD
    })
  }

  test.runIf(isInstalled)('read sessions with their action items', { timeout: 300_000 }, async () => {
    const printed = await run('read-sessions')
    for (const part of [...TITLES, 'Send the offer', 'Call the printer']) expect(printed).toContain(part)
  })

  test.runIf(isInstalled)('complete an action item', { timeout: 300_000 }, async () => {
    const user = await userOf()
    const before = (await itemsOf(user)).map(({ id, text }) => ({ id, text }))
    expect(await run('complete-action-item', user.sessions[0]!)).toMatch(/Send the offer|"action_items"/)
    const after = await itemsOf(user)
    expect(after).toMatchObject(before)
    expect(after[0]).toMatchObject({ text: 'Send the offer', completed: true })
  })

  test.runIf(isInstalled)('complete an action item of a long list', { timeout: 300_000 }, async () => {
    const user = await newOwner(place)
    const client = createClient({ url: server.url, token: user.token })
    const action_items = Array.from({ length: 200 }, (_, n) => ({ text: `${n} `.padEnd(2_000, 'x') }))
    const { data } = await client.POST('/v1/sessions', {
      body: { segments: [{ text: 'Hello, all of you.' }], action_items }
    })
    await runWith({ PARLANCE_URL: server.url, PARLANCE_TOKEN: user.token }, 'complete-action-item', data!.id)
    const { data: after } = await client.GET('/v1/sessions/{id}/action-items', { params: { path: { id: data!.id } } })
    expect(after!.action_items[0]).toMatchObject({ ...action_items[0], completed: true })
  })

  test.runIf(isInstalled)('search for a passage and its time', { timeout: 300_000 }, async () => {
    const printed = await run('search', 'why the launch slipped')
    expect(printed).toContain('translation of the manual')
    expect(printed).toContain('Weekly review')
  })

  test.runIf(isInstalled && !isShell)(
    'keep a copy that equals the server, run after run',
    { timeout: 300_000 },
    async () => {
      const user = await newcomer()
      const client = createClient({ url: server.url, token: user.token })
      const path = fileIn(place.dataDir, `${user.id}-${language}.json`, '{"cursor":null,"sessions":{}}')
      const sync = async () => {
        const { stdout } = await runWith(user.environment, 'sync', path)
        const { sessions } = JSON.parse(readFileSync(path, 'utf8'))
        const rows: Schemas['SessionListItem'][] = []
        for await (const row of sessionsOf(client)) rows.push(row)
        expect(Object.keys(sessions).sort()).toEqual(rows.map(({ id }) => id).sort())
        for (const row of rows) expect(sessions[row.id]).toMatchObject(row)
        return stdout.trim()
      }
      expect(await sync()).toBe('2 sessions')
      const [first, second] = user.sessions
      await client.PATCH('/v1/sessions/{id}', { params: { path: { id: first! } }, body: { title: 'Changed' } })
      await client.DELETE('/v1/sessions/{id}', { params: { path: { id: second! } } })
      expect(await sync()).toBe('1 sessions')
      expect(await sync()).toBe('1 sessions')

      // The deletion happens after the last run, and is forgotten before the next one.
      await client.DELETE('/v1/sessions/{id}', { params: { path: { id: first! } } })
      const { db, close } = await openPlace(place)
      await removeOldTombstones(db, new Date(Date.now() + 31 * 86_400_000), new AbortController().signal).finally(close)
      expect(await sync()).toBe('0 sessions')
      expect(await sync()).toBe('0 sessions')
    }
  )

  test.runIf(isInstalled && isShell)('print what has changed since the last run', { timeout: 300_000 }, async () => {
    const user = await newcomer()
    const client = createClient({ url: server.url, token: user.token })
    const path = fileIn(place.dataDir, `${user.id}.cursor`, '')
    const sync = async (): Promise<string[]> =>
      JSON.parse((await runWith(user.environment, 'sync', path)).stdout).sessions.map(({ id }: { id: string }) => id)
    expect((await sync()).sort()).toEqual(user.sessions.toSorted())
    await client.DELETE('/v1/sessions/{id}', { params: { path: { id: user.sessions[1]! } } })
    expect(await sync()).toEqual([user.sessions[1]])
    expect(await sync()).toEqual([])
  })

  test.runIf(isInstalled)(
    'import a folder once in several runs, and say why a file fails',
    { timeout: 300_000 },
    async () => {
      const user = await newcomer()
      const client = createClient({ url: server.url, token: user.token })
      const folder = join(place.dataDir, `${language} ${user.id}`)
      mkdirSync(folder)
      fileIn(folder, 'weekly & more.txt', 'Ada: We send the offer today.\n')
      fileIn(folder, 'call.vtt', 'WEBVTT\n\n00:00.000 --> 00:02.000\n<v Ben>The printer called.\n')
      fileIn(folder, 'silent.json', '{"title": "Silence", "media": {"audio": "https://example.com/a.mp3"}}')
      fileIn(folder, 'broken.json', '{"title": ')
      copyFileSync('samples/lecture-notes.jsonl', join(folder, 'notes.jsonl'))
      const importFolder = () =>
        runWith(user.environment, 'import-folder', folder).then(
          () => expect.fail('exit code 0'),
          failed => failed
        )
      const [first, second] = [await importFolder(), await importFolder()]
      expect([first.code, second.code]).toEqual([1, 1])
      expect(second.stdout).toBe(first.stdout)
      const printed = (first.stdout + first.stderr).replaceAll('\r', '')
      for (const line of [
        /^weekly & more\.txt: completed$/m,
        /^call\.vtt: completed$/m,
        /^silent\.json: .*There is no speech/m,
        /^broken\.json: refused/m,
        /^notes\.jsonl:1: completed$/m,
        /^notes\.jsonl:2: completed$/m
      ])
        expect(printed).toMatch(line)
      const { data } = await client.GET('/v1/sessions', { params: { query: { status: 'all' } } })
      expect(data!.sessions).toHaveLength(user.sessions.length + 5)
    }
  )

  test.runIf(isInstalled)('name a folder correctly, even if they run in it', { timeout: 300_000 }, async () => {
    const user = await newOwner(place)
    const environment = { PARLANCE_URL: server.url, PARLANCE_TOKEN: user.token }
    const folder = join(place.dataDir, `${language} ${user.id}`)
    mkdirSync(join(folder, 'older'), { recursive: true })
    fileIn(folder, 'weekly.txt', 'Ada: We send the offer today.\n')
    const { stdout } = await runWith({ ...environment, PWD: folder }, 'import-folder', '.')
    expect(stdout).toBe('weekly.txt: completed\n')
    fileIn(folder, 'weekly.txt', 'Ada: We send the offer tomorrow.\n')
    await runWith(environment, 'import-folder', folder)
    const { data } = await createClient({ url: server.url, token: user.token }).GET('/v1/sessions')
    expect(data!.sessions).toHaveLength(1)
  })

  test.runIf(isInstalled)(
    'do not report a session that they may not read as completed',
    { timeout: 300_000 },
    async () => {
      const { id, token } = await newOwner(place, ['sessions:create'])
      const folder = join(place.dataDir, `${language} ${id}`)
      mkdirSync(folder)
      fileIn(folder, 'weekly.txt', 'Ada: We send the offer today.\n')
      const failed = await runWith({ PARLANCE_URL: server.url, PARLANCE_TOKEN: token }, 'import-folder', folder).catch(
        error => error
      )
      expect(failed).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('sessions:read') })
    }
  )

  test.runIf(isInstalled)(
    'wait for the time of Retry-After after too many requests',
    { timeout: 300_000 },
    async () => {
      const user = await userOf()
      let refused = 0
      const gateway = createServer(async ({ url, headers: { authorization = '' } }, response) => {
        if (refused++ < 2)
          return response
            .writeHead(429, { 'retry-after': '0' })
            .end('{"error":{"code":"rate_limit_exceeded","message":"Wait"}}')
        response.end(await (await fetch(`${server.url}${url}`, { headers: { authorization } })).text())
      }).listen(0, '127.0.0.1')
      onTestFinished(() => void gateway.close())
      await nextEvent(gateway, 'listening')
      const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`
      const { stdout } = await runWith({ ...user.environment, PARLANCE_URL: url }, 'read-sessions')
      expect(stdout).toBe((await runWith(user.environment, 'read-sessions')).stdout)
    }
  )

  test.runIf(isInstalled)('follow the events, each once', { timeout: 300_000 }, async () => {
    const user = await userOf()
    const printed = await run('follow-events')
    for (const id of user.sessions) expect(printed).toContain(id)
    const pages = isShell
      ? printed
          .trim()
          .split('\n')
          .map(line => JSON.parse(line))
      : []
    expect(JSON.stringify(pages).includes(JSON.stringify(NOTES))).toBe(isShell)
    expect(await run('follow-events')).toBe('')
  })

  test.runIf(isInstalled).each<[string, (url: string) => NodeJS.ProcessEnv, RegExp]>([
    ['a refusal', url => ({ PARLANCE_URL: url, PARLANCE_TOKEN: 'prl_unknown' }), /send a current one/],
    [
      'a server that is not there',
      () => ({ PARLANCE_URL: 'http://127.0.0.1:1', PARLANCE_TOKEN: 'prl_unknown' }),
      /127\.0\.0\.1/
    ],
    ['a token that is not there', url => ({ PARLANCE_URL: url }), /Set PARLANCE_TOKEN/]
  ])('end on %s with a sentence that says so', async (_, environment, sentence) => {
    for (const [name, ...words] of [
      ['read-sessions'],
      ['complete-action-item', 'ses_x'],
      ['search', 'x'],
      ['follow-events'],
      ['import-folder', 'samples']
    ]) {
      const failed = await runWith(environment(server.url), name!, ...words).then(
        () => ({ code: 0, stderr: 'nothing' }),
        ({ code, stderr }: { code: number; stderr: string }) => ({ code, stderr })
      )
      expect(failed, name).toEqual({ code: expect.any(Number), stderr: expect.stringMatching(sentence) })
      expect([failed.code === 0, failed.stderr.match(/Traceback|^ +at /gm)], failed.stderr).toEqual([false, null])
    }
  })

  if (isShell)
    test.runIf(isInstalled)('add a webhook and try it', { timeout: 300_000 }, async () => {
      const printed = await run('add-webhook', `${server.url}/v1/openapi.json`)
      expect(printed).toMatch(/"secret":"whsec_/)
      expect(printed).toContain('"success":false')
    })

  if (!isShell)
    test.runIf(isInstalled)('receive webhooks only with the secret of a webhook', async () => {
      await expect(runWith({}, 'receive-webhooks')).rejects.toMatchObject({
        code: 1,
        stderr: 'Set WEBHOOK_SECRET to the secret of the webhook\n'
      })
    })

  if (!isShell)
    test.runIf(isInstalled)('receive webhooks on a port of their own, and say so when it is taken', async () => {
      const { port } = new URL(server.url)
      await expect(
        runWith({ RECEIVER_PORT: port, WEBHOOK_SECRET: 'whsec_x' }, 'receive-webhooks')
      ).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringMatching(new RegExp(`^The receiver cannot listen on port ${port}: .*in use.*\n$`))
      })
    })

  if (!isShell)
    test.runIf(isInstalled)('receive each genuine webhook once', { timeout: 300_000 }, async () => {
      const user = await userOf()
      const port = await freePort()
      const client = createClient({ url: server.url, token: user.token })
      const url = `http://127.0.0.1:${port}/hook`
      const { data: hook } = await client.POST('/v1/webhooks', { body: { url, events: ['session.updated'] } })
      const environment = { RECEIVER_PORT: String(port), WEBHOOK_SECRET: hook!.secret!, PATH: process.env.PATH! }
      const receiver = spawn(command, [file('receive-webhooks')], {
        env: { ...environment, NODE_NO_WARNINGS: '1' },
        stdio: ['ignore', 'pipe', 'inherit']
      })
      onTestFinished(() => void receiver.kill())
      let printed = ''
      receiver.stdout.on('data', chunk => {
        printed += chunk
      })
      await until('it listens', () =>
        fetch(url, { method: 'POST', body: '{}' }).then(
          ({ status }) => status === 401,
          () => false
        )
      )
      for (const title of ['One', 'Two']) {
        await client.PATCH('/v1/sessions/{id}', { params: { path: { id: user.sessions[0]! } }, body: { title } })
      }
      await until('both have arrived', () => ['One', 'Two'].every(title => printed.includes(title)))
      const [listening, ...events] = printed.trim().split(/\r?\n/)
      expect([listening, events.length]).toEqual([`Waiting for webhooks at http://127.0.0.1:${port}`, 2])
    })

  async function itemsOf({ token, sessions }: Newcomer) {
    const client = createClient({ url: server.url, token })
    const { data } = await client.GET('/v1/sessions/{id}/action-items', { params: { path: { id: sessions[0]! } } })
    return data!.action_items
  }
})

describe('the client', () => {
  const userOf = once(newcomer)

  test('pages through every session', async () => {
    const { token, sessions } = await userOf()
    const client = createClient({ url: `${server.url}/`, token })
    const ids: string[] = []
    for await (const { id } of sessionsOf(client, { limit: 1 })) ids.push(id)
    expect(ids).toEqual(sessions)
  })

  test('throws the server’s refusal, with its code and the id of the request', async () => {
    const { token } = await newOwner(place, ['sessions:read'])
    const client = createClient({ url: server.url, token })
    const thrown = await client
      .GET('/v1/sessions/{id}', { params: { path: { id: 'ses_none' } } })
      .catch((fault: unknown) => fault)
    expect(thrown).toBeInstanceOf(ParlanceError)
    expect(thrown).toMatchObject({
      status: 404,
      code: 'not_found',
      message: 'Session not found',
      requestId: expect.stringMatching(/.{16}/)
    })
    await expect(client.GET('/v1/webhooks')).rejects.toMatchObject({ status: 403, code: 'insufficient_scope' })
  })

  test('acknowledges handled events, and none after a failure', async () => {
    const { token, sessions } = await userOf()
    const client = createClient({ url: server.url, token })
    const taken: string[] = []
    await expect(takeEvents(client, () => Promise.reject(new Error('not now')))).rejects.toThrow('not now')
    await takeEvents(client, ({ data }) => void taken.push(data.session.id))
    await takeEvents(client, ({ data }) => void taken.push(data.session.id))
    expect(taken.sort()).toEqual(sessions.sort())
  })
})

test('every task has its example in every language', () => {
  const names = (folder: string) =>
    readdirSync(`examples/${folder}`)
      .map(name => name.replace(/\.\w+$/, '').replaceAll('_', '-'))
      .filter(name => !['settings', 'parlance', '--pycache--'].includes(name))
      .sort()
  expect(names('python')).toEqual(names('typescript'))
  expect(
    names('curl')
      .map(name => name.replace('add-webhook', 'receive-webhooks'))
      .sort()
  ).toEqual(names('typescript'))
})

test.each(readdirSync('examples/typescript').filter(name => name !== 'settings.ts'))(
  'examples/typescript/%s says how it is run',
  name => {
    const [, how] = readFileSync(`examples/typescript/${name}`, 'utf8').split('\n')
    expect(how).toContain(`npx node examples/typescript/${name}`)
  }
)
