import { execFileSync } from 'node:child_process'
import { cpus, loadavg, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { databaseVersions } from './database.ts'

/** What the figures are measured on, and with. Nothing in it tells one machine of a kind from another. */
export async function describeMachine(): Promise<Record<string, string>> {
  const processors = cpus()
  const { postgres, pgvector } = await databaseVersions()
  return {
    Date: new Date().toISOString().slice(0, 10),
    Commit: commit(),
    Processor: `${processors[0]?.model.trim() ?? 'unknown'}, ${processors.length} cores`,
    Memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    Node: process.version,
    Postgres: postgres,
    pgvector,
    'Load at start': loadavg()
      .map(load => load.toFixed(2))
      .join(', ')
  }
}

/** Says so where files other than the results differ from the commit. */
function commit() {
  const git = (...words: string[]) => execFileSync('git', words, { cwd: fileURLToPath(new URL('..', import.meta.url)), encoding: 'utf8' })
  try {
    const changed = git('status', '--porcelain', '--', ':!bench/results.md').trim() !== ''
    return git('rev-parse', '--short=10', 'HEAD').trim() + (changed ? ', with changes' : '')
  } catch {
    return 'unknown'
  }
}
