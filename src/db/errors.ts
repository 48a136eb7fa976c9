import { codeOf } from '../core/error-code.ts'

/**
 * SQLSTATE classes and codes of a database that cannot serve now: it is away, stopping, full or read-only, refuses this role or its
 * connections, or statements block each other. A wrong statement has other codes.
 */
const UNAVAILABLE = /^(08|28|3D|40|53|58|57P0|25006|25P03|25P04|55000|55006|55P03|57014)/
/** Messages of Citus that say that it lost a node, although their code is that of an internal error. None has values of a statement. */
const NODE_LOST = new RegExp(
  `^(${[
    'could not commit transaction for shard',
    'failed to prepare transaction',
    'failure on connection marked as essential',
    'execution cannot recover from multiple connection failures',
    'server closed the connection unexpectedly',
    'could not (receive data from|send data to) server',
    'SSL (SYSCALL error|connection has been closed)',
    '(FATAL: +)?terminating connection',
    'Connection re(fused|set)'
  ].join('|')})`,
  'i'
)
const SOCKET = new Set(
  `EACCES EADDRNOTAVAIL ECONNABORTED ECONNREFUSED ECONNRESET EHOSTDOWN ENETDOWN ENOBUFS ENOENT EPIPE EPROTO
  ETIMEDOUT EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN EAI_FAIL EMFILE ENFILE`.split(/\s+/)
)
/** Codes of Node's TLS, and of the certificates it verifies. */
const TLS = /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH)/
/** Messages of pg and pg-pool, whose own errors have no code. */
const WORDS = new RegExp(
  [
    'timeout exceeded when trying to connect',
    '^timeout expired$',
    '^Query read timeout$',
    'connection timeout',
    'Connection terminated',
    'Client was closed',
    'not queryable',
    'pool after calling end',
    'Too many wait',
    '^SASL: ',
    'SSL connection'
  ].join('|'),
  'i'
)

/** Returns whether an error says that the database cannot be reached or cannot serve now, so that a retry makes sense. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = codeOf(error)
  return (
    cannotServe(code, error.message) ||
    SOCKET.has(code) ||
    TLS.test(code) ||
    WORDS.test(error.message) ||
    isUnavailable(error.cause)
  )
}

/** Returns whether a code and message of the server say that it cannot serve now. */
function cannotServe(code: string, message: string) {
  return UNAVAILABLE.test(code) || (code === 'XX000' && NODE_LOST.test(message))
}

/** Returns whether the connection was lost before the server answered. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error.cause instanceof Error) return isConnectionLost(error.cause)
  // The server continues after such an error: it could not reach another node of a sharded database.
  if ('severity' in error && error.severity === 'ERROR') return false
  const code = codeOf(error)
  // EPIPE has the form of a SQLSTATE.
  return isUnavailable(error) && (SOCKET.has(code) || !/^(?!08|57P0)[0-9A-Z]{5}$/.test(code))
}

/** Returns whether a transaction that failed so may still be committed: its node, or the server, was lost before it confirmed the commit. */
export function isCommitUncertain(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return (
    isConnectionLost(error) ||
    error.message.startsWith('could not commit transaction for shard') ||
    isCommitUncertain(error.cause)
  )
}

/** Returns whether a node of a sharded database could not be reached, while the database itself can be. */
export function isNodeDown(error: unknown) {
  return isUnavailable(error) && !isConnectionLost(error)
}

/**
 * Returns whether a statement broke a rule of the schema: the foreign key or unique index of that name. A sharded database names the
 * rule of the shard, which has a number at its end, and sometimes in the message only.
 */
export function violates(error: unknown, constraint: string): boolean {
  if (!(error instanceof Error)) return false
  const named = 'constraint' in error && error.constraint ? `"${error.constraint}"` : error.message
  return new RegExp(`"${constraint}(_\\d+)?"`).test(named) || violates(error.cause, constraint)
}

/**
 * The part of an error that may be logged: never the values of a statement, which drivers and drizzle put into message and detail. The message
 * of a server that cannot serve now has no values: it says what the server lacks.
 */
export function loggable(error: Error): Record<string, unknown> {
  const code = 'code' in error ? error.code : undefined
  const cause = error.cause instanceof Error ? loggable(error.cause) : undefined
  const ofStatement =
    error.message.startsWith('Failed query') ||
    (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !cannotServe(code, error.message))
  const frames = error.stack
    ?.split('\n')
    .filter(line => line.startsWith('    at '))
    .join('\n')
  const constraint = 'constraint' in error ? error.constraint : undefined
  return {
    type: error.name,
    code,
    constraint,
    message: ofStatement ? 'a statement failed' : error.message,
    stack: frames,
    cause
  }
}
