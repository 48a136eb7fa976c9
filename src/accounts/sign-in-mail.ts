import { LIMITS } from '../contract/limits.ts'
import type { JobAttempt } from '../jobs/jobs.ts'
import type { JobData } from '../jobs/queues.ts'
import type { Mail, Message } from '../mail/mail.ts'
import { sendInJob } from '../mail/send-in-job.ts'
import type { Services } from '../services.ts'
import { escapeHtml } from '../text/escape.ts'
import { findSignInUser } from './guests.ts'
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
    id: `${linkId}.1`,
    to: link.email,
    url: signInUrl(publicUrl, linkSecret(secretKey, linkId)),
    host: new URL(publicUrl).host
  })
  await sendInJob(mail, message, attempt, reason => onFailure(linkId, reason))
}

function toSignInMail({ id, to, url, host }: { id: string; to: string; url: string; host: string }): Message {
  const terms = `The link works once, within ${LIMITS.signIn.linkMinutes} minutes, in the browser in which you asked for it.`
  const unknown = 'If you did not ask for it, ignore this mail: nothing happens then.'
  const link = escapeHtml(url)
  return {
    id,
    to,
    subject: `Sign in to Parlance at ${host}`,
    text: `Sign in to Parlance at ${host}:\n${url}\n\n${terms}\n${unknown}\n`,
    html: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Sign in to Parlance</title></head>
<body style="margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif"><div style="max-width:34em;margin:0 auto">
<p>Sign in to Parlance at ${escapeHtml(host)}.</p>
<p><a href="${link}" style="display:inline-block;padding:10px 18px;border-radius:6px;background:#2456d6;color:#fff;text-decoration:none">Sign in</a></p>
<p style="font-size:14px;overflow-wrap:anywhere">${link}</p>
<p style="font-size:14px">${terms} ${unknown}</p>
</div></body></html>
`
  }
}
