import { Command, CommanderError } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import { reportError } from '../server/report-error.ts'
import { CommandFailed, UsedWrongly } from './output.ts'

/**
 * The commands by their first words, with the file that adds them, in the order of the help. A command loads no other file, since all of them take
 * longer to load than most commands to run.
 */
const COMMANDS: [words: string[], load: () => Promise<(program: Command) => void>][] = [
  [['serve', 'migrate', 'doctor', 'openapi'], async () => (await import('./server.ts')).addServerCommands],
  [['backup', 'restore'], async () => (await import('./backup.ts')).addBackup],
  [['move'], async () => (await import('./move.ts')).addMove],
  [['distribute'], async () => (await import('./distribute.ts')).addDistribute],
  [['user'], async () => (await import('./users.ts')).addUsers],
  [['token'], async () => (await import('./tokens.ts')).addTokens],
  [['oauth-client'], async () => (await import('./oauth-clients.ts')).addOAuthClients],
  [['export'], async () => (await import('./export.ts')).addExport],
  [['verify'], async () => (await import('./verify.ts')).addVerify],
  [['import'], async () => (await import('./import.ts')).addImport],
  [['watch'], async () => (await import('./watch.ts')).addWatch],
  [['session'], async () => (await import('./sessions.ts')).addSessions],
  [['correct'], async () => (await import('./correct.ts')).addCorrect],
  [['terms'], async () => (await import('./terms.ts')).addTerms],
  [['summarize'], async () => (await import('./summarize.ts')).addSummarize],
  [['templates'], async () => (await import('./templates.ts')).addTemplates],
  [['person'], async () => (await import('./people.ts')).addPeople],
  [['share'], async () => (await import('./shares.ts')).addShares],
  [['restore-deletions'], async () => (await import('./deletions.ts')).addDeletions],
  [['retention'], async () => (await import('./retention.ts')).addRetention],
  [['secret-key'], async () => (await import('./secret-key.ts')).addSecretKey],
  [['events'], async () => (await import('./events.ts')).addEvents],
  [['webhooks'], async () => (await import('./webhooks.ts')).addWebhooks],
  [['mirror'], async () => (await import('./mirror.ts')).addMirror],
  [['mcp'], async () => (await import('./mcp.ts')).addMcp]
]

/**
 * The `parlance` command with the subcommands that the word begins, or with all if it begins none. It throws instead of exiting, so that
 * connections are closed first.
 */
export async function buildProgram(word?: string) {
  const program = new Command('parlance')
    .description('Operate Parlance, a server for recorded conversations. Works beside a running server.')
    .version(packageJson.version)
    .exitOverride()
    .showSuggestionAfterError()
  const named = COMMANDS.filter(([words]) => words.some(one => one === word))
  for (const [, load] of named.length > 0 ? named : COMMANDS) {
    const add = await load()
    add(program)
  }
  return program
}

/** Runs a command, reports its error, and returns its exit code. */
export async function runProgram(words: string[]) {
  try {
    const program = await buildProgram(words[0])
    await program.parseAsync(words, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    if (!(error instanceof CommandFailed && error.reported)) reportError(error)
    return error instanceof UsedWrongly ? 2 : 1
  }
}
