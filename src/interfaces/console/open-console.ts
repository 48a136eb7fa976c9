import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { LIMITS } from '../../contract/limits.ts'
import type { Services } from '../../features/services.ts'
import type { Visitor } from '../../features/sign-in/sign-in.ts'
import { ApiError } from '../../platform/core/api-error.ts'
import { readShape } from '../../platform/core/remedy.ts'
import { unstorableError } from '../../platform/core/unstorable-text.ts'
import { PAGE_HEADERS } from '../web/document.ts'
import { html } from '../web/html.ts'
import { errorView, unknownView } from './errors.ts'
import { type EventStreams, openEventStreams } from './event-streams.ts'
import { openParts } from './form-parts.ts'
import { type PublishedPages, sendDownload, sendView } from './layout.ts'
import { openVisits, TOKEN_FIELD, TOKEN_HEADER, tokenIn } from './open-visits.ts'
import { requireOwnForm } from './origin.ts'
import { withFolders } from './pinned-folders.ts'
import { openSummaryMarkup, type SummaryMarkup } from './summary-markup.ts'
import type { Answer, Redirect, View, Visit } from './visit.ts'

type Shape = z.ZodType

/** The parts of a request that a page reads; NONE reads nothing. */
interface Shapes<P extends Shape, Q extends Shape, B extends Shape> {
  params: P
  query: Q
  body: B
}

interface Input<P extends Shape, Q extends Shape, B extends Shape> {
  params: z.output<P>
  query: z.output<Q>
  body: z.output<B>
}

const NOTHING = z.object({})
export const NONE = { params: NOTHING, query: NOTHING, body: NOTHING }

type Handle<V extends Visitor | undefined, I> = (visit: Visit<V>, input: I) => Promise<Answer>

/** Routes for pages that anyone may see, that a guest may, that a user alone may, or an operator alone. */
export interface Console {
  services: Services
  streams: EventStreams
  summaryMarkup: SummaryMarkup
  anyone: Door<Visitor | undefined>
  reader: Door<Visitor>
  user: Door<Visitor>
  /** For all others these pages are unknown. What an operator does is logged. */
  operator: Door<Visitor>
  /** Before the routes that scripts of pages call: admits the visitor by cookie, if the request has the token of their form to that path. */
  admitScript(path: string, request: FastifyRequest, reply: FastifyReply): Promise<void>
}

interface Door<V extends Visitor | undefined> {
  /** A page that a GET shows. It changes nothing, except that those of a sign-in at a provider sign in. */
  page<P extends Shape, Q extends Shape, B extends Shape>(
    path: string,
    shapes: Shapes<P, Q, B>,
    show: Handle<V, Input<P, Q, B>>,
    options?: PageOptions
  ): void
  /** The target of a form. It leads to a page. */
  form<P extends Shape, Q extends Shape, B extends Shape>(
    path: string,
    shapes: Shapes<P, Q, B>,
    act: Handle<V, Input<P, Q, B>>,
    options?: FormOptions
  ): void
}

interface PageOptions {
  /** True for a page that needs no database: without one everybody sees it as a stranger does. A program gets its refusals in JSON. */
  published?: boolean
}

interface FormOptions {
  /** The most bytes that the form may have. */
  bodyLimit?: number
  /** True for a form with a file, whose shape is `FormParts`. It may arrive for as long as an upload to the API. */
  parts?: boolean
  /** True for a form whose answer may take as long as an upload. */
  takesLong?: boolean
  /** The path of the form whose token a script sends here. Without it the form is one of the page's own. */
  tokenOf?: string
}

declare module 'fastify' {
  interface FastifyRequest {
    visit: Visit | undefined
  }
}

/** Opens the console's routes on an application that parses cookies and forms. */
export function openConsole(app: FastifyInstance, services: Services): Console {
  const streams = openEventStreams()
  app.addHook('preClose', async () => streams.close())
  const visits = openVisits(services)
  const publishedPages: PublishedPages = new Map()
  app.decorateRequest('visit')

  function door<V extends Visitor | undefined>(
    admit: (visit: Visit) => Visit<V> | View | Redirect,
    { isOperators = false } = {}
  ): Door<V> {
    function route<P extends Shape, Q extends Shape, B extends Shape>(
      method: 'GET' | 'POST',
      path: string,
      { params, query, body }: Shapes<P, Q, B>,
      handle: Handle<V, Input<P, Q, B>>,
      {
        bodyLimit = LIMITS.bodyBytes,
        parts: hasParts = false,
        takesLong = hasParts,
        tokenOf,
        published = false
      }: FormOptions & PageOptions = {}
    ) {
      app.route({
        method,
        url: path,
        // The shapes of paths refuse what cannot be stored, so that a page can answer it as it answers any unknown address.
        config: {
          scopes: 'public',
          repairsText: true,
          isHidden: isOperators,
          ...(hasParts && { bodyTimeoutMs: LIMITS.uploadMs }),
          ...(takesLong && { answerTimeoutMs: LIMITS.uploadMs }),
          ...(bodyLimit > LIMITS.openBodies.above && LARGE)
        },
        schema: { hide: true },
        bodyLimit,
        onRequest: async (request, reply) => {
          request.visit = await (published ? visits.openAnyhow : visits.open)(request, reply)
          if (!isOperators || request.visit.visitor?.operator) return
          reply.callNotFound()
          return reply
        },
        handler: async (request, reply) => {
          const visit = request.visit ?? visits.openUnknown(request, reply)
          const parts = hasParts ? await openParts(request, reply, TOKEN_FIELD) : undefined
          if (method === 'POST') {
            const token = parts?.token ?? tokenIn(request.body)
            requireOwnForm(services, visit, request, { token, path: tokenOf ?? pathOf(request) })
          }
          const admitted = admit(visit)
          const outcome =
            'cookies' in admitted
              ? await handle(admitted, {
                  params: readShape(params, request.params),
                  query: read(query, request.query),
                  body: parts ? readShape(body, parts) : read(body, request.body)
                })
              : admitted
          if (isOperators && method === 'POST') logAction(request, visit)
          if ('file' in outcome) return sendDownload(reply, outcome)
          if ('events' in outcome) return await streams.send(reply, visit.visitor?.actor.userId ?? '', outcome.events)
          if ('publish' in outcome) return await outcome.publish(request, reply.headers(PAGE_HEADERS))
          if ('away' in outcome) return reply.redirect(outcome.away, 303)
          if ('to' in outcome) return reply.redirect(visit.link(outcome.to), 303)
          return await sendView(reply, await withFolders(services, visit, outcome), outcome, publishedPages)
        },
        errorHandler: (error, request, reply) => {
          if (published && !request.headers.accept?.includes('text/html')) throw error
          const visit = request.visit ?? visits.openUnknown(request, reply)
          const view = errorView(error, visit)
          if (view.status >= 500) request.log.error({ err: error }, 'page failed')
          if (view.retryAfter !== undefined) reply.header('retry-after', String(view.retryAfter))
          return sendView(reply, visit, view)
        }
      })
    }
    return {
      page: (path, shapes, show, options) => route('GET', path, shapes, show, options),
      form: (path, shapes, act, options) => route('POST', path, shapes, act, options)
    }
  }

  async function admitScript(path: string, request: FastifyRequest, reply: FastifyReply) {
    const visit = await visits.open(request, reply)
    const { visitor } = visit
    if (!visitor) throw new ApiError('unauthorized', 'You are signed out; sign in, then go on')
    requireOwnForm(services, visit, request, { token: String(request.headers[TOKEN_HEADER] ?? ''), path })
    request.actor = visitor.actor
  }

  app.setNotFoundHandler((request, reply) =>
    app.answerUnknown(request, reply, async () => {
      const visit = await visits.openAnyhow(request, reply)
      return await sendView(reply, visit, unknownView(visit.link))
    })
  )

  return {
    services,
    streams,
    summaryMarkup: openSummaryMarkup(services.longReads),
    admitScript,
    anyone: door(visit => visit),
    reader: door(visit => withVisitor(visit) ?? toSignIn(visit)),
    user: door(visit => (visit.visitor?.guest ? guestRefusal(visit) : (withVisitor(visit) ?? toSignIn(visit)))),
    operator: door(visit => withVisitor(visit) ?? toSignIn(visit), { isOperators: true })
  }
}

function logAction(request: FastifyRequest, { visitor }: Visit) {
  const { url: route } = request.routeOptions
  request.log.info({ operator: visitor?.actor.userId, route, params: request.params }, 'operator action')
}

function withVisitor(visit: Visit): Visit<Visitor> | undefined {
  const { visitor } = visit
  return visitor && { ...visit, visitor }
}

function toSignIn({ address }: Visit): Redirect {
  return { to: address === '/' ? '/sign-in' : `/sign-in?${new URLSearchParams({ next: address })}` }
}

function guestRefusal({ link }: Visit): View {
  return {
    title: 'Sign in to go on',
    status: 403,
    main: html`<h1>Sign in to go on</h1>
<p>You opened an invite, so you can read <a href="${link('/shared')}">what is shared with you</a>. For everything else, sign in.</p>
<p><a class="button" href="${link('/sign-in')}">Sign in</a></p>`
  }
}

/** Only a body in JSON is read by a shape. A form never is, but every route that takes large bodies names one. */
const LARGE = { shape: 'SessionChange' } as const

function pathOf({ url }: FastifyRequest) {
  return url.split('?', 1).join()
}

function read<S extends Shape>(shape: S, sent: unknown) {
  const unstorable = unstorableError(sent)
  if (unstorable) throw unstorable
  return readShape(shape, sent ?? {})
}
