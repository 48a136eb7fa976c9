/** A generator of pseudorandom numbers from 0 to 1, the same for each seed. */
export function drawer(seed: number) {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}

/** A generator of texts of so many pseudorandom Chinese characters, which have few words in common and do not compress well. */
export function chineseDrawer(seed: number) {
  const draw = drawer(seed)
  const character = () => String.fromCharCode(0x4e00 + Math.floor(draw() * 20_000))
  return (characters: number) => Array.from({ length: characters }, character).join('')
}
