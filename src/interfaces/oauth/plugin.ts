import type { FastifyInstance, FastifyRequest } from 'fastify'
import { LIMITS } from '../../contract/limits.ts'
import { ClientRegistration } from '../../contract/oauth.ts'
import { addressLimit, limitReached } from '../../features/access/address-limit.ts'
import { openClientKeys } from '../../features/oauth/client-keys.ts'
import { OAuthRefusal } from '../../features/oauth/refusal.ts'
import { registerClient } from '../../features/oauth/registration.ts'
import { registrationLimit } from '../../features/oauth/registration-limit.ts'
import { authenticateClient, exchangeCode, refreshTokens, revokeTokens } from '../../features/oauth/token-endpoint.ts'
import type { Services } from '../../features/services.ts'
import { describeError } from '../../platform/core/api-error.ts'
import { refusedByShape, remedyFor } from '../../platform/core/remedy.ts'
import { clientAddress } from '../../platform/net/client-address.ts'
import { answerOAuthError } from './errors.ts'
import { type Form, readCredentials, readForm, required } from './form.ts'
import { resourceMetadata, serverMetadata } from './metadata.ts'

/** They read no cookie, so a page of any origin may call them: it learns nothing that a program would not. */
const OPEN = { config: { scopes: 'public' as const, crossOrigin: 'any' as const }, schema: { hide: true } }

/**
 * The endpoints of OAuth that programs use. The page on which a user decides is the console's, and the rules are operations of `accounts/oauth`. The
 * guide on the design of OAuth says why they are not those of a library.
 */
export async function oauthPlugin(app: FastifyInstance, services: Services) {
  app.setErrorHandler(answerOAuthError)
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: LIMITS.bodyBytes },
    async (_request: FastifyRequest, body: string | Buffer) => readForm(String(body))
  )
  metadataRoutes(app, services)
  registrationRoute(app, services)
  tokenRoutes(app, services)
}

/** The well-known paths come before the path of the public URL, as the RFCs say; below it a proxy may be the one that passes them on. */
function metadataRoutes(app: FastifyInstance, services: Services) {
  const { basePath } = app
  const { publicUrl } = services
  const documents: [string, object][] = [
    ['oauth-authorization-server', serverMetadata(services)],
    ['oauth-protected-resource', resourceMetadata(publicUrl, 'server')]
  ]
  for (const [name, document] of documents)
    for (const path of new Set(['', basePath])) app.get(`/.well-known/${name}${path}`, OPEN, async () => document)
  for (const path of new Set(['', basePath]))
    app.get(`/.well-known/oauth-protected-resource${path}/mcp`, OPEN, async () => resourceMetadata(publicUrl, 'mcp'))
}

function registrationRoute(app: FastifyInstance, services: Services) {
  const registrations = registrationLimit(services.clock)
  app.post('/oauth/register', OPEN, async (request, reply) => {
    const address = clientAddress(request)
    const { data, error } = ClientRegistration.safeParse(request.body, { error: remedyFor })
    const rate = registrations.count(address, data)
    if (!rate.allowed) throw limitReached(rate, services.clock.now())
    if (data) return reply.code(201).send(await registerClient(services, address, data))
    const code = error.issues[0]?.path[0] === 'redirect_uris' ? 'invalid_redirect_uri' : 'invalid_client_metadata'
    throw new OAuthRefusal(code, describeError(refusedByShape(error, 'body'), 'send'))
  })
}

function tokenRoutes(app: FastifyInstance, services: Services) {
  const failures = addressLimit(services.clock, LIMITS.oauth.failuresPerMinute)
  const keys = openClientKeys(services)

  /** Runs the work for an authenticated client. Only refusals count towards the limit, because one address may be that of a service with many users. */
  async function serve<T>(request: FastifyRequest, work: (client: Client, form: Form) => Promise<T>): Promise<T> {
    const address = clientAddress(request)
    const rate = failures.peek(address)
    if (!rate.allowed) throw limitReached(rate, services.clock.now())
    try {
      const form = request.body instanceof Map ? request.body : throwNoForm()
      return await work(await authenticateClient(services, keys, readCredentials(request, form)), form)
    } catch (error) {
      if (error instanceof OAuthRefusal) failures.count(address)
      throw error
    }
  }

  app.post('/oauth/token', OPEN, request =>
    serve(request, async (client, form) => {
      const resource = form.get('resource')
      switch (required(form, 'grant_type')) {
        case 'authorization_code': {
          const [code, redirectUri] = [required(form, 'code'), required(form, 'redirect_uri')]
          return await exchangeCode(services, client, {
            code,
            redirectUri,
            verifier: required(form, 'code_verifier'),
            resource
          })
        }
        case 'refresh_token': {
          const refreshToken = required(form, 'refresh_token')
          return await refreshTokens(services, client, { refreshToken, scope: form.get('scope'), resource })
        }
        default:
          throw new OAuthRefusal('unsupported_grant_type', 'Send grant_type=authorization_code or refresh_token')
      }
    })
  )

  app.post('/oauth/revoke', OPEN, (request, reply) =>
    serve(request, async (client, form) => {
      await revokeTokens(services, client, required(form, 'token'))
      return reply.code(200).send()
    })
  )
}

type Client = Awaited<ReturnType<typeof authenticateClient>>

function throwNoForm(): never {
  throw new OAuthRefusal('invalid_request', 'Send the body as Content-Type: application/x-www-form-urlencoded')
}
