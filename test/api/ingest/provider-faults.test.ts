import { pino } from 'pino'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../../../src/platform/db/drizzle.ts'
import { newBrowser } from '../../support/console.ts'
import { type FalseProvider, json, makeKey, startFalseProvider } from '../../support/false-provider.ts'
import { appWith, knowProvider, wallClock } from '../../support/oidc.ts'
import { freePort } from '../../support/ports.ts'
import { PUBLIC_URL, testDatabase } from '../../support/server.ts'
import { newSharer } from '../../support/sharing.ts'

const START = '/sign-in/oidc'
const DISCOVERY = '/.well-known/openid-configuration'
const HOUR_MS = 3_600_000
const { db } = await testDatabase()

const stranger = makeKey()
const nothing = () => {}

const AWAY = [503, 'The provider does not answer'] as const
const UNUSABLE = [503, 'The sign-in did not work'] as const
const UNVERIFIED = [403, 'Your address is not verified'] as const

/** One provider and application for the faults that come after its metadata is known, which each test sets right again. */
const shared = await startFalseProvider({ finally: afterAll })
const usual = { ...shared }
const lines: Record<string, unknown>[] = []
const served = await appWith(shared.issuer, { options: { logger: logInto(lines) }, finally: afterAll })
beforeEach(() => {
  lines.splice(0)
  Object.assign(shared, usual, { claims: {}, userinfo: {}, answers: {}, asked: shared.asked })
})

function logInto(written: Record<string, unknown>[]) {
  return pino({ level: 'info' }, { write: line => void written.push(JSON.parse(line)) })
}

/** Makes a person whom the provider vouches for. */
async function vouchFor(provider: FalseProvider) {
  const ada = await newSharer()
  provider.claims = { email: ada.email, email_verified: true, sub: ada.id }
  return ada
}

/** A person who would be signed in, and an application at the provider whose log is kept. */
async function openFlow(provider: FalseProvider, timeoutMs?: number) {
  const ada = await vouchFor(provider)
  const lines: Record<string, unknown>[] = []
  const logger = logInto(lines)
  const served = await appWith(provider.issuer, { options: { logger }, ...(timeoutMs !== undefined && { timeoutMs }) })
  return { ada, browser: newBrowser(served), lines }
}

type Change = (provider: FalseProvider) => void
/** Answers otherwise at an address. */
const answering =
  (path: string, answer: FalseProvider['answers'][string]): Change =>
  provider =>
    Object.assign(provider.answers, { [path]: answer })

type Shown = readonly [status: number, title: string]

/** What a provider may do wrong after the person said yes, what the page says then, and the code in the log. */
const FAULTS: [string, Change, Shown, string][] = [
  [
    'names another issuer',
    p => Object.assign(p.claims, { iss: 'https://evil.example' }),
    UNUSABLE,
    'OAUTH_JWT_CLAIM_COMPARISON_FAILED iss'
  ],
  [
    'answers another client',
    p => Object.assign(p.claims, { aud: 'somebody' }),
    UNUSABLE,
    'OAUTH_JWT_CLAIM_COMPARISON_FAILED aud'
  ],
  [
    'answers several clients, of which another asked',
    p => Object.assign(p.claims, { aud: ['parlance', 'x'], azp: 'x' }),
    UNUSABLE,
    'OAUTH_JWT_CLAIM_COMPARISON_FAILED azp'
  ],
  [
    'sends a token that has expired',
    p => Object.assign(p.claims, { exp: Date.now() / 1_000 - 60 }),
    UNUSABLE,
    'OAUTH_JWT_TIMESTAMP_CHECK_FAILED exp'
  ],
  [
    'sends a token that is not valid yet',
    p => Object.assign(p.claims, { nbf: Date.now() / 1_000 + 600 }),
    UNUSABLE,
    'OAUTH_JWT_TIMESTAMP_CHECK_FAILED nbf'
  ],
  [
    'answers another sign-in',
    p => Object.assign(p.claims, { nonce: 'x' }),
    UNUSABLE,
    'OAUTH_JWT_CLAIM_COMPARISON_FAILED nonce'
  ],
  ['answers no sign-in', p => Object.assign(p.claims, { nonce: undefined }), UNUSABLE, 'OAUTH_INVALID_RESPONSE'],
  ['names no person', p => Object.assign(p.claims, { sub: undefined }), UNUSABLE, 'OAUTH_INVALID_RESPONSE'],
  ['names a person by 300 characters', p => Object.assign(p.claims, { sub: 's'.repeat(300) }), UNUSABLE, 'subject'],
  ['names a person by what cannot be stored', p => Object.assign(p.claims, { sub: 'a\u0000b' }), UNUSABLE, 'subject'],
  [
    'signs with a key that it does not show',
    p => Object.assign(p, { shown: stranger }),
    UNUSABLE,
    'OAUTH_INVALID_RESPONSE'
  ],
  [
    'names a key that it does not show',
    p => Object.assign(p, { header: { alg: 'RS256', kid: 'two' } }),
    UNUSABLE,
    'OAUTH_KEY_SELECTION_FAILED'
  ],
  [
    'does not sign',
    p => Object.assign(p, { header: { alg: 'none' }, toToken: (t: string) => t.replace(/[^.]*$/, '') }),
    UNUSABLE,
    'OAUTH_INVALID_RESPONSE'
  ],
  [
    'signs with the secret of the client',
    p => Object.assign(p, { header: { alg: 'HS256' } }),
    UNUSABLE,
    'OAUTH_INVALID_RESPONSE'
  ],
  [
    'sends half a token',
    p => Object.assign(p, { toToken: (t: string) => t.slice(0, 200) }),
    UNUSABLE,
    'OAUTH_INVALID_RESPONSE'
  ],
  ['sends no token', p => Object.assign(p, { toToken: () => undefined }), UNUSABLE, 'OAUTH_INVALID_RESPONSE'],
  ['does not know the code', answering('/token', json({ error: 'invalid_grant' }, 400)), UNUSABLE, 'invalid_grant'],
  [
    'does not know the secret',
    answering('/token', json({ error: 'invalid_client' }, 401, { 'www-authenticate': 'Basic realm="x"' })),
    UNUSABLE,
    'OAUTH_WWW_AUTHENTICATE_CHALLENGE'
  ],
  [
    'is too busy',
    answering('/token', json({ error: 'temporarily_unavailable' }, 400)),
    AWAY,
    'temporarily_unavailable'
  ],
  ['breaks', answering('/token', json({}, 500)), AWAY, 'OAUTH_RESPONSE_IS_NOT_CONFORM'],
  [
    'is a page of a proxy',
    answering('/token', r => void r.setHeader('content-type', 'text/html').end('<p>Soon')),
    AWAY,
    'OAUTH_RESPONSE_IS_NOT_JSON'
  ],
  [
    'leads elsewhere',
    answering('/token', r => void r.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()),
    AWAY,
    'OAUTH_RESPONSE_IS_NOT_CONFORM'
  ],
  [
    'sends half an answer',
    answering('/token', r => void r.setHeader('content-type', 'application/json').end('{"a":')),
    AWAY,
    'OAUTH_PARSE_ERROR'
  ],
  ['sends 2 MiB', answering('/token', json({ text: 'x'.repeat(2 * 1024 ** 2) })), AWAY, 'OAUTH_PARSE_ERROR'],
  ['hangs up', answering('/token', r => void r.destroy()), AWAY, 'UND_ERR_SOCKET'],
  ['shows no keys', answering('/jwks', json({ keys: [] })), UNUSABLE, 'OAUTH_KEY_SELECTION_FAILED'],
  ['cannot show its keys', answering('/jwks', json({}, 503)), AWAY, 'OAUTH_RESPONSE_IS_NOT_CONFORM'],
  [
    'speaks of another person at its userinfo endpoint',
    p => Object.assign(p, { userinfo: { ...p.claims, sub: 'OTHER' }, claims: {} }),
    UNUSABLE,
    'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED'
  ],
  [
    'breaks at its userinfo endpoint',
    p => Object.assign(p, { claims: {}, answers: { '/userinfo': json({}, 500) } }),
    AWAY,
    'OAUTH_RESPONSE_IS_NOT_CONFORM'
  ],
  [
    'refuses its own token at its userinfo endpoint',
    p =>
      Object.assign(p, {
        claims: {},
        answers: { '/userinfo': json({}, 401, { 'www-authenticate': 'Bearer error="invalid_token"' }) }
      }),
    UNUSABLE,
    'OAUTH_WWW_AUTHENTICATE_CHALLENGE'
  ],
  [
    'says the address elsewhere than that it is verified',
    p =>
      Object.assign(p, {
        claims: { ...p.claims, email_verified: undefined },
        userinfo: { sub: p.claims.sub, email: 'x@example.com', email_verified: false }
      }),
    UNVERIFIED,
    'email_not_verified'
  ],
  [
    'vouches as only Microsoft may',
    p =>
      Object.assign(p, {
        claims: { ...p.claims, email_verified: undefined, xms_edov: true },
        userinfo: { sub: p.claims.sub, email: p.claims.email }
      }),
    UNVERIFIED,
    'email_not_verified'
  ]
]

describe('a provider that', () => {
  test.each(FAULTS)(
    '%s signs nobody in: a page says so, and a line of the log',
    async (_, change, [status, title], code) => {
      const provider = shared
      const ada = await vouchFor(provider)
      const browser = newBrowser(served)
      change(provider)
      const { to } = await browser.get(START)
      const back = provider.leadBack(String(to))
      const answer = await browser.get(back)
      expect([answer.status, answer.text.includes(title)]).toEqual([status, true])
      expect((await browser.get('/')).status).toBe(303)
      const { rows } = await db.execute(sql`select from console_sessions where user_id = ${ada.id}`)
      expect(rows).toEqual([])
      const said = lines.filter(({ msg }) => msg !== 'request')
      const signIn = expect.stringMatching(/^sil_\w{26}$/)
      expect(said).toMatchObject([{ msg: 'sign-in at the provider refused', signIn, code }])
      expect(answer.text).toContain(`${said[0]?.signIn} , ${code}`)
      const secrets = ['CODE-OF-PROVIDER', 'ACCESS-TOKEN', 'OTHER', ada.id, ada.email, back.slice(-43)]
      for (const secret of secrets) expect(JSON.stringify(lines)).not.toContain(secret)
    }
  )

  test.each<[string, Change, Shown, string]>([
    ['does not listen', p => void p.stop(), AWAY, 'ECONNREFUSED'],
    ['breaks', answering(DISCOVERY, json({}, 500)), AWAY, 'OAUTH_RESPONSE_IS_NOT_CONFORM'],
    ['is not at that address', answering(DISCOVERY, json({}, 404)), AWAY, 'OAUTH_RESPONSE_IS_NOT_CONFORM'],
    [
      'is a page',
      answering(DISCOVERY, r => void r.setHeader('content-type', 'text/html').end('<p>')),
      AWAY,
      'OAUTH_RESPONSE_IS_NOT_JSON'
    ],
    [
      'calls itself otherwise',
      p => Object.assign(p.metadata, { issuer: 'https://other.example' }),
      UNUSABLE,
      'provider_metadata'
    ],
    ['has no issuer', p => Object.assign(p.metadata, { issuer: undefined }), UNUSABLE, 'OAUTH_INVALID_RESPONSE'],
    [
      'has no endpoint for tokens',
      p => Object.assign(p.metadata, { token_endpoint: undefined }),
      UNUSABLE,
      'provider_metadata'
    ],
    [
      'has an address that is none',
      p => Object.assign(p.metadata, { authorization_endpoint: 'nowhere' }),
      UNUSABLE,
      'provider_metadata'
    ],
    ['sends 2 MiB', p => Object.assign(p.metadata, { text: 'x'.repeat(2 * 1024 ** 2) }), AWAY, 'OAUTH_PARSE_ERROR']
  ])('%s when it is asked what it is leads nowhere, until it is well', async (_, change, [status, title], code) => {
    // The system gives this port to nobody else while nothing listens on it.
    const provider = await startFalseProvider({ port: await freePort() })
    const { browser, lines } = await openFlow(provider)
    const well = { metadata: { ...provider.metadata }, answers: {} }
    change(provider)
    const answer = await browser.get(`${START}?next=/people`)
    expect([answer.status, answer.text.includes(title)]).toEqual([status, true])
    expect(lines.filter(({ msg }) => msg !== 'request')).toMatchObject([{ code }])
    const again =
      code === 'ECONNREFUSED' ? await startFalseProvider({ port: Number(new URL(provider.issuer).port) }) : provider
    Object.assign(again, well, { claims: provider.claims })
    const { to } = await browser.get(`${START}?next=/people`)
    expect((await browser.get(again.leadBack(String(to)))).to).toBe('/people')
  })

  test.each<[string, string, Shown, string]>([
    ['refuses', 'error=access_denied&error_description=no', [403, 'You are not signed in'], 'access_denied'],
    ['breaks', 'error=server_error', AWAY, 'server_error'],
    ['is busy', 'error=temporarily_unavailable', AWAY, 'temporarily_unavailable'],
    ['does not know the client', 'error=unauthorized_client', UNUSABLE, 'unauthorized_client'],
    ['says what nobody may write into a log', 'error=x%0Ay%22%7D', UNUSABLE, 'other_error'],
    ['says nothing', '', UNUSABLE, 'OAUTH_INVALID_RESPONSE'],
    ['is another one', 'code=x&iss=https://evil.example', UNUSABLE, 'OAUTH_INVALID_RESPONSE']
  ])('%s at the end leads to a page: %s', async (_, query, [status, title], code) => {
    const browser = newBrowser(served)
    const before = shared.asked.length
    const { to } = await browser.get(START)
    const state = new URL(String(to)).searchParams.get('state')
    const answer = await browser.get(`${START}/callback?state=${state}&${query}`)
    expect([answer.status, answer.text.includes(title)]).toEqual([status, true])
    expect(lines.filter(({ msg }) => msg !== 'request')).toMatchObject([{ code }])
    expect(shared.asked.slice(before).filter(path => path !== DISCOVERY)).toEqual([])
  })

  test('is silent is waited for, and no longer than for the time of a request', async () => {
    /** Silences the provider at the path. Returns how a sign-in is answered then. */
    const silence = async (path: string) => {
      const provider = await startFalseProvider()
      const { browser, lines } = await openFlow(provider, 3_000)
      if (path === '/userinfo') provider.claims = {}
      const sent = path === DISCOVERY ? START : provider.leadBack(String((await browser.get(START)).to))
      provider.answers[path] = nothing
      return async () => {
        const answer = await browser.get(sent)
        return [answer.status, answer.text.includes(AWAY[1]), ...lines.flatMap(({ code }) => code ?? [])]
      }
    }
    const silent: Awaited<ReturnType<typeof silence>>[] = []
    // One after the other, because each answers in time until then.
    for (const path of [DISCOVERY, '/token', '/jwks', '/userinfo']) silent.push(await silence(path))
    const answers = await Promise.all(silent.map(signIn => signIn()))
    expect(answers).toEqual(Array(4).fill([503, true, 'OAUTH_TIMEOUT']))
  })
})

test('signs in by what the ID token says, and asks for no more', async () => {
  const provider = await startFalseProvider()
  const { browser } = await openFlow(provider)
  const { to } = await browser.get(START)
  expect((await browser.get(provider.leadBack(String(to)))).status).toBe(303)
  expect(provider.asked).toEqual([DISCOVERY, '/token', '/jwks'])
})

test('signs in by what the userinfo endpoint says where the ID token says less', async () => {
  const provider = await startFalseProvider()
  const { ada, browser } = await openFlow(provider)
  provider.userinfo = { sub: 'SUBJECT', email: ada.email, email_verified: true }
  provider.claims = { email: ada.email }
  const { to } = await browser.get(START)
  expect((await browser.get(provider.leadBack(String(to)))).status).toBe(303)
})

test('signs nobody in where neither the ID token nor an endpoint has an address', async () => {
  const provider = await startFalseProvider()
  const { browser, lines } = await openFlow(provider)
  Object.assign(provider, { claims: {}, metadata: { ...provider.metadata, userinfo_endpoint: undefined } })
  const { to } = await browser.get(START)
  expect((await browser.get(provider.leadBack(String(to)))).status).toBe(403)
  expect(lines.filter(({ msg }) => msg !== 'request')).toMatchObject([{ code: 'no_email' }])
})

test('asks the provider what it is once an hour, however many start', async () => {
  const provider = await startFalseProvider()
  let nowMs = Date.now()
  const known = knowProvider(provider.issuer, { clock: { now: () => new Date(nowMs) } })
  const start = () => known.authorize({ id: '', state: 's', nonce: 'n', verifier: 'v', startedAt: new Date() })
  await Promise.all([1, 2, 3].map(start))
  nowMs += HOUR_MS - 1
  await start()
  expect(provider.asked).toEqual([DISCOVERY])
  nowMs += 1
  await start()
  expect(provider.asked).toEqual([DISCOVERY, DISCOVERY])
})

test('counts the times of tokens from the clock of the server', async () => {
  const provider = await startFalseProvider()
  for (const [minutes, status] of [
    [4, 303],
    [6, 503],
    [-4, 303]
  ] as const) {
    const ada = await newSharer()
    provider.claims = { email: ada.email, email_verified: true, sub: ada.id }
    const clock = { now: () => new Date(wallClock.now().getTime() + minutes * 60_000) }
    const browser = newBrowser(await appWith(provider.issuer, { clock }))
    const { to } = await browser.get(START)
    expect((await browser.get(provider.leadBack(String(to)))).status).toBe(status)
  }
})

test.each([
  [['client_secret_post'], 'form'],
  [['client_secret_basic', 'client_secret_post'], 'header'],
  [undefined, 'header']
])('shows its secret to a provider that takes %j in the %s', async (methods, place) => {
  const provider = await startFalseProvider()
  const { browser } = await openFlow(provider)
  Object.assign(provider.metadata, { token_endpoint_auth_methods_supported: methods })
  let authorization: string | undefined
  provider.answers['/token'] = (response, request) => {
    authorization = request.headers.authorization
    json({ error: 'invalid_grant' }, 400)(response, request)
  }
  const { to } = await browser.get(START)
  await browser.get(provider.leadBack(String(to)))
  expect(authorization?.startsWith('Basic ') ?? false).toBe(place === 'header')
})

test('takes an issuer with and without a slash at its end, and no other', async () => {
  const provider = await startFalseProvider()
  Object.assign(provider.metadata, { issuer: `${provider.issuer}/` })
  await knowProvider(provider.issuer).check()
  await knowProvider(`${provider.issuer}/`).check()
  Object.assign(provider.metadata, { issuer: `${provider.issuer}/x` })
  await expect(knowProvider(provider.issuer).check()).rejects.toThrow(
    `OIDC_ISSUER: the provider calls itself ${provider.issuer}/x; set that if it is the one you mean`
  )
  const port = await freePort()
  await expect(knowProvider(`http://127.0.0.1:${port}`).check()).rejects.toThrow(
    `OIDC_ISSUER: http://127.0.0.1:${port} does not answer as a provider (ECONNREFUSED); start or correct it`
  )
})

test('leads back below the path of PUBLIC_URL', async () => {
  const provider = await startFalseProvider()
  const browser = newBrowser(await appWith(provider.issuer, { services: { publicUrl: `${PUBLIC_URL}/notes` } }))
  const { to } = await browser.get('/notes/sign-in/oidc')
  expect(new URL(String(to)).origin).toBe(provider.issuer)
})
