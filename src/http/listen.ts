import type { FastifyInstance } from 'fastify'

/** A port or an address cannot be had; the message is a sentence for the operator. */
export class CannotListen extends Error {}

/** The settings that name the address and the port. */
export const PUBLIC_PORT = { host: 'HOST', port: 'PORT' }
export const ADMIN_PORT = { host: 'ADMIN_HOST', port: 'ADMIN_PORT' }

/** Listens, and returns the URL. Throws CannotListen where the operating system refuses. */
export async function listen(app: Pick<FastifyInstance, 'listen'>, at: { host: string; port: number }, settings: typeof PUBLIC_PORT) {
  try {
    // A copy, as Fastify adds to what it is handed.
    return await app.listen({ ...at })
  } catch (fault) {
    const code = fault instanceof Error && 'code' in fault ? String(fault.code) : ''
    const sentence = REASONS[code]?.(at, settings)
    throw sentence === undefined ? fault : new CannotListen(sentence, { cause: fault })
  }
}

type Reason = (at: { host: string; port: number }, settings: typeof PUBLIC_PORT) => string

const noAddress: Reason = ({ host }, settings) =>
  `${settings.host}: this machine does not have the address ${host}; send one of its own, or 0.0.0.0 for all of them`

const REASONS: Record<string, Reason> = {
  EADDRINUSE: ({ host, port }, settings) =>
    `${settings.port}: another process has port ${port} at ${host}; stop it, or choose another ${settings.port}`,
  EACCES: ({ port }, settings) =>
    `${settings.port}: this user may not open port ${port}; choose one from 1024, or put a reverse proxy in front`,
  EADDRNOTAVAIL: noAddress,
  ENOTFOUND: noAddress,
  EAI_AGAIN: noAddress
}
