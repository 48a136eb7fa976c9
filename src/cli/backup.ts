import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import { readConfig } from '../platform/config/config.ts'
import { createDataDir, protectDataDir } from '../platform/config/data-dir.ts'
import { takeLock } from '../platform/db/embedded/lock.ts'
import type { Manifest } from '../server/backup/manifest.ts'
import { readBackup } from '../server/backup/read-backup.ts'
import { writeBackup } from '../server/backup/write-backup.ts'
import { withDatabase } from './context.ts'
import { addCommand } from './options.ts'
import { CommandFailed, show } from './output.ts'

const WITH_POSTGRES = 'DATABASE_URL is set; a PostgreSQL database is backed up with pg_dump (docs/operations/backup.md)'

export function addBackup(program: Command) {
  addCommand(program, 'backup', 'back up the embedded database and its recordings, also while a server runs')
    .argument('<file>', 'tar file to write')
    .option('--without-recordings', 'leave the recordings out, if you copy DATA_DIR/media yourself')
    .action(backup)
  addCommand(program, 'restore', 'restore a backup into a DATA_DIR without a database')
    .argument('<file>', 'tar file of a backup')
    .action(restore)
}

async function backup(file: string, { withoutRecordings, json }: { withoutRecordings?: boolean; json?: boolean }) {
  if (readConfig().database.url !== undefined) throw new CommandFailed(WITH_POSTGRES)
  await withDatabase(async ({ config, database: { engine } }) => {
    if (!engine) throw new CommandFailed(WITH_POSTGRES)
    const isBucket = 'bucket' in config.media
    const recordings = isBucket ? 'in the bucket' : withoutRecordings ? 'left out' : 'included'
    const manifest = await writeBackup({
      dataDir: config.database.dataDir,
      socketDir: engine.socketDir,
      file: resolve(file),
      withMedia: recordings === 'included',
      describe: { made_by: packageJson.version, made_at: new Date().toISOString(), recordings }
    })
    const done = { file: resolve(file), ...totalsOf(manifest) }
    show(json, done, `Backed up ${wordsFor(done)} to ${done.file}. It has no key: keep a copy of SECRET_KEY elsewhere.`)
  })
}

async function restore(file: string, { json }: { json?: boolean }) {
  const { database } = readConfig()
  if (database.url !== undefined)
    throw new CommandFailed('DATABASE_URL is set; unset it, because a backup is restored into DATA_DIR')
  const { dataDir } = database
  if (!existsSync(file)) throw new CommandFailed(`There is no file ${resolve(file)}`)
  createDataDir(dataDir)
  const lock = takeLock(`${dataDir}/database.lock`)
  if (!lock) throw new CommandFailed(`Another process has the database in ${dataDir} open; name another DATA_DIR`)
  try {
    const manifest = await readBackup(resolve(file), dataDir)
    protectDataDir(dataDir)
    const done = { data_dir: dataDir, made_at: manifest.made_at, ...totalsOf(manifest) }
    show(
      json,
      done,
      `Restored ${wordsFor(done)} of ${manifest.made_at} into ${dataDir}. ${nextStep(manifest, dataDir)}`
    )
  } finally {
    lock.release()
  }
}

function totalsOf({ files, recordings }: Manifest) {
  const media = Object.keys(files).filter(name => name.startsWith('media/')).length
  const bytes = Object.values(files).reduce((sum, file) => sum + file.bytes, 0)
  return { bytes, recordings, recording_files: media }
}

function wordsFor({ bytes, recordings, recording_files }: ReturnType<typeof totalsOf>) {
  const words = recordings === 'included' ? `${recording_files} recordings` : `no recordings (${recordings})`
  return `the database and ${words}, ${Math.ceil(bytes / 2 ** 20)} MiB,`
}

function nextStep({ recordings }: Manifest, dataDir: string) {
  const key = existsSync(`${dataDir}/secret.key`)
    ? ''
    : `Put the secret.key of the backed-up server into ${dataDir}, or set its SECRET_KEY. `
  const media = recordings === 'left out' ? `Put its recordings into ${dataDir}/media. ` : ''
  return `${key}${media}Then start the server.`
}
