import { Command, CommanderError } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import { reportError } from '../server/report-error.ts'
import { addDeletions } from './deletions.ts'
import { addDistribute } from './distribute.ts'
import { addEvents } from './events.ts'
import { addImport } from './import.ts'
import { addMcp } from './mcp.ts'
import { addOAuthClients } from './oauth-clients.ts'
import { CommandFailed, UsedWrongly } from './output.ts'
import { addPeople } from './people.ts'
import { addRetention } from './retention.ts'
import { addSecretKey } from './secret-key.ts'
import { addServerCommands } from './server.ts'
import { addSessions } from './sessions.ts'
import { addShares } from './shares.ts'
import { addTokens } from './tokens.ts'
import { addUsers } from './users.ts'
import { addWebhooks } from './webhooks.ts'

/** The `parlance` command with all its subcommands. It throws instead of exiting, so that connections are closed first. */
export function buildProgram() {
  const program = new Command('parlance')
    .description('Operate Parlance, a server for recorded conversations. Works beside a running server.')
    .version(packageJson.version)
    .exitOverride()
    .showSuggestionAfterError()
  addServerCommands(program)
  addDistribute(program)
  addUsers(program)
  addTokens(program)
  addOAuthClients(program)
  addImport(program)
  addSessions(program)
  addPeople(program)
  addShares(program)
  addDeletions(program)
  addRetention(program)
  addSecretKey(program)
  addEvents(program)
  addWebhooks(program)
  addMcp(program)
  return program
}

/** Runs a command, reports its error, and returns its exit code. */
export async function runProgram(words: string[]) {
  try {
    await buildProgram().parseAsync(words, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    if (!(error instanceof CommandFailed && error.reported)) reportError(error)
    return error instanceof UsedWrongly ? 2 : 1
  }
}
