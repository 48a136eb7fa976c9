import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, normalize } from 'node:path/posix'
import type { Tokens } from 'marked'
import { expect, onTestFinished, test } from 'vitest'
import { generateGuides } from '../../ops/guide-tables.ts'
import { listRoutes } from '../../ops/routes.ts'
import { ActionItemList } from '../../src/contract/action-item-list.ts'
import { ImportDocument } from '../../src/contract/import-document.ts'
import { slugOf } from '../../src/interfaces/site/guide-markdown.ts'
import { SETTINGS } from '../../src/platform/config/environment.ts'
import { SECRETS } from '../../src/platform/config/secret-files.ts'
import { blockOf, blocks, commandsOf, pages, tokensOf } from '../support/guides.ts'

const MAX_README_BYTES = 12 * 1024

/** Kinds of shell blocks that no test runs as they are, and why. */
const NOT_RUN: Record<string, string> = {
  starts: 'keeps running, or needs a server that nobody else uses; test/process starts the same programs',
  docker: 'needs a container engine',
  downloads: 'fetches from the hub of models',
  systemd: 'needs systemd',
  kubernetes: 'needs a cluster',
  root: 'changes the machine',
  settings: 'names settings, one a line',
  verifier: 'is a function; test/unit/webhook-verifiers runs it',
  postgres: 'needs the client programs of PostgreSQL; test/process/backup does the same',
  embedded: 'needs the embedded database; test/process/embedded-backup does the same',
  package: 'installs into a project; test/process/client-package does the same',
  bench: 'takes long'
}

const shell = blocks.filter(({ language }) => language === 'sh')

test('generated tables are those of the source: run npm run openapi', async () => {
  const stale = [...(await generateGuides())].filter(([path, content]) => readFileSync(path, 'utf8') !== content)
  expect(stale.map(([path]) => path)).toEqual([])
})

test('the table of routes finds the handler of each', () => {
  expect(listRoutes().flatMap(({ operation, handler }) => (handler === undefined ? [operation] : []))).toEqual([])
})

test(`the README has at most ${MAX_README_BYTES} bytes, lists six guides and leads to the list of all`, () => {
  const readme = readFileSync('README.md', 'utf8')
  expect(Buffer.byteLength(readme)).toBeLessThanOrEqual(MAX_README_BYTES)
  const guides = readme.split('## Guides\n')[1]!.split('\n## ')[0]!
  expect(guides.match(/^- \[[^\]]+\]\(docs\/\S+\.md\): /gm)).toHaveLength(6)
  expect(guides).toContain('](docs/README.md)')
})

test('the README says in one line how to run Parlance, and in one line how to test it', () => {
  const lines = blocks.filter(({ path }) => path === 'README.md').map(({ text }) => text)
  expect(lines).toContain('npm ci && npm run demo')
  expect(lines).toContain('npm ci && npm test')
})

test('the list of all guides leads to every page', () => {
  const index = readFileSync('docs/README.md', 'utf8')
  const others = pages.filter(path => path.startsWith('docs/') && path !== 'docs/README.md')
  expect(others.filter(path => !index.includes(`](${path.slice('docs/'.length)})`))).toEqual([])
})

test('every relative link leads to a file, and every anchor to a heading of it', () => {
  const sources = [
    ...pages,
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    'client/README.md',
    'deploy/citus/README.md',
    'bench/results.md'
  ]
  expect(sources.flatMap(path => brokenLinksOf(path))).toEqual([])
})

test('every shell block is of a known kind, and bash can read it', () => {
  const faults = shell.flatMap(({ path, kind, text }) => {
    const { status, stderr } = spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' })
    return kind && !NOT_RUN[kind] ? [`${path}: ${kind}`] : status === 0 ? [] : [`${path}: ${stderr}`]
  })
  expect(faults).toEqual([])
})

test('every npm script of a page is one that there is', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  const named = shell.flatMap(({ text }) =>
    [...text.matchAll(/\bnpm (?:run (?:-s )?)?([a-z:]+)/g)].map(([, name]) => name!)
  )
  const own = named.filter(name => !['ci', 'install', 'pack', 'run'].includes(name))
  expect(own.filter(name => !scripts[name])).toEqual([])
})

test('every path of /v1 that a page asks for is in the OpenAPI document, or is its Markdown', () => {
  const { paths } = JSON.parse(readFileSync('openapi/openapi.json', 'utf8'))
  const known = [...Object.keys(paths), '/v1/docs.md'].map(
    path => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
  )
  const asked = shell.flatMap(({ text }) =>
    [...text.matchAll(/\$URL(\/v1\/[^"?\s]*?)(?:\$\{.*)?["?\s]/g)].map(([, path]) => path!)
  )
  expect(asked.length).toBeGreaterThan(20)
  expect(asked.filter(path => !known.some(pattern => pattern.test(path)))).toEqual([])
})

test('every column of a table has a heading, which a screen reader names with each cell', () => {
  const tables = pages.flatMap(path =>
    tokensOf(readFileSync(path, 'utf8')).flatMap(token => (isTable(token) ? [{ path, token }] : []))
  )
  expect(tables.filter(({ token }) => token.header.some(({ text }) => text === '')).map(({ path }) => path)).toEqual([])
})

test('every path of the API is in a page', () => {
  const { paths } = JSON.parse(readFileSync('openapi/openapi.json', 'utf8'))
  const text = pages.map(path => readFileSync(path, 'utf8')).join('\n')
  const isNamed = (path: string) =>
    new RegExp(`${path.replaceAll(/\{\w+\}/g, '[^/\\s`"?]+').replaceAll('.', '\\.')}(?![\\w/-])`).test(text)
  expect(Object.keys(paths).filter(path => !isNamed(path))).toEqual([])
})

test('blocks of settings name settings', () => {
  const named = shell.filter(({ kind }) => kind === 'settings').flatMap(commandsOf)
  const known = [...Object.keys(SETTINGS), ...SECRETS.map(name => `${name}_FILE`)]
  expect(named.filter(line => !/^NODE_EXTRA_CA_CERTS=/.test(line) && !known.includes(line.split('=')[0]!))).toEqual([])
})

test('the import document of the guide is one', () => {
  const document = JSON.parse(blockOf('docs/import-formats.md', 'json', 'document'))
  expect(ImportDocument.safeParse(document).error?.issues).toBeUndefined()
})

test('the action items of the guide are those of the contract', () => {
  const shown = JSON.parse(blockOf('docs/api/action-items.md', 'json'))
  expect(ActionItemList.strict().safeParse(shown).error?.issues).toBeUndefined()
})

test.runIf(isInstalled('systemd-analyze', '--version'))('systemd understands every unit of the guides', () => {
  for (const { kind, text } of blocks.filter(({ kind }) => kind.endsWith('.service'))) {
    const folder = temporaryFolder()
    const path = join(folder, kind.replace('@', '@9091'))
    // The programs and users of an installed server are not on this machine.
    writeFileSync(
      path,
      text.replaceAll('/opt/parlance/node_modules/.bin/node', process.execPath).replace('User=parlance', 'User=root')
    )
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' })
    const complaints = stderr.split('\n').filter(line => line.includes(folder))
    expect({ kind, status, complaints }).toEqual({ kind, status: 0, complaints: [] })
  }
})

test.runIf(isInstalled('systemd-analyze', '--version'))('systemd rates every unit of the guides at 2.5 or less', () => {
  for (const { kind, text } of blocks.filter(({ kind }) => kind.endsWith('.service'))) {
    const path = join(temporaryFolder(), kind.replace('@', '@9091'))
    writeFileSync(path, text.replaceAll('/opt/parlance/node_modules/.bin/node', process.execPath))
    const { status, stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=25', path], {
      encoding: 'utf8'
    })
    expect({ kind, status }, stdout.split('\n').slice(-3).join()).toEqual({ kind, status: 0 })
  }
})

test.runIf(isInstalled('docker', 'compose', 'version'))(
  'Docker Compose understands its file with the override of the guide',
  () => {
    const folder = temporaryFolder()
    const override = join(folder, 'override.yml')
    writeFileSync(override, blockOf('docs/operations/several-servers.md', 'yaml', 'compose'))
    const files = ['-f', 'docker-compose.yml', '-f', override, '--project-directory', '.']
    const env = { ...process.env, SECRET_KEY: 'k'.repeat(64) }
    const config = JSON.parse(
      execFileSync('docker', ['compose', ...files, 'config', '--format', 'json'], { env, encoding: 'utf8' })
    )
    expect(config.services['server-2']).toMatchObject({
      environment: { ADMIN_PORT: '9091', REUSE_PORT: 'true' },
      network_mode: 'service:server'
    })
  }
)

function isTable(token: { type: string }): token is Tokens.Table {
  return token.type === 'table'
}

/** Links and images of a page that lead nowhere. Addresses of other sites are not looked at. */
function brokenLinksOf(path: string) {
  const links = tokensOf(readFileSync(path, 'utf8')).filter(
    ({ type }) => type === 'link' || type === 'image'
  ) as Tokens.Link[]
  return links.flatMap(({ href }) => {
    if (/^(https?|mailto):/.test(href)) return []
    const [file = '', anchor] = href.split('#')
    const target = file ? normalize(join(dirname(path), file)) : path
    if (!existsSync(target)) return [`${path}: ${href}`]
    if (anchor === undefined || statSync(target).isDirectory()) return anchor === undefined ? [] : [`${path}: ${href}`]
    const headings = tokensOf(readFileSync(target, 'utf8')).filter(({ type }) => type === 'heading') as Tokens.Heading[]
    return headings.some(({ text }) => slugOf(text) === anchor) ? [] : [`${path}: ${href}`]
  })
}

function isInstalled(command: string, ...words: string[]) {
  return spawnSync(command, words).status === 0
}

function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'parlance-guides-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

test('.env.example is understood: each line is a comment or a setting', () => {
  const lines = readFileSync('.env.example', 'utf8').split('\n').filter(Boolean)
  const settings = lines.filter(line => !line.startsWith('# ')).map(line => line.split('=')[0])
  expect(settings).toEqual(Object.keys(SETTINGS))
})

test('the container image has the guides and the migrations, which the server reads', () => {
  const [image, context] = [readFileSync('Dockerfile', 'utf8'), readFileSync('.dockerignore', 'utf8')]
  expect(
    ['docs', 'migrations', 'src'].filter(
      folder => !image.includes(`COPY ${folder} ${folder}\n`) || !context.includes(`!${folder}\n`)
    )
  ).toEqual([])
})

test('CONTRIBUTING has at most 14 KB, and its walks name files that exist', () => {
  expect(statSync('CONTRIBUTING.md').size).toBeLessThanOrEqual(14_336)
  const walks = readFileSync('CONTRIBUTING.md', 'utf8')
    .split('## Five walks')[1]!
    .split('\n## ')[0]!
    .split(/^\*\*/m)
    .slice(1)
  const steps = walks.map(walk => [...walk.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file]) => file!))
  expect(steps).toHaveLength(5)
  expect(steps.flat().filter(file => !existsSync(join('src', file)))).toEqual([])
})

test('every file that CONTRIBUTING names exists, from the root or from src', () => {
  const spans = tokensOf(readFileSync('CONTRIBUTING.md', 'utf8')).filter(
    ({ type }) => type === 'codespan'
  ) as Tokens.Codespan[]
  const named = spans.map(({ text }) => text).filter(text => /^[\w./-]+\/[\w.-]+\.\w+$/.test(text))
  expect(named.length).toBeGreaterThan(30)
  expect(named.filter(path => !existsSync(path) && !existsSync(join('src', path)))).toEqual([])
})
