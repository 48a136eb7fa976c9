import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { openProcessPool, PoolFull, ProcessLost } from '../../../src/platform/work/process-pool.ts'

const PROGRAM = new URL('../../support/pool-program.ts', import.meta.url)

interface Request {
  does: 'answer' | 'hang' | 'fill' | 'fail' | 'wait' | 'name'
  name?: string
}

function pool(settings: { processes?: number; maxWaiting?: number; timeoutMs?: number } = {}) {
  const usual = { processes: 2, heapMb: 32, maxWaiting: 10, timeoutMs: 30_000, idleMs: 60_000 }
  const opened = openProcessPool<Request, string>(PROGRAM, { ...usual, ...settings })
  onTestFinished(() => opened.close())
  return (request: Request, owner = 'ada', heavy = false) => opened.run(request, { owner, heavy })
}

test('a process that exceeds its memory, its time or fails takes only its own request with it', async () => {
  // The start of a process and what it needs to fill its memory count as well, so only a process that hangs gets little time.
  const [patient, impatient] = [pool(), pool({ timeoutMs: 4_000 })]
  const lost = async (run: typeof patient, does: Request['does']) =>
    await run({ does }).then(
      () => 'answered',
      (error: unknown) => (error instanceof ProcessLost ? error.reason : error)
    )
  const answers = (run: typeof patient) => run({ does: 'answer', name: 'x' })
  const tried = [
    lost(patient, 'fill'),
    lost(patient, 'fail'),
    answers(patient),
    lost(impatient, 'hang'),
    answers(impatient)
  ]
  expect(await Promise.all(tried)).toEqual(['memory', 'failed', 'x', 'time', 'x'])
  expect([await answers(patient), await answers(impatient)]).toEqual(['x', 'x'])
})

test.runIf(existsSync('/proc/self/oom_score_adj'))(
  'where memory is short, the system ends a process before the server, even one that still loads its program',
  async () => {
    // The program of the tests does nothing about it.
    const pid = await pool()({ does: 'name' })
    expect(readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8')).toBe('1000\n')
  }
)

test('more requests than may wait are refused at once', async () => {
  const run = pool({ processes: 1, maxWaiting: 1 })
  const [first, second] = [run({ does: 'wait' }), run({ does: 'answer', name: 'second' })]
  await expect(run({ does: 'answer' })).rejects.toThrow(PoolFull)
  expect([await first, await second]).toEqual(['waited', 'second'])
})

test('owners take turns', async () => {
  const run = pool({ processes: 1 })
  const order: string[] = []
  const all = ['ada', 'ada', 'ada', 'ben'].map((owner, index) =>
    run({ does: 'answer', name: `${owner} ${index}` }, owner).then(name => order.push(name))
  )
  await Promise.all(all)
  expect(order).toEqual(['ada 0', 'ben 3', 'ada 1', 'ada 2'])
})

test('heavy requests run one at a time, and light ones beside them', async () => {
  const run = pool()
  // Both processes have started, so that the light request does not wait for one to start.
  await Promise.all([run({ does: 'name' }), run({ does: 'name' })])
  let done = false
  const heavy = [1, 2].map(() => run({ does: 'wait' }, 'ada', true))
  void Promise.all(heavy).then(() => (done = true))
  await run({ does: 'answer', name: 'light' }, 'ben')
  await wait(0)
  expect(done).toBe(false)
  expect(await Promise.all(heavy)).toEqual(['waited', 'waited'])
})

test('a process ends after a heavy request, and serves again after a light one', async () => {
  const run = pool({ processes: 1 })
  const [heavy, light] = [await run({ does: 'name' }, 'ada', true), await run({ does: 'name' })]
  expect(light).not.toBe(heavy)
  expect(await run({ does: 'name' })).toBe(light)
})
