export function inWords(count: number) {
  return count.toLocaleString('en-GB')
}

/** A number with its noun, such as `1 session` and `2 sessions`. */
export function counted(count: number, one: string, many = `${one}s`) {
  return `${inWords(count)} ${count === 1 ? one : many}`
}
