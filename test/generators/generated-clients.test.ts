import { execFile } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { migratedDatabase, newOwner, serve, temporaryFolder } from '../support/process.ts'

const run = promisify(execFile)

/** The transcript that both programs upload. */
const FILE = `new File(['WEBVTT\\n\\n00:00.000 --> 00:02.000\\n<v Ada>We ship on Friday.\\n'], 'weekly.vtt')`
const ENVIRONMENT =
  'declare const process: { env: { URL: string; TOKEN: string } }\nconst { URL: server, TOKEN: token } = process.env\n'

const WITH_HEY_API = `
import { client } from './made/client.gen.js'
import { getSession, getTranscriptFile, listSessions, updateSession, uploadSession } from './made/sdk.gen.js'
${ENVIRONMENT}
client.setConfig({ baseUrl: server, auth: token })
const throwOnError = true as const
const { data: accepted } = await uploadSession({ body: { file: ${FILE}, title: 'Weekly', tag: ['a', 'b'] }, throwOnError })
if ('sessions_added' in accepted) throw new Error('a session was expected')
const path = { id: accepted.id }
const { data: updated } = await updateSession({ path, body: { favorite: true }, throwOnError })
const { data: session } = await getSession({ path, throwOnError })
const { data: list } = await listSessions({ query: { status: 'all', tag: ['a'], limit: 1 }, throwOnError })
const { data: captions } = await getTranscriptFile({ path: { ...path, format: 'vtt' }, throwOnError })
const { error, response } = await getSession({ path: { id: 'ses_unknown' } })
const missing = [response?.status, error && 'error' in error && error.error.code]
console.log(JSON.stringify([session.title, session.tags, updated.updated_fields, list.sessions.length, captions, missing]))
`

const WITH_ORVAL = `
import { getSession, getTranscriptFile, listSessions, updateSession, uploadSession } from './made/parlance.js'
${ENVIRONMENT}
const options = { headers: { authorization: \`Bearer \${token}\` } }
const expected = <T extends { status: number }, S extends T['status']>(answer: T, status: S): Extract<T, { status: S }> => {
  if (answer.status !== status) throw new Error(\`\${status} was expected: \${JSON.stringify(answer)}\`)
  return answer as Extract<T, { status: S }>
}
const { data: accepted } = expected(await uploadSession({ file: ${FILE}, title: 'Weekly', tag: ['a', 'b'] }, undefined, options), 202)
const { data: updated } = expected(await updateSession(accepted.id, { favorite: true }, options), 200)
const { data: session } = expected(await getSession(accepted.id, options), 200)
const { data: list } = expected(await listSessions({ status: 'all', tag: ['a'], limit: 1 }, options), 200)
const { data: captions } = expected(await getTranscriptFile(accepted.id, 'vtt', undefined, options), 200)
const { status, data } = expected(await getSession('ses_unknown', options), 404)
const missing = [status, data.error.code]
console.log(JSON.stringify([session.title, session.tags, updated.updated_fields, list.sessions.length, captions, missing]))
`

/** Compiles with what a strict project has, and every import of a compiled module as Node wants it. */
const STRICT = [
  '--strict',
  '--target',
  'es2022',
  '--lib',
  'es2022,dom,dom.iterable',
  '--module',
  'nodenext',
  '--outDir',
  'compiled'
]

test.each([
  {
    generator: '@hey-api/openapi-ts',
    command: (document: string) => [
      'openapi-ts',
      '-i',
      document,
      '-o',
      'made',
      '-c',
      '@hey-api/client-fetch',
      '--no-log-file'
    ],
    program: WITH_HEY_API
  },
  { generator: 'orval', command: () => ['orval', '--fail-on-warnings'], program: WITH_ORVAL }
])(
  'a client that $generator makes from the document compiles, uploads a file and reads',
  async ({ command, program }) => {
    const place = await migratedDatabase()
    const { url } = await serve(place)
    const { token } = await newOwner(place)
    const project = temporaryFolder()
    const modules = resolve('test/generators/node_modules')
    symlinkSync(modules, join(project, 'node_modules'))
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
    const document = `${url}/v1/openapi.json`
    const orval = {
      parlance: { input: document, output: { target: 'made/parlance.ts', client: 'fetch', baseUrl: url } }
    }
    writeFileSync(join(project, 'orval.config.js'), `export default ${JSON.stringify(orval)}`)
    writeFileSync(join(project, 'program.ts'), program)

    const bin = (name: string, ...options: string[]) => run(join(modules, '.bin', name), options, { cwd: project })
    const [generator = '', ...options] = command(document)
    await bin(generator, ...options)
    await bin('tsc', ...STRICT, 'program.ts').catch(({ stdout }) => expect(stdout).toBe(''))
    const { stdout } = await run(process.execPath, ['compiled/program.js'], {
      cwd: project,
      env: { URL: url, TOKEN: token }
    })
    const captions = 'WEBVTT\n\nsegment-1\n00:00:00.000 --> 00:00:02.000\n<v Ada>We ship on Friday.\n'
    expect(JSON.parse(stdout)).toEqual(['Weekly', ['a', 'b'], ['favorite'], 1, captions, [404, 'not_found']])
  }
)

test('the guide names the versions of the generators that are tried here', () => {
  const { typescript: _, ...generators } = dependenciesOf('test/generators')
  const { 'openapi-typescript': own } = dependenciesOf('client')
  const guide = readFileSync('docs/api/clients.md', 'utf8')
  const rows = [...guide.matchAll(/^\| \[(.+)\]\(https:.+\) (\d\S+) \|/gm)].map(([, name, version]) => [name, version])
  expect(Object.fromEntries(rows)).toEqual({ 'openapi-typescript': own, ...generators })
})

test('the guide names the option with which openapi-typescript lets a search have a query and a limit only', () => {
  const { scripts } = JSON.parse(readFileSync('client/package.json', 'utf8'))
  const option = '--default-non-nullable=false'
  expect(scripts.generate).toContain(option)
  expect(readFileSync('docs/api/clients.md', 'utf8')).toContain(`Generate with \`${option}\``)
})

function dependenciesOf(folder: string): Record<string, string> {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return { ...dependencies, ...devDependencies }
}
