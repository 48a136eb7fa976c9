import { z } from 'zod'
import { TokenCreate, type TokenIssued, type TokenList } from '../../../contract/admin/token.ts'
import { FIELD_LIMITS, LIMITS } from '../../../contract/limits.ts'
import { ALL_SCOPES, isScope, SCOPES, type Scope } from '../../../contract/scopes.ts'
import { createToken, listTokens, revokeToken } from '../../../features/accounts/operations.ts'
import type { Services } from '../../../features/services.ts'
import type { Visitor } from '../../../features/sign-in/sign-in.ts'
import { readShape } from '../../../platform/core/remedy.ts'
import { type Html, html, when } from '../../web/html.ts'
import { cardList } from '../cards.ts'
import { onDay } from '../dates.ts'
import { checkField, confirmed, selectField, textField } from '../fields.ts'
import { problemAbove, problemOf } from '../form-problem.ts'
import { type Console, NONE } from '../open-console.ts'
import { pathId, pathParams } from '../path-params.ts'
import { settingsView } from '../settings.ts'
import type { View, Visit } from '../visit.ts'

const PATH = '/settings/tokens'
const DAY_SECONDS = 86_400
const DAY_MS = DAY_SECONDS * 1_000

const LIFETIMES = [
  { value: String(DAY_SECONDS), words: 'a day' },
  { value: String(30 * DAY_SECONDS), words: '30 days' },
  { value: String(90 * DAY_SECONDS), words: '90 days' },
  { value: String(LIMITS.tokenSeconds.max), words: 'a year' }
]

/** The scopes that a new token has unless its user chooses others: enough to read. */
const USUAL_SCOPES: readonly Scope[] = ['sessions:read', 'sessions:search', 'transcripts:read', 'account:read']

/** The fields of the form, as a browser sends them: a box that is ticked has the name of its scope. */
const Sent = z.record(z.string(), z.string())
type Sent = z.output<typeof Sent>

const FILLED: Sent = Object.fromEntries([
  ['expires_in', String(90 * DAY_SECONDS)],
  ...USUAL_SCOPES.map(scope => [scope, 'on'])
])

const NO_SCOPE = 'Choose at least one thing that the token may do.'

const Params = pathParams({ id: pathId('tok') })

type Token = TokenList['tokens'][number]

/** The user's tokens for programs: a list, a form for a new one, which is shown once, and a button that revokes one. */
export function tokensPage({ services, user }: Console) {
  user.page(PATH, NONE, async visit => await tokensView(services, visit, { sent: FILLED }))

  user.form(PATH, { ...NONE, body: Sent }, async (visit, { body: sent }) => {
    if (toToken(sent).scopes.length === 0) return await tokensView(services, visit, { sent, problem: NO_SCOPE })
    try {
      const token = await createToken(services, visit.visitor.actor, readShape(TokenCreate, toToken(sent)))
      return issuedView(visit, services, token)
    } catch (error) {
      return await tokensView(services, visit, { sent, problem: problemOf(error) })
    }
  })

  user.form(`${PATH}/:id/revoke`, { ...NONE, params: Params }, async ({ visitor }, { params: { id } }) => {
    await revokeToken(services, visitor.actor, id)
    return { to: PATH }
  })
}

function toToken(sent: Sent): z.input<typeof TokenCreate> {
  return {
    name: sent.name ?? '',
    scopes: ALL_SCOPES.filter(scope => sent[scope] !== undefined),
    expires_in: Number(sent.expires_in)
  }
}

async function tokensView(
  services: Services,
  visit: Visit<Visitor>,
  { sent, problem }: { sent: Sent; problem?: string }
): Promise<View> {
  const { tokens } = await listTokens(services, visit.visitor.actor, { withAgents: false })
  const now = services.clock.now()
  const isLive = ({ revoked_at, expires_at }: Token) => revoked_at === null && Date.parse(expires_at) > now.getTime()
  const newestFirst = tokens.toReversed()
  const live = newestFirst.filter(isLive)
  const ended = newestFirst.filter(token => !isLive(token))
  return settingsView(visit, PATH, {
    title: 'Tokens',
    status: problem === undefined ? 200 : 400,
    main: html`<p>A token lets a program act for you over <a href="${visit.link('/v1/docs/')}">the API</a>. Make one for each program, so that you can
revoke it alone.</p>
${cardList(live, token => row(visit, token, now), 'You have no token that works.', 'Your tokens')}
${when(
  ended.length > 0,
  () => html`<details class="ended"><summary>Revoked and expired tokens (${ended.length})</summary>
<ul class="cards">${ended.map(token => row(visit, token, now))}</ul></details>`
)}
<h2 id="new">Make a token</h2>
${newForm(visit, sent, problem)}`
  })
}

function newForm({ form }: Visit, sent: Sent, problem: string | undefined): Html {
  const boxes = ALL_SCOPES.map(scope => checkField(scope, SCOPES[scope], sent[scope] !== undefined))
  return form(
    PATH,
    html`${problemAbove(problem)}
${textField({ name: 'name', label: 'Name', value: sent.name ?? '', max: FIELD_LIMITS.userName, required: true, hint: 'The program that uses it, such as “Nightly export”.' })}
<fieldset><legend>It may</legend>${boxes}</fieldset>
${selectField('expires_in', 'It works for', LIFETIMES, sent.expires_in ?? '')}
<button>Make the token</button>`,
    { class: 'sheet' }
  )
}

function row({ form, visitor }: Visit<Visitor>, token: Token, now: Date): Html {
  const { id, name, hint, scopes, created_at, last_used_at: used, expires_at, revoked_at: revoked } = token
  const day = (at: string) => onDay(new Date(at), visitor.timeZone)
  const expires = Date.parse(expires_at)
  const days = Math.floor((expires - now.getTime()) / DAY_MS)
  const isLive = revoked === null && expires > now.getTime()
  const isSoon = isLive && days < LIMITS.tokenNoticeDays.first
  // The day of the last use is counted in UTC.
  const lastUse = used === null ? 'never used' : `last used on ${onDay(new Date(used))}`
  return html`<li><h2 dir="auto">${name}</h2>
<p class="facts"><code>${hint}…</code> Made on ${day(created_at)}, ${lastUse}</p>
<p class="facts">${
    revoked === null ? html`${isLive ? 'Expires' : 'Expired'} on ${day(expires_at)}` : html`Revoked on ${day(revoked)}`
  }${when(isSoon, () => html` <strong class="soon">${inDays(days)}: make another one in time</strong>`)}</p>
<details><summary>${scopes.length === ALL_SCOPES.length ? 'May do everything' : `May do ${scopes.length} of ${ALL_SCOPES.length} things`}</summary>
<ul>${scopes.map(scope => html`<li>${isScope(scope) ? SCOPES[scope] : scope}</li>`)}</ul></details>
${when(isLive, () =>
  confirmed(
    'Revoke',
    'The next request with this token is refused. This cannot be undone.',
    form(`${PATH}/${id}/revoke`, html`<button class="bad">Revoke the token</button>`)
  )
)}</li>`
}

function inDays(days: number) {
  if (days < 1) return 'in less than a day'
  return days === 1 ? 'in a day' : `in ${days} days`
}

function issuedView(visit: Visit, { publicUrl }: Pick<Services, 'publicUrl'>, issued: TokenIssued): View {
  const { token, name, scopes } = issued
  const request = tryIt(scopes)
  return settingsView(visit, PATH, {
    title: 'The new token',
    status: 201,
    main: html`<p>Copy the token <strong dir="auto">${name}</strong> now: it is shown this once, and the server keeps only its hash.</p>
<pre class="secret"><code>${token}</code></pre>
${when(
  request,
  () => html`<p>Try it in a terminal:</p>
<pre><code>curl -H 'Authorization: Bearer ${token}' ${request?.options ?? ''}'${publicUrl}${request?.path ?? ''}'</code></pre>`
)}
<p><a class="button" href="${visit.link(PATH)}">I have copied it</a></p>`
  })
}

/** A request for each scope that can be tried without an id, the most telling first. */
const TRIALS: readonly { scope: Scope; path: string; options?: string }[] = [
  { scope: 'sessions:read', path: '/v1/sessions?limit=1' },
  { scope: 'account:read', path: '/v1/account' },
  { scope: 'folders:read', path: '/v1/folders' },
  { scope: 'events:read', path: '/v1/events?limit=1' },
  { scope: 'webhooks:manage', path: '/v1/webhooks' },
  {
    scope: 'sessions:search',
    path: '/v1/sessions/search',
    options: `-H 'Content-Type: application/json' -d '{"query":"offer"}' `
  }
]

function tryIt(scopes: readonly string[]) {
  return TRIALS.find(({ scope }) => scopes.includes(scope))
}
