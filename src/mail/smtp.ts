import { createTransport } from 'nodemailer'
import { codeOf } from '../core/error-code.ts'
import { within } from '../core/within.ts'
import { toMailOptions } from './compose.ts'
import { type Mail, MailError } from './mail.ts'

const TIMEOUT_MS = 15_000

/** A server may answer each command in time and still take forever, so a whole mail gets this many timeouts. */
const TIMEOUTS_PER_MAIL = 8

/** Sends mails by SMTP. A URL `smtp://user:password@host:587` uses STARTTLS where the server offers it, `smtps://` TLS from the start. */
export function smtpMail(url: string, from: string, timeoutMs = TIMEOUT_MS): Mail {
  const transport = createTransport({
    url,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs
  })
  return {
    async send(message) {
      try {
        await within(TIMEOUTS_PER_MAIL * timeoutMs, transport.sendMail(toMailOptions(from, message)))
      } catch (error) {
        throw toMailError(error)
      }
    },
    async check() {
      await within(TIMEOUTS_PER_MAIL * timeoutMs, transport.verify())
      return `the mail server ${new URL(url).host}`
    },
    close: () => transport.close()
  }
}

/** A refused recipient or message with a code from 500 is final. Anything else may pass later, a refused login included. */
function toMailError(error: unknown) {
  const code =
    error instanceof Error && 'responseCode' in error && typeof error.responseCode === 'number'
      ? error.responseCode
      : undefined
  const kind = codeOf(error) || 'unknown'
  const final = code !== undefined && code >= 500 && (kind === 'EENVELOPE' || kind === 'EMESSAGE')
  // The server's own words may repeat the address.
  return new MailError(
    `The mail server ${code === undefined ? 'could not be used' : `answered ${code}`} (${kind})`,
    final
  )
}
