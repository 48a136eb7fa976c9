import { z } from 'zod'
import { type User, UserCreate, type UserList } from '../../../contract/admin/user.ts'
import { emailAddress } from '../../../contract/email.ts'
import { FIELD_LIMITS } from '../../../contract/limits.ts'
import { inviteUser } from '../../../features/accounts/invite-user.ts'
import { listUsers } from '../../../features/accounts/operations.ts'
import type { Services } from '../../../features/services.ts'
import type { Visitor } from '../../../features/sign-in/sign-in.ts'
import { readShape } from '../../../platform/core/remedy.ts'
import { type Html, html } from '../../web/html.ts'
import { cardList, moreLink } from '../cards.ts'
import { onDay } from '../dates.ts'
import { textField } from '../fields.ts'
import { problemAbove, problemOf } from '../form-problem.ts'
import { type Console, NONE } from '../open-console.ts'
import { operatorView, USERS_PATH } from '../operator.ts'
import { addressOf } from '../query-form.ts'
import { toBytes } from '../quota-table.ts'
import type { View, Visit } from '../visit.ts'

const Query = z.object({
  search: z.string().trim().max(FIELD_LIMITS.userName).default('').catch(''),
  cursor: z
    .string()
    .regex(/^usr_[0-9a-z]{26}$/)
    .optional()
    .catch(undefined)
})
type Query = z.output<typeof Query>

const Invitation = z.object({ email: emailAddress, name: UserCreate.shape.name })
const SentInvitation = z.object({ email: z.string().default(''), name: z.string().default('') })
type SentInvitation = z.output<typeof SentInvitation>

const INVITE_PATH = `${USERS_PATH}/invite`
const PAGE = 50

/** All users, those that a text finds, and a form that invites one. */
export function operatorUsers({ services, operator }: Console) {
  operator.page('/operator', NONE, async () => ({ to: USERS_PATH }))

  operator.page(USERS_PATH, { ...NONE, query: Query }, async (visit, { query }) => usersView(services, visit, query))

  operator.form(INVITE_PATH, { ...NONE, body: SentInvitation }, async (visit, { body: sent }) => {
    try {
      const name = sent.name.trim() === '' ? null : sent.name
      const user = await inviteUser(services, readShape(Invitation, { email: sent.email, name }))
      return { to: `${USERS_PATH}/${user.id}` }
    } catch (error) {
      return await usersView(services, visit, { search: '', cursor: undefined }, { sent, problem: problemOf(error) })
    }
  })
}

interface Refused {
  sent: SentInvitation
  problem: string
}

async function usersView(
  services: Services,
  visit: Visit<Visitor>,
  { search, cursor }: Query,
  refused?: Refused
): Promise<View> {
  const found: UserList = await listUsers(services, {
    limit: PAGE,
    ...(search && { search }),
    ...(cursor !== undefined && { cursor })
  })
  const { users, next_cursor: next } = found
  return operatorView(visit, USERS_PATH, {
    title: 'Users',
    status: refused ? 400 : 200,
    main: html`<form action="${visit.link(USERS_PATH)}" class="find" role="search">
${textField({ name: 'search', label: 'Name or address', type: 'search', value: search, max: FIELD_LIMITS.userName })}
<button class="second">Find</button></form>
${cardList(users, user => row(visit, user), 'There is no such user.')}
${moreLink(next, older => visit.link(addressOf(USERS_PATH, { ...(search && { search }), cursor: older })))}
<h2 id="invite">Invite a person</h2>
${invitation(visit, refused)}`
  })
}

function row({ link, visitor }: Visit<Visitor>, user: User): Html {
  const { id, created_at: at, quotas } = user
  const { bytes_stored: bytes } = quotas
  return html`<li><a href="${link(`${USERS_PATH}/${id}`)}"><h2><bdi>${nameOfUser(user)}</bdi></h2></a>
<p class="facts">${stateOfUser(user)}</p>
<p class="facts">Since ${onDay(new Date(at), visitor.timeZone)}, ${toBytes(bytes.used)} of recordings and transcripts</p></li>`
}

export function nameOfUser({ id, name, email }: User) {
  return name ?? email ?? id
}

/** The state of a user in words: the address, whether it is verified, and the role. */
export function stateOfUser({ email, email_verified: isVerified, guest, operator }: User): Html {
  const verified = isVerified
    ? html`<span class="works">verified</span>`
    : html`<span class="broken">not verified</span>`
  const role = guest ? ', guest' : operator ? ', operator' : ''
  return html`${email === null ? 'without an address' : html`<bdi>${email}</bdi>, ${verified}`}${role}`
}

function invitation({ form }: Visit, refused: Refused | undefined): Html {
  const { email, name } = refused?.sent ?? { email: '', name: '' }
  return form(
    INVITE_PATH,
    html`${problemAbove(refused?.problem)}
${textField({ name: 'email', label: 'E-mail address', type: 'email', value: email, required: true })}
${textField({ name: 'name', label: 'Name', value: name, max: FIELD_LIMITS.userName, hint: 'They get a mail with a link that signs them in, once, within a day.' })}
<button>Invite</button>`,
    { class: 'sheet' }
  )
}
