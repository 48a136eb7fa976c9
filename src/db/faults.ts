/**
 * SQLSTATE classes and codes that mean that the database is away, stopping, full, read-only, refuses this role or its connections, or that
 * statements are in each other's way; not that a statement was wrong.
 */
const UNAVAILABLE = /^(08|28|3D|40|53|58|57P0|25006|25P03|25P04|55000|55006|55P03|57014)/
const SOCKET = new Set([
  'EACCES',
  'EADDRNOTAVAIL',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTDOWN',
  'ENETDOWN',
  'ENOBUFS',
  'ENOENT',
  'EPIPE',
  'EPROTO',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EMFILE',
  'ENFILE'
])
/** Of Node's TLS, and of the certificates it verifies. */
const TLS = /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH)/
/** Of pg and pg-pool, whose own errors have no code. */
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

/** Whether a fault says that the database cannot be reached or cannot serve now, so that trying again makes sense. */
export function isUnavailable(fault: unknown): boolean {
  if (!(fault instanceof Error)) return false
  const code = 'code' in fault ? String(fault.code) : ''
  return UNAVAILABLE.test(code) || SOCKET.has(code) || TLS.test(code) || WORDS.test(fault.message) || isUnavailable(fault.cause)
}

/** Whether a transaction that failed so may have been committed all the same: its connection was lost, and nothing told how it ended. */
export function mayBeCommitted(fault: unknown): boolean {
  if (!(fault instanceof Error)) return false
  if (fault.cause instanceof Error) return mayBeCommitted(fault.cause)
  const code = 'code' in fault ? String(fault.code) : ''
  return isUnavailable(fault) && !/^(?!08|57P0)[0-9A-Z]{5}$/.test(code)
}

/** Whether a statement broke a rule of the schema, by the name of the foreign key or unique index that states it. */
export function violates(fault: unknown, constraint: string): boolean {
  if (!(fault instanceof Error)) return false
  return ('constraint' in fault && fault.constraint === constraint) || violates(fault.cause, constraint)
}

/** Whether a statement was refused only because one before it in the transaction had failed. */
export function isConsequence(fault: unknown): boolean {
  if (!(fault instanceof Error)) return false
  return ('code' in fault && fault.code === '25P02') || isConsequence(fault.cause)
}

/** What may be logged of a fault: never the values of a statement, which drivers and drizzle put into message and detail. */
export function loggable(fault: Error): Record<string, unknown> {
  const code = 'code' in fault ? fault.code : undefined
  const cause = fault.cause instanceof Error ? loggable(fault.cause) : undefined
  const ofStatement = fault.message.startsWith('Failed query') || (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code))
  const frames = fault.stack
    ?.split('\n')
    .filter(line => line.startsWith('    at '))
    .join('\n')
  const constraint = 'constraint' in fault ? fault.constraint : undefined
  return { type: fault.name, code, constraint, message: ofStatement ? 'a statement failed' : fault.message, stack: frames, cause }
}
