import type { FastifyRequest } from 'fastify'
import type { Services } from '../../features/services.ts'
import { ApiError } from '../../platform/core/api-error.ts'
import type { Visit } from './visit.ts'

/**
 * Returns whether a browser sent a form from a page of this server. Old browsers and programs send none of these headers; for them the token of the form
 * decides alone.
 */
function isOwnForm({ headers, host }: Pick<FastifyRequest, 'headers' | 'host'>, publicUrl: string) {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return false
  const { origin } = headers
  if (origin === undefined) return true
  return URL.canParse(origin) && [host, new URL(publicUrl).host].includes(new URL(origin).host)
}

/** Refuses a form that another site posts, or that was made for another session or another action. */
export function requireOwnForm(
  { publicUrl }: Services,
  { cookies, visitor }: Visit,
  request: FastifyRequest,
  { token, path }: { token: string; path: string }
) {
  if (isOwnForm(request, publicUrl) && cookies.isFormToken(token, visitor !== undefined, path)) return
  throw new ApiError('no_access', 'The form is not one of this session')
}
