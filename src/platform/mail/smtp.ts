import { isIP } from 'node:net'
import { createTransport } from 'nodemailer'
import { codeOf } from '../core/error-code.ts'
import { within } from '../core/within.ts'
import { connectionFailure } from '../net/connection-failure.ts'
import { toMailOptions } from './compose.ts'
import { type Mail, MailError } from './mail.ts'

const TIMEOUT_MS = 15_000

/** A server may answer each command in time and still take forever, so a whole mail gets this many timeouts. */
const TIMEOUTS_PER_MAIL = 8

interface SmtpOptions {
  /** The host name of the public URL, which the server says in EHLO. Some mail servers refuse the name of a container. */
  host?: string | undefined
  timeoutMs?: number
}

/** Sends mails by SMTP. A URL `smtp://user:password@host:587` uses STARTTLS where the server offers it, `smtps://` TLS from the start. */
export function smtpMail(url: string, from: string, { host, timeoutMs = TIMEOUT_MS }: SmtpOptions = {}): Mail {
  const transport = createTransport({
    url,
    ...(host !== undefined && { name: greetingName(host) }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs
  })
  const server = `The mail server at ${new URL(url).host}`
  const withMailErrors = (work: Promise<unknown>) =>
    within(TIMEOUTS_PER_MAIL * timeoutMs, work).catch((error: unknown) => Promise.reject(toMailError(error, server)))
  return {
    async send(message) {
      await withMailErrors(transport.sendMail(toMailOptions(from, message)))
    },
    async check() {
      await withMailErrors(transport.verify())
      return `the mail server ${new URL(url).host}`
    },
    close: () => transport.close()
  }
}

/** EHLO takes a host name, or an address in brackets. */
function greetingName(host: string) {
  const address = host.replace(/^\[|\]$/g, '')
  const version = isIP(address)
  if (version === 0) return host
  return version === 4 ? `[${address}]` : `[IPv6:${address}]`
}

/**
 * A refused recipient or message with a code from 500 is final. Anything else may pass later, a refused login included. The server's own
 * words may repeat the address, so they are left out.
 */
function toMailError(error: unknown, server: string) {
  const code =
    error instanceof Error && 'responseCode' in error && typeof error.responseCode === 'number'
      ? error.responseCode
      : undefined
  const kind = codeOf(error) || (error instanceof Error ? error.name : 'unknown')
  const final = code !== undefined && code >= 500 && (kind === 'EENVELOPE' || kind === 'EMESSAGE')
  return new MailError(sentence(), final)

  function sentence() {
    if (kind === 'EAUTH')
      return `${server} refuses the user and password (${code ?? kind}); correct SMTP_URL, with special characters encoded`
    if (kind === 'EENVELOPE' && code !== undefined)
      return `${server} refuses the sender or the recipient (${code}); if it refuses all mails, correct MAIL_FROM`
    if (code !== undefined) return `${server} refuses the mail (${code} ${kind}); its log says why`
    const failure = connectionFailure(error)
    return failure
      ? `${server} ${failure.words} (${failure.code}); start it, or correct SMTP_URL`
      : `${server} cannot be used (${kind}); correct SMTP_URL`
  }
}
