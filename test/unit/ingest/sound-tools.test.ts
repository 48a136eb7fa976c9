import { existsSync, mkdirSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  createWorkFolder,
  removeAbandonedSound,
  removeOwnSound
} from '../../../src/features/ingest/parts/work-folder.ts'
import { runProgram } from '../../../src/platform/work/child-program.ts'
import { fileIn, temporaryFolder } from '../../support/folders.ts'

const NEVER = new AbortController().signal
const found = { programPath: process.env.PATH }

test('a program is killed at its time limit, and when the server stops', async () => {
  const limited = runProgram('sleep', ['60'], { ...found, timeoutMs: 100, signal: NEVER })
  await expect(limited).rejects.toMatchObject({ name: 'ProgramFailure', reason: 'stopped' })
  const stop = new AbortController()
  const stopped = runProgram('sleep', ['60'], { ...found, timeoutMs: 60_000, signal: stop.signal })
  setTimeout(() => stop.abort(new Error('stopping')), 100)
  await expect(stopped).rejects.toThrow('stopping')
})

test('a program gets its arguments without a shell, and none of the settings of the server', async () => {
  const lines: string[] = []
  const options = { ...found, timeoutMs: 60_000, signal: NEVER, onLine: (line: string) => void lines.push(line) }
  await runProgram('echo', ['$(id) `id` ; id'], options)
  await runProgram('env', [], options)
  expect(lines.map(line => line.replace(/=.*/, ''))).toEqual(['$(id) `id` ; id', 'PATH', 'LC_ALL'])
})

test('a program that writes without end is killed, in lines or in one', async () => {
  const lines: string[] = []
  const options = { ...found, timeoutMs: 60_000, onLine: (line: string) => void lines.push(line) }
  const tooMuch = { name: 'ProgramFailure', reason: 'failed', message: expect.stringContaining('it wrote too much') }
  await expect(runProgram('yes', [], options)).rejects.toMatchObject(tooMuch)
  expect(lines.length).toBeLessThan(100_000)
  lines.length = 0
  await expect(runProgram('cat', ['/dev/zero'], { ...options, maxOutput: 1e9 })).rejects.toMatchObject(tooMuch)
  expect(lines).toEqual([])
})

test('a program reads an open file, gives its last line without a break, and has a low priority', async () => {
  const lines: string[] = []
  await using file = await open(fileIn(temporaryFolder(), 'two', 'one\ntwo'))
  const options = { ...found, timeoutMs: 60_000, onLine: (line: string) => void lines.push(line) }
  await runProgram('cat', ['/dev/fd/3'], { ...options, file: file.fd })
  await runProgram('sh', ['-c', 'until [ "$(nice)" = 10 ]; do sleep 0.1; done; echo low'], options)
  expect(lines).toEqual(['one', 'two', 'low'])
})

test.runIf(existsSync('/proc/self/oom_score_adj'))(
  'where memory is short, the system ends a program before the server',
  async () => {
    const lines: string[] = []
    const isFirst = '[ "$(cat /proc/self/oom_score_adj)" = 1000 ]'
    await runProgram('sh', ['-c', `until ${isFirst}; do sleep 0.1; done; echo first`], {
      ...found,
      timeoutMs: 60_000,
      onLine: line => void lines.push(line)
    })
    expect(lines).toEqual(['first'])
  }
)

test('a program that is not installed is missing', async () => {
  const asked = runProgram('ffmpeg', [], { programPath: '/nowhere', timeoutMs: 60_000, signal: NEVER })
  await expect(asked).rejects.toMatchObject({ name: 'ProgramFailure', reason: 'missing' })
})

test('the sound of killed processes is removed, and that of running ones stays', async () => {
  const under = temporaryFolder()
  const machine = `sound-${hostname().replace(/[^\w]/g, '_')}`
  const [dead, other] = [join(under, `${machine}-999999999-a`), join(under, 'sound-elsewhere-1-a')]
  for (const folder of [dead, other]) mkdirSync(folder)
  const own = await createWorkFolder(under)
  await removeAbandonedSound(under, new Date())
  expect([dead, other, own.path].map(path => existsSync(path))).toEqual([false, true, true])
  await removeOwnSound(under)
  expect([other, own.path].map(path => existsSync(path))).toEqual([true, false])
})
