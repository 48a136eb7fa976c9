// @module-tag postgres
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const run = promisify(execFile)

const PROGRAM = `
import { createClient, ParlanceError, type Schemas, sessionsOf } from 'parlance-client'

const client = createClient({ url: 'http://127.0.0.1:1', token: 'prl_x', retries: 0 })
export const titleOf = ({ title }: Schemas['SessionDetail']): string => title
export const first = () => sessionsOf(client, { limit: 1 }).next()
const session = { path: { id: 'ses_x' } }
export const segments = async () => (await client.GET('/v1/sessions/{id}/transcript', { params: session })).data?.segments
const captions = { path: { ...session.path, format: 'vtt' as const } }
export const file = async (): Promise<string | undefined> =>
  (await client.GET('/v1/sessions/{id}/transcript.{format}', { params: captions, parseAs: 'text' })).data
// @ts-expect-error a path that there is not
export const nothing = () => client.GET('/v1/nothing', {})
console.log(typeof client.GET, ParlanceError.name)
`

test('the package of the client works in a project of its own: compiled, and with its types', {
  timeout: 300_000
}, async () => {
  const project = mkdtempSync(join(tmpdir(), 'parlance-client-'))
  onTestFinished(() => rmSync(project, { recursive: true, force: true }))
  const { stdout } = await run('npm', ['pack', './client', '--json', '--pack-destination', project])
  const [{ filename, files }] = JSON.parse(stdout.slice(stdout.indexOf('[\n')))
  expect(files.map(({ path }: { path: string }) => path).sort()).toEqual([
    'README.md',
    'dist/client.d.ts',
    'dist/client.js',
    'dist/schema.d.ts',
    'dist/schema.js',
    'package.json'
  ])

  // As npm would install it, without asking a registry for what it needs.
  const modules = join(project, 'node_modules')
  mkdirSync(join(modules, 'parlance-client'), { recursive: true })
  await run('tar', ['xzf', join(project, filename), '-C', join(modules, 'parlance-client'), '--strip-components=1'])
  for (const name of ['openapi-fetch', 'openapi-typescript-helpers']) {
    cpSync(join('node_modules', name), join(modules, name), { recursive: true })
  }
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(project, 'program.ts'), PROGRAM)
  const strict = [
    '--noEmit',
    '--strict',
    '--target',
    'es2022',
    '--lib',
    'es2022,dom',
    '--module',
    'nodenext',
    'program.ts'
  ]
  await run(resolve('node_modules/.bin/tsc'), strict, { cwd: project })
  expect((await run(process.execPath, ['program.ts'], { cwd: project })).stdout).toBe('function ParlanceError\n')
})
