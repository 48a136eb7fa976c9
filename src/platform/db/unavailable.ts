import pg from 'pg'
import { codeOf } from '../core/error-code.ts'

const REASONS = {
  pool_full: 'Too many transactions wait for a connection to the database',
  owner_full: 'Too many transactions of one owner wait for a connection to the database',
  pool_closed: 'The connections to the database are closed',
  no_connection: 'No connection to the database could be had',
  connection_lost: 'The connection to the database was lost, or did not answer in time'
}

type UnavailableCode = keyof typeof REASONS

/** This process could not use the database. Errors of the server have a SQLSTATE, and errors of sockets and TLS a code of Node. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable'
  readonly code: UnavailableCode

  constructor(code: UnavailableCode, options?: ErrorOptions) {
    super(REASONS[code], options)
    this.code = code
  }
}

/** A client whose errors have a class or a code. The driver throws plain errors for connections that are lost or do not answer. */
export class DatabaseClient extends pg.Client {
  constructor(settings?: string | pg.ClientConfig) {
    super(settings)
    classify(this, 'connect', error => (codeOf(error) ? error : unavailable('no_connection', error)))
    // A statement that the driver cannot send throws a TypeError or the like: a bug in the caller.
    classify(this, 'query', error =>
      error instanceof Error && error.constructor === Error && !codeOf(error)
        ? unavailable('connection_lost', error)
        : error
    )
  }
}

/** Opens a pool of such clients. Its errors have a class or a code too. */
export function openClassifiedPool(settings: pg.PoolConfig) {
  const pool = new pg.Pool({ ...settings, Client: DatabaseClient })
  classify(pool, 'connect', error =>
    codeOf(error) ? error : unavailable(pool.ending ? 'pool_closed' : 'no_connection', error)
  )
  return pool
}

/** Whether a copy of an error, such as pg-boss emits, was one of these. */
export function isUnavailableCode(code: string) {
  return Object.hasOwn(REASONS, code)
}

/** The error of an idle connection, with a class or a code. */
export function classifyIdle(error: Error) {
  return codeOf(error) ? error : unavailable('connection_lost', error)
}

function unavailable(code: UnavailableCode, cause: unknown) {
  return new DatabaseUnavailable(code, { cause })
}

/** Replaces the errors of a method that returns a promise or calls its last argument. */
function classify(target: pg.Client | pg.Pool, method: 'connect' | 'query', classOf: (error: unknown) => unknown) {
  const original: unknown = Reflect.get(target, method)
  if (typeof original !== 'function') throw new TypeError(`There is no ${method}`)
  const call = (...given: unknown[]): unknown => {
    const callback = given.at(-1)
    if (typeof callback === 'function') {
      const answer = (error: unknown, ...rest: unknown[]) => callback(error ? classOf(error) : error, ...rest)
      return Reflect.apply(original, target, [...given.slice(0, -1), answer])
    }
    const result: unknown = Reflect.apply(original, target, given)
    return result instanceof Promise ? result.catch((error: unknown) => Promise.reject(classOf(error))) : result
  }
  Object.assign(target, { [method]: call })
}
