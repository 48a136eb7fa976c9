import { createServer, type Socket } from 'node:net'
import type { PGlite } from '@electric-sql/pglite'
import { leavesTransactionOpen, panicIn, type Unit, UnitReader } from './protocol.ts'

interface Client {
  socket: Socket
  reader: UnitReader
  units: Unit[]
  gone: boolean
}

/** How long a client may leave its transaction idle before it loses it: everyone else waits meanwhile. */
const IDLE_TRANSACTION_MS = 10_000

export interface SessionOptions {
  idleTransactionMs?: number
  /** Where the process that runs the engine reads when the current statement must have ended: nanoseconds of `hrtime`, or 0. */
  deadline?: BigInt64Array
  /** Called with the reason when the engine has given up. It must not be asked anything more: PGlite 0.5 would compute for ever. */
  onPanic?: (reason: string) => void
}

/**
 * Serves one embedded engine to any number of clients over a Unix socket. The engine has a single session, so units
 * run one after the other, and a client inside a transaction keeps the session until it ends.
 *
 * pglite-socket 0.2.17 does the same message by message: the parts of a statement that arrive in two packets can
 * then meet another client's statement in between. Here a statement runs whole or not at all.
 */
export function serveSession(
  engine: PGlite,
  socketPath: string,
  { idleTransactionMs = IDLE_TRANSACTION_MS, deadline = new BigInt64Array(1), onPanic = () => {} }: SessionOptions = {}
) {
  const clients = new Set<Client>()
  let holder: Client | undefined
  let idle: NodeJS.Timeout | undefined
  let running = false
  let nextId = 1
  let whenAlone = () => {}

  const server = createServer(socket => {
    const client: Client = { socket, reader: new UnitReader(nextId++), units: [], gone: false }
    clients.add(client)
    socket.setNoDelay(true)
    socket.on('data', chunk => {
      try {
        client.units.push(...client.reader.push(chunk))
      } catch {
        socket.destroy()
      }
      void work()
    })
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      client.gone = true
      void work()
    })
  })

  function next() {
    if (holder) return holder.units.length > 0 || holder.gone ? holder : undefined
    for (const client of clients) if (client.units.length > 0 || client.gone) return client
  }

  async function work() {
    if (running) return
    running = true
    for (let client = next(); client; client = next()) {
      // Whoever has been served goes to the end of the line.
      clients.delete(client)
      const unit = client.units.shift()
      if (unit) {
        clients.add(client)
        await serve(client, unit)
      } else await leave(client)
    }
    running = false
  }

  /** Remembers who is inside a transaction, and for how long nothing has come from there. */
  function hold(client: Client | undefined) {
    clearTimeout(idle)
    holder = client
    if (client) idle = setTimeout(() => client.socket.destroy(), idleTransactionMs)
  }

  async function leave(client: Client) {
    if (holder === client) {
      hold(undefined)
      await engine.exec('rollback')
    }
    for (const name of client.reader.prepared) await engine.exec(`deallocate "${name.replaceAll('"', '""')}"`).catch(() => {})
    if (clients.size === 0) whenAlone()
  }

  async function serve(client: Client, unit: Unit) {
    if (unit.kind === 'run') {
      const answer = await run(unit.bytes, client.reader.statementTimeoutMs)
      const panic = panicIn(answer)
      if (panic !== undefined) onPanic(panic)
      hold(leavesTransactionOpen(answer) ? client : undefined)
      if (client.socket.writable) client.socket.write(answer)
    } else if (unit.kind === 'refuse-encryption') client.socket.write('N')
    else client.socket.end()
  }

  async function run(bytes: Uint8Array, timeoutMs: number) {
    const parts: Uint8Array[] = []
    if (timeoutMs > 0) Atomics.store(deadline, 0, process.hrtime.bigint() + BigInt(timeoutMs) * 1_000_000n)
    await engine.runExclusive(() => engine.execProtocolRawStream(bytes, { onRawData: part => parts.push(part.slice()) }))
    Atomics.store(deadline, 0, 0n)
    return Buffer.concat(parts)
  }

  /** Waits until nobody else is at work, at most so many milliseconds, then cuts off whoever is left. */
  async function stop(waitMs = 0) {
    if (clients.size > 0) {
      const alone = new Promise<void>(resolve => {
        whenAlone = resolve
      })
      await (Number.isFinite(waitMs) ? Promise.race([alone, new Promise(late => setTimeout(late, waitMs).unref())]) : alone)
    }
    hold(undefined)
    for (const { socket } of clients) socket.destroy()
    await new Promise(closed => server.close(closed))
  }

  return new Promise<{ stop: typeof stop }>((resolve, reject) => {
    server.on('error', reject)
    server.listen(socketPath, () => resolve({ stop }))
  })
}
