import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Browser } from '../support/console.ts'
import { newBrowser, signedIn, signInAs } from '../support/console.ts'
import { allow, answerIn, authorizePath, CALLBACK, connect, newAgent, newVerifier } from '../support/oauth.ts'
import { SEED } from '../support/seed.ts'
import { buildTestApp, PUBLIC_URL, type Served, testDatabase, testFetcher } from '../support/server.ts'
import { INNARDS, LIBRARY_WORDS } from './checks.ts'
import { OAUTH_CASES } from './run.ts'
import { sendWithin } from './send.ts'
import { hostileText } from './values.ts'

/** After so many, another user begins anew. */
const EACH_USER = 25
const SHOWN = 10
/** The cases beyond the usual ones for paths that have answered none well. */
const MORE_CASES = 200
const MAX_CASES = OAUTH_CASES + MORE_CASES

/** What a made-up request can name: secrets that are right for some of the others, and are used up on the way. */
interface World {
  browser: Browser
  known: Record<'client' | 'code' | 'access' | 'refresh' | 'verifier' | 'challenge', string>
}

const FORM = 'application/x-www-form-urlencoded'
/** The name of something that the world has, between marks that no other value has. */
const given = (name: keyof World['known']) => `\u2983${name}\u2984`

const wrong = fc.constantFrom<unknown[]>(null, true, 0, -1, 1e308, '', [], {}, [[]], 'x'.repeat(3_000))
const uris = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(CALLBACK, 'http://127.0.0.1/callback', 'cursor://app/callback') },
  { weight: 1, arbitrary: fc.oneof(fc.webUrl(), hostileText) }
)
const mostly = (value: string, ...others: string[]) =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constant(value) },
    { weight: 1, arbitrary: fc.oneof(hostileText, fc.constantFrom('', ...others)) }
  )
const clients = mostly(given('client'), 'cli_00000000000000000000000000', 'https://localhost:1/client.json', '\0')

const metadata = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record(
      {
        redirect_uris: fc.oneof(fc.array(uris, { maxLength: 12 }), wrong),
        client_name: fc.oneof(hostileText, wrong),
        client_uri: fc.oneof(hostileText, wrong),
        scope: fc.oneof(hostileText, wrong),
        grant_types: fc.oneof(fc.constant(['authorization_code', 'refresh_token']), wrong),
        response_types: fc.oneof(fc.constant(['code']), wrong),
        token_endpoint_auth_method: fc.oneof(fc.constantFrom('none', 'client_secret_post'), hostileText, wrong),
        contacts: wrong
      },
      { requiredKeys: ['redirect_uris'] }
    )
  },
  { weight: 1, arbitrary: wrong }
)

const tokenForms = fc.oneof(
  fc.record(
    {
      grant_type: mostly('authorization_code'),
      client_id: clients,
      code: mostly(given('code'), given('refresh'), 'prc_'),
      redirect_uri: uris,
      code_verifier: mostly(given('verifier'), given('challenge')),
      resource: mostly(PUBLIC_URL, `${PUBLIC_URL}/mcp`),
      client_secret: hostileText
    },
    { requiredKeys: ['grant_type', 'client_id', 'code', 'redirect_uri', 'code_verifier'] }
  ),
  fc.record(
    {
      grant_type: mostly('refresh_token', 'password'),
      client_id: clients,
      refresh_token: mostly(given('refresh'), given('access'), given('code')),
      scope: mostly('sessions:read', 'sessions:read sessions:read', 'admin'),
      resource: mostly(PUBLIC_URL)
    },
    { requiredKeys: ['grant_type', 'client_id', 'refresh_token'] }
  ),
  fc.dictionary(hostileText, hostileText, { maxKeys: 4 })
)

const revocations = fc.record(
  { token: mostly(given('refresh'), given('access')), client_id: clients, token_type_hint: hostileText },
  { requiredKeys: ['token', 'client_id'] }
)

const authorizations = fc.record(
  {
    response_type: mostly('code', 'token'),
    client_id: clients,
    redirect_uri: uris,
    code_challenge: mostly(given('challenge')),
    code_challenge_method: mostly('S256', 'plain'),
    state: hostileText,
    scope: mostly('sessions:read sessions:search', 'offline_access sessions:read'),
    resource: mostly(`${PUBLIC_URL}/mcp`, PUBLIC_URL),
    prompt: hostileText,
    request: hostileText
  },
  { requiredKeys: ['response_type', 'client_id', 'redirect_uri', 'code_challenge', 'code_challenge_method'] }
)

interface Case {
  method: 'GET' | 'POST'
  path: string
  query: Record<string, string>
  body: string | undefined
  type: string
  authorization: string | undefined
  /** Whether the browser of a user sends it. */
  byUser: boolean
}

const types = fc.oneof(
  { weight: 20, arbitrary: fc.constant(undefined) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('text/plain', 'application/json', FORM, 'multipart/form-data; boundary=x', '')
  }
)
const authorization = fc.oneof(
  { weight: 12, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.tuple(clients, hostileText).map(([id, secret]) => `Basic ${id}:${secret}`) },
  { weight: 1, arbitrary: hostileText.map(text => `Basic ${text.replace(/[^\x20-\x7e]/g, '?')}`) }
)
const WELL_KNOWN = [
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-protected-resource/mcp'
]
const PATHS = ['/oauth/register', '/oauth/token', '/oauth/revoke', '/oauth/authorize', ...WELL_KNOWN]

const forms = (path: string, fields: fc.Arbitrary<Record<string, string>>) =>
  fc
    .tuple(fields, types, authorization, fc.nat({ max: 29 }), hostileText)
    .map(([form, type, authorization, luck, junk]): Case => {
      const body = toForm(form)
      const sent = luck === 0 ? junk : luck === 1 ? `${body}&${body}` : luck === 2 ? undefined : body
      return { method: 'POST', path, query: {}, body: sent, type: type ?? FORM, authorization, byUser: false }
    })

const cases: fc.Arbitrary<Case> = fc.oneof(
  fc.tuple(metadata, types, fc.nat({ max: 19 })).map(([sent, type, luck]): Case => {
    const body = luck === 0 ? JSON.stringify(sent).slice(0, -1) : JSON.stringify(sent)
    return {
      method: 'POST',
      path: '/oauth/register',
      query: {},
      body,
      type: type ?? 'application/json',
      authorization: undefined,
      byUser: false
    }
  }),
  { weight: 2, arbitrary: forms('/oauth/token', tokenForms) },
  forms('/oauth/revoke', revocations),
  {
    weight: 2,
    arbitrary: fc.tuple(authorizations, fc.nat({ max: 9 })).map(
      ([query, luck]): Case => ({
        method: 'GET',
        path: '/oauth/authorize',
        query,
        body: undefined,
        type: '',
        authorization: undefined,
        byUser: luck > 0
      })
    )
  },
  fc
    .tuple(
      authorizations,
      fc.dictionary(hostileText, hostileText, { maxKeys: 3 }),
      fc.constantFrom('allow', 'deny', '')
    )
    .map(([asked, more, decision]): Case => {
      const body = toForm({ ...more, request: toForm(asked), decision, 'sessions:read': 'on' })
      return {
        method: 'POST',
        path: '/oauth/authorize',
        query: {},
        body,
        type: FORM,
        authorization: undefined,
        byUser: true
      }
    }),
  fc
    .tuple(
      fc.constantFrom(...WELL_KNOWN),
      fc.constantFrom('', '/', '/x', '/%00', '//'),
      fc.dictionary(hostileText, hostileText, { maxKeys: 2 })
    )
    .map(
      ([path, more, query]): Case => ({
        method: 'GET',
        path: path + more,
        query,
        body: undefined,
        type: '',
        authorization: undefined,
        byUser: false
      })
    )
)

/** The header of a client's name and secret, or of what is neither. */
function toBasic(text: string) {
  const [, pair] = /^Basic (.*:.*)$/s.exec(text) ?? []
  return pair === undefined ? text : `Basic ${Buffer.from(pair).toString('base64')}`
}

function toForm(fields: Record<string, string>) {
  return String(
    new URLSearchParams(
      Object.entries(fields).map(([name, value]): [string, string] => [name.toWellFormed(), value.toWellFormed()])
    )
  )
}

async function openWorld(served: Served): Promise<World> {
  const { user } = await signedIn()
  const browser = newBrowser(served)
  await signInAs(browser, user.email, served)
  const agent = newAgent(served, { address: addressOf(Math.random()) })
  const { clientId, tokens } = await connect(agent, browser)
  const { verifier, challenge } = newVerifier()
  const { code = '' } = answerIn((await allow(browser, authorizePath(clientId, challenge))).to)
  const { access_token: access, refresh_token: refresh } = tokens
  return { browser, known: { client: clientId, code, access, refresh, verifier, challenge } }
}

/** Each request has an address of its own, because limits count by it. */
function addressOf(part: number) {
  const n = Math.floor(part * 2 ** 24)
  return `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`
}

/** Puts what the world has where it is named, in a text and in one that is encoded for a form once or twice. */
function fill(text: string, known: World['known']) {
  return text.replace(
    /(?:\u2983|(?:%(?:25)*E2%(?:25)*A6%(?:25)*83))(\w+?)(?:\u2984|(?:%(?:25)*E2%(?:25)*A6%(?:25)*84))/g,
    (_, name: keyof World['known']) => known[name]
  )
}

const CODES =
  /^(?:access_denied|invalid_client|invalid_client_metadata|invalid_grant|invalid_redirect_uri|invalid_request|invalid_scope|invalid_target|temporarily_unavailable|unsupported_grant_type)$/

type Reply = Awaited<ReturnType<typeof sendWithin>>

/** What is wrong with the answer to a program. */
function faultsOfAnswer({ path }: Case, { statusCode: status, body, headers }: Reply): string[] {
  if (status === 200 && path === '/oauth/revoke' && body === '') return []
  if (!path.startsWith('/oauth/')) return status < 500 ? [] : [`answers with ${status}`]
  const answer = JSON.parse(body)
  const faults = Object.values(answer).includes(null) ? ['has a field that is null'] : []
  if (!headers['cache-control']?.includes('no-store')) faults.push(`may be kept: ${headers['cache-control']}`)
  if (status < 300) return faults
  if (!CODES.test(answer.error)) faults.push(`has the error ${answer.error}`)
  if (LIBRARY_WORDS.test(answer.error_description)) faults.push('its error is in the words of a library')
  if (!/^[\x20-\x7e]+$/.test(answer.error_description)) faults.push('its description is no printable ASCII')
  return faults
}

/** An answer to a browser leads to a page of this server, or after a decision to where a client has registered that its answers go. */
function faultsOfPage({ method }: Case, { statusCode: status, headers }: Reply): string[] {
  const to = headers.location
  const mayLeave = method === 'POST' && to?.startsWith(`${CALLBACK}?`)
  const isRight = to === undefined ? status !== 303 : /^\/(?!\/)/.test(to) || mayLeave
  return isRight ? [] : [`leads to ${to}`]
}

test(`whatever is sent to the endpoints of OAuth, the answer is one of OAuth (seed ${SEED})`, {
  timeout: 900_000
}, async () => {
  const { db } = await testDatabase()
  // Every name is this machine, where nothing listens: the document of a made-up client has an answer at once.
  const lookup = async () => [{ address: '127.0.0.1', family: 4 }]
  const served = { db, app: await buildTestApp({ fetcher: testFetcher({ lookup }) }) }
  const failures: string[] = []
  const answered = new Set<string>()
  let world = await openWorld(served)

  let number = 0
  async function ask(one: Case) {
    if (number % EACH_USER === EACH_USER - 1) world = await openWorld(served)
    const { known, browser } = world
    const { method, path, type } = one
    const query = fill(toForm(one.query), known)
    const body = one.body === undefined ? undefined : fill(one.body, known)
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const sent = one.authorization && toBasic(fill(one.authorization, known))
    const reply = await sendWithin(served.app, {
      method,
      url: query === '' ? path : `${path}?${query}`,
      remoteAddress: addressOf((number + 0.5) / MAX_CASES),
      headers: {
        host: new URL(PUBLIC_URL).host,
        ...(one.byUser && { cookie }),
        ...(sent && { authorization: sent }),
        ...(body !== undefined && type !== '' && { 'content-type': type })
      },
      ...(body !== undefined && { payload: body })
    })
    const faults = path === '/oauth/authorize' ? faultsOfPage(one, reply) : faultsOfAnswer(one, reply)
    if (reply.statusCode >= 500) faults.push(`answers with ${reply.statusCode}`)
    if (INNARDS.test(reply.body)) faults.push('tells of the inside')
    if (reply.statusCode < 400) answered.add(path)
    if (faults.length > 0)
      failures.push(
        `case ${number}: ${method} ${path}?${query.slice(0, 500)} ${JSON.stringify({ body, type, sent })?.slice(0, 1_000)}\n  ${faults.join('\n  ')}\n  ${reply.statusCode} ${reply.body.slice(0, 300)}`
      )
    number++
  }

  for (const one of fc.sample(cases, { seed: SEED, numRuns: OAUTH_CASES })) await ask(one)
  // By chance a few of many cases leave one out.
  const unanswered = () => PATHS.filter(path => !answered.has(path))
  const more = cases.filter(({ path }) => unanswered().includes(path))
  for (let asked = 0; unanswered().length > 0 && asked < MORE_CASES; asked++)
    for (const one of fc.sample(more, { seed: SEED + asked, numRuns: 1 })) await ask(one)
  await served.app.close()

  expect(failures.slice(0, SHOWN).join('\n\n')).toBe('')
  // Only refusals would prove little.
  expect(unanswered()).toEqual([])
})
