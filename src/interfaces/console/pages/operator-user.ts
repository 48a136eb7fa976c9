import { z } from 'zod'
import { type User, UserPatch } from '../../../contract/admin/user.ts'
import { QUOTA_NAMES } from '../../../contract/quotas.ts'
import { everyScope } from '../../../features/access/actor.ts'
import { inviteUserAgain } from '../../../features/accounts/invite-user.ts'
import { getUser, listTokens, revokeTokens, updateUser } from '../../../features/accounts/operations.ts'
import { signOutEverywhere } from '../../../features/accounts/profile.ts'
import { deleteUser } from '../../../features/deletions/delete-user.ts'
import type { Services } from '../../../features/services.ts'
import type { Visitor } from '../../../features/sign-in/sign-in.ts'
import { ApiError, throwNotFound } from '../../../platform/core/api-error.ts'
import { readShape } from '../../../platform/core/remedy.ts'
import type { Actor } from '../../../platform/ports/actor.ts'
import { type Html, html, when } from '../../web/html.ts'
import { onDay } from '../dates.ts'
import { confirmed, textField } from '../fields.ts'
import { problemOf } from '../form-problem.ts'
import { type Notice, noticeAbove } from '../notice.ts'
import { type Console, NONE } from '../open-console.ts'
import { operatorView, USERS_PATH, UserParams } from '../operator.ts'
import { QUOTA_WORDS, quotaTable } from '../quota-table.ts'
import type { View, Visit } from '../visit.ts'
import { nameOfUser, stateOfUser } from './operator-users.ts'

const Sent = z.record(z.string(), z.string())
const Confirmation = z.object({ confirmation: z.string().default('') })

const OF_OPERATOR =
  'An operator cannot be deleted here: take the role away first, with the command user update --operator no'

/** One user: what they are and use, and the forms with which an operator helps or ends them. Nothing of what they recorded. */
export function operatorUser({ services, operator }: Console) {
  const path = `${USERS_PATH}/:id`
  const shapes = { ...NONE, params: UserParams }

  operator.page(path, shapes, async (visit, { params: { id } }) => userView(services, visit, id))

  /** A form that does one thing for the user and says so above their page. */
  function action(name: string, run: (actor: Actor, sent: Record<string, string>) => Promise<string>) {
    operator.form(`${path}/${name}`, { ...shapes, body: Sent }, async (visit, { params: { id }, body }) => {
      const actor = everyScope(id, 'admin')
      await getUser(services, actor).catch(throwNoUser)
      const notice = await run(actor, body).then(
        words => ({ words }),
        (error: unknown) => ({ words: problemOf(error), isBad: true, status: 400 })
      )
      return await userView(services, visit, id, notice)
    })
  }

  action('verify', async actor => {
    await updateUser(services, actor, { email_verified: true })
    return 'The address is verified.'
  })

  action('invite', async actor => {
    await inviteUserAgain(services, actor)
    return 'A mail with a link that signs them in is on its way.'
  })

  action('quotas', async (actor, sent) => {
    await updateUser(services, actor, readShape(UserPatch, { quotas: toQuotas(sent) }))
    return 'The quotas are changed.'
  })

  action('sign-out', async actor => {
    await signOutEverywhere(services, actor)
    return 'They are signed out in every browser.'
  })

  action('revoke-tokens', async actor => {
    const { revoked } = await revokeTokens(services, actor)
    return revoked === 1 ? '1 token is revoked.' : `${revoked} tokens are revoked.`
  })

  operator.form(`${path}/delete`, { ...shapes, body: Confirmation }, async (visit, { params: { id }, body }) => {
    const actor = everyScope(id, 'admin')
    const user = await getUser(services, actor).catch(throwNoUser)
    if (user.operator) throw new ApiError('conflict', OF_OPERATOR)
    const typed = body.confirmation.trim().toLowerCase()
    if (typed !== toType(user).toLowerCase())
      return await userView(services, visit, id, {
        words: `Nothing was deleted. Type “${toType(user)}” to go on.`,
        isBad: true,
        status: 400
      })
    await deleteUser(services, actor)
    return { to: USERS_PATH }
  })
}

/** Another user's id leads to the page of any address that leads nowhere. */
function throwNoUser(error: unknown): never {
  if (error instanceof ApiError && error.code === 'not_found') throwNotFound('Page')
  throw error
}

function toType({ id, email }: User) {
  return email ?? id
}

/** An empty field is the default of the server; `none` is no limit. */
function toQuotas(sent: Record<string, string>) {
  const entries = QUOTA_NAMES.flatMap(name => {
    const text = sent[name]?.trim().toLowerCase()
    if (text === undefined) return []
    const value = text === '' ? null : text === 'none' ? 0 : Number(text)
    return [[name, Number.isNaN(value) ? text : value]]
  })
  return Object.fromEntries(entries)
}

async function userView(services: Services, visit: Visit<Visitor>, id: string, notice?: Notice): Promise<View> {
  const actor = everyScope(id, 'admin')
  const [user, { tokens }] = await Promise.all([
    getUser(services, actor).catch(throwNoUser),
    listTokens(services, actor)
  ])
  const now = services.clock.now().toISOString()
  const valid = tokens.filter(token => token.revoked_at === null && token.expires_at > now).length
  return operatorView(visit, USERS_PATH, {
    title: nameOfUser(user),
    status: notice?.status ?? 200,
    main: html`${noticeAbove(notice)}
<p class="facts">${stateOfUser(user)}</p>
<p class="facts">Since ${onDay(new Date(user.created_at), visit.visitor.timeZone)}, <code>${id}</code></p>
${accessForms(visit, user, valid)}
<h2 id="quotas">Quotas</h2>
${quotaTable(user.quotas)}
${quotaForm(visit, user)}
<h2 id="delete">Delete the user</h2>
${deletion(visit, user)}`
  })
}

function accessForms({ form }: Visit, { id, email, email_verified: isVerified }: User, tokens: number): Html {
  const path = `${USERS_PATH}/${id}`
  const [count, words] =
    tokens === 1 ? ['1 valid token', 'It is refused'] : [`${tokens} valid tokens`, 'They are refused']
  return html`<div class="inline">${when(
    email !== null,
    () => html`${form(`${path}/invite`, html`<button class="second">Mail a link that signs in</button>`)}`
  )}
${when(email !== null && !isVerified, () => form(`${path}/verify`, html`<button class="second">Verify the address</button>`))}</div>
${when(
  email !== null && !isVerified,
  () => html`<p class="hint">Verify an address only if you know that it is theirs: it opens what is shared with it.</p>`
)}
${confirmed('Sign out everywhere', 'Ends the sessions of all their browsers. Tokens go on working.', form(`${path}/sign-out`, html`<button>Sign them out</button>`))}
${confirmed(`Revoke all tokens (${count})`, `${words} from the next request on. This cannot be undone.`, form(`${path}/revoke-tokens`, html`<button class="bad">Revoke all tokens</button>`))}`
}

function quotaForm({ form }: Visit, { id, quotas }: User): Html {
  const fields = QUOTA_NAMES.map(name => {
    const { limit, is_default: isDefault } = quotas[name]
    const value = isDefault ? '' : limit === null ? 'none' : String(limit)
    const unit = name === 'bytes_stored' ? ', in bytes' : ''
    return textField({ name, label: `${QUOTA_WORDS[name]}${unit}`, value })
  })
  return html`<details class="change"><summary>Change the quotas</summary>${form(
    `${USERS_PATH}/${id}/quotas`,
    html`${fields}<p class="hint">Empty is the default of the server, and “none” is no limit.</p><button>Save</button>`,
    { class: 'sheet' }
  )}</details>`
}

function deletion({ form }: Visit, user: User): Html {
  if (user.operator) return html`<p class="facts">${OF_OPERATOR}.</p>`
  return form(
    `${USERS_PATH}/${user.id}/delete`,
    html`<p>All their conversations, recordings, folders, people, tokens and webhooks are deleted, and what they share is gone for others. This cannot be
undone.</p>
${textField({ name: 'confirmation', label: `Type “${toType(user)}”`, required: true })}
<button class="bad">Delete the user</button>`,
    { class: 'sheet' }
  )
}
