import { LIMITS } from '../contract/limits.ts'
import { escapeHtml } from '../core/escape.ts'
import type { Message } from '../mail/mail.ts'

export interface InviteLetter {
  id: string
  to: string
  sender: { name: string | null; email: string }
  /** What the sender wrote, or nothing. */
  message: string
  url: string
}

/** The mail of an invite. It says who shares, and nothing of what: whoever reads it by mistake learns nothing of the conversation. */
export function inviteMail({ id, to, sender, message, url }: InviteLetter): Message {
  const name = shown(sender.name ?? '')
  const from = name ? `${name} (${sender.email})` : sender.email
  const until = `The link is for one person and can be used for ${LIMITS.sharing.linkDays} days.`
  const unknown = 'If you do not know the sender, leave it alone: nothing happens then.'
  const words = message.trim().replace(/\r\n?/g, '\n')
  const quoted = words && `${words.replace(/^/gm, '> ')}\n\n`
  return {
    id,
    to,
    // A constant: whatever a user writes stays out of the headers.
    subject: 'A conversation was shared with you',
    text: `${from} shares a recorded conversation with you.\n\n${quoted}Open it:\n${url}\n\n${until}\n${unknown}\n`,
    html: page(from, words, url, `${until} ${unknown}`)
  }
}

/** On one line, without the signs that turn the direction of writing. */
function shown(name: string) {
  return name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()
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
