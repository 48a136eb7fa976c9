import { execFileSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  type Environment,
  endOf,
  migratedDatabase,
  onPostgres,
  runJson,
  serverPorts,
  startNode,
  temporaryFolder,
  until
} from '../support/process.ts'

const SLOW = { timeout: 300_000 }

async function demo(dataDir: string, more: Environment = {}) {
  const environment: Environment = { DATA_DIR: dataDir, ...(await serverPorts()), ...more }
  return startNode(environment, ['src/server/demo.ts'])
}

const tokenOf = (stdout: string) => /^ {2}(prl_\w+)$/m.exec(stdout)?.[1]

/** Settings of a server that the demo must leave alone. */
const OF_SERVER = {
  DATABASE_URL: 'postgres://parlance@127.0.0.1:1/production',
  SECRET_KEY: 'k'.repeat(40),
  MEDIA_URL: 's3://production',
  SMTP_URL: 'smtp://127.0.0.1:1',
  MAIL_FROM: 'parlance@example.test',
  REUSE_PORT: 'true'
}

/** The lines that it says to try. */
const linesOf = (stdout: string) => stdout.split('\n').flatMap(line => /^ {2}(curl .+)$/.exec(line)?.[1] ?? [])

/** As pasted into a terminal. */
const paste = (line: string) => JSON.parse(execFileSync('bash', ['-c', line], { encoding: 'utf8' }))

// It is the embedded database's, whatever the rest of the suite runs on.
describe.runIf(!onPostgres)('npm run demo', () => {
  test(
    'imports conversations of several kinds and prints commands that work with one token, under any settings of a server',
    SLOW,
    async () => {
      const dataDir = temporaryFolder()
      const first = await demo(dataDir)
      await until('it says what to try', () => linesOf(first.output.stdout).length >= 4)
      const [listed, calls, account, found] = linesOf(first.output.stdout).map(paste)
      expect(listed.sessions).toHaveLength(5)
      expect(listed.has_more).toBe(true)
      expect(calls.sessions).toMatchObject([{ type: 'phone' }])
      expect(account.session_count).toBe(8)
      expect(found.results).toMatchObject([{ title: 'Product review', snippet: expect.stringMatching(/batter|fix/) }])
      expect(new Set([...listed.sessions, ...calls.sessions].map(({ type }) => type)).size).toBeGreaterThan(2)
      first.kill('SIGINT')
      expect(await endOf(first)).toMatchObject({ code: 0, stderr: '' })

      const second = await demo(dataDir, OF_SERVER)
      await until('it says what to try', () => linesOf(second.output.stdout).length >= 4)
      expect(readdirSync(dataDir)).toEqual(['demo'])
      const file = join(dataDir, 'demo', 'token')
      expect(tokenOf(second.output.stdout)).toBe(tokenOf(first.output.stdout))
      expect(readFileSync(file, 'utf8')).toBe(tokenOf(first.output.stdout))
      expect(statSync(file).mode & 0o777).toBe(0o600)
      expect(second.output.stdout).not.toContain('Importing')
      expect(paste(linesOf(second.output.stdout)[2]!).session_count).toBe(8)
      const place = { environment: { DATA_DIR: join(dataDir, 'demo') } }
      const tokens = await runJson(place, 'token', 'list')
      expect(tokens).toHaveLength(1)
      await runJson(place, 'token', 'revoke', String(tokens[0]?.id))
      second.kill('SIGINT')
      expect(await endOf(second)).toMatchObject({ code: 0, stderr: '' })

      // A token that was revoked is replaced.
      const third = await demo(dataDir)
      await until('it says what to try', () => linesOf(third.output.stdout).length >= 4)
      expect(tokenOf(third.output.stdout)).not.toBe(tokenOf(first.output.stdout))
      expect(paste(linesOf(third.output.stdout)[2]!).session_count).toBe(8)
    }
  )

  test('ends without an error when it is stopped while it imports, and continues at the next start', SLOW, async () => {
    const dataDir = temporaryFolder()
    // The other test begins with nothing, which takes longer.
    cpSync((await migratedDatabase()).dataDir, join(dataDir, 'demo'), { recursive: true })
    const stopped = await demo(dataDir)
    await until('it imports', () => stopped.output.stdout.includes('Importing'))
    stopped.kill('SIGINT')
    expect(await endOf(stopped)).toMatchObject({ code: 0, stderr: '' })

    const next = await demo(dataDir)
    await until('it says what to try', () => linesOf(next.output.stdout).length >= 4)
    expect(paste(linesOf(next.output.stdout)[2]!).session_count).toBe(8)
  })
})
