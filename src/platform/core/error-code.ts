/** The code of an error of the system, of a library or of the database. Empty without one. */
export function codeOf(error: unknown) {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
