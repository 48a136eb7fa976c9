import { z } from 'zod'
import { LIMITS } from '../../../contract/limits.ts'
import { addressLimit, limitReached } from '../../../features/access/address-limit.ts'
import { readCode, signInByCode } from '../../../features/sign-in/sign-in-code.ts'
import { html } from '../../web/html.ts'
import { CODE_PATH, codeForm } from '../code-form.ts'
import { enter } from '../enter.ts'
import { counted } from '../numbers.ts'
import { type Console, NONE } from '../open-console.ts'
import { askerOf, type View, type Visit } from '../visit.ts'

const Code = z.object({ code: z.string().max(100) })

/** Signing in by the code of a mail, in the browser that asked for it. */
export function signInCodePages({ services, anyone }: Console) {
  const requests = addressLimit(services.clock, LIMITS.signIn.requestsPerMinute)

  anyone.form(CODE_PATH, { ...NONE, body: Code }, async (visit, { body }) => {
    const rate = requests.count(visit.clientAddress)
    if (!rate.allowed) throw limitReached(rate, services.clock.now())
    const code = readCode(body.code)
    if (code === undefined) return againView(visit, 'A code has six digits. Enter it as it is in the mail.')
    const linkId = visit.cookies.asked()
    const outcome = linkId === undefined ? 'ended' : await signInByCode(services, askerOf(visit), { linkId, code })
    if (outcome === 'ended') return endedView(visit)
    if (outcome === 'too many') return linkView(visit)
    if ('signedIn' in outcome) return await enter(services, visit, outcome.signedIn)
    return againView(
      visit,
      `This is not the code of the newest mail. You have ${counted(outcome.left, 'more try', 'more tries')}.`
    )
  })
}

function againView({ form }: Visit, problem: string): View {
  return {
    title: 'Enter the code',
    status: 400,
    narrow: true,
    main: html`<h1>Enter the code</h1>
${codeForm(form, problem)}`
  }
}

function endedView({ link }: Visit): View {
  return {
    title: 'This code does not work any more',
    status: 404,
    narrow: true,
    main: html`<h1>This code does not work any more</h1>
<p>A code works once, for ${LIMITS.signIn.linkMinutes} minutes and ${LIMITS.signIn.codes.tries} tries, in the browser in which you asked for it.</p>
<p>Ask for another mail: <a href="${link('/sign-in')}">Sign in</a></p>`
  }
}

/** Strangers have entered wrong codes, from which the link does not suffer. */
function linkView({ link }: Visit): View {
  return {
    title: 'Use the link in the mail',
    status: 429,
    narrow: true,
    main: html`<h1>Use the link in the mail</h1>
<p>Too many wrong codes were entered today, so that codes do not work now. Open the link in the mail in this browser.</p>
<p><a href="${link('/sign-in')}">Ask for another mail</a></p>`
  }
}
