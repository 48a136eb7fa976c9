import type { Command } from 'commander'
import { everyScope } from '../features/access/actor.ts'
import { claimShare } from '../features/sharing/recipient-operations.ts'
import { publicUrlOf } from '../server/compose.ts'
import { userNamed, withDatabase } from './context.ts'
import { addCommand, type OwnerOptions } from './options.ts'
import { orFail, showDone } from './output.ts'

export function addShares(program: Command) {
  const share = program.command('share').description('shared sessions')
  addCommand(share, 'claim', 'accept a link or an invite for a user')
    .argument('<url>', 'URL of a link or an invite')
    .requiredOption('--user <user>', 'id or e-mail address of the recipient')
    .action(claim)
}

async function claim(url: string, { user, json }: OwnerOptions) {
  await withDatabase(async context => {
    const services = { ...context.database, publicUrl: publicUrlOf(context.config) }
    const userId = await userNamed(
      context,
      user,
      `, or add the recipient: npm run -s parlance -- user create --email ${user}`
    )
    const claimed = await orFail(claimShare(services, everyScope(userId, 'command'), { url }))
    showDone(context, json, claimed, `The session is shared: ${claimed.session_url}`)
  })
}
