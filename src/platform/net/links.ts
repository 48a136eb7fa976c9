import type { FastifyRequest } from 'fastify'

/** The path of the public URL, without a slash at its end. Links without a host begin with it. A proxy in front may remove or keep it. */
export function basePathOf(publicUrl: string) {
  const { pathname } = new URL(publicUrl)
  return pathname === '/' ? '' : pathname
}

/**
 * The beginning of links in the answer to a request. Only a client that used the public URL gets it: to another, such as one in the
 * network of the server, it may lead nowhere, so links without a host keep the address that the client used.
 */
export function linkBase({ host }: Pick<FastifyRequest, 'host'>, publicUrl: string) {
  return host === new URL(publicUrl).host ? publicUrl : basePathOf(publicUrl)
}

/** The Link header that leads to the next page of a list: the same request with another cursor. */
export function nextLink(request: Pick<FastifyRequest, 'host' | 'url'>, publicUrl: string, cursor: string | number) {
  const { pathname, searchParams } = new URL(request.url, publicUrl)
  searchParams.set('cursor', String(cursor))
  return `<${linkBase(request, publicUrl)}${pathname}?${searchParams}>; rel="next"`
}

/** The address that tells clients of `/mcp` how to get a token. The challenge of a refused request names it. */
export function resourceMetadataUrl(publicUrl: string) {
  return `${publicUrl}/.well-known/oauth-protected-resource/mcp`
}
