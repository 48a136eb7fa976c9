import { LIMITS } from '../../contract/limits.ts'
import type { JobAttempt } from '../../platform/jobs/jobs.ts'
import type { JobData } from '../../platform/jobs/queues.ts'
import type { Mail, Message } from '../../platform/mail/mail.ts'
import { sendInJob } from '../../platform/mail/send-in-job.ts'
import { escapeHtml } from '../../platform/text/escape.ts'
import type { Services } from '../services.ts'
import { findSignInUser } from './guests.ts'
import { signInCode } from './sign-in-code.ts'
import { linkSecret, signInUrl } from './sign-in-link.ts'
import { findSignInLink } from './sign-in-links.ts'

interface SignInMailer extends Pick<Services, 'db' | 'clock' | 'publicUrl' | 'secretKey' | 'signUp'> {
  mail: Mail
  onFailure: (linkId: string, reason: string) => void
}

/** Sends the mail with a link, unless its address has no user and may not become one, or the link has ended. */
export async function sendSignInMail(
  { db, mail, clock, publicUrl, secretKey, signUp, onFailure }: SignInMailer,
  { linkId }: JobData['mail-sign-in'],
  attempt: JobAttempt
) {
  const link = await findSignInLink(db, linkId)
  if (!link?.email || link.usedAt || link.expiresAt <= clock.now()) return
  if ((await findSignInUser(db, link.email, signUp)) === undefined) return
  const message = toSignInMail({
    isInvitation: link.browser === null,
    id: `${linkId}.1`,
    to: link.email,
    url: signInUrl(publicUrl, linkSecret(secretKey, linkId)),
    code: link.browser === null ? undefined : signInCode(secretKey, linkId),
    host: new URL(publicUrl).host
  })
  await sendInJob(mail, message, attempt, reason => onFailure(linkId, reason))
}

interface Letter {
  isInvitation: boolean
  id: string
  to: string
  url: string
  /** Absent in an invitation, which no browser has asked for. */
  code: string | undefined
  host: string
}

function toSignInMail({ isInvitation, id, to, url, code, host }: Letter): Message {
  const { linkMinutes, invitationHours } = LIMITS.signIn
  const opening = isInvitation ? `You are invited to Parlance at ${host}. Sign in` : `Sign in to Parlance at ${host}`
  const terms = isInvitation
    ? `The link works once, within ${invitationHours} hours. After that, ask for another one at the sign-in page.`
    : `The link works once, within ${linkMinutes} minutes, in the browser in which you asked for it. So does the code.`
  const unknown = isInvitation
    ? 'If you do not want an account, ignore this mail.'
    : 'If you did not ask for it, ignore this mail: nothing happens then.'
  const link = escapeHtml(url)
  const shown = code && `${code.slice(0, 3)} ${code.slice(3)}`
  const enter = 'If you read this elsewhere than you sign in, enter this code there'
  return {
    id,
    to,
    subject: isInvitation ? `You are invited to Parlance at ${host}` : opening,
    text: `${opening}:\n${url}\n\n${shown === undefined ? '' : `${enter}: ${shown}\n\n`}${terms}\n${unknown}\n`,
    html: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Sign in to Parlance</title></head>
<body style="margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif"><div style="max-width:34em;margin:0 auto">
<p>${escapeHtml(opening)}.</p>
<p><a href="${link}" style="display:inline-block;padding:10px 18px;border-radius:6px;background:#2456d6;color:#fff;text-decoration:none">Sign in</a></p>
<p style="font-size:14px;overflow-wrap:anywhere">${link}</p>
${shown === undefined ? '' : `<p>${enter}:</p>\n<p style="font-size:28px;letter-spacing:2px"><strong>${shown}</strong></p>\n`}<p style="font-size:14px">${terms} ${unknown}</p>
</div></body></html>
`
  }
}
