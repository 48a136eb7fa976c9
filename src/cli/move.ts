import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { type Config, readConfig } from '../platform/config/config.ts'
import { createDataDir } from '../platform/config/data-dir.ts'
import { postgresUrl } from '../platform/config/settings.ts'
import { moveDatabase, type Recording } from '../platform/db/move/move.ts'
import { openDatabase } from '../platform/db/open.ts'
import type { ServerAddress } from '../platform/db/settings.ts'
import { openJobs } from '../platform/jobs/jobs.ts'
import { copyFolder } from '../platform/work/copy-folder.ts'
import { hasDatabase } from '../server/compose.ts'
import { addCommand, optionOf } from './options.ts'
import { CommandFailed, printError, show } from './output.ts'
import { startProgress } from './progress.ts'

export function addMove(program: Command) {
  addCommand(program, 'move', 'copy the embedded database to PostgreSQL, and compare them; stop the server first')
    .requiredOption('--to <url>', 'URL of an empty PostgreSQL database', optionOf(postgresUrl))
    .option('--data-dir <folder>', 'new DATA_DIR, which gets copies of the recordings and keys')
    .action(move)
}

interface MoveOptions {
  to: string
  dataDir?: string
  json?: boolean
}

async function move({ to, dataDir: newFolder, json }: MoveOptions) {
  const config = readConfig()
  const { url, dataDir } = config.database
  if (url !== undefined)
    throw new CommandFailed('DATABASE_URL is set; unset it, because a move reads the embedded database of DATA_DIR')
  if (!hasDatabase(config.database))
    throw new CommandFailed(`There is no database in ${dataDir}. Set DATA_DIR as for the server`)
  const target = resolve(newFolder ?? dataDir)
  if (newFolder !== undefined && isWithin(target, dataDir))
    throw new CommandFailed(`--data-dir: ${target} is in ${dataDir}; name a folder outside it`)
  const progress = startProgress()
  const copied = { files: 0, bytes: 0 }
  try {
    const { tables, recordings } = await moveDatabase({
      dataDir,
      to,
      createQueues,
      onTable: table => progress.show(`Copying ${table}`),
      async copyFiles() {
        if (newFolder === undefined) return
        progress.show('Copying files')
        createDataDir(target)
        Object.assign(copied, await copyFolder(dataDir, target, isOfEngine))
      }
    })
    progress.end()
    const missing = listMissing(config, target, recordings)
    for (const { key } of missing) printError(`The recording ${key} is missing or has another size in ${target}`)
    const rows = tables.reduce((sum, table) => sum + table.rows, 0)
    const done = { tables, rows, recordings: recordings.length, missing_recordings: missing.length, ...copied }
    show(json, done, wordsFor(done, target))
  } finally {
    progress.end()
  }
}

/** Opening the queues creates them. */
async function createQueues(address: ServerAddress) {
  const opened = await openDatabase({
    url: address.connectionString,
    searchPath: address.searchPath,
    dataDir: '',
    share: true,
    name: 'parlance move',
    onError: () => {}
  })
  try {
    const jobs = await openJobs(opened, { supervise: false, onError: () => {} })
    await jobs.stop()
  } finally {
    await opened.close()
  }
}

/** The entries of DATA_DIR that a server with DATABASE_URL does not read, or that last as long as a request. */
function isOfEngine(name: string) {
  return /^(?:database|\.s\.PGSQL)|^(?:uploads|sound|demo)$/.test(name)
}

function isWithin(path: string, folder: string) {
  return path === folder || path.startsWith(join(folder, '/'))
}

/** The recordings that the moved server would not find. A bucket stays where it is. */
function listMissing({ media }: Config, dataDir: string, recordings: Recording[]) {
  if ('bucket' in media) return []
  const sizeOf = (key: string) => statSync(join(dataDir, 'media', key), { throwIfNoEntry: false })?.size
  return recordings.filter(({ key, bytes }) => sizeOf(key) !== bytes)
}

function wordsFor({ tables, rows, files }: { tables: object[]; rows: number; files: number }, dataDir: string) {
  const copied = files > 0 ? ` Files copied to ${dataDir}: ${files}.` : ''
  const keyFile = join(dataDir, 'secret.key')
  const key = existsSync(keyFile) ? `SECRET_KEY_FILE=${keyFile}` : 'the same SECRET_KEY'
  return `Moved ${rows} rows of ${tables.length} tables; each table has the same number of rows and the same digest.${copied}
Start the server with DATABASE_URL, DATA_DIR=${dataDir} and ${key}. Start none on the embedded database any more.`
}
