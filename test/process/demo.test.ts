import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { type Environment, endOf, freePort, onPostgres, startNode, temporaryFolder, until, wordsOf } from '../support/process.ts'

const SLOW = { timeout: 180_000 }

async function demo(dataDir: string) {
  const environment: Environment = { DATA_DIR: dataDir, PORT: String(await freePort()), ADMIN_PORT: String(await freePort()) }
  return startNode(environment, wordsOf('demo'))
}

/** The lines that it says to try. */
const linesOf = (stdout: string) => stdout.split('\n').flatMap(line => /^ {2}(curl .+)$/.exec(line)?.[1] ?? [])

/** As pasted into a terminal. */
const paste = (line: string) => JSON.parse(execFileSync('bash', ['-c', line], { encoding: 'utf8' }))

// It is the embedded database's, whatever the rest of the suite runs on.
describe.runIf(!onPostgres)('npm run demo', () => {
  test(
    'fills a server with conversations of several kinds and prints lines that work when pasted, again on a second start',
    SLOW,
    async () => {
      const dataDir = temporaryFolder()
      const first = await demo(dataDir)
      await until('it says what to try', () => linesOf(first.output.stdout).length >= 4, 120_000)
      const [listed, calls, account, found] = linesOf(first.output.stdout).map(paste)
      expect(listed.sessions).toHaveLength(5)
      expect(listed.has_more).toBe(true)
      expect(calls.sessions).toMatchObject([{ type: 'phone' }])
      expect(account.session_count).toBe(7)
      expect(found.results).toMatchObject([{ title: 'Product review', snippet: expect.stringContaining('fix') }])
      expect(new Set([...listed.sessions, ...calls.sessions].map(({ type }) => type)).size).toBeGreaterThan(2)
      first.kill('SIGINT')
      expect(await endOf(first)).toMatchObject({ code: 0, stderr: '' })

      const second = await demo(dataDir)
      await until('it says what to try', () => linesOf(second.output.stdout).length >= 4)
      expect(second.output.stdout).not.toContain('Importing')
      expect(paste(linesOf(second.output.stdout)[2]!).session_count).toBe(7)
      second.kill('SIGINT')
      expect(await endOf(second)).toMatchObject({ code: 0, stderr: '' })
    }
  )

  test('stopped while it imports, it ends without a fault, and goes on at the next start', SLOW, async () => {
    const dataDir = temporaryFolder()
    const stopped = await demo(dataDir)
    await until('it imports', () => stopped.output.stdout.includes('Importing'))
    stopped.kill('SIGINT')
    expect(await endOf(stopped, 40_000)).toMatchObject({ code: 0, stderr: '' })

    const next = await demo(dataDir)
    await until('it says what to try', () => linesOf(next.output.stdout).length >= 4, 120_000)
    expect(paste(linesOf(next.output.stdout)[2]!).session_count).toBe(7)
  })
})
