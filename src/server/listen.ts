import type { FastifyInstance } from 'fastify'
import { codeOf } from '../platform/core/error-code.ts'
import { OperatorError } from '../platform/core/operator-error.ts'

/** The settings that name the address and the port. */
export const PUBLIC_PORT = { host: 'HOST', port: 'PORT' }
export const ADMIN_PORT = { host: 'ADMIN_HOST', port: 'ADMIN_PORT' }

interface ListenAddress {
  host: string
  port: number
  /** True if other processes of the same user may listen there as well. */
  reusePort?: boolean
}

/** Listens and returns the URL. Throws an OperatorError if the operating system refuses the port or the address. */
export async function listen(app: Pick<FastifyInstance, 'listen'>, at: ListenAddress, settings: typeof PUBLIC_PORT) {
  try {
    // Fastify changes the object that it gets.
    return await app.listen({ ...at })
  } catch (error) {
    const sentence = REASONS[codeOf(error)]?.(at, settings)
    throw sentence === undefined ? error : new OperatorError(sentence, { cause: error })
  }
}

type ListenError = (at: ListenAddress, settings: typeof PUBLIC_PORT) => string

const noAddress: ListenError = ({ host }, settings) =>
  `${settings.host}: this machine does not have the address ${host}; set one of its addresses, or 0.0.0.0 for all of them`

const REASONS: Record<string, ListenError> = {
  EADDRINUSE: ({ host, port }, settings) =>
    `${settings.port}: another process has port ${port} at ${host}; stop it, or choose another ${settings.port}`,
  EACCES: ({ port }, settings) =>
    `${settings.port}: this user may not open port ${port}; choose one from 1024, or put a reverse proxy in front`,
  ENOTSUP: () =>
    'REUSE_PORT: this system cannot share a port between processes; unset it, and give each server its own PORT',
  EADDRNOTAVAIL: noAddress,
  ENOTFOUND: noAddress,
  EAI_AGAIN: noAddress
}
