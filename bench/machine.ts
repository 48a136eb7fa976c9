import { execFileSync } from 'node:child_process'
import { cpus, loadavg, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { databaseVersions } from './database.ts'

/** Returns the machine and the versions that figures are measured with. Nothing identifies an individual machine. */
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

/** Returns the commit, with a note if files other than the results differ from it. */
function commit() {
  const git = (...words: string[]) =>
    execFileSync('git', words, { cwd: fileURLToPath(new URL('..', import.meta.url)), encoding: 'utf8' })
  try {
    const changed = git('status', '--porcelain', '--', ':!bench/results.md').trim() !== ''
    return git('rev-parse', '--short=10', 'HEAD').trim() + (changed ? ', with changes' : '')
  } catch {
    return 'unknown'
  }
}
