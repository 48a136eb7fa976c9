import { hash, randomBytes } from 'node:crypto'
import type { Browser } from './console.ts'
import { PUBLIC_URL, type Served } from './server.ts'

/** Where the agents of tests get their answers. */
export const CALLBACK = 'https://agent.example/callback'

export type Fields = Record<string, string>

/** A program that connects by OAuth, as one that keeps no secret does. */
export function newAgent({ app }: Pick<Served, 'app'>, { address = '10.0.0.1' }: { address?: string } = {}) {
  async function post(path: string, fields: Fields, headers: Record<string, string> = {}) {
    const reply = await app.inject({
      method: 'POST',
      url: path,
      remoteAddress: address,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      payload: String(new URLSearchParams(fields))
    })
    const body = reply.body === '' ? {} : reply.json()
    return { status: reply.statusCode, body, headers: reply.headers }
  }

  return {
    async register(metadata: object = {}) {
      const reply = await app.inject({
        method: 'POST',
        url: '/oauth/register',
        remoteAddress: address,
        payload: { client_name: 'Agent Smith', redirect_uris: [CALLBACK], ...metadata }
      })
      return { status: reply.statusCode, body: reply.json(), headers: reply.headers }
    },
    token: (fields: Fields, headers?: Record<string, string>) => post('/oauth/token', fields, headers),
    revoke: (fields: Fields, headers?: Record<string, string>) => post('/oauth/revoke', fields, headers)
  }
}

export type Agent = ReturnType<typeof newAgent>

/** A PKCE verifier with its challenge. */
export function newVerifier() {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: hash('sha256', verifier, 'base64url') }
}

/** The address at which a user decides. A field that is undefined is left out. */
export function authorizePath(clientId: string, challenge: string, fields: Record<string, string | undefined> = {}) {
  const query = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: CALLBACK,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'a state',
    resource: PUBLIC_URL,
    scope: 'sessions:read sessions:search account:read',
    ...fields
  }
  const sent = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) sent.set(name, value)
  return `/oauth/authorize?${sent}`
}

/** The fields of the address to which an answer leads. */
export function answerIn(to: unknown) {
  return Object.fromEntries(new URL(String(to)).searchParams)
}

/** Opens the page, and allows what is ticked on it, or only some. */
export async function allow(
  browser: Browser,
  path: string,
  { scopes, deny = false }: { scopes?: string[]; deny?: boolean } = {}
) {
  const { body } = await browser.get(path)
  const ticked = [...body.matchAll(/type="checkbox" name="([^"]+)" value="on" checked/g)].map(([, name = '']) => name)
  const boxes = Object.fromEntries((scopes ?? ticked).map(name => [name, 'on']))
  return await browser.submit(path, '/oauth/authorize', { ...boxes, decision: deny ? 'deny' : 'allow' })
}

/** Connects an agent to the account of the browser. Returns its client id and its first tokens. */
export async function connect(agent: Agent, browser: Browser, fields: Record<string, string | undefined> = {}) {
  const { client_id: clientId } = (await agent.register()).body
  const { verifier, challenge } = newVerifier()
  const { code = '' } = answerIn((await allow(browser, authorizePath(clientId, challenge, fields))).to)
  const exchange = exchangeOf(clientId, code, verifier)
  const { body } = await agent.token(exchange)
  return { clientId, code, exchange, tokens: body as { access_token: string; refresh_token: string; scope: string } }
}

/** The form of a code's exchange. */
export function exchangeOf(clientId: string, code: string, verifier: string, more: Fields = {}) {
  return {
    grant_type: 'authorization_code',
    code,
    redirect_uri: CALLBACK,
    client_id: clientId,
    code_verifier: verifier,
    ...more
  }
}

/** The form of a refresh. */
export function refreshOf(clientId: string, refreshToken: string, more: Fields = {}) {
  return { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId, ...more }
}

/** The status of a request to the API with this token. */
export async function statusOf({ app }: Pick<Served, 'app'>, token: string, url = '/v1/sessions') {
  return (await app.inject({ url, headers: { authorization: `Bearer ${token}` } })).statusCode
}

/** The address of the button on a page that says why a client cannot connect. */
export function buttonIn(body: string) {
  const [, address = ''] = /<a class="button"[^>]* href="([^"]*)"/.exec(body) ?? []
  return address.replaceAll('&amp;', '&')
}
