/** The fastest of a few calls: a pause of the machine, or a clock that counts in ticks, makes one call slow, not each. */
export async function leastMs<T>(take: (input: T) => unknown, input: T) {
  let least = Number.POSITIVE_INFINITY
  for (let call = 0; call < 5; call++) least = Math.min(least, await processorMs(take, input))
  return least
}

/** One call in this thread alone: other processes do not count. */
export async function processorMs<T>(take: (input: T) => unknown, input: T) {
  const before = process.threadCpuUsage()
  await Promise.all([take(input)].flat())
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}
