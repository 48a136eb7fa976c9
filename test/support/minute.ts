/** Repeats the work until one minute of the clock holds all of it. Returns its result and that minute, counted from 1970. */
export async function inOneMinute<T>(work: () => Promise<T>) {
  for (;;) {
    const minute = Math.floor(Date.now() / 60_000)
    const result = await work()
    if (Date.now() < (minute + 1) * 60_000) return { result, minute }
  }
}
