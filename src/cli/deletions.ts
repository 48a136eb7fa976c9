import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { ledgerIn, readDeletions } from '../features/deletions/ledger-file.ts'
import { reapplyDeletions } from '../features/deletions/reapply.ts'
import { withJobs } from './context.ts'
import { addCommand } from './options.ts'
import { CommandFailed, showDone } from './output.ts'

export function addDeletions(program: Command) {
  addCommand(program, 'restore-deletions', 'repeat the deletions that a restored backup has undone')
    .argument('[file...]', 'ledgers of deletions (default: DATA_DIR/deletions.jsonl)')
    .action(restoreDeletions)
}

async function restoreDeletions(files: string[], { json }: { json?: boolean }) {
  await withJobs(async context => {
    const { config, database, jobs } = context
    const { db, clock } = database
    const ledgers = files.length > 0 ? files : [ledgerIn(config.database.dataDir)]
    const absent = ledgers.find(file => !existsSync(file))
    if (absent !== undefined) throw new CommandFailed(`There is no ledger ${absent}`)
    for (const ledger of ledgers) await requireDeletions(ledger)
    const done = await reapplyDeletions({ db, jobs, clock }, ...ledgers)
    const words = `${done.users} users, ${done.sessions} sessions and ${done.recordings} recordings had come back and are deleted again.`
    showDone(context, json, done, words)
  })
}

/** Refuses a file that is no ledger: it would seem that nothing had come back. */
async function requireDeletions(ledger: string) {
  for await (const { length } of readDeletions(ledger, 1)) if (length > 0) return
  throw new CommandFailed(`${ledger} has no deletions; name the deletions.jsonl of a server`)
}
