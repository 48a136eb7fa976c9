import type { Command } from 'commander'
import { clock, publicUrlOf } from '../compose.ts'
import { ClaimRefused, claimShare } from '../sharing/claim.ts'
import { secretOf } from '../sharing/secret.ts'
import { sessionUrl } from '../sharing/shared.ts'
import { userNamed, withDatabase } from './context.ts'
import { CommandFailed, show } from './output.ts'

export function addShares(program: Command) {
  program
    .command('share')
    .description('what users share with each other')
    .command('claim')
    .argument('<url>', 'URL of a link or an invite')
    .description('give a user access to the session that a link or an invite was made for')
    .requiredOption('--user <user>', 'id or e-mail address of who claims it')
    .option('--json', 'one JSON value')
    .action(claim)
}

async function claim(url: string, { user, json }: { user: string; json?: boolean }) {
  await withDatabase(async context => {
    const userId = await userNamed(context, user)
    const { ownerId, sessionId } = await claimShare(context.database.db, userId, secretOf(url) ?? '', clock.now()).catch(
      (fault: unknown) => {
        throw fault instanceof ClaimRefused ? new CommandFailed(fault.message) : fault
      }
    )
    const session_url = sessionUrl(publicUrlOf(context.config), ownerId, sessionId)
    show(json, { owner_id: ownerId, session_id: sessionId, session_url }, `The session is shared: ${session_url}`)
  })
}
