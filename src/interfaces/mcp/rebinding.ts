import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../platform/core/api-error.ts'

/**
 * Refuses what a page of a stranger sends by a name that it made lead here: an `Origin` that is not one of ours, or a `Host` that public DNS can lead
 * elsewhere. Programs send no `Origin`.
 */
export function refuseRebinding(
  { hostname, headers: { origin } }: Pick<FastifyRequest, 'hostname' | 'headers'>,
  publicUrl: string,
  origins: readonly string[]
) {
  const own = new URL(publicUrl).hostname
  if (!isOwnName(hostname, own))
    throw new ApiError('no_access', `This server is not known by this Host; use its address ${publicUrl}`)
  if (origin === undefined || origins.includes(origin)) return
  if (!URL.canParse(origin) || !(isLocal(new URL(origin).hostname) || new URL(origin).hostname === own))
    throw new ApiError('no_access', 'Pages of this Origin may not use the server')
}

/** A name without a dot, and an address, are nobody's to redirect. */
function isOwnName(hostname: string, own: string) {
  const name = bare(hostname)
  return name === bare(own) || isIP(name) !== 0 || !name.includes('.')
}

function isLocal(hostname: string) {
  return ['localhost', '127.0.0.1', '::1'].includes(bare(hostname))
}

function bare(hostname: string) {
  return hostname.toLowerCase().replace(/^\[|\]$/g, '')
}
