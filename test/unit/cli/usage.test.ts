import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Command, CommanderError } from 'commander'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { toWaitMs } from '../../../src/cli/feed.ts'
import { CommandFailed, show, showList, UsedWrongly } from '../../../src/cli/output.ts'
import { buildProgram } from '../../../src/cli/program.ts'
import { EXAMPLES } from '../../../src/contract/examples.ts'
import { createZip } from '../../../src/features/exports/zip-writer.ts'
import { fileIn, temporaryFolder } from '../../support/folders.ts'
import { written } from '../../support/written.ts'

/** What a command writes, and what it ends with. The program turns the error into its exit code, 0 or 2. */
async function outcomeOf(words: string[]) {
  const parse = async () => (await buildProgram(words[0])).parseAsync(words, { from: 'user' })
  const { result: error, ...output } = await written(() =>
    parse().then(
      () => undefined,
      (thrown: unknown) => thrown
    )
  )
  return { error, ...output }
}

const commands = commandsOf(await buildProgram(), [])

test('there are commands', () => {
  expect(commands.length).toBeGreaterThan(10)
})

/** The most commands that one file adds: those of the server itself. */
const OF_ONE_FILE = 4

test('the program of a command has the files of no other command loaded', async () => {
  const all = namesOf(await buildProgram())
  const alone = await Promise.all(all.map(async name => namesOf(await buildProgram(name))))
  expect(alone.filter((names, at) => !names.includes(all[at]!))).toEqual([])
  expect(alone.filter(names => names.length > OF_ONE_FILE)).toEqual([])
  expect(namesOf(await buildProgram('sevre'))).toEqual(all)
})

test.each(commands)('help of %j is on standard output', async (...path) => {
  const { error, stdout, stderr } = await outcomeOf([...path, '--help'])
  expect(error).toMatchObject({ exitCode: 0 })
  expect({ stdout, stderr }).toEqual({
    stdout: expect.stringMatching(new RegExp(`^Usage: ${['parlance', ...path].join(' ')}\\b`)),
    stderr: ''
  })
})

describe('used wrongly, a command says how in a sentence', () => {
  test.each([
    [['user', 'create'], "error: required option '--email <address>' not specified"],
    [
      ['user', 'create', '--email', 'a@b.test', '--time-zone', 'Mars/Olympus'],
      "error: option '--time-zone <zone>' argument 'Mars/Olympus' is invalid. Give an IANA time zone such as Europe/Berlin."
    ],
    [['token', 'create', '--user', 'u', '--name', 'n', '--scopes', 'sessions:red'], 'There is no scope "sessions:red"'],
    [['import', '--user', 'u'], "error: missing required argument 'file'"],
    [['import', '--user', 'u', '--at', 'yesterday', 'x.vtt'], 'Give an ISO 8601 date such as 2026-03-02T10:00:00Z.'],
    [['import', '--url', 'localhost:8080', '--token', 't', 'x.vtt'], 'Give an http or https URL.'],
    [['events', 'tail', '--url', 'localhost:8080', '--token', 't'], 'Give an http or https URL.'],
    [
      ['session', 'list', '--user', 'x', '--status', 'lost'],
      'Allowed choices are processing, completed, failed, deleted'
    ],
    [['session', 'list', '--user', 'x', '--limit', '0'], 'Give a whole number from 1 to 100000'],
    [['session', 'update', 'x', '--user', 'x', '--favorite', 'maybe'], 'Give yes or no.'],
    [['import', '--user', 'u', '--tag', ' ', 'x.vtt'], 'Give a text of 1 to 100 characters that is not blank.'],
    [['events', 'tail', '--token', 't', '--from', '0'], 'Give a whole number from 1 to 9007199254740991.'],
    ...['30', '0m', '2y', '1.5d', 'soon'].map((time): [string[], string] => [
      ['token', 'create', '--user', 'u', '--name', 'n', '--scopes', 'all', '--expires-in', time],
      'from 1m to 1y'
    ]),
    [['migrate', 'now'], 'error: too many arguments'],
    [['sevre'], "error: unknown command 'sevre'"],
    [[], 'Usage: parlance'],
    [['user'], 'Usage: parlance user']
  ])('%j', async (words, sentence) => {
    const { error, stdout, stderr } = await outcomeOf(words)
    expect(error).toBeInstanceOf(CommanderError)
    expect({ stdout, stderr }).toEqual({ stdout: '', stderr: expect.stringContaining(sentence) })
  })

  test.each([
    ['user update', ['somebody']],
    ['session update', ['ses_1', '--user', 'somebody']]
  ])('%s without anything to change', async (command, words) => {
    const { error } = await outcomeOf([...command.split(' '), ...words])
    expect(error).toBeInstanceOf(UsedWrongly)
    expect(error).toMatchObject({ message: `Name something to change; see: npm run -s parlance -- ${command} --help` })
  })
})

describe('a command that names a server', () => {
  const importing = (url: string) => [
    'import',
    '--url',
    url,
    '--token',
    't',
    '--json',
    fileIn(temporaryFolder(), 'a.txt', 'Ada: Hello.')
  ]
  const reading = (url: string) => ['events', 'tail', '--url', url, '--token', 't', '--json']

  test.each([
    ['import', importing, '/v1/sessions/upload?file=a.txt'],
    ['events tail', reading, '/v1/events?limit=200']
  ])('%s says that another server answers there, and prints nothing else', async (_, words, path) => {
    const url = await serverThat((_request, response) => void response.end('{"message":"welcome"}'))
    expect(await outcomeOf(words(url))).toEqual({
      error: new CommandFailed(`${url}${path} is not that of a Parlance server: it answered 200`),
      stdout: '',
      stderr: ''
    })
  })

  test('finds it below a path', async () => {
    const paths: (string | undefined)[] = []
    const url = await serverThat((request, response) => {
      paths.push(request.url)
      response.writeHead(202).end('{"id":"ses_1","status":"processing"}')
    })
    const words = importing(`${url}/parlance/`)
    const imported = { file: words.at(-1), session_id: 'ses_1', status: 'processing' }
    expect(await outcomeOf(words)).toMatchObject({ stdout: `${JSON.stringify(imported)}\n`, stderr: '' })
    expect(paths).toEqual(['/parlance/v1/sessions/upload?file=a.txt'])
  })

  test('prints a line for each event, whatever its title contains', async () => {
    const [event] = EXAMPLES.events.events
    const session = { ...event!.data.session, title: 'a\u001b]0;b\u0007\nc' }
    const page = { ...EXAMPLES.events, events: [{ ...event, data: { ...event!.data, session } }], has_more: true }
    const url = await serverThat((request, response) => {
      const isFirst = !request.url?.includes('cursor')
      response.writeHead(isFirst ? 200 : 401).end(JSON.stringify(isFirst ? page : {}))
    })
    const { stdout } = await outcomeOf(reading(url).slice(0, -1))
    expect(stdout).toMatch(/^ {5}1 {2}[^\p{Cc}]* {2}a \]0;b c\n$/u)
  })

  test.each([
    ['2', 2_000],
    ['Wed, 21 Oct 2026 07:28:00 GMT', 3_000],
    [null, 3_000]
  ])('asked by Retry-After %j, waits %i ms', (retryAfter, ms) => {
    expect(toWaitMs(retryAfter)).toBe(ms)
  })
})

async function serverThat(answers: RequestListener) {
  const server = createServer(answers).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function printed() {
  const lines: string[] = []
  const log = vi.spyOn(console, 'log').mockImplementation(line => void lines.push(line))
  onTestFinished(() => log.mockRestore())
  return lines
}

test('a shown value keeps its lines and has no other control character', () => {
  const lines = printed()
  const session = { title: 'a\u001b]0;b\u0007', summary: 'First.\r\n\tSecond\u009b31m.' }
  show(false, session, `title ${session.title}\n\n${session.summary}`)
  show(true, session, '')
  expect(lines[0]).toBe('title a ]0;b \n\nFirst. \n\tSecond 31m.')
  expect(lines[1]).not.toMatch(/\p{Cc}/u)
  expect(JSON.parse(lines[1] ?? '')).toEqual(session)
})

test('the names in an archive of somebody else move no cursor and add no line where it is verified', async () => {
  const folder = temporaryFolder()
  await using zip = await createZip(folder, new Date('2026-03-02T10:00:00Z'))
  await zip.add('a\u001b[2K\u001b[1A\nEach file is as it was.\u009b31m', Buffer.from('x'))
  const issuer = 'https://parlance.example\u001b[2J'
  const user = { id: 'usr_1', name: null, email: null }
  const counts = { sessions: 1, transcripts: 1, recordings: 0, folders: 0, people: 0, terms: 0, shares: 0, files: 1 }
  const manifest = {
    kind: 'parlance-library',
    version: 1,
    created_at: '',
    issuer,
    user,
    format: 'zip',
    parts: [],
    since: null
  }
  const rest = { recordings: false, counts, left_out: { processing: 0, trash: 0 }, sha256: '' }
  await zip.add('manifest.json', Buffer.from(JSON.stringify({ ...manifest, ...rest })))
  await zip.finish()
  const { stdout, stderr, error } = await outcomeOf(['verify', zip.path])
  expect(error).toBeInstanceOf(CommandFailed)
  expect(stderr.split('\n').filter(line => line.includes('as it was'))).toEqual([
    'added: a [2K [1A Each file is as it was. 31m'
  ])
  expect(`${stdout}${stderr}`).not.toMatch(/[^\P{Cc}\n]/u)
})

test('a table has a line for each row, whatever its values contain', () => {
  const lines = printed()
  showList(false, [
    { id: 1, answer: 'gone\r\n\u001b[2J\u009b31m' },
    { id: 2, answer: null }
  ])
  expect(lines).toEqual(['id  answer\n1   gone [2J 31m\n2   -'])
})

/** The names of the commands that words begin with. */
function namesOf(program: Command) {
  return program.commands.map(one => one.name())
}

/** The words of every command. */
function commandsOf(command: Command, path: string[]): string[][] {
  return [path, ...command.commands.flatMap(sub => commandsOf(sub, [...path, sub.name()]))]
}
