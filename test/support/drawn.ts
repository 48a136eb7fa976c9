/** A generator of pseudorandom numbers from 0 to 1, the same for each seed. */
export function drawer(seed: number) {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}
