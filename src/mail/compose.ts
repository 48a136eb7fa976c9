import type { SendMailOptions } from 'nodemailer'
import type { Message } from './mail.ts'

/** The mail for nodemailer. What could become a header or part of an envelope is checked once more, whoever has made it. */
export function composed(from: string, { id, to, subject, text, html }: Message): SendMailOptions {
  for (const header of [from, id, to, subject]) if (/[\r\n\0]/.test(header)) throw new TypeError('A header of a mail has a line break')
  return {
    from,
    to: { name: '', address: to },
    subject,
    text,
    html,
    messageId: `<${id}@${domainOf(from)}>`,
    // Answers of machines, such as holiday notes, are of no use to anyone here.
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true
  }
}

function domainOf(from: string) {
  return /@([^\s@>]+)>?\s*$/.exec(from)?.[1] ?? 'localhost'
}
