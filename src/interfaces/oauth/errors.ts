import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { type OAuthCode, OAuthRefusal } from '../../features/oauth/refusal.ts'
import { ApiError } from '../../platform/core/api-error.ts'

interface Refused {
  status: number
  code: OAuthCode | 'server_error'
  description: string
  retryAfter?: number | undefined
}

/** Answers every error of a route in the form of RFC 6749. Nothing of an unexpected one reaches the client. */
export function answerOAuthError(thrown: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  const { status, code, description, retryAfter } = toRefused(thrown)
  if (status >= 500) request.log.error({ err: thrown }, 'request failed')
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter))
  if (status === 401) reply.header('www-authenticate', 'Basic realm="OAuth client"')
  return reply.code(status).send({ error: code, error_description: toAscii(description) })
}

function toRefused(thrown: FastifyError): Refused {
  if (thrown instanceof OAuthRefusal)
    return { status: thrown.code === 'invalid_client' ? 401 : 400, code: thrown.code, description: thrown.message }
  if (thrown instanceof ApiError) {
    const { status, message: description, retryAfter } = thrown
    if (status === 429 || status === 503) return { status, code: 'temporarily_unavailable', description, retryAfter }
    if (status < 500) return { status, code: 'invalid_request', description }
  }
  const { statusCode = 500 } = thrown
  if (statusCode < 500) return { status: statusCode, code: 'invalid_request', description: 'The request is not valid' }
  return { status: 500, code: 'server_error', description: 'The server failed; try again' }
}

/** RFC 6749 allows a description printable ASCII, without quotation marks and backslashes. */
function toAscii(text: string) {
  return text.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, "'")
}
