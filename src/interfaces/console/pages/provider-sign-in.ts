import { z } from 'zod'
import { FIELD_LIMITS, LIMITS } from '../../../contract/limits.ts'
import { localPath } from '../../../contract/sign-in.ts'
import { addressLimit, limitReached } from '../../../features/access/address-limit.ts'
import { signInByProvider, startProviderSignIn } from '../../../features/sign-in/oidc/operations.ts'
import { type RefusalKind, SignInRefused } from '../../../features/sign-in/oidc/refusal.ts'
import { signOut } from '../../../features/sign-in/sign-in.ts'
import { html, when } from '../../web/html.ts'
import { type Console, NONE } from '../open-console.ts'
import type { Answer, View, Visit } from '../visit.ts'

const Query = z.object({ next: localPath.optional().catch(undefined) })
/** Providers add parameters of their own to those of the protocol. */
const ProviderAnswer = z.record(z.string(), z.string().max(FIELD_LIMITS.pathPart))

/**
 * Signing in at a provider. Both pages are GETs: a form may not lead to another server, and the provider leads back by a link. What they change is worth
 * nothing without the cookie of the browser that started.
 */
export function providerSignInPages({ services, anyone }: Console) {
  const requests = addressLimit(services.clock, LIMITS.signIn.providerPerMinute)

  anyone.page('/sign-in/oidc', { ...NONE, query: Query }, async (visit, { query: { next } }) => {
    if (isUser(visit)) return { to: next ?? '/' }
    return await orRefusal(visit, async () => {
      const away = await startProviderSignIn(services, visit.cookies.browser())
      visit.cookies.remember(next ?? '/')
      return { away: away.href }
    })
  })

  anyone.page('/sign-in/oidc/callback', { ...NONE, query: ProviderAnswer }, async (visit, { query }) => {
    // A browser that goes back, or loads the address again.
    if (isUser(visit)) return { to: '/' }
    const { cookies } = visit
    return await orRefusal(visit, async () => {
      const next = cookies.next()
      const replaced = cookies.session()
      const signedIn = await signInByProvider(services, new URLSearchParams(query), cookies.knownBrowser())
      if (replaced !== undefined) await signOut(services, replaced)
      cookies.signIn(signedIn)
      return { to: next ?? '/' }
    })
  })

  async function orRefusal(visit: Visit, act: () => Promise<Answer>): Promise<Answer> {
    const rate = requests.count(visit.clientAddress)
    if (!rate.allowed) throw limitReached(rate, services.clock.now())
    try {
      return await act()
    } catch (error) {
      if (!(error instanceof SignInRefused)) throw error
      const { kind, code, flowId } = error
      const level = kind === 'unavailable' || kind === 'unusable' ? 'warn' : 'info'
      visit.log[level]({ signIn: flowId, reason: kind, code }, 'sign-in at the provider refused')
      return refusalView(visit, error, services.oidc?.name ?? '')
    }
  }
}

function isUser({ visitor }: Visit) {
  return visitor !== undefined && !visitor.guest
}

/** The title of each refusal, its text and its status. */
const REFUSALS: Record<RefusalKind, { title: string; text: (provider: string) => string; status: number }> = {
  unavailable: {
    title: 'The provider does not answer',
    text: provider => `Signing in with ${provider} does not work now. Wait a moment, and try again.`,
    status: 503
  },
  unusable: {
    title: 'The sign-in did not work',
    text: provider =>
      `This server cannot use what ${provider} said. Try again. If it stays so, tell the operator of this server what stands below.`,
    status: 503
  },
  denied: {
    title: 'You are not signed in',
    text: provider => `The sign-in was cancelled or refused at ${provider}.`,
    status: 403
  },
  unverified: {
    title: 'Your address is not verified',
    text: provider =>
      `${provider} does not say that the e-mail address of your account there is yours. Verify it there, or ask the operator of this server.`,
    status: 403
  },
  domain: {
    title: 'Your address may not sign in here',
    text: provider => `Addresses of its domain may not sign in with ${provider}. Ask the operator of this server.`,
    status: 403
  },
  uninvited: {
    title: 'You have no account here',
    text: provider =>
      `${provider} knows you, but your e-mail address has no account on this server. Ask the operator for one, or open an invite that somebody mailed to you.`,
    status: 403
  },
  taken: {
    title: 'This address belongs to another account',
    text: provider =>
      `Somebody with another account at ${provider} signed in here with your e-mail address before. If that was you, ask the operator to unlink it.`,
    status: 403
  },
  ended: {
    title: 'This sign-in has ended',
    text: provider =>
      `A sign-in with ${provider} works once, for ${LIMITS.signIn.linkMinutes} minutes, in the browser in which it was started.`,
    status: 403
  }
}

function refusalView({ link }: Visit, { kind, code, flowId }: SignInRefused, provider: string): View {
  const { title, text, status } = REFUSALS[kind]
  return {
    title,
    status,
    narrow: true,
    main: html`<h1>${title}</h1>
<p>${text(provider)}</p>
<p><a class="button" href="${link('/sign-in')}">Sign in again</a></p>
${when(flowId, () => html`<p class="quiet end">For the operator: <code>${flowId}</code>, <code>${code}</code></p>`)}`
  }
}
