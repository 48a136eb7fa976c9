import type { Command } from 'commander'
import { deleteExpired, type Expired, findExpired } from '../features/deletions/retention.ts'
import { withJobs } from './context.ts'
import { addCommand } from './options.ts'
import { placeOf, print, showList } from './output.ts'

export function addRetention(program: Command) {
  addCommand(
    program,
    'retention',
    'delete now what is older than its retention, and list it',
    'one JSON value per line'
  )
    .option('--dry-run', 'list what would be deleted, and delete nothing')
    .action(retain)
}

async function retain({ dryRun, json }: { dryRun?: boolean; json?: boolean }) {
  await withJobs(async context => {
    const services = { ...context.database, jobs: context.jobs }
    const rows: Expired[] = []
    for await (const batch of dryRun ? findExpired(services) : deleteExpired(services)) {
      // A table needs all rows for its widths.
      if (json) showList(json, batch.map(toRow))
      else rows.push(...batch)
    }
    if (json) return
    showList(json, rows.map(toRow))
    const { audio_days: audio, session_days: session } = services.retention
    print(
      `RETENTION_AUDIO_DAYS is ${audio ?? 'not set'}, RETENTION_SESSION_DAYS is ${session ?? 'not set'}. ${placeOf(context.config)}`
    )
  })
}

function toRow({ what, user, session, since }: Expired): Record<string, unknown> {
  return { what, user, session, since }
}
