import type { Command } from 'commander'
import { wholeNumber } from '../contract/common.ts'
import { readConfig } from '../platform/config/config.ts'
import { DEFAULT_SHARDS } from '../platform/db/distribute.ts'
import { countPendingMigrations, distributeDatabase, findUndistributed } from '../platform/db/migrate.ts'
import { findAddress } from '../platform/db/server-address.ts'
import { addCommand, optionOf } from './options.ts'
import { CommandFailed, show, showDone } from './output.ts'

/** The limit of Citus. */
const MAX_SHARDS = 64_000

export function addDistribute(program: Command) {
  addCommand(program, 'distribute', 'distribute a migrated database over the nodes of its Citus cluster, by owner')
    .option('--check', 'change nothing; exit code 1 if tables are not distributed yet')
    .option(
      '--shards <number>',
      'number of shards when the database is first distributed',
      optionOf(wholeNumber(1, MAX_SHARDS)),
      DEFAULT_SHARDS
    )
    .action(distribute)
}

async function distribute({ check = false, shards, json }: { check?: boolean; shards: number; json?: boolean }) {
  const config = readConfig()
  const { url } = config.database
  if (url === undefined) throw new CommandFailed('Set DATABASE_URL to the coordinator of a Citus cluster')
  const address = await findAddress(url)
  const undistributed = await findUndistributed(address)
  if ((await countPendingMigrations(address)) > 0)
    throw new CommandFailed('The database is not up to date; first run: npm run -s parlance -- migrate')
  const tables = check ? undistributed : await distributeDatabase(address, shards)
  const done = { tables, distributed: !check }
  if (!check) return showDone({ config }, json, done, words(tables, check))
  show(json, done, words(tables, check))
  if (tables.length > 0) throw new CommandFailed('The database is not distributed', { reported: true })
}

function words(tables: string[], check: boolean) {
  if (tables.length === 0) return 'Every table is distributed.'
  return check ? `Not distributed yet: ${tables.join(', ')}.` : `${tables.length} tables distributed.`
}
