import { createTransport } from 'nodemailer'
import { within } from '../core/within.ts'
import { composed } from './compose.ts'
import { type Mail, MailError } from './mail.ts'

const WAIT_MS = 15_000

/** A server may speak in time and never come to an end: so many waits are given for the whole of a mail. */
const WAITS = 8

/** Hands mails to an SMTP server: `smtp://user:password@host:587`, encrypted where the server can, or `smtps://` throughout. */
export function smtpMail(url: string, from: string, waitMs = WAIT_MS): Mail {
  const transport = createTransport({ url, connectionTimeout: waitMs, greetingTimeout: waitMs, socketTimeout: waitMs })
  return {
    async send(message) {
      try {
        await within(WAITS * waitMs, transport.sendMail(composed(from, message)))
      } catch (fault) {
        throw refusal(fault)
      }
    },
    async check() {
      await within(WAITS * waitMs, transport.verify())
      return `the mail server ${new URL(url).host}`
    },
    close: () => transport.close()
  }
}

/** What SMTP servers say of a mail for good has a code from 500; anything else, a refused login included, may pass. */
function refusal(fault: unknown) {
  const code = fault instanceof Error && 'responseCode' in fault && typeof fault.responseCode === 'number' ? fault.responseCode : undefined
  const kind = fault instanceof Error && 'code' in fault ? String(fault.code) : 'unknown'
  const final = code !== undefined && code >= 500 && (kind === 'EENVELOPE' || kind === 'EMESSAGE')
  // The server's own words may repeat the address.
  return new MailError(`The mail server ${code === undefined ? 'could not be used' : `answered ${code}`} (${kind})`, final)
}
