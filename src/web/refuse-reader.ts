import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../core/api-error.ts'
import { type Page, sendPage } from './page.ts'

const TOO_MANY_REQUESTS: Page = {
  title: 'Too many requests',
  main: `<h1>Too many requests</h1>
<p>Your network sent more requests than this server answers. Wait a minute, then load the page again.</p>`
}

/** The options of routes that serve pages and files without a token, outside of the OpenAPI document. */
export const PUBLIC_FILE = { config: { scopes: 'public' }, schema: { hide: true }, errorHandler: refuseReader } as const

/** A browser is shown a page where the limit is reached; other clients get the usual refusal. */
function refuseReader(error: FastifyError, { headers }: FastifyRequest, reply: FastifyReply) {
  if (!(error instanceof ApiError) || error.status !== 429 || !headers.accept?.includes('text/html')) throw error
  return sendPage(reply.header('retry-after', String(error.retryAfter)), 429, TOO_MANY_REQUESTS)
}
