import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { LIMITS } from '../../contract/limits.ts'
import { addressLimit, limitReached } from '../../features/access/address-limit.ts'
import type { Services } from '../../features/services.ts'
import { authenticateConsole } from '../../features/sign-in/sign-in.ts'
import { ApiError } from '../../platform/core/api-error.ts'
import { clientAddress } from '../../platform/net/client-address.ts'
import { html, when } from '../web/html.ts'
import { openCookies, openFormTokens } from './cookies.ts'
import type { Visit } from './visit.ts'

/** Opens the visits of requests, and counts those of a user. */
export function openVisits(services: Services) {
  const formTokens = openFormTokens(services.secretKey)
  const pages = addressLimit(services.clock, LIMITS.pagesPerMinute)

  async function open(request: FastifyRequest, reply: FastifyReply): Promise<Visit> {
    const visit = openUnknown(request, reply)
    const cookie = visit.cookies.session()
    const visitor = cookie === undefined ? undefined : await authenticateConsole(services, cookie)
    if (!visitor) return visit
    const rate = pages.count(visitor.actor.userId)
    if (!rate.allowed) throw limitReached({ ...rate, window: 'minute' }, services.clock.now())
    return { ...visit, visitor, form: formOf(visit, true) }
  }

  /** Without a database nobody is known. */
  async function openAnyhow(request: FastifyRequest, reply: FastifyReply): Promise<Visit> {
    try {
      return await open(request, reply)
    } catch (error) {
      if (error instanceof ApiError) throw error
      request.log.warn({ err: error }, 'a page is shown as to a stranger, because its visitor cannot be looked up')
      return openUnknown(request, reply)
    }
  }

  /** The visit of a browser that is not looked up. */
  function openUnknown(request: FastifyRequest, reply: FastifyReply): Visit<undefined> {
    const { basePath } = reply.server
    const cookies = openCookies(services, formTokens, request, reply)
    const isPage = request.method === 'GET' || request.method === 'HEAD'
    const visit = {
      visitor: undefined,
      cookies,
      log: request.log,
      address: isPage ? request.url : '/',
      clientAddress: clientAddress(request),
      link: (path: string) => `${basePath}${path}`
    }
    return { ...visit, form: formOf(visit, false) }
  }

  return { open, openAnyhow, openUnknown }
}

/** The hidden field that ties a form to its browser and to its action. */
export const TOKEN_FIELD = '_form'
/** The header in which scripts send it. No page of another site can send one that the server has not allowed. */
export const TOKEN_HEADER = 'x-form-token'

function formOf({ cookies, link }: Pick<Visit, 'cookies' | 'link'>, signedIn: boolean): Visit['form'] {
  return (path, content, { parts = false, ...attributes } = {}) =>
    html`<form method="post" action="${link(path)}" class="${attributes.class ?? ''}"${when(attributes.id, () => html` id="${attributes.id}"`)}${when(parts, () => html` enctype="multipart/form-data"`)}>
<input type="hidden" name="${TOKEN_FIELD}" value="${cookies.formToken(signedIn, path)}">${content}</form>`
}

const Sent = z.object({ [TOKEN_FIELD]: z.string().max(150).default('') })

export function tokenIn(body: unknown) {
  return Sent.safeParse(body ?? {}).data?.[TOKEN_FIELD] ?? ''
}
