import { setImmediate } from 'node:timers/promises'

/**
 * Returns the milliseconds of the fastest of a few calls with each input: a pause of the machine, or a clock that counts in ticks, slows one
 * call, not all. The inputs take turns, so a slow period of the machine affects all of them.
 */
export async function leastOfEach<T>(take: (input: T) => unknown, inputs: readonly T[]) {
  const least = inputs.map(() => Number.POSITIVE_INFINITY)
  for (let call = 0; call < 5; call++) {
    for (const [at, input] of inputs.entries()) least[at] = Math.min(least[at] ?? 0, await processorMs(take, input))
  }
  return least
}

/** Measures the processor time of one call in this thread alone, without other processes. */
export async function processorMs<T>(take: (input: T) => unknown, input: T) {
  const before = process.threadCpuUsage()
  await Promise.all([take(input)].flat())
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}

/** Does work, and measures the processor time of this thread for each turn of the event loop that the work leaves to others, in milliseconds. */
export async function processorMsPerTurn<T>(work: () => Promise<T>) {
  let isDone = false
  let turns = 0
  const before = process.threadCpuUsage()
  const ended = work().finally(() => {
    isDone = true
  })
  for (; !isDone; turns++) await setImmediate()
  const { user, system } = process.threadCpuUsage(before)
  return { result: await ended, msPerTurn: (user + system) / 1_000 / turns }
}

/** Does work, and measures the most processor time of this thread in one turn of the event loop meanwhile, in milliseconds. */
export async function longestTurn<T>(work: () => Promise<T>) {
  let isDone = false
  let longestMs = 0
  const ended = work().finally(() => {
    isDone = true
  })
  while (!isDone) {
    const before = process.threadCpuUsage()
    await setImmediate()
    const { user, system } = process.threadCpuUsage(before)
    longestMs = Math.max(longestMs, (user + system) / 1_000)
  }
  return { result: await ended, longestMs }
}
