import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Config } from '../platform/config/config.ts'

/** A second without a new connection ends the wait, and clients that go on connecting end it later. */
const QUIET_MS = 1_000
/** Half of the ten seconds that Fastify gives each hook of a close: after them the stop would fail. */
const MAX_ACCEPT_MS = 5_000
const CHECK_MS = 20

/**
 * Notes the connections of a server from now on. Returns a function that waits until none has arrived for a second, and resolves right after the event
 * loop finds none waiting: Node accepts one connection per iteration, and closing the port resets those that still wait. On a busy server an iteration
 * takes long, so only iterations that found none count.
 */
export function watchArrivals(server: Server) {
  let arrivedAt = performance.now()
  let arrived = false
  server.on('connection', () => {
    arrived = true
    arrivedAt = performance.now()
  })

  /** Lets the event loop look once. Returns whether a connection arrived. */
  async function look() {
    arrived = false
    await setImmediate()
    return arrived
  }

  return async () => {
    const deadline = performance.now() + MAX_ACCEPT_MS
    while (performance.now() < deadline) {
      if (!(await look()) && performance.now() - arrivedAt > QUIET_MS && !(await look())) return
      if (!arrived) await setTimeout(CHECK_MS)
    }
  }
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
