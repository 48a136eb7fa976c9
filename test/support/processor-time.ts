/**
 * The milliseconds of the fastest of a few calls with each input: a pause of the machine, or a clock that counts in ticks, makes one call slow,
 * not each. The inputs take turns: while the machine is slow, all of them are.
 */
export async function leastOfEach<T>(take: (input: T) => unknown, inputs: readonly T[]) {
  const least = inputs.map(() => Number.POSITIVE_INFINITY)
  for (let call = 0; call < 5; call++) {
    for (const [at, input] of inputs.entries()) least[at] = Math.min(least[at] ?? 0, await processorMs(take, input))
  }
  return least
}

/** One call in this thread alone: other processes do not count. */
export async function processorMs<T>(take: (input: T) => unknown, input: T) {
  const before = process.threadCpuUsage()
  await Promise.all([take(input)].flat())
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}
