import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type AddressLimit, addressLimit, limitReached } from '../accounts/address-limit.ts'
import { authenticateConsole, type Visitor } from '../accounts/sign-in.ts'
import { LIMITS } from '../contract/limits.ts'
import { ApiError } from '../core/api-error.ts'
import { readShape } from '../core/remedy.ts'
import { unstorableError } from '../core/unstorable-text.ts'
import { clientAddress } from '../http/client-address.ts'
import type { Services } from '../services.ts'
import { openCookies } from './cookies.ts'
import { errorView } from './errors.ts'
import { openParts } from './form-parts.ts'
import { html, when } from './html.ts'
import { sendDownload, sendView } from './layout.ts'
import { isOwnForm } from './origin.ts'
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

/** Routes for pages that anyone may see, that a guest may, or that a user alone may. */
export interface Console {
  services: Services
  anyone: Door<Visitor | undefined>
  reader: Door<Visitor>
  user: Door<Visitor>
}

interface Door<V extends Visitor | undefined> {
  /** A page that a GET shows. It changes nothing. */
  page<P extends Shape, Q extends Shape, B extends Shape>(
    path: string,
    shapes: Shapes<P, Q, B>,
    show: Handle<V, Input<P, Q, B>>
  ): void
  /** The target of a form. It leads to a page. */
  form<P extends Shape, Q extends Shape, B extends Shape>(
    path: string,
    shapes: Shapes<P, Q, B>,
    act: Handle<V, Input<P, Q, B>>,
    options?: FormOptions
  ): void
}

interface FormOptions {
  /** The most bytes that the form may have. */
  bodyLimit?: number
  /** True for a form with a file, whose shape is `FormParts`. It may arrive for as long as an upload to the API. */
  parts?: boolean
}

declare module 'fastify' {
  interface FastifyRequest {
    visit: Visit | undefined
  }
}

/** Opens the console's routes on an application that parses cookies and forms. */
export function openConsole(app: FastifyInstance, services: Services): Console {
  const pages = addressLimit(services.clock, LIMITS.pagesPerMinute)
  app.decorateRequest('visit')

  function door<V extends Visitor | undefined>(admit: (visit: Visit) => Visit<V> | View | Redirect): Door<V> {
    function route<P extends Shape, Q extends Shape, B extends Shape>(
      method: 'GET' | 'POST',
      path: string,
      { params, query, body }: Shapes<P, Q, B>,
      handle: Handle<V, Input<P, Q, B>>,
      { bodyLimit = LIMITS.bodyBytes, parts: hasParts = false }: FormOptions = {}
    ) {
      app.route({
        method,
        url: path,
        // The shapes of paths refuse what cannot be stored, so that a page can answer it as it answers any unknown address.
        config: {
          scopes: 'public',
          repairsText: true,
          ...(hasParts && { bodyTimeoutMs: LIMITS.uploadMs }),
          ...(bodyLimit > LIMITS.openBodies.above && LARGE)
        },
        schema: { hide: true },
        bodyLimit,
        ...(hasParts && { handlerTimeout: LIMITS.uploadMs }),
        onRequest: async (request, reply) => {
          request.visit = await openVisit(services, pages, request, reply)
        },
        handler: async (request, reply) => {
          const visit = request.visit ?? openAnonymousVisit(services, request, reply)
          const parts = hasParts ? await openParts(request, reply, TOKEN_FIELD) : undefined
          if (method === 'POST') requireOwnForm(services, visit, request, parts?.token ?? tokenIn(request.body))
          const admitted = admit(visit)
          const outcome =
            'cookies' in admitted
              ? await handle(admitted, {
                  params: readShape(params, request.params),
                  query: read(query, request.query),
                  body: parts ? readShape(body, parts) : read(body, request.body)
                })
              : admitted
          if ('file' in outcome) return sendDownload(reply, outcome)
          return 'to' in outcome ? reply.redirect(visit.link(outcome.to), 303) : await sendView(reply, visit, outcome)
        },
        errorHandler: (error, request, reply) => {
          const visit = request.visit ?? openAnonymousVisit(services, request, reply)
          const view = errorView(error, visit)
          if (view.status >= 500) request.log.error({ err: error }, 'page failed')
          if (view.retryAfter !== undefined) reply.header('retry-after', String(view.retryAfter))
          return sendView(reply, visit, view)
        }
      })
    }
    return {
      page: (path, shapes, show) => route('GET', path, shapes, show),
      form: (path, shapes, act, options) => route('POST', path, shapes, act, options)
    }
  }

  return {
    services,
    anyone: door(visit => visit),
    reader: door(visit => withVisitor(visit) ?? toSignIn(visit)),
    user: door(visit => (visit.visitor?.guest ? guestRefusal(visit) : (withVisitor(visit) ?? toSignIn(visit))))
  }
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
<p>You opened an invite, so you can read <a href="${link('/shared')}">what is shared with you</a>. For everything else, sign in with your
e-mail address.</p>
<p><a class="button" href="${link('/sign-in')}">Sign in</a></p>`
  }
}

async function openVisit(
  services: Services,
  pages: AddressLimit,
  request: FastifyRequest,
  reply: FastifyReply
): Promise<Visit> {
  const visit = openAnonymousVisit(services, request, reply)
  const cookie = visit.cookies.session()
  const visitor = cookie === undefined ? undefined : await authenticateConsole(services, cookie)
  if (!visitor) return visit
  const quota = pages.count(visitor.actor.userId)
  if (!quota.allowed) throw limitReached({ ...quota, window: 'minute' }, services.clock.now())
  return { ...visit, visitor, form: formOf(visit, true) }
}

function openAnonymousVisit(services: Services, request: FastifyRequest, reply: FastifyReply): Visit<undefined> {
  const { basePath } = reply.server
  const cookies = openCookies(services, request, reply)
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

/** Only a body in JSON is read by a shape. A form never is, but every route that takes large bodies names one. */
const LARGE = { shape: 'SessionChange' } as const

const TOKEN_FIELD = '_form'

function formOf({ cookies, link }: Pick<Visit, 'cookies' | 'link'>, signedIn: boolean): Visit['form'] {
  return (path, content, { parts = false, ...attributes } = {}) =>
    html`<form method="post" action="${link(path)}" class="${attributes.class ?? ''}"${when(parts, () => html` enctype="multipart/form-data"`)}>
<input type="hidden" name="${TOKEN_FIELD}" value="${cookies.formToken(signedIn)}">${content}</form>`
}

const Sent = z.object({ [TOKEN_FIELD]: z.string().max(100).default('') })

function tokenIn(body: unknown) {
  return Sent.safeParse(body ?? {}).data?.[TOKEN_FIELD] ?? ''
}

/** Refuses a form that another site posts, or that was made for another session. */
function requireOwnForm({ publicUrl }: Services, { cookies, visitor }: Visit, request: FastifyRequest, token: string) {
  if (isOwnForm(request, publicUrl) && cookies.isFormToken(token, visitor !== undefined)) return
  throw new ApiError('no_access', 'The form is not one of this session')
}

function read<S extends Shape>(shape: S, sent: unknown) {
  const unstorable = unstorableError(sent)
  if (unstorable) throw unstorable
  return readShape(shape, sent ?? {})
}
