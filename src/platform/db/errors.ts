import { codeOf } from '../core/error-code.ts'
import { isNodeLost, namesConstraint } from './citus-errors.ts'
import { DrizzleQueryError } from './drizzle.ts'
import { DatabaseUnavailable, isUnavailableCode } from './unavailable.ts'

/**
 * SQLSTATE classes and codes of a database that cannot serve now: it is away, stopping, full or read-only, refuses this role or its
 * connections, or statements block each other. A wrong statement has other codes.
 */
const UNAVAILABLE = /^(08|28|3D|40|53|58|57P0|25006|25P03|25P04|55000|55006|55P03|57014)/
const SOCKET = new Set(
  `EACCES EADDRNOTAVAIL ECONNABORTED ECONNREFUSED ECONNRESET EHOSTDOWN ENETDOWN ENOBUFS ENOENT EPIPE EPROTO
  ETIMEDOUT EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN EAI_FAIL EMFILE ENFILE`.split(/\s+/)
)
/** Codes of Node's TLS, and of the certificates it verifies. */
const TLS = /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH)/
/** Returns whether an error says that the database cannot be reached or cannot serve now, so that a retry makes sense. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = codeOf(error)
  if (isUnavailableCode(code)) return true
  return cannotServe(error) || SOCKET.has(code) || TLS.test(code) || isUnavailable(error.cause)
}

/** Returns whether it is an error of the server that says that it cannot serve now. */
function cannotServe(error: Error) {
  return UNAVAILABLE.test(codeOf(error)) || isNodeLost(error)
}

/** Returns whether the connection was lost before the server answered. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof DatabaseUnavailable) return !isRefusal(error)
  if (error.cause instanceof Error) return isConnectionLost(error.cause)
  // The server continues after such an error: it could not reach another node of a sharded database.
  if ('severity' in error && error.severity === 'ERROR') return false
  const code = codeOf(error)
  // EPIPE has the form of a SQLSTATE.
  return isUnavailable(error) && (SOCKET.has(code) || !/^(?!08|57P0)[0-9A-Z]{5}$/.test(code))
}

/** Returns whether the server could not reach another node of a sharded database. */
export function isNodeAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const isOfServer = 'severity' in error && error.severity === 'ERROR'
  return isNodeLost(error) || (isOfServer && /^(08|57P0)/.test(codeOf(error))) || isNodeAway(error.cause)
}

/** Returns whether a node of a sharded database could not be reached, while the database itself can be. */
export function isNodeDown(error: unknown) {
  return isUnavailable(error) && !isConnectionLost(error) && !isPoolFull(error)
}

function isPoolFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return (error instanceof DatabaseUnavailable && isRefusal(error)) || isPoolFull(error.cause)
}

/** Whether this process did not even ask for a connection, because too many wait for one. */
function isRefusal({ code }: DatabaseUnavailable) {
  return code === 'pool_full' || code === 'owner_full'
}

/** Returns whether a statement broke a rule of the schema: the foreign key or unique index of that name. */
export function violates(error: unknown, constraint: string): boolean {
  return error instanceof Error && (namesConstraint(error, constraint) || violates(error.cause, constraint))
}

/**
 * The part of an error that may be logged: never the values of a statement, which drivers and drizzle put into message and detail, and never the paths
 * of files, which Node puts into the message. The message
 * of a server that cannot serve now has no values: it says what the server lacks.
 */
export function loggable(error: Error): Record<string, unknown> {
  const code = 'code' in error ? error.code : undefined
  const cause = error.cause instanceof Error ? loggable(error.cause) : undefined
  const ofStatement =
    error instanceof DrizzleQueryError ||
    (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !cannotServe(error))
  const constraint = 'constraint' in error ? error.constraint : undefined
  return {
    type: error.name,
    code,
    constraint,
    message: ofStatement ? 'a statement failed' : (fileMessage(error) ?? error.message),
    stack: framesOf(error),
    cause
  }
}

/** The message of an error of the file system without its paths. Undefined for any other error. */
function fileMessage(error: Error) {
  if (!('path' in error || 'dest' in error) || !('syscall' in error)) return undefined
  return `${error.syscall} failed: ${codeOf(error)}`
}

/** The stack without the message before it, any line of which could look like a frame. */
function framesOf({ stack = '', message }: Error) {
  const at = stack.indexOf(message)
  return (at < 0 ? stack : stack.slice(at + message.length))
    .split('\n')
    .filter(line => line.startsWith('    at '))
    .join('\n')
}
