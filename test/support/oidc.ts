import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type JWK } from 'oidc-provider'
import { onTestFinished } from 'vitest'
import { openProvider, type ProviderSettings } from '../../src/features/sign-in/oidc/provider.ts'
import type { Clock } from '../../src/platform/core/clock.ts'
import type { Outbound } from '../../src/platform/net/proxies.ts'
import type { Finally } from './folders.ts'
import { buildTestApp, PUBLIC_URL } from './server.ts'

export const CLIENT = { clientId: 'parlance', clientSecret: 'the secret of the client, + / & with signs' }

/** Tokens of providers are of the time on the wall. */
export const wallClock: Clock = { now: () => new Date() }

/** What a provider says of a person, by their login. */
export type People = Map<string, { sub?: string; email?: string; email_verified?: unknown; name?: string }>

const newKey = (): JWK => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return { ...toJwk(privateKey), kid: crypto.randomUUID(), use: 'sig', alg: 'RS256' }
}

const toJwk = (key: KeyObject) => key.export({ format: 'jwk' }) as JWK

/** Starts a real provider on this machine, with a form for the login and without a question for consent. */
export async function startProvider({
  redirectUri = `${PUBLIC_URL}/sign-in/oidc/callback`,
  finally: finally_ = onTestFinished
}: {
  redirectUri?: string
  finally?: Finally
} = {}) {
  const people: People = new Map()
  let handle: ReturnType<Provider['callback']> | undefined
  const server = createServer((request, response) => void handle?.(request, response))
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  finally_(async () => {
    server.closeAllConnections()
    await new Promise(done => server.close(done))
  })

  /** Signs with a new key, as after a rotation in which the old one is gone at once. */
  function rotate() {
    handle = buildProvider(issuer, redirectUri, people).callback()
  }
  rotate()
  return { issuer, people, rotate }
}

function buildProvider(issuer: string, redirectUri: string, people: People) {
  return new Provider(issuer, {
    clients: [{ client_id: CLIENT.clientId, client_secret: CLIENT.clientSecret, redirect_uris: [redirectUri] }],
    jwks: { keys: [newKey()] },
    cookies: { keys: ['a key for tests'] },
    pkce: { required: () => true },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    ttl: { AccessToken: 600, AuthorizationCode: 60, IdToken: 600, Grant: 600, Interaction: 600, Session: 600 },
    findAccount: (_context, login) => {
      const { sub = login, ...claims } = people.get(login) ?? {}
      // The login names the account here, so a subject of its own is a claim that replaces it.
      return { accountId: login, claims: async () => ({ sub, ...claims }) as { sub: string } }
    },
    async loadExistingGrant({ oidc }) {
      const { client, session, provider } = oidc
      const grant = new provider.Grant({ clientId: client?.clientId ?? '', accountId: session?.accountId ?? '' })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    }
  })
}

/** A browser at the provider, which fills in its login form. Returns the address that it leads back to. */
export async function logInAt(authorize: string, login: string, { abort = false } = {}) {
  const cookies = new Map<string, string>()
  async function ask(url: string, form?: Record<string, string>) {
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: new URLSearchParams(form) })
    })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    return { to: new URL(answer.headers.get('location') ?? url, url).href, body: await answer.text() }
  }
  const { origin } = new URL(authorize)
  let { to } = await ask(authorize)
  for (let step = 0; step < 8 && new URL(to).origin === origin; step++) {
    if (!to.includes('/interaction/')) to = (await ask(to)).to
    else if (abort) to = (await ask(`${to}/abort`)).to
    else to = (await ask(to, { prompt: 'login', login, password: 'x' })).to
  }
  return to
}

interface Opened {
  settings?: Partial<ProviderSettings>
  clock?: Clock
  outbound?: Outbound
  timeoutMs?: number
  finally?: Finally
}

/** The provider as the server of the tests knows it. */
export function knowProvider(
  issuer: string,
  { settings = {}, clock = wallClock, outbound = {}, timeoutMs, finally: finally_ = onTestFinished }: Opened = {}
) {
  const redirectUri = `${PUBLIC_URL}/sign-in/oidc/callback`
  const known = openProvider(
    { issuer, ...CLIENT, name: 'Example Inc.', allowedDomains: [], ...settings },
    { redirectUri, clock, outbound, ...(timeoutMs !== undefined && { timeoutMs }) }
  )
  finally_(() => known.close())
  return known
}

type Built = Opened & { services?: Parameters<typeof buildTestApp>[0]; options?: Parameters<typeof buildTestApp>[1] }

/** An application whose people sign in at the provider. */
export async function appWith(issuer: string, { services = {}, options, ...opened }: Built = {}) {
  const clock = opened.clock ?? wallClock
  const oidc = knowProvider(issuer, { ...opened, clock })
  return { app: await buildTestApp({ oidc, clock, ...services }, options) }
}
