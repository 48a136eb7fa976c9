import { LIMITS } from '../../contract/limits.ts'
import type { Clock } from '../../platform/core/clock.ts'
import type { Db } from '../../platform/db/open.ts'
import type { JobAttempt } from '../../platform/jobs/jobs.ts'
import type { JobData } from '../../platform/jobs/queues.ts'
import type { Mail, Message } from '../../platform/mail/mail.ts'
import { sendInJob } from '../../platform/mail/send-in-job.ts'
import { escapeHtml } from '../../platform/text/escape.ts'
import { nameInMail } from '../../platform/text/mail-name.ts'
import { inviteSecret, joinUrl } from './claim.ts'
import { findPendingInvite, findSender } from './queries.ts'

/** A longer name of the sender is cut in the subject. */
const MAX_NAME = 60

interface InviteMail {
  id: string
  to: string
  sender: { name: string | null; email: string }
  /** May be empty. */
  message: string
  url: string
}

/** The mail names the sender and nothing of the conversation, in case it reaches the wrong person. */
export function toInviteMail({ id, to, sender, message, url }: InviteMail): Message {
  const name = nameInMail(sender.name ?? '')
  const from = name ? `${name} (${sender.email})` : sender.email
  const until = `The link is for one person and can be used for ${LIMITS.sharing.linkDays} days.`
  const unknown = 'If you do not know the sender, ignore this mail: nothing happens then.'
  const words = message.trim().replace(/\r\n?/g, '\n')
  const quoted = words && `${words.replace(/^/gm, '> ')}\n\n`
  return {
    id,
    to,
    // One line of bounded length, in which the transport encodes whatever is not ASCII.
    subject: `${(name || sender.email).slice(0, MAX_NAME)} shares a conversation with you`,
    text: `${from} shares a recorded conversation with you.\n\n${quoted}Open it:\n${url}\n\n${until}\n${unknown}\n`,
    html: page(from, words, url, `${until} ${unknown}`)
  }
}

function page(from: string, words: string, url: string, note: string) {
  const link = escapeHtml(url)
  const quote =
    words &&
    `<blockquote style="margin:16px 0;padding:0 16px;border-left:3px solid #8886;white-space:pre-line">${escapeHtml(words)}</blockquote>`
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>A conversation was shared with you</title></head>
<body style="margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif"><div style="max-width:34em;margin:0 auto">
<p>${escapeHtml(from)} shares a recorded conversation with you.</p>${quote}
<p><a href="${link}" style="display:inline-block;padding:10px 18px;border-radius:6px;background:#2456d6;color:#fff;text-decoration:none">Open it</a></p>
<p style="font-size:14px;overflow-wrap:anywhere">${link}</p>
<p style="font-size:14px">${note}</p>
</div></body></html>
`
}

interface InviteSender {
  db: Db
  mail: Mail
  clock: Clock
  publicUrl: string
  secretKey: string
  onFailure: (inviteId: string, reason: string) => void
}

/** Sends the mail of an invite, unless the invite was cancelled, claimed or sent again. */
export async function sendInvite(
  services: InviteSender,
  { userId, inviteId, sendCount }: JobData['send-invite'],
  attempt: JobAttempt
) {
  const { db, mail, clock, publicUrl, secretKey, onFailure } = services
  const invite = await findPendingInvite(db, userId, inviteId, clock.now())
  const sender = await findSender(db, userId)
  if (invite?.sendCount !== sendCount || !sender?.email) return
  const { email: to, message } = invite
  const url = joinUrl(publicUrl, inviteSecret(secretKey, inviteId))
  const invitation = toInviteMail({
    id: `${inviteId}.${sendCount}`,
    to,
    sender: { name: sender.name, email: sender.email },
    message,
    url
  })
  await sendInJob(mail, invitation, attempt, reason => onFailure(inviteId, reason))
}
