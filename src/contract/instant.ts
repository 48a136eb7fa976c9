const ISO = /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?(?:[Zz]|[+-]\d{2}(?::?\d{2})?)?)?$/

/** Returns whether the text is an existing ISO 8601 day or instant in the years 1 to 9999. Without an offset it is UTC. */
export function isInstant(text: string) {
  const [, day, hour = '00', minute = '00', second = '00'] = ISO.exec(text) ?? []
  if (!day || day.startsWith('0000') || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return false
  const date = new Date(`${day}T00:00:00Z`)
  return (
    !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day) && offsetExists(text) && isInYears(toDate(text))
  )
}

/** Returns whether an instant has a time but no offset. */
export function isLocal(text: string) {
  return /^.{10}[Tt ]/.test(text) && !/(?:[Zz]|[+-]\d{2}(?::?\d{2})?)$/.test(text.slice(10))
}

/** An offset may lead outside of these years. */
function isInYears(date: Date) {
  return date.getUTCFullYear() >= 1 && date.getUTCFullYear() <= 9999
}

function offsetExists(text: string) {
  const [, hours = '0', minutes = '0'] = /[+-](\d{2}):?(\d{2})?$/.exec(text.slice(10)) ?? []
  return Number(hours) <= 15 && Number(minutes) <= 59
}

/** Parses an ISO 8601 day or instant. `new Date` alone would read a time without an offset in the local zone, and reject offsets of hours. */
export function toDate(text: string) {
  const [, day = text, hour = '00', minute = '00', second = '00'] = ISO.exec(text) ?? []
  const fraction = /[.,](\d{1,9})/.exec(text)?.[1] ?? '0'
  const [, sign, hours, minutes = '00'] = /([+-])(\d{2}):?(\d{2})?$/.exec(text.slice(10)) ?? []
  return new Date(
    `${day}T${hour}:${minute}:${second}.${fraction.slice(0, 3)}${sign ? `${sign}${hours}:${minutes}` : 'Z'}`
  )
}

/** Converts an ISO 8601 day or instant to the form that the database reads: UTC with microseconds. */
export function toUtc(text: string) {
  const [, rest = ''] = /[.,]\d{3}(\d{1,3})/.exec(text) ?? []
  return `${toDate(text).toISOString().slice(0, -1)}${rest.padEnd(3, '0')}Z`
}

/** Returns the microseconds from 1970 to an instant of `toUtc`, between 0 and the largest exact number. */
export function toMicroseconds(utc: string) {
  const since = toDate(utc).getTime() * 1_000 + Number(utc.slice(-4, -1))
  return Math.min(Math.max(since, 0), Number.MAX_SAFE_INTEGER)
}
