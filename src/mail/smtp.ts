import { createTransport } from 'nodemailer'
import { composed } from './compose.ts'
import { type Mail, MailError } from './mail.ts'

const WAIT_MS = 15_000

/** Hands mails to an SMTP server: `smtp://user:password@host:587`, encrypted where the server can, or `smtps://` throughout. */
export function smtpMail(url: string, from: string): Mail {
  const transport = createTransport({ url, connectionTimeout: WAIT_MS, greetingTimeout: WAIT_MS, socketTimeout: WAIT_MS })
  return {
    async send(message) {
      try {
        await transport.sendMail(composed(from, message))
      } catch (fault) {
        throw refusal(fault)
      }
    },
    async check() {
      await transport.verify()
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
