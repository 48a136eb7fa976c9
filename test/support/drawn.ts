/** Numbers from 0 to 1 that seem drawn at random, the same each time for one seed. */
export function drawer(seed: number) {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}
