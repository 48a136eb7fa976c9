/** Opens a source of pseudorandom numbers (mulberry32): the same seed gives the same numbers everywhere. */
export function openRandom(seed: number) {
  let state = seed

  function next() {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** Returns a whole number from 0 to below `end`. */
  const below = (end: number) => Math.floor(next() * end)

  return {
    below,
    pick: <T>(items: readonly T[]) => items[below(items.length)]!,
    /** Returns the items in random order. */
    shuffle<T>(items: readonly T[]) {
      const shuffled = [...items]
      for (let at = shuffled.length - 1; at > 0; at--) {
        const other = below(at + 1)
        ;[shuffled[at], shuffled[other]] = [shuffled[other]!, shuffled[at]!]
      }
      return shuffled
    }
  }
}
export type Random = ReturnType<typeof openRandom>
