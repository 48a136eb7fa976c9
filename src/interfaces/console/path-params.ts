import { z } from 'zod'
import { throwNotFound } from '../../platform/core/api-error.ts'
import type { IdPrefix } from '../../platform/core/ids.ts'

/** An id as this server makes them. */
export function pathId(prefix: IdPrefix) {
  return z.string().regex(new RegExp(`^${prefix}_[0-9a-z]{26}$`))
}

/** The parameters of a page's path. Anything else is an unknown page. */
export function pathParams<S extends z.ZodRawShape>(shape: S) {
  return z.object(shape).catch(() => throwNotFound('Page'))
}
