import type { SendMailOptions } from 'nodemailer'
import type { Message } from './mail.ts'

/** Converts a message to nodemailer's options. Checks each header for line breaks once more, because one could add a header. */
export function toMailOptions(from: string, { id, to, subject, text, html }: Message): SendMailOptions {
  for (const header of [from, id, to, subject])
    if (/[\r\n\0]/.test(header)) throw new TypeError('A mail header has a line break')
  return {
    from,
    to: { name: '', address: to },
    subject,
    text,
    html,
    messageId: `<${id}@${domainOf(from)}>`,
    // Asks mail servers not to answer with an out-of-office reply.
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true
  }
}

function domainOf(from: string) {
  return /@([^\s@>]+)>?\s*$/.exec(from)?.[1] ?? 'localhost'
}
