import { codeOf } from '../core/error-code.ts'
import { ProxyRefused, ProxyUnreachable } from './tunnel.ts'

const CHECK_PROXY = 'correct HTTPS_PROXY or HTTP_PROXY, or name the host in NO_PROXY'

const FAILURES: [codes: RegExp, words: string, remedy?: string][] = [
  [/^PROXY_UNREACHABLE$/, 'is behind a proxy that cannot be reached', CHECK_PROXY],
  [/^PROXY_REFUSED$/, 'is behind a proxy that refuses to connect to it', CHECK_PROXY],
  [/ENOTFOUND|EAI_AGAIN|EDNS/, 'has a host name that this machine cannot resolve'],
  [/ECONNREFUSED/, 'refuses the connection'],
  [/ETIMEDOUT|TIMEOUT|TimeoutError|AbortError/, 'does not answer in time'],
  [/EHOSTUNREACH|ENETUNREACH/, 'cannot be reached from this machine'],
  [/ALTNAME_INVALID/, 'has the certificate of another host'],
  [/CERT_HAS_EXPIRED/, 'has a certificate that has expired'],
  [/CERT|SELF_SIGNED|UNABLE_TO_/, 'has a certificate that cannot be trusted'],
  [/ERR_SSL|EPROTO|ETLS/, 'does not take TLS as the URL asks for it'],
  [/ECONNRESET|ECONNECTION|EPIPE|ESOCKET|UND_ERR_SOCKET/, 'closes the connection']
]

interface Failure {
  /** Words that follow the name of the server. */
  words: string
  code: string
  /** The advice, unless it is about the server itself. */
  remedy: string | undefined
}

/** Why a connection failed. Undefined if the error is about something else. */
export function connectionFailure(error: unknown): Failure | undefined {
  if (error instanceof AggregateError) return connectionFailure(error.errors[0])
  if (!(error instanceof Error)) return undefined
  // The cause of a proxy's failure is not about the server behind it.
  if (error instanceof ProxyUnreachable || error instanceof ProxyRefused) return failureOf(error.code)
  const inner = error.cause === undefined ? undefined : connectionFailure(error.cause)
  if (inner) return inner
  // A library may replace the code of the system by one of its own.
  const original = 'originalCode' in error ? String(error.originalCode) : ''
  // That of a DOMException is a number.
  const code = original || (/^[A-Z]/.test(codeOf(error)) ? codeOf(error) : error.name)
  return failureOf(code)
}

function failureOf(code: string): Failure | undefined {
  const [, words, remedy] = FAILURES.find(([codes]) => codes.test(code)) ?? []
  return words === undefined ? undefined : { words, code, remedy }
}
