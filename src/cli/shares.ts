import type { Command } from 'commander'
import { clock, publicUrlOf } from '../compose.ts'
import { ClaimRefused, claimShare } from '../sharing/claim.ts'
import { sessionUrl } from '../sharing/recipient-queries.ts'
import { secretOf } from '../sharing/secret.ts'
import { userNamed, withDatabase } from './context.ts'
import { CommandFailed, show } from './output.ts'

export function addShares(program: Command) {
  program
    .command('share')
    .description('shared sessions')
    .command('claim')
    .argument('<url>', 'URL of a link or an invite')
    .description('accept a link or an invite for a user')
    .requiredOption('--user <user>', 'id or e-mail address of the recipient')
    .option('--json', 'print one JSON value')
    .action(claim)
}

async function claim(url: string, { user, json }: { user: string; json?: boolean }) {
  await withDatabase(async context => {
    const userId = await userNamed(context, user)
    const { ownerId, sessionId } = await claimShare(context.database.db, userId, secretOf(url) ?? '', clock.now()).catch(
      (error: unknown) => {
        throw error instanceof ClaimRefused ? new CommandFailed(error.message) : error
      }
    )
    const session_url = sessionUrl(publicUrlOf(context.config), ownerId, sessionId)
    show(json, { owner_id: ownerId, session_id: sessionId, session_url }, `The session is shared: ${session_url}`)
  })
}
