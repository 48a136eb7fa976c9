import type { Services } from '../../features/services.ts'
import { type SignedIn, signOut } from '../../features/sign-in/sign-in.ts'
import { html } from '../web/html.ts'
import { AUTHORIZE_PATH } from './authorize-path.ts'
import type { Answer, View, Visit } from './visit.ts'

/** Signs this browser in, ends the session that it had, and leads to the page that was asked for before. */
export async function enter(
  services: Pick<Services, 'db'>,
  { cookies, link }: Pick<Visit, 'cookies' | 'link'>,
  signedIn: SignedIn
): Promise<Answer> {
  const next = cookies.next()
  const replaced = cookies.session()
  if (replaced !== undefined) await signOut(services, replaced)
  cookies.signIn(signedIn)
  return next?.startsWith(AUTHORIZE_PATH) ? onwardView({ link }, next) : { to: next ?? '/' }
}

/**
 * Leads to the page that was asked for before the sign-in. A redirect would not do: it belongs to the form, and where the page leads a client of OAuth
 * back to its server, browsers refuse that to a form which may lead to this server only.
 */
function onwardView({ link }: Pick<Visit, 'link'>, next: string): View {
  return {
    title: 'You are signed in',
    narrow: true,
    onwards: next,
    main: html`<h1>You are signed in</h1>
<p><a class="button" href="${link(next)}">Go on</a></p>`
  }
}
