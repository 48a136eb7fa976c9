import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { OpenDatabase } from '../../src/platform/db/open.ts'

/** Returns every table of the database, including those of the queue, with the words in some row. */
export async function tablesWith({ pool }: Pick<OpenDatabase, 'pool'>, words: string): Promise<string[]> {
  const { rows: tables } = await pool.query(
    `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and n.nspname in ('public', 'pgboss') order by 1`
  )
  const found: string[] = []
  for (const { name } of tables) {
    const { rows } = await pool.query(`select from ${name} t where t::text ilike $1 limit 1`, [`%${words}%`])
    if (rows.length > 0) found.push(name)
  }
  return found
}

/** Returns every file of DATA_DIR with the words in its name or content, except the embedded database and the offline model. */
export function filesWith(dataDir: string, words: string): string[] {
  const names = entriesOf(dataDir).filter(name => !/^(database|models)\b/.test(name))
  return names.filter(name => name.includes(words) || contentOf(join(dataDir, name)).includes(words)).sort()
}

/** Reads the folder again if the server removes a folder meanwhile. */
function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return entriesOf(folder)
    throw error
  }
}

/** A server may remove a file at any moment. */
function contentOf(path: string) {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return ''
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}
