/** Splits rows, of which up to one more than the limit was read, into the page and its last row, which is defined if more rows follow. */
export function cutPage<T>(rows: T[], limit: number): { page: T[]; last: T | undefined } {
  return { page: rows.slice(0, limit), last: rows.length > limit ? rows[limit - 1] : undefined }
}
