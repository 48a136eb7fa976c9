import { codeOf } from './error-code.ts'

const FAILURES: [codes: RegExp, words: string][] = [
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

/** Why a connection failed: words that follow the name of the server, and the code. Undefined if the error is about something else. */
export function connectionFailure(error: unknown): { words: string; code: string } | undefined {
  if (error instanceof AggregateError) return connectionFailure(error.errors[0])
  if (!(error instanceof Error)) return undefined
  const inner = error.cause === undefined ? undefined : connectionFailure(error.cause)
  if (inner) return inner
  // A library may replace the code of the system by one of its own.
  const original = 'originalCode' in error ? String(error.originalCode) : ''
  // That of a DOMException is a number.
  const code = original || (/^[A-Z]/.test(codeOf(error)) ? codeOf(error) : error.name)
  const found = FAILURES.find(([codes]) => codes.test(code))
  return found && { words: found[1], code }
}
