import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../core/api-error.ts'
import type { Services } from '../services.ts'
import { getShareOffer } from '../sharing/recipient-operations.ts'
import { joinUrl } from '../sharing/secret.ts'
import { NO_OFFER_PAGE, NO_PAGE, offerPage, refusedPage, sharedPage } from './join.ts'
import { type Page, sendPage } from './page.ts'
import { PUBLIC_FILE } from './refuse-reader.ts'

/** An id as this server makes them. Other text is not shown on a page. */
const ID = /^(?:usr|ses)_[0-9a-z]{26}$/

/** The pages of share links. They are beside `/v1` and need neither a token nor a script. */
export async function sharePages(app: FastifyInstance, services: Pick<Services, 'db' | 'clock' | 'publicUrl'>) {
  app.get<{ Params: { secret: string } }>(
    '/join/:secret',
    { ...PUBLIC_FILE, errorHandler: refuseWith(NO_OFFER_PAGE) },
    async ({ params: { secret } }, reply) =>
      sendPage(reply, 200, offerPage(await getShareOffer(services, secret), joinUrl(services.publicUrl, secret)))
  )

  app.get<{ Params: { owner_id: string; id: string } }>(
    '/shared/:owner_id/:id',
    { ...PUBLIC_FILE, errorHandler: refuseWith(NO_PAGE) },
    async ({ params: { owner_id, id } }, reply) =>
      ID.test(owner_id) && ID.test(id)
        ? sendPage(reply, 200, sharedPage(services.publicUrl, owner_id, id))
        : sendPage(reply, 404, NO_PAGE)
  )
}

/** Answers an error with a page. A malformed address gets the page of an unknown one. */
function refuseWith(nothing: Page) {
  return (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
    const { status, retryAfter } =
      error instanceof ApiError ? error : new ApiError('service_unavailable', 'The page cannot be shown now')
    if (status >= 500) request.log.error({ err: error }, 'page failed')
    if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter))
    return status === 429 || status >= 500
      ? sendPage(reply, status, refusedPage(status))
      : sendPage(reply, 404, nothing)
  }
}
