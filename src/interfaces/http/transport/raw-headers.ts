import type { FastifyRequest } from 'fastify'

/** A header as the documentation writes it, such as `If-Match`; Node has lower case. */
export function headerName(lowerCase: string) {
  return lowerCase.replace(/\b[a-z]/g, letter => letter.toUpperCase())
}

/** The token or key of the Authorization header; undefined where the header is missing or malformed. */
export function bearerToken(request: FastifyRequest) {
  // Node keeps the first of two headers, while a proxy in front may use the second.
  if (countHeader(request, 'authorization') !== 1) return undefined
  return /^Bearer +([^\s]+) *$/i.exec(request.headers.authorization ?? '')?.[1]
}

/** Returns a sentence about the error in the Host header. Undefined if it is valid. */
export function hostError(request: FastifyRequest) {
  const hosts = countHeader(request, 'host')
  if (hosts > 1) return 'Send one Host header'
  return hosts === 0 && request.raw.httpVersion === '1.1' ? 'Send a Host header' : undefined
}

/** Returns the number of times that a header was sent. */
function countHeader({ raw: { rawHeaders } }: FastifyRequest, name: string) {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const sent = rawHeaders[index]
    if (sent?.length === name.length && sent.toLowerCase() === name) count++
  }
  return count
}
