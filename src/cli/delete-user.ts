import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import { everyScope } from '../features/access/actor.ts'
import { findUser } from '../features/access/queries.ts'
import { deleteUser } from '../features/deletions/delete-user.ts'
import { userNamed, withJobs } from './context.ts'
import { addCommand, type OwnerOptions } from './options.ts'
import { CommandFailed, orFail, showDone, UsedWrongly } from './output.ts'

export function addUserDeletion(user: Command) {
  addCommand(user, 'delete', 'delete a user and all their data permanently')
    .requiredOption('--user <user>', 'id or e-mail address')
    .option('--yes', 'do not ask')
    .action(remove)
}

async function remove({ user, yes, json }: OwnerOptions & { yes?: boolean }) {
  if (!yes && !process.stdin.isTTY)
    throw new UsedWrongly('Add --yes: there is no terminal on which to ask whether to delete the user for good')
  await withJobs(async context => {
    const { db, clock } = context.database
    const id = await userNamed(context, user)
    if (!yes) await confirm((await findUser(db, id))?.email ?? id)
    const deletion = deleteUser({ db, jobs: context.jobs, clock }, everyScope(id, 'command'))
    await orFail(deletion, `There is no user ${user}; see: npm run -s parlance -- user list`)
    const words = `Deleted ${id}: tokens and shares have ended. A running server erases the rest.`
    showDone(context, json, { id, deleted: true }, words)
  })
}

async function confirm(name: string) {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await terminal.question(`This deletes everything of ${name} for good. Type ${name} to go on: `)
    if (answer.trim() !== name) throw new CommandFailed('Nothing was deleted')
  } finally {
    terminal.close()
  }
}
