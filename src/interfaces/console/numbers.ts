export function inWords(count: number) {
  return count.toLocaleString('en-GB')
}

/** A number with its noun, such as `1 session` and `2 sessions`. */
export function counted(count: number, one: string, many = `${one}s`) {
  return `${inWords(count)} ${count === 1 ? one : many}`
}

/** Seconds in hours, with a decimal where there are few. */
export function hoursOf(seconds: number) {
  const hours = seconds / 3_600
  return `${new Intl.NumberFormat('en-GB', { maximumFractionDigits: hours < 10 ? 1 : 0 }).format(hours)} h`
}
