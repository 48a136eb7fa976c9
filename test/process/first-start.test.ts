// @module-tag embedded
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { endOf, serve, start, temporaryFolder, until } from '../support/process.ts'
import { canMeasureProcesses, ownMemoryOf } from '../support/process-memory.ts'

const SLOW = { timeout: 300_000 }

async function stop(serving: Awaited<ReturnType<typeof serve>>) {
  serving.kill('SIGTERM')
  expect((await endOf(serving)).code).toBe(0)
}

test.runIf(canMeasureProcesses)(
  'a server that has created its database keeps no more memory than after a restart',
  SLOW,
  async () => {
    const environment = { DATA_DIR: join(temporaryFolder(), 'data') }
    const first = await serve({ environment })
    const created = ownMemoryOf(first.pid)
    await stop(first)
    const second = await serve({ environment })
    expect(created).toBeLessThan(1.3 * ownMemoryOf(second.pid))
    await stop(second)
  }
)

test('a start that is killed while it creates the database leaves none, and the next one makes it', SLOW, async () => {
  const environment = { DATA_DIR: join(temporaryFolder(), 'data') }
  const killed = start(environment, ['serve'])
  await until('the database is being created', () => existsSync(join(environment.DATA_DIR, 'database.new', 'base')))
  killed.kill('SIGKILL')
  await killed.ended
  expect(existsSync(join(environment.DATA_DIR, 'database'))).toBe(false)
  // The process that creates it notices that nobody waits for it.
  await pause(100)
  const next = await serve({ environment })
  expect(existsSync(join(environment.DATA_DIR, 'database.new'))).toBe(false)
  await stop(next)
})
