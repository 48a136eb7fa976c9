import { z } from 'zod'
import { ProfileChange, type User } from '../../../contract/admin/user.ts'
import { FIELD_LIMITS } from '../../../contract/limits.ts'
import type { Retention } from '../../../contract/retention.ts'
import { getUser } from '../../../features/accounts/operations.ts'
import {
  listBrowsers,
  type SignedInBrowser,
  signOutEverywhere,
  updateProfile
} from '../../../features/accounts/profile.ts'
import { getRetention } from '../../../features/accounts/retention.ts'
import { deleteUser } from '../../../features/deletions/delete-user.ts'
import type { Services } from '../../../features/services.ts'
import type { Visitor } from '../../../features/sign-in/sign-in.ts'
import { readShape } from '../../../platform/core/remedy.ts'
import { type Html, html, when } from '../../web/html.ts'
import { atTime, onDay } from '../dates.ts'
import { selectField, textField } from '../fields.ts'
import { problemAbove, problemOf } from '../form-problem.ts'
import { type Console, NONE } from '../open-console.ts'
import { quotaTable } from '../quota-table.ts'
import { keptFor } from '../retention-words.ts'
import { settingsView } from '../settings.ts'
import type { View, Visit } from '../visit.ts'
import { keysSection } from './keys.ts'

const PATH = '/settings'
const Profile = z.object({ name: z.string().default(''), time_zone: z.string().default('') })
const Periods = z.object({ audio_days: z.string().default(''), session_days: z.string().default('') })
const Confirmation = z.object({ confirmation: z.string().default('') })

/** The words that people type to delete their account. */
const TYPED = 'delete my account'

interface Refused {
  form: 'profile' | 'retention' | 'deletion'
  problem: string
  sent?: z.output<typeof Profile>
  periods?: z.output<typeof Periods>
}

/** The user's name and time zone, their quotas and retention, the browsers in which they are signed in, and the end of the account. */
export function profilePages({ services, streams, user, anyone }: Console) {
  user.page(PATH, NONE, async visit => await profileView(services, visit))

  user.form(PATH, { ...NONE, body: Profile }, async (visit, { body: sent }) => {
    const name = sent.name.trim() === '' ? null : sent.name
    try {
      await updateProfile(services, visit.visitor.actor, readShape(ProfileChange, { ...sent, name }))
      return { to: PATH }
    } catch (error) {
      return await profileView(services, visit, { form: 'profile', problem: problemOf(error), sent })
    }
  })

  user.form(`${PATH}/retention`, { ...NONE, body: Periods }, async (visit, { body: periods }) => {
    try {
      const retention = { audio_days: toDays(periods.audio_days), session_days: toDays(periods.session_days) }
      await updateProfile(services, visit.visitor.actor, readShape(ProfileChange, { retention }))
      return { to: `${PATH}#retention` }
    } catch (error) {
      return await profileView(services, visit, { form: 'retention', problem: problemOf(error), periods })
    }
  })

  user.form(`${PATH}/sign-out-everywhere`, NONE, async ({ visitor, cookies }) => {
    await signOutEverywhere(services, visitor.actor)
    streams.end(visitor.actor.userId)
    cookies.signOut()
    return { to: '/sign-in' }
  })

  user.form(`${PATH}/delete`, { ...NONE, body: Confirmation }, async (visit, { body: { confirmation } }) => {
    if (confirmation.trim().toLowerCase() !== TYPED)
      return await profileView(services, visit, { form: 'deletion', problem: `Type “${TYPED}” to go on.` })
    await deleteUser(services, visit.visitor.actor)
    streams.end(visit.visitor.actor.userId)
    visit.cookies.signOut()
    return { to: '/account-deleted' }
  })

  anyone.page('/account-deleted', NONE, async ({ visitor }) => (visitor ? { to: '/' } : deletedView()))
}

async function profileView(services: Services, visit: Visit<Visitor>, refused?: Refused): Promise<View> {
  const { actor } = visit.visitor
  const [user, retention, browsers] = await Promise.all([
    getUser(services, actor),
    getRetention(services, actor),
    listBrowsers(services, actor, visit.cookies.session())
  ])
  const problemIn = (form: Refused['form']) => problemAbove(refused?.form === form ? refused.problem : undefined)
  return settingsView(visit, PATH, {
    title: 'Profile',
    status: refused ? 400 : 200,
    main: html`${profileForm(visit, user, refused?.sent, problemIn('profile'))}
<h2 id="quotas">Quotas</h2>
${quotaTable(user.quotas)}
<h2 id="retention">Retention</h2>
${retentionForm(visit, user.retention, retention, refused?.periods, problemIn('retention'))}
${keysSection(visit)}
<h2 id="browsers">Where you are signed in</h2>
${browserList(visit, browsers)}
<h2 id="delete">Delete the account</h2>
${visit.form(
  `${PATH}/delete`,
  html`${problemIn('deletion')}<p>All your conversations, recordings, folders, people, tokens and webhooks are deleted, and what you share is gone for
others. This cannot be undone.</p>
${textField({ name: 'confirmation', label: `Type “${TYPED}”`, required: true })}
<button class="bad">Delete the account</button>`,
  { class: 'sheet' }
)}`
  })
}

function profileForm(
  { form }: Pick<Visit, 'form'>,
  { name, email, email_verified: isVerified, time_zone: zone }: User,
  sent: z.output<typeof Profile> | undefined,
  problem: Html | ''
): Html {
  const zones = [...new Set(['UTC', zone, ...Intl.supportedValuesOf('timeZone')])].toSorted()
  return form(
    PATH,
    html`${problem}<p class="facts">${
      email === null
        ? 'You have no e-mail address, so only the operator can sign you in.'
        : html`You sign in as <strong>${email}</strong>${when(!isVerified, () => html`, which is not verified yet`)}.`
    }</p>
${textField({ name: 'name', label: 'Name', value: sent?.name ?? name ?? '', max: FIELD_LIMITS.userName, hint: 'Others see it beside what you share with them.' })}
${selectField(
  'time_zone',
  'Time zone',
  zones.map(one => ({ value: one, words: one.replaceAll('_', ' ') })),
  sent?.time_zone ?? zone
)}
<p class="hint">Dates are shown, and due dates in words are read, in this time zone.</p>
<button>Save</button>`,
    { class: 'sheet' }
  )
}

/** Nothing takes the period of the server. */
function toDays(text: string) {
  return text.trim() === '' ? null : Number(text)
}

function retentionForm(
  { form }: Pick<Visit, 'form'>,
  own: Retention,
  effective: Retention,
  sent: z.output<typeof Periods> | undefined,
  problem: Html | ''
): Html {
  return form(
    `${PATH}/retention`,
    html`${problem}<p class="facts">Recordings are kept ${keptFor(effective.audio_days)}, and conversations ${keptFor(effective.session_days)}.</p>
${textField({ name: 'audio_days', label: 'Delete recordings after days', value: sent?.audio_days ?? own.audio_days ?? '' })}
${textField({ name: 'session_days', label: 'Delete conversations after days', value: sent?.session_days ?? own.session_days ?? '', hint: 'Shorter than the server’s, or nothing. What is older goes for good within hours, unless you keep it or its folder.' })}
<button>Save</button>`,
    { class: 'sheet' }
  )
}

function browserList({ form, visitor }: Visit<Visitor>, browsers: readonly SignedInBrowser[]): Html {
  const rows = browsers.map(
    ({ signed_in_at, last_used_at, is_this }) =>
      html`<li>Since ${atTime(new Date(signed_in_at), visitor.timeZone)}, last used on ${onDay(new Date(last_used_at), visitor.timeZone)}${when(
        is_this,
        () => html` <strong>(this browser)</strong>`
      )}</li>`
  )
  return html`<div class="sheet"><ul>${rows}</ul>
${form(`${PATH}/sign-out-everywhere`, html`<button class="second">Sign out everywhere</button>`)}
<p class="hint">Ends the sessions of all browsers, this one too, and disconnects all agents. Tokens go on working.</p></div>`
}

function deletedView(): View {
  return {
    title: 'The account is deleted',
    narrow: true,
    main: html`<h1>The account is deleted</h1>
<p>You are signed out everywhere, your tokens are refused, and nobody can read what you shared. The server erases the rest now.</p>`
  }
}
