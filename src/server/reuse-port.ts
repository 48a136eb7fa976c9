import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import type { Config } from '../platform/config/config.ts'

const MAX_ACCEPT_MS = 1_000

/**
 * Resolves right after the event loop finds no connection waiting. Node accepts one connection per iteration, and closing the port resets
 * those that still wait.
 */
export async function acceptWaiting(server: Server) {
  const deadline = performance.now() + MAX_ACCEPT_MS
  let arrived = true
  const onConnection = () => {
    arrived = true
  }
  server.on('connection', onConnection)
  while (arrived && performance.now() < deadline) {
    arrived = false
    await setImmediate()
  }
  server.off('connection', onConnection)
}

/** Warns the operator if this machine resets connections that are being opened while one of several servers on a port stops. */
export function reusePortWarning({ public: { reusePort } }: Config) {
  if (!reusePort || readMigrateRequests() !== '0') return undefined
  return 'REUSE_PORT: a server that stops may reset connections that are being opened; run as root: sysctl -w net.ipv4.tcp_migrate_req=1'
}

/** Only Linux from 5.14 on has the setting. */
function readMigrateRequests() {
  try {
    return readFileSync('/proc/sys/net/ipv4/tcp_migrate_req', 'utf8').trim()
  } catch {
    return undefined
  }
}
