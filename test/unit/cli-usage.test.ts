import { type Command, CommanderError } from 'commander'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { UsedWrongly } from '../../src/cli/output.ts'
import { buildProgram } from '../../src/cli/program.ts'

/** What a command writes, and what it ends with. The program turns the error into its exit code, 0 or 2. */
async function outcomeOf(words: string[]) {
  const written = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    const spy = vi.spyOn(process[stream], 'write').mockImplementation(text => {
      written[stream] += text
      return true
    })
    onTestFinished(() => spy.mockRestore())
  }
  const error: unknown = await buildProgram()
    .parseAsync(words, { from: 'user' })
    .catch((thrown: unknown) => thrown)
  vi.restoreAllMocks()
  return { error, ...written }
}

const commands = commandsOf(buildProgram(), [])

test('there are commands', () => {
  expect(commands.length).toBeGreaterThan(10)
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
      "error: option '--time-zone <zone>' argument 'Mars/Olympus' is invalid. Send an IANA time zone such as Europe/Berlin."
    ],
    [['token', 'create', '--user', 'u', '--name', 'n', '--scopes', 'sessions:red'], 'There is no scope "sessions:red"'],
    [['import', '--user', 'u'], "error: missing required argument 'file'"],
    [['import', '--user', 'u', '--at', 'yesterday', 'x.vtt'], 'Send an ISO 8601 date and time such as 2026-03-02T10:00:00Z.'],
    [['migrate', 'now'], 'error: too many arguments'],
    [['sevre'], "error: unknown command 'sevre'"],
    [[], 'Usage: parlance'],
    [['user'], 'Usage: parlance user']
  ])('%j', async (words, sentence) => {
    const { error, stdout, stderr } = await outcomeOf(words)
    expect(error).toBeInstanceOf(CommanderError)
    expect({ stdout, stderr }).toEqual({ stdout: '', stderr: expect.stringContaining(sentence) })
  })

  test('without anything to change', async () => {
    const { error } = await outcomeOf(['user', 'update', 'somebody'])
    expect(error).toBeInstanceOf(UsedWrongly)
    expect(error).toMatchObject({ message: 'Name something to change; see: user update --help' })
  })
})

/** The words of every command. */
function commandsOf(command: Command, path: string[]): string[][] {
  return [path, ...command.commands.flatMap(sub => commandsOf(sub, [...path, sub.name()]))]
}
