export function inWords(count: number) {
  return count.toLocaleString('en-GB')
}

/** A number with its noun, such as `1 session` and `2 sessions`. */
export function counted(count: number, one: string, many = `${one}s`) {
  return `${inWords(count)} ${count === 1 ? one : many}`
}

/** A part of a whole, from 0 to 1. */
export function percent(part: number) {
  return `${Math.round(part * 100)} %`
}

const WHOLE = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 })
const TENTHS = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 1 })

/** Seconds in hours, with a decimal where there are few. */
export function hoursOf(seconds: number) {
  const hours = seconds / 3_600
  return `${(hours < 10 ? TENTHS : WHOLE).format(hours)} h`
}
