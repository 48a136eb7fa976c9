import { once } from 'node:events'
import { createServer } from 'node:net'

/** The system gives these ports to nobody, and each process has a part of them. So no other process takes one before its use. */
const FIRST_PORT = 12_000
const PROCESSES = 200
const PORTS_EACH = 100

let drawn = 0

/** Returns a free port. It differs from the last ninety-nine. */
export async function freePort(): Promise<number> {
  const port = FIRST_PORT + (process.pid % PROCESSES) * PORTS_EACH + (drawn++ % PORTS_EACH)
  return (await isFree(port)) ? port : await freePort()
}

/** Returns the two ports of a server, as settings. */
export async function serverPorts(port?: string) {
  return { PORT: port ?? String(await freePort()), ADMIN_PORT: String(await freePort()) }
}

async function isFree(port: number) {
  const probe = createServer().listen(port, '127.0.0.1')
  const free = await once(probe, 'listening').then(
    () => true,
    () => false
  )
  if (free) await once(probe.close(), 'close')
  return free
}
