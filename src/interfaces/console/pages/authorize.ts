import { z } from 'zod'
import { LIMITS } from '../../../contract/limits.ts'
import { isLanRedirect, isLoopback } from '../../../contract/oauth.ts'
import { SCOPES } from '../../../contract/scopes.ts'
import { addressLimit, limitReached } from '../../../features/access/address-limit.ts'
import {
  type Authorization,
  allowClient,
  denyClient,
  nameOf,
  type RefusedAuthorization,
  readAuthorization
} from '../../../features/oauth/authorization.ts'
import type { Visitor } from '../../../features/sign-in/sign-in.ts'
import { ApiError } from '../../../platform/core/api-error.ts'
import { type Html, html, when } from '../../web/html.ts'
import { AUTHORIZE_PATH } from '../authorize-path.ts'
import { placeOf } from '../client-place.ts'
import { checkField } from '../fields.ts'
import { problemAbove, problemOf } from '../form-problem.ts'
import { type Console, NONE } from '../open-console.ts'
import type { View, Visit } from '../visit.ts'

const Query = z.record(z.string(), z.unknown())

/** The request as the page has it, the decision, and for each scope that is ticked its name. */
const Sent = z.looseObject({ request: z.string().max(LIMITS.bodyBytes), decision: z.enum(['allow', 'deny']) })

/**
 * Asks a user whether a client may act for them. It asks every time: anyone can pose as a client that keeps no secret, so that an earlier yes says
 * nothing about who asks now.
 */
export function authorizePage({ services, user }: Console) {
  const requests = addressLimit(services.clock, LIMITS.oauth.requestsPerMinute)

  user.page(AUTHORIZE_PATH, { ...NONE, query: Query }, async (visit, { query }) => {
    const { actor } = visit.visitor
    const rate = requests.count(actor.userId)
    if (!rate.allowed) throw limitReached({ ...rate, window: 'minute' }, services.clock.now())
    const read = await readAuthorization(services, actor, query)
    return 'answer' in read ? refused(read) : consentView(visit, read, { request: requestIn(visit) })
  })

  user.form(AUTHORIZE_PATH, { ...NONE, body: Sent }, async (visit, { body: { request, decision, ...boxes } }) => {
    const { actor } = visit.visitor
    // The fields are read again, so that the page itself is trusted with nothing.
    const read = await readAuthorization(services, actor, fieldsIn(request))
    if ('answer' in read) return refused(read)
    if (decision === 'deny') return { away: await denyClient(services, actor, read) }
    try {
      return { away: await allowClient(services, actor, read, Object.keys(boxes)) }
    } catch (error) {
      return consentView(visit, read, { request, ticked: Object.keys(boxes), problem: problemOf(error) })
    }
  })
}

/**
 * Leads back to a client of the operator at once. Any other gets its answer only by a click: anybody can register an address, and a link to this server
 * would lead to theirs.
 */
function refused({ client, redirectUri, answer, problem }: RefusedAuthorization): View | { away: string } {
  if (client.kind === 'operator') return { away: answer }
  return {
    title: 'The agent cannot connect',
    narrow: true,
    status: 400,
    main: html`<h1><bdi class="agent">${nameOf(client)}</bdi> cannot connect</h1>
<p>It asked for access in a way that this server does not allow. Nothing was connected.</p>
<p class="quiet">For its developers: <code>${problem}</code></p>
${originNote(client, redirectUri)}
<p><a class="button" rel="noreferrer" href="${answer}">Go back to <bdi>${placeOf(redirectUri)}</bdi></a></p>`
  }
}

function requestIn({ address }: Visit) {
  return address.slice(AUTHORIZE_PATH.length + 1)
}

/** Reads a query as the server reads that of a page: a name that is repeated has a list. */
function fieldsIn(request: string) {
  const params = new URLSearchParams(request)
  if (params.size > 100) throw new ApiError('invalid_request', 'The request has too many parameters')
  const names = [...new Set(params.keys())]
  return Object.fromEntries(
    names.map(name => {
      const [first, ...others] = params.getAll(name)
      return [name, others.length > 0 ? [first, ...others] : first]
    })
  )
}

interface Asked {
  request: string
  /** The scopes that are ticked; at first all. */
  ticked?: string[]
  problem?: string
}

function consentView(
  { form, visitor }: Visit<Visitor>,
  { client, redirectUri, audience, scopes }: Authorization,
  { request, ticked = scopes, problem }: Asked
): View {
  const name = nameOf(client)
  const boxes = scopes.map(scope => checkField(scope, SCOPES[scope], ticked.includes(scope)))
  return {
    title: 'Connect an agent',
    narrow: true,
    status: problem === undefined ? 200 : 400,
    formTarget: redirectUri,
    main: html`<h1>Connect <bdi class="agent">${name}</bdi>?</h1>
<p>It would act for <strong><bdi>${visitor.email ?? visitor.name ?? 'you'}</bdi></strong>, ${
      audience === 'mcp' ? 'through the MCP server alone' : 'through the whole API'
    }. The answer goes to <strong>${placeOf(redirectUri)}</strong>.</p>
${originNote(client, redirectUri)}
${form(
  AUTHORIZE_PATH,
  html`${problemAbove(problem)}<input type="hidden" name="request" value="${request}">
<fieldset><legend>It may</legend>${boxes}</fieldset>
<p class="hint">Leave ticked what it needs. You can disconnect it at any time under Settings, Connected agents.</p>
<p class="choices"><button name="decision" value="allow">Allow</button> <button class="second" name="decision" value="deny">Don’t allow</button></p>`
)}`
  }
}

/** How far the name can be trusted. */
function originNote({ clientId, kind }: Authorization['client'], redirectUri: string): Html | '' {
  if (kind === 'operator') return html`<p class="quiet">The operator of this server knows this agent.</p>`
  const known =
    kind === 'document'
      ? html`It is described at <bdi>${new URL(clientId).host}</bdi>, which wrote its name.`
      : html`It chose its name itself, and nobody has checked it.`
  const local = when(isLoopback(redirectUri), () => html` Any program on your computer could ask like this.`)
  const open = when(
    isLanRedirect(redirectUri),
    () => html` The answer travels there without encryption, so another device in that network may read it.`
  )
  return html`<p class="quiet">${known}${local}${open} Go on only if you have just asked it to connect.</p>`
}
