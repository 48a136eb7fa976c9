import type { FastifyRequest } from 'fastify'

/**
 * Returns whether a browser sent a form from a page of this server. Old browsers and programs send none of these headers; for them the token of the form
 * decides alone.
 */
export function isOwnForm({ headers, host }: Pick<FastifyRequest, 'headers' | 'host'>, publicUrl: string) {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return false
  const { origin } = headers
  if (origin === undefined) return true
  return URL.canParse(origin) && [host, new URL(publicUrl).host].includes(new URL(origin).host)
}
