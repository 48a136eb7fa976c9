import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Finally } from './folders.ts'
import { CLIENT } from './oidc.ts'

type Claims = Record<string, unknown>
type Answer = (response: ServerResponse, request: IncomingMessage) => void

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
export const makeKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 })

const KEY = makeKey()

/** Answers with JSON. */
export const json =
  (body: object, status = 200, headers: Record<string, string> = {}): Answer =>
  response =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

/** The endpoints of a provider, which a test makes wrong in one thing. It signs what it is told to, and checks the code's verifier and the client. */
export function openFalseProvider(issuer: string) {
  const asked: string[] = []
  let promised = { nonce: '', challenge: '' }
  const provider = {
    issuer,
    /** Stops listening, where it does. */
    stop: async () => {},
    /** What it says of itself. */
    metadata: {
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      userinfo_endpoint: `${issuer}/userinfo`,
      token_endpoint_auth_methods_supported: ['client_secret_basic'],
      id_token_signing_alg_values_supported: ['RS256']
    } as Claims,
    key: KEY,
    /** The key that it shows, if that is another one. */
    shown: undefined as ReturnType<typeof makeKey> | undefined,
    header: { alg: 'RS256', kid: 'one' } as Claims,
    claims: {} as Claims,
    userinfo: {} as Claims,
    /** The ID token in place of the signed one. */
    toToken: (signed: string): string | undefined => signed,
    /** Answers in place of its own, by path. */
    answers: {} as Record<string, Answer>,
    /** The requests so far. */
    asked,
    /** The address that a sign-in leads back to, once the person said yes. */
    leadBack(authorize: string) {
      const query = new URL(authorize).searchParams
      promised = { nonce: query.get('nonce') ?? '', challenge: query.get('code_challenge') ?? '' }
      return `${query.get('redirect_uri')}?${new URLSearchParams({ code: 'CODE-OF-PROVIDER', state: query.get('state') ?? '' })}`
    },
    handle: ((request, response) => {
      const path = new URL(request.url ?? '', issuer).pathname.replace(new URL(issuer).pathname.replace(/\/$/, ''), '')
      asked.push(path)
      const answer = provider.answers[path] ?? own[path] ?? json({ error: 'not_found' }, 404)
      const chunks: Buffer[] = []
      request.on('data', chunk => chunks.push(chunk))
      request.on('error', () => {})
      request.on('end', () => {
        const form = new URLSearchParams(Buffer.concat(chunks).toString())
        const refusal = path === '/token' ? refusalOf(request, form, promised.challenge) : undefined
        if (refusal && !provider.answers[path]) json({ error: refusal }, 400)(response, request)
        else answer(response, request)
      })
    }) as RequestListener
  }
  const own: Record<string, Answer> = {
    '/.well-known/openid-configuration': (...pair) => json(provider.metadata)(...pair),
    '/jwks': (...pair) => {
      const jwk = (provider.shown ?? provider.key).publicKey.export({ format: 'jwk' })
      json({ keys: [{ ...jwk, kid: 'one', use: 'sig' }] })(...pair)
    },
    '/token': (...pair) => {
      const token = provider.toToken(idToken())
      json({ access_token: 'ACCESS-TOKEN', token_type: 'Bearer', ...(token !== undefined && { id_token: token }) })(
        ...pair
      )
    },
    '/userinfo': (...pair) => json(provider.userinfo)(...pair)
  }

  function idToken() {
    const now = Math.floor(Date.now() / 1_000)
    const usual = { iss: issuer, aud: CLIENT.clientId, sub: 'SUBJECT', iat: now, exp: now + 300, nonce: promised.nonce }
    const signed = `${encode(provider.header)}.${encode({ ...usual, ...provider.claims })}`
    return `${signed}.${sign('sha256', Buffer.from(signed), provider.key.privateKey).toString('base64url')}`
  }
  return provider
}

export type FalseProvider = ReturnType<typeof openFalseProvider>

function refusalOf({ headers }: IncomingMessage, form: URLSearchParams, challenge: string) {
  const [id = '', secret = ''] = Buffer.from((headers.authorization ?? '').replace('Basic ', ''), 'base64')
    .toString()
    .split(':')
    .map(part => decodeURIComponent(part.replaceAll('+', ' ')))
  if (id !== CLIENT.clientId || secret !== CLIENT.clientSecret) return 'invalid_client'
  const hashed = createHash('sha256')
    .update(form.get('code_verifier') ?? '')
    .digest('base64url')
  return hashed === challenge && form.get('grant_type') === 'authorization_code' ? undefined : 'invalid_grant'
}

/** Starts such a provider on this machine. */
export async function startFalseProvider({
  port = 0,
  finally: finally_ = onTestFinished
}: {
  port?: number
  finally?: Finally
} = {}) {
  let handle: RequestListener = () => {}
  const server = createServer((request, response) => handle(request, response))
  await new Promise<void>(done => server.listen(port, '127.0.0.1', done))
  const provider = openFalseProvider(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  handle = provider.handle
  provider.stop = async () => {
    server.closeAllConnections()
    await new Promise(done => server.close(done))
  }
  finally_(async () => {
    if (server.listening) await provider.stop()
  })
  return provider
}
