import type { Command } from 'commander'
import { publicUrlOf } from '../compose.ts'
import { ClaimRefused, claimShare } from '../sharing/claim.ts'
import { sessionUrl } from '../sharing/recipient-queries.ts'
import { secretOf } from '../sharing/secret.ts'
import { userNamed, withDatabase } from './context.ts'
import { addCommand, type OwnerOptions } from './options.ts'
import { CommandFailed, showDone } from './output.ts'

export function addShares(program: Command) {
  const share = program.command('share').description('shared sessions')
  addCommand(share, 'claim', 'accept a link or an invite for a user')
    .argument('<url>', 'URL of a link or an invite')
    .requiredOption('--user <user>', 'id or e-mail address of the recipient')
    .action(claim)
}

async function claim(url: string, { user, json }: OwnerOptions) {
  await withDatabase(async context => {
    const { db, clock } = context.database
    const userId = await userNamed(
      context,
      user,
      `, or add the recipient: npm run -s parlance -- user create --email ${user}`
    )
    const { ownerId, sessionId } = await claimShare(db, userId, secretOf(url) ?? '', clock.now()).catch(
      (error: unknown) => {
        throw error instanceof ClaimRefused ? new CommandFailed(error.message) : error
      }
    )
    const session_url = sessionUrl(publicUrlOf(context.config), ownerId, sessionId)
    showDone(
      context,
      json,
      { owner_id: ownerId, session_id: sessionId, session_url },
      `The session is shared: ${session_url}`
    )
  })
}
