import type { FastifyContextConfig, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ErrorCode } from '../../contract/errors.ts'
import { AUDIENCE_SCOPES } from '../../contract/oauth.ts'
import { ApiError, describeError } from '../../platform/core/api-error.ts'
import { isUnavailable } from '../../platform/db/errors.ts'
import { preferredType } from '../../platform/net/accept.ts'
import { collectMethods } from './allowed-methods.ts'

/** Shows a page at a path that no route has. */
type ShowUnknown = () => Promise<FastifyReply>

declare module 'fastify' {
  interface FastifyInstance {
    /** Answers a request for an unknown path or method. A browser at an unknown path gets the page, if there is one. */
    answerUnknown: (request: FastifyRequest, reply: FastifyReply, show?: ShowUnknown) => Promise<FastifyReply>
  }
}

/**
 * Answers every error of a route, and every unknown path and method, in the contract's error shape. Call it before the routes are registered. With
 * `hasPages` a plugin sets the handler of unknown paths.
 */
export function answerErrors(app: FastifyInstance, { hasPages = false } = {}) {
  app.setErrorHandler<FastifyError>((thrown, request, reply) => {
    const error = renamed(toApiError(thrown, request), request.routeOptions.config.codes)
    if (error.status >= 500) request.log.error({ err: thrown }, 'request failed')
    if (error.retryAfter !== undefined) reply.header('retry-after', String(error.retryAfter))
    const challenge = challengeOf(error, request.routeOptions.config)
    if (challenge !== undefined) reply.header('www-authenticate', challenge)
    // Fastify would close the connection while the client still sends, and the client would lose the answer. Node discards the rest.
    if (error.status === 413) reply.removeHeader('connection')
    for (const name of OF_CONTENT) reply.removeHeader(name)
    return reply
      .code(error.status)
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(errorBody(error)))
  })
  const methodsOf = collectMethods(app)
  app.decorate('answerUnknown', async ({ method, url, headers: { accept } }, reply, show) => {
    const methods = methodsOf(url.split('?', 1)[0] ?? '')
    if (methods.length > 0) {
      reply.header('allow', methods.join(', '))
      throw new ApiError('method_not_allowed', `This path does not take ${method}, but ${methods.join(', ')}`)
    }
    const isPage = method === 'GET' && preferredType(accept, ['application/json', 'text/html']) === 'text/html'
    if (show && isPage) return await show()
    throw new ApiError('not_found', `There is nothing at this path for ${method}`)
  })
  if (!hasPages) app.setNotFoundHandler((request, reply) => app.answerUnknown(request, reply))
}

/** Answers an error that Fastify finds before routing, such as a path that cannot be decoded. */
export function answerFrameworkError(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
  headers: Record<string, string>
) {
  const answer = toApiError(error, request)
  reply
    .code(answer.status)
    .headers(headers)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(errorBody(answer)))
}

/** Headers that a handler may have set for a response that is then refused, for example because too many wait to be read. */
const OF_CONTENT = ['etag', 'content-disposition', 'link']

/** Replaces the code of an error by the route's own code for it. */
function renamed(error: ApiError, codes: Partial<Record<ErrorCode, ErrorCode>> = {}) {
  const code = codes[error.code]
  const { problem, field, expected, status, retryAfter } = error
  return code === undefined
    ? error
    : new ApiError(code, problem, { field, expected, status, ...(retryAfter !== undefined && { retryAfter }) })
}

/**
 * The challenge of RFC 6750 and RFC 9728: a client lacks a token, a valid token, or a scope. Where it can get a token, the challenge names all scopes of
 * the resource, because clients ask for these alone, and the user unticks what a client should not have.
 */
function challengeOf({ code, scope }: ApiError, { resourceMetadata, audience = 'server' }: FastifyContextConfig) {
  const lacksToken = code === 'unauthorized' || code === 'invalid_token'
  if (!lacksToken && !scope) return undefined
  const scopes = scope ?? (resourceMetadata === undefined ? undefined : AUDIENCE_SCOPES[audience].join(' '))
  const error = lacksToken ? (code === 'invalid_token' ? code : undefined) : 'insufficient_scope'
  const parts = Object.entries({ error, scope: scopes, resource_metadata: resourceMetadata })
  const shown = parts.filter(([, value]) => value !== undefined).map(([name, value]) => `${name}="${value}"`)
  return ['Bearer', shown.join(', ')].join(' ').trim()
}

/** The body of an error. Operations name their input; here it gets the name that a request has for it. */
export function errorBody({ code, field, problem, expected, mergedInto }: Shown) {
  const name = field === undefined ? undefined : (HEADERS.get(field) ?? field)
  const message = describeError({ field: name, problem, expected }, 'send')
  const param = name !== undefined && WHOLE.includes(name) ? undefined : name
  return {
    error: {
      code,
      message,
      ...(param !== undefined && { param }),
      ...(mergedInto !== undefined && { merged_into: mergedInto })
    }
  }
}

type Shown = Pick<ApiError, 'code' | 'problem'> & Partial<Pick<ApiError, 'field' | 'expected' | 'mergedInto'>>

/** Inputs of operations that a request sends as a header. */
const HEADERS = new Map([
  ['if_version', 'If-Match'],
  ['idempotency_key', 'Idempotency-Key'],
  ['upload_length', 'Upload-Length'],
  ['upload_metadata', 'Upload-Metadata'],
  ['upload_offset', 'Upload-Offset'],
  ['upload_checksum', 'Upload-Checksum'],
  ['upload_defer_length', 'Upload-Defer-Length']
])

/** Parts of a request that are no parameter. */
const WHOLE = ['body', 'parameters', 'path', 'headers', 'form']

/** Converts anything thrown to what the client may see. The text of an unexpected error never reaches the client. */
function toApiError(thrown: FastifyError, { id, routeOptions }: Pick<FastifyRequest, 'id' | 'routeOptions'>): ApiError {
  if (thrown instanceof ApiError) return thrown
  if (thrown.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new ApiError(
      'invalid_request',
      `The body is too large for this path; send at most ${sizeOf(routeOptions.bodyLimit)}`,
      {
        status: 413
      }
    )
  if (thrown.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    const [type = 'application/json'] = Object.keys(routeOptions.config.content ?? {})
    return new ApiError('invalid_request', `Send the body as Content-Type: ${type}`, { status: 415 })
  }
  if (thrown.code && Object.hasOwn(REFUSALS, thrown.code)) {
    return new ApiError('invalid_request', REFUSALS[thrown.code] ?? '', { status: thrown.statusCode ?? 400 })
  }
  if (thrown.statusCode && thrown.statusCode < 500)
    return new ApiError('invalid_request', 'The request is not valid', { status: thrown.statusCode })
  if (thrown.code === 'FST_ERR_HANDLER_TIMEOUT' || isUnavailable(thrown)) {
    return new ApiError('service_unavailable', 'The server cannot answer this now; try again')
  }
  return new ApiError('internal_error', `The server failed; quote the request id ${id}`)
}

/** Messages for Fastify's own errors, which say what to send instead. */
const REFUSALS: Record<string, string> = {
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The body is not as long as Content-Length says',
  FST_ERR_BAD_URL: 'The path has a percent-encoding that is not valid',
  FST_ERR_ASYNC_CONSTRAINT: 'The request is not valid'
}

function sizeOf(bytes: number) {
  return bytes < 1024 * 1024 ? `${bytes / 1024} KiB` : `${bytes / (1024 * 1024)} MiB`
}
