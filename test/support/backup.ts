import { execFile } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freshDatabase, type Place, temporaryFolder } from './process.ts'

const runFile = promisify(execFile)

/** Backs up as the guide says: pg_dump beside a running server, or a copy of the folder of a stopped one. */
export async function backUp({ url, dataDir }: Place) {
  const folder = temporaryFolder()
  if (url) await runFile('pg_dump', ['--format=custom', `--file=${join(folder, 'database.dump')}`, url])
  cpSync(dataDir, join(folder, 'data'), { recursive: true })
  return folder
}

/** Restores the backup into a new place, where nothing runs yet. */
export async function restore(backup: string): Promise<Place> {
  const place = await freshDatabase()
  cpSync(join(backup, 'data'), place.dataDir, { recursive: true })
  if (place.url) {
    await restoreDump(backup, place.url)
  }
  return place
}

/** Restores the dump as the guide says. */
export async function restoreDump(backup: string, url: string) {
  await runFile('pg_restore', [
    '--no-owner',
    '--no-comments',
    '--exit-on-error',
    `--dbname=${url}`,
    join(backup, 'database.dump')
  ])
  await runFile('psql', [url, '-c', 'analyze'])
}
