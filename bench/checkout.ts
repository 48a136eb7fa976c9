import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from './server.ts'

/**
 * Checks a commit out into a working tree of its own, which is removed when this process exits. It has the packages of its lock file: those of
 * this working tree if both have the same.
 */
export function checkOut(commit: string) {
  const hash = runGit('rev-parse', '--verify', '--quiet', '--short', `${commit}^{commit}`)
  const root = mkdtempSync(join(tmpdir(), 'parlance-against-'))
  runGit('worktree', 'add', '--quiet', '--detach', root, hash)
  process.once('exit', () => runGit('worktree', 'remove', '--force', root))
  const [own, other] = [ROOT, root].map(folder => readFileSync(join(folder, 'package-lock.json'), 'utf8'))
  if (own === other) symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'))
  else execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  return { hash, root }
}

function runGit(...words: string[]) {
  try {
    return execFileSync('git', words, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()
  } catch (error) {
    throw new Error(`git ${words.join(' ')} failed`, { cause: error })
  }
}
