import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/** The system gives these ports to nobody, and each process has a part of them. So no other process takes one before its use. */
const FIRST_PORT = 12_000
const PROCESSES = 200
const PORTS_EACH = 100

let held: Promise<number> | undefined
let drawn = 0

/** Returns a free port. It differs from the last ninety-eight. */
export async function freePort(): Promise<number> {
  held ??= holdPart(process.pid % PROCESSES)
  const port = (await held) + 1 + (drawn++ % (PORTS_EACH - 1))
  return (await isFree(port)) ? port : await freePort()
}

/** Listens on the first port of a part until this process ends, so that another process whose id leads to the same part takes the next one. */
async function holdPart(part: number): Promise<number> {
  const port = FIRST_PORT + part * PORTS_EACH
  const isHeld = await isListening(createServer().listen(port, '127.0.0.1').unref())
  return isHeld ? port : await holdPart((part + 1) % PROCESSES)
}

/** Returns the two ports of a server, as settings. */
export async function serverPorts(port?: string) {
  return { PORT: port ?? String(await freePort()), ADMIN_PORT: String(await freePort()) }
}

async function isFree(port: number) {
  const probe = createServer().listen(port, '127.0.0.1')
  const free = await isListening(probe)
  if (free) await once(probe.close(), 'close')
  return free
}

function isListening(server: Server) {
  return once(server, 'listening').then(
    () => true,
    () => false
  )
}
