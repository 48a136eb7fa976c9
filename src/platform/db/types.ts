import pg, { type CustomTypesConfig } from 'pg'

const TIMESTAMPTZ = 1184
const INT8 = 20
const DATE = 1082

/** The forms in which the driver returns values: instants as ISO 8601 text in UTC, days as text, bigints as numbers. */
export const driverTypes: CustomTypesConfig = {
  getTypeParser(oid, format) {
    if (format === 'binary') return pg.types.getTypeParser(oid, format)
    if (oid === TIMESTAMPTZ) return isoInstant
    if (oid === INT8) return safeInteger
    if (oid === DATE) return (day: string) => day
    return pg.types.getTypeParser(oid, format)
  }
}

/** `2026-03-02 10:00:00.5+00`, as Postgres writes it in UTC, to `2026-03-02T10:00:00.500Z`. Microseconds are kept. */
function isoInstant(text: string) {
  const fraction = text.length === 22 ? '000' : text.slice(20, -3)
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(fraction.length > 3 ? 6 : 3, '0')}Z`
}

function safeInteger(text: string) {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new Error('A bigint from the database does not fit a JavaScript number')
  return value
}
