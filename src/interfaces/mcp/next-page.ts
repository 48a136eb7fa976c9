import { z } from 'zod'

/** The last field of an object with a page. It is absent on the last page. */
export const nextPage = { next_cursor: z.string().optional() }

/** That field of an answer. */
export function toNextPage(next: string | undefined) {
  return next === undefined ? {} : { next_cursor: next }
}
