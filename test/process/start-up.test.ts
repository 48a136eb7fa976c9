// @module-tag postgres
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  type Environment,
  endOf,
  freePort,
  freshDatabase,
  jsonLines,
  migratedDatabase,
  needNoCluster,
  onPostgres,
  type Place,
  rowsOf,
  run,
  serverPorts,
  start,
  temporaryFolder,
  until
} from '../support/process.ts'
import { bothSay, doctorOn, refusal } from '../support/refused-start.ts'
import { newRole } from '../support/role.ts'
import { executeOn } from '../support/template.ts'

const SLOW = { timeout: 300_000 }

describe('a setting that cannot be used is one sentence that names it', () => {
  test('for DATA_DIR in a missing folder', SLOW, async () => {
    const parent = join(temporaryFolder(), 'misspelt')
    expect(await refusal({ DATA_DIR: join(parent, 'data') })).toBe(
      `DATA_DIR: there is no folder ${parent} to create ${parent}/data in; create it, or correct DATA_DIR`
    )
  })

  test.each(['https://parlance.example/?a=b', 'https://parlance.example/#top'])(
    'for PUBLIC_URL=%s',
    SLOW,
    async url => {
      const { environment } = await migratedDatabase()
      expect(await refusal({ ...environment, PUBLIC_URL: url })).toContain('PUBLIC_URL: set a URL without ? and #')
    }
  )

  test('for an address that the machine does not have', SLOW, async () => {
    const { environment } = await migratedDatabase()
    const ports = await serverPorts()
    expect(await refusal({ ...environment, ...ports, HOST: '192.0.2.1' })).toBe(
      'HOST: this machine does not have the address 192.0.2.1; set one of its addresses, or 0.0.0.0 for all of them'
    )
  })
})

describe('the warning of links that lead to this machine only', () => {
  const warning = (port: string) =>
    `PUBLIC_URL is not set, so links begin with http://localhost:${port}, which other machines cannot open; set it to the address that people use`

  test.each([
    ['appears for HOST=0.0.0.0 without PUBLIC_URL', { HOST: '0.0.0.0' }, true],
    ['does not appear with PUBLIC_URL', { HOST: '0.0.0.0', PUBLIC_URL: 'https://parlance.example' }, false],
    ['does not appear for 127.0.0.1', { HOST: '127.0.0.1' }, false]
  ])('%s, at the start and by doctor', SLOW, async (_, settings, warned) => {
    const place = await migratedDatabase()
    const ports = await serverPorts()
    const environment: Environment = { ...place.environment, ...settings, ...ports }
    const server = start(environment, ['serve'])
    await until('the server is ready', () => server.output.stdout.includes('"ready"'))
    const { stdout } = await run({ environment }, 'doctor', '--json')
    const detail = warned ? warning(ports.PORT) : (environment.PUBLIC_URL ?? `http://127.0.0.1:${ports.PORT}`)
    expect(jsonLines(stdout)).toContainEqual({ check: 'links', ok: true, detail })
    server.kill('SIGTERM')
    const messages = jsonLines((await endOf(server)).stdout).filter(({ level }) => level === 40)
    expect(messages.map(({ msg }) => msg)).toEqual(warned ? [warning(ports.PORT)] : [])
  })
})

test('npm start runs on the Node 24 that npm ci installs, even without development packages', () => {
  const { scripts, dependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  expect(scripts.start).toMatch(/ node --liftoff-only src\/server\/main\.ts$/)
  expect(dependencies.node).toMatch(/^24\./)
})

test.each([
  ['npm start', 'src/server/main.ts', ['--port', '99']],
  ['npm start', 'src/server/main.ts', ['--help']],
  ['npm run demo', 'src/server/demo.ts', ['now']]
])('%s: %s %j starts nothing and says what to do instead', SLOW, async (program, file, words) => {
  const dataDir = join(temporaryFolder(), 'data')
  const ended = spawnSync(process.execPath, [file, ...words], {
    env: { DATA_DIR: dataDir, PATH: process.env.PATH },
    encoding: 'utf8'
  })
  expect([ended.status, ended.stdout, ended.stderr, existsSync(dataDir)]).toEqual([
    2,
    '',
    `${program} takes no argument such as ${words[0]}: set environment variables (docs/configuration.md), or run: npm run -s parlance -- --help\n`,
    false
  ])
})

test('server and doctor name a database server that does not answer', SLOW, async () => {
  const port = await freePort()
  const environment = {
    DATABASE_URL: `postgres://ada:hushhush@127.0.0.1:${port}/x`,
    SECRET_KEY: 'x'.repeat(40),
    DATA_DIR: temporaryFolder()
  }
  await bothSay(
    environment,
    `The database server at 127.0.0.1:${port} does not answer: connect ECONNREFUSED 127.0.0.1:${port}; start it, or correct the host and port in DATABASE_URL`
  )
})

describe.runIf(onPostgres)('server and doctor say in one sentence what to do about', () => {
  test('an unknown role, or a wrong password', SLOW, async context => {
    needNoCluster(context)
    const { environment, server } = await placeOf({ user: 'nobody', password: 'hushhush' })
    await bothSay(
      environment,
      `${server} says: password authentication failed for user "nobody"; correct the user and password in DATABASE_URL, or create the role`
    )
  })

  test('a missing password', SLOW, async context => {
    needNoCluster(context)
    const { environment, server } = await placeOf({ user: 'nobody' })
    await bothSay(environment, `${server} asks for a password; put it into DATABASE_URL`)
  })

  test('a missing database', SLOW, async () => {
    const { environment, server } = await placeOf({ database: 'misspelt' })
    await bothSay(
      environment,
      `${server} says: database "misspelt" does not exist; create the database, or correct its name in DATABASE_URL`
    )
  })

  test('TLS that the database server refuses', SLOW, async context => {
    needNoCluster(context)
    const { environment, server } = await placeOf({ query: '?sslmode=require' })
    await bothSay(environment, `${server} does not take TLS; turn TLS on there, or set sslmode=disable in DATABASE_URL`)
  })

  test('missing rights of the role, one after the other, until it has those of the guide', SLOW, async () => {
    const place = await freshDatabase()
    const role = await newRole(place)
    const { environment, server, database } = await placeOf({ place, user: role, password: role })
    const says = (what: string) => bothSay(environment, `${server} says: permission denied ${what}`)
    await says(`to create extension "vector"; run as a superuser in ${database}: create extension vector`)
    await rowsOf(place, 'create extension vector')
    await says(
      `for database ${database}; run as the owner of ${database}: grant create on database ${database} to ${role}`
    )
    const [onDatabase, onSchema] = statementsOf('rights', role, database)
    await rowsOf(place, onDatabase!)
    await doctorOn(environment)
    expect(await rowsOf(place, "select nspname from pg_namespace where nspname in ('drizzle', 'pgboss')")).toEqual([])
    await says(`for schema public; run as the owner of ${database}: grant usage, create on schema public to ${role}`)
    await rowsOf(place, onSchema!)
    expect(await doctorOn(environment)).toEqual({
      check: 'database',
      ok: true,
      detail: expect.stringMatching(/, migrations to apply: \d+$/)
    })
    expect(await run({ environment }, 'migrate')).toMatchObject({ code: 0, stderr: '' })
  })

  test('nothing for the role and the database that the guide creates', SLOW, async () => {
    const place = await freshDatabase()
    const name = `guide_${randomBytes(6).toString('hex')}`
    const [createRole, createDatabase, createExtension] = statementsOf('role', name, name)
    await executeOn(place.url!, createRole!)
    onTestFinished(() => executeOn(place.url!, `drop role ${name}`))
    await executeOn(place.url!, createDatabase!)
    onTestFinished(() => executeOn(place.url!, `drop database ${name} with (force)`))
    const { environment } = await placeOf({ place, user: name, password: 'change me', database: name })
    await rowsOf({ ...place, url: place.url!.replace(/[^/]+$/, name) }, createExtension!)
    expect(await doctorOn(environment)).toMatchObject({ ok: true })
    const server = start({ ...environment, LOG_LEVEL: 'info' }, ['serve'])
    await until('the server is ready', () => server.output.stdout.includes('"ready"'))
    expect(await doctorOn(environment)).toEqual({
      check: 'database',
      ok: true,
      detail: expect.stringMatching(/, up to date$/)
    })
    server.kill('SIGTERM')
    expect(await endOf(server)).toMatchObject({ code: 0, stderr: '' })
  })

  test('tables of another role', SLOW, async () => {
    const place = await migratedDatabase()
    const role = await newRole(place)
    const { environment, database } = await placeOf({ place, user: role, password: role })
    await rowsOf(place, `grant create on database ${database} to ${role}`)
    await rowsOf(place, `grant usage, create on schema public to ${role}`)
    const { username } = new URL(place.url!)
    await bothSay(
      environment,
      `The tables belong to the role ${username}, not to ${role}; name ${username} in DATABASE_URL`
    )
  })

  test('tables of another program', SLOW, async () => {
    const place = await freshDatabase()
    const { environment, server } = await placeOf({ place })
    await rowsOf(place, 'create table sessions (id int)')
    expect(await refusal(environment)).toBe(
      `${server} says: relation "sessions" already exists; these tables are another program’s: give Parlance a database of its own`
    )
  })

  test('a schema of pgvector that the role may not use', SLOW, async () => {
    const place = await freshDatabase()
    const role = await newRole(place)
    const { environment, database } = await placeOf({ place, user: role, password: role })
    await rowsOf(place, 'create schema theirs')
    await rowsOf(place, 'create extension vector schema theirs')
    await rowsOf(place, `grant create on database ${database} to ${role}`)
    await rowsOf(place, `grant usage, create on schema public to ${role}`)
    await bothSay(
      environment,
      `pgvector is in the schema theirs, which ${role} may not use; run: grant usage on schema theirs to ${role}`
    )
  })

  test('an encoding other than UTF-8', SLOW, async () => {
    const { environment, database } = await placeOf({ place: await freshDatabase() })
    const latin = `${database}_latin`
    await executeOn(
      (await freshDatabase()).url!,
      `create database ${latin} template template0 encoding 'LATIN1' locale 'C'`
    )
    const url = environment.DATABASE_URL!.replace(database, latin)
    await bothSay(
      { ...environment, DATABASE_URL: url },
      `The database ${latin} has the encoding LATIN1; create it with: template template0 encoding 'UTF8'`
    )
  })

  // Another version is what the catalogue says it is: here a schema comes before it.
  test.each([
    [
      'create function public.current_setting(text) returns text language sql as $$ select case $1 when $2 then 140011::text else pg_catalog.current_setting($1) end $$'.replace(
        '$2',
        "'server_version_num'"
      ),
      /^PostgreSQL \S+ .*is too old; run 15 or newer$/
    ],
    [
      'create view public.pg_available_extensions as select * from pg_catalog.pg_available_extensions where false',
      'The database server does not have the extension pgvector; install 0.8 or newer there'
    ],
    [
      "create view public.pg_available_extensions as select 'vector'::name as name, '0.7.4'::text as default_version",
      'pgvector 0.7.4 is too old; install 0.8 or newer on the database server'
    ]
  ])('an older version: %s', SLOW, async (statement, sentence) => {
    const place = await freshDatabase()
    const { environment, database } = await placeOf({ place })
    await rowsOf(place, statement)
    await rowsOf(place, `alter database ${database} set search_path = public, pg_catalog`)
    await bothSay(environment, sentence)
  })
})

/** The statements of a block of the guide, for that role and database. */
function statementsOf(block: string, role: string, database: string) {
  const [, sql = ''] =
    new RegExp(`<!-- ${block} -->\n\`\`\`sql\n([\\s\\S]*?)\`\`\``).exec(readFileSync('docs/install.md', 'utf8')) ?? []
  const named = sql
    .replace(/(role|owner|to) parlance\b/g, `$1 ${role}`)
    .replace(/database parlance\b/g, `database ${database}`)
  return named.split('\n').filter(line => line && !line.startsWith('\\'))
}

interface Changed {
  place?: Place
  user?: string
  password?: string
  database?: string
  query?: string
}

/** The environment of a place with parts of its URL changed, and how messages name the server. */
async function placeOf({ place, user, password = '', database, query = '' }: Changed) {
  const { environment, url } = place ?? (await freshDatabase())
  const changed = new URL(url!)
  if (user !== undefined) Object.assign(changed, { username: user, password })
  if (database !== undefined) changed.pathname = `/${database}`
  const ports = await serverPorts()
  return {
    environment: { ...environment, ...ports, DATABASE_URL: `${changed}${query}` },
    server: `The database server at ${changed.hostname}:${changed.port}`,
    database: changed.pathname.slice(1)
  }
}
