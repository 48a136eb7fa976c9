import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'
import type { Deprecation } from '../../contract/routes/route.ts'
import { ValidBody } from './transport/body.ts'

/** The guide that says how long deprecated parts stay, below the address of the server. */
const GUIDE = '/docs/api/deprecations'

/**
 * Has the answers of routes with deprecated parts say so, by RFC 9745 and RFC 8594: every successful answer of a route that will go or whose answer has
 * a field that will go, and the answer to a request that uses such a parameter or field. Call it
 * after `addReadHeaders`, and before the routes are registered.
 */
export function announceDeprecations(app: FastifyInstance, addressFor: (request: FastifyRequest) => string) {
  app.addHook('onRoute', route => {
    const { deprecations = [] } = route.config ?? {}
    if (deprecations.length === 0) return
    for (const deprecation of deprecations) requireYear(`${route.method} ${route.url}`, deprecation)
    const used = new WeakMap<FastifyRequest, Deprecation[]>()
    // Validation drops what nobody knows, and fills in what was not sent.
    const find: RouteOptions['preValidation'] = (request, _reply, done) => {
      used.set(
        request,
        deprecations.filter(({ part }) => isUsed(request, part))
      )
      done()
    }
    const announce: RouteOptions['onSend'] = (request, reply, payload, done) => {
      const found = used.get(request) ?? []
      if (found.length > 0 && reply.statusCode < 400) {
        const link = `<${addressFor(request)}${GUIDE}>; rel="deprecation"; type="text/html"`
        const others = reply.getHeader('link')
        reply.headers({ ...headersOf(found), link: others === undefined ? link : `${others}, ${link}` })
      }
      done(null, payload)
    }
    route.preValidation = [route.preValidation ?? [], find].flat()
    route.onSend = [route.onSend ?? [], announce].flat()
  })
}

function requireYear(route: string, { since, until }: Deprecation) {
  const year = new Date(since)
  year.setUTCFullYear(year.getUTCFullYear() + 1)
  if (new Date(until) < year)
    throw new Error(`${route}: what is deprecated stays for a year, longer than until ${until}`)
}

function isUsed({ query, body }: FastifyRequest, part: Deprecation['part']) {
  if (part === undefined || part.in === 'answer') return true
  const sent = part.in === 'query' ? query : body instanceof ValidBody ? body.value : body
  return has(sent, part.name.split('.'))
}

function has(value: unknown, [name, ...rest]: string[]): boolean {
  if (name === undefined) return value !== undefined
  if (Array.isArray(value)) return value.some(entry => has(entry, [name, ...rest]))
  return Object.hasOwn(Object(value), name) && has(Object(value)[name], rest)
}

/** The headers for the part that goes first. */
function headersOf(found: Deprecation[]) {
  const first = (days: string[]) => new Date(`${days.toSorted()[0]}T00:00:00Z`)
  const since = first(found.map(({ since }) => since))
  const end = first(found.map(({ until }) => until))
  end.setUTCHours(23, 59, 59)
  return { deprecation: `@${since.getTime() / 1_000}`, sunset: end.toUTCString() }
}
