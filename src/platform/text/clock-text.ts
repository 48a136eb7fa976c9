/** Hours, minutes, seconds and milliseconds, such as `01:02:03.004`. */
export function clockText(milliseconds: number, separator: string) {
  const ms = Math.floor(milliseconds)
  const [hours, minutes, seconds] = [
    Math.floor(ms / 3_600_000),
    Math.floor(ms / 60_000) % 60,
    Math.floor(ms / 1_000) % 60
  ].map(pad)
  return `${hours}:${minutes}:${seconds}${separator}${String(ms % 1_000).padStart(3, '0')}`
}

/** A position in a recording for people, such as `1:02:09`. */
export function clockTime(position: number) {
  const whole = Math.floor(position)
  const [hours, minutes, seconds] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60]
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(seconds)}` : `${minutes}:${pad(seconds)}`
}

function pad(number: number) {
  return String(number).padStart(2, '0')
}
