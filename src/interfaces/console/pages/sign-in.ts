import { z } from 'zod'
import { LIMITS } from '../../../contract/limits.ts'
import { localPath, SignInRequest } from '../../../contract/sign-in.ts'
import { addressLimit, limitReached } from '../../../features/access/address-limit.ts'
import { getSignIn, requestSignIn, signIn, signOut } from '../../../features/sign-in/sign-in.ts'
import { type Html, html, when } from '../../web/html.ts'
import { codeForm } from '../code-form.ts'
import { enter } from '../enter.ts'
import { type Console, NONE } from '../open-console.ts'
import { brand } from '../shell.ts'
import { askerOf, type View, type Visit } from '../visit.ts'

const Query = z.object({
  next: localPath.optional().catch(undefined),
  email: z.string().max(320).optional().catch(undefined)
})
const Form = z.object({ email: z.string().max(1_000), next: localPath.optional().catch(undefined) })
const Secret = z.object({ secret: z.string().max(200) })

/**
 * Signing in by a mailed link, and signing out. The link leads to a page with a button, because the programs that scan mail open every link: only the
 * form of the button signs in.
 */
export function signInPages({ services, streams, anyone }: Console) {
  const requests = addressLimit(services.clock, LIMITS.signIn.requestsPerMinute)

  anyone.page('/sign-in', { ...NONE, query: Query }, async (visit, { query: { next } }) =>
    visit.visitor && !visit.visitor.guest ? { to: next ?? '/' } : askView(visit, services, { next })
  )

  anyone.form('/sign-in', { ...NONE, body: Form }, async (visit, { body: { email, next } }) => {
    const rate = requests.count(visit.clientAddress)
    if (!rate.allowed) throw limitReached(rate, services.clock.now())
    const { data } = SignInRequest.safeParse({ email })
    if (!services.mailsLinks) return { to: '/sign-in' }
    if (!data) return { ...askView(visit, services, { next, email }), status: 400 }
    visit.cookies.rememberAsked(await requestSignIn(services, askerOf(visit), data))
    visit.cookies.remember(next ?? '/')
    return { to: '/sign-in/sent' }
  })

  anyone.page('/sign-in/sent', NONE, async visit => sentView(visit))

  anyone.page('/sign-in/:secret', { ...NONE, params: Secret }, async (visit, { params: { secret } }) => {
    const state = await getSignIn(services, secret, visit.cookies.knownBrowser())
    if (state === 'elsewhere') return elsewhereView(visit)
    return state === 'gone' ? goneView(visit) : confirmView(visit, secret)
  })

  anyone.form(
    '/sign-in/:secret',
    { ...NONE, params: Secret },
    async ({ cookies, ...visit }, { params: { secret } }) => {
      const state = await getSignIn(services, secret, cookies.knownBrowser())
      if (state === 'elsewhere') return elsewhereView(visit)
      if (state === 'gone') return goneView(visit)
      return await enter(services, { ...visit, cookies }, await signIn(services, secret, cookies.knownBrowser()))
    }
  )

  anyone.form('/sign-out', NONE, async ({ cookies, visitor }) => {
    const cookie = cookies.session()
    if (cookie !== undefined) await signOut(services, cookie)
    if (visitor) streams.end(visitor.actor.userId)
    cookies.signOut()
    return { to: '/sign-in' }
  })
}

interface Asked {
  next: string | undefined
  /** An address that was refused, to correct it. */
  email?: string
}

/** The ways to sign in: at the provider, and by the form that asks for a link. */
function askView(
  { form, link }: Pick<Visit, 'form' | 'link'>,
  { oidc, mailsLinks }: Pick<Console['services'], 'oidc' | 'mailsLinks'>,
  asked: Asked
): View {
  const there =
    asked.next === undefined ? '/sign-in/oidc' : `/sign-in/oidc?${new URLSearchParams({ next: asked.next })}`
  return {
    title: 'Sign in',
    door: true,
    main: html`${brand(link)}<h1>Sign in</h1>
${when(oidc, () => html`<p><a class="button wide" href="${link(there)}">Sign in with <bdi>${oidc?.name}</bdi></a></p>`)}
${when(oidc && mailsLinks, () => html`<p class="or">or</p>`)}
${when(mailsLinks, () => mailForm(form, asked))}
<p class="quiet end">New here? Read <a href="${link('/docs/')}">the guides</a> or <a href="${link('/v1/docs/')}">the API reference</a>.</p>`
  }
}

function mailForm(form: Visit['form'], { next, email }: Asked): Html {
  return html`<p>Enter your e-mail address, and you get a link that signs you in. There is no password.</p>
${form(
  '/sign-in',
  html`<label for="email">E-mail address</label>
<input id="email" name="email" type="email" required autocomplete="email" maxlength="320" value="${email ?? ''}"${when(
    email !== undefined,
    () => html` aria-invalid="true" aria-describedby="problem"`
  )}>
${when(email !== undefined, () => html`<p id="problem" class="problem">This is not an e-mail address. Correct it.</p>`)}
${when(next, () => html`<input type="hidden" name="next" value="${next}">`)}
<button>Send the link</button>`
)}`
}

/** The same for every address, so that it says nothing of who has an account. */
function sentView({ form, link }: Visit): View {
  return {
    title: 'Look into your mailbox',
    narrow: true,
    main: html`<h1>Look into your mailbox</h1>
<p>If the address may sign in here, a link is on its way to it. Open it in this browser within ${LIMITS.signIn.linkMinutes} minutes.</p>
${codeForm(form)}
<p class="quiet end">No mail after a few minutes? Look into the folder for spam, or <a href="${link('/sign-in')}">try another address</a>. If you
have no account, ask the operator of this server for one.</p>`
  }
}

function confirmView({ form }: Visit, secret: string): View {
  return {
    title: 'Sign in',
    narrow: true,
    main: html`<h1>Sign in</h1>
<p>One click, and you are signed in in this browser.</p>
${form(`/sign-in/${secret}`, html`<button autofocus>Sign in</button>`)}`
  }
}

function elsewhereView(visit: Pick<Visit, 'form' | 'link'>): View {
  return {
    title: 'Open the link in the other browser',
    status: 403,
    narrow: true,
    main: html`<h1>Open the link in the other browser</h1>
<p>The link works only in the browser in which you asked for it. Copy its address from the mail, and open it there.</p>
${again(visit, 'To sign in here instead, ask for a link in this browser:')}`
  }
}

function goneView(visit: Pick<Visit, 'form' | 'link'>): View {
  return {
    title: 'This link does not work any more',
    status: 404,
    narrow: true,
    main: html`<h1>This link does not work any more</h1>
<p>A link works once, for ${LIMITS.signIn.linkMinutes} minutes. It was used, has expired, or is incomplete.</p>
${again(visit, 'Ask for another one:')}`
  }
}

function again({ link }: Pick<Visit, 'link'>, words: string): Html {
  return html`<p>${words} <a href="${link('/sign-in')}">Sign in</a></p>`
}
