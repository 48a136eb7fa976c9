import { createServer, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { PGlite } from '@electric-sql/pglite'
import { escapeIdentifier } from '../literal.ts'
import { leavesTransactionOpen, panicIn, UnitReader } from './protocol.ts'

/** The time that a client may leave its transaction idle. Everyone else waits meanwhile. */
const IDLE_TRANSACTION_MS = 10_000

interface SessionOptions {
  idleTransactionMs?: number
  /** The deadline of the current statement, for the process that runs the engine: nanoseconds of `hrtime`, or 0. */
  deadline?: BigInt64Array
  /** Called with the reason when the engine has given up. It must get no more requests: PGlite 0.5 would compute for ever. */
  onPanic?: (reason: string) => void
}

/**
 * Serves one embedded engine to any number of clients over a Unix socket. The engine has a single session, so clients take turns: a turn is
 * one unit of the protocol, or a whole transaction.
 *
 * pglite-socket 0.2.17 does the same message by message: the parts of a statement that arrive in two packets can
 * then meet another client's statement in between. Here a statement runs whole or not at all.
 */
export function serveSession(
  engine: PGlite,
  socketPath: string,
  { idleTransactionMs = IDLE_TRANSACTION_MS, deadline = new BigInt64Array(1), onPanic = () => {} }: SessionOptions = {}
) {
  /** The connected clients. A promise settles when nothing of its client is left in the session. */
  const clients = new Map<Socket, Promise<void>>()
  const waitForTurn = openTurns()
  let nextId = 1

  const server = createServer(socket => {
    clients.set(
      socket,
      serve(socket).finally(() => clients.delete(socket))
    )
  })

  /** Runs the units of a client until it leaves, then rolls back its transaction and removes its prepared statements. */
  async function serve(socket: Socket) {
    const reader = new UnitReader(nextId++)
    /** Set while the client has its turn, between two units of its transaction. */
    let endTurn: (() => void) | undefined
    let idle: NodeJS.Timeout | undefined
    for await (const unit of readUnits(socket, reader)) {
      if (unit.kind === 'leave') break
      if (unit.kind === 'refuse') {
        await new Promise<void>(sent => socket.end(unit.answer, sent))
        break
      }
      if (unit.kind === 'refuse-encryption') {
        socket.write('N')
        continue
      }
      clearTimeout(idle)
      endTurn ??= await waitForTurn()
      const answer = await run(unit.bytes, reader.statementTimeoutMs)
      if (socket.writable) socket.write(answer)
      if (leavesTransactionOpen(answer)) idle = setTimeout(() => socket.destroy(), idleTransactionMs)
      else {
        endTurn()
        endTurn = undefined
      }
    }
    clearTimeout(idle)
    const inTransaction = endTurn !== undefined
    endTurn ??= await waitForTurn()
    if (inTransaction) await engine.exec('rollback')
    for (const name of reader.prepared) await engine.exec(`deallocate ${escapeIdentifier(name)}`).catch(() => {})
    endTurn()
  }

  async function run(bytes: Uint8Array, timeoutMs: number) {
    const parts: Uint8Array[] = []
    if (timeoutMs > 0) Atomics.store(deadline, 0, process.hrtime.bigint() + BigInt(timeoutMs) * 1_000_000n)
    await engine.runExclusive(() =>
      engine.execProtocolRawStream(bytes, { onRawData: part => parts.push(part.slice()) })
    )
    Atomics.store(deadline, 0, 0n)
    const answer = Buffer.concat(parts)
    const panic = panicIn(answer)
    if (panic !== undefined) onPanic(panic)
    return answer
  }

  async function allHaveLeft() {
    while (clients.size > 0) await Promise.all(clients.values())
  }

  /** Waits at most `waitMs` milliseconds until all clients have left, then disconnects the others. */
  async function stop(waitMs = 0) {
    const late = Number.isFinite(waitMs) ? [wait(waitMs, undefined, { ref: false })] : []
    await Promise.race([allHaveLeft(), ...late])
    for (const socket of clients.keys()) socket.destroy()
    await allHaveLeft()
    await new Promise(closed => server.close(closed))
  }

  return new Promise<{ stop: typeof stop }>((resolve, reject) => {
    server.on('error', reject)
    server.listen(socketPath, () => resolve({ stop }))
  })
}

/** Yields the units of a client until it disconnects or violates the protocol. */
async function* readUnits(socket: Socket, reader: UnitReader) {
  socket.setNoDelay(true)
  // The loop ends on an error of the socket; without a listener, one that comes after the loop would end the process.
  socket.on('error', () => {})
  try {
    for await (const chunk of socket) yield* reader.push(chunk)
  } catch {
    socket.destroy()
  }
}

/** Returns a function that resolves when the caller's turn has come, with the function that ends it. Turns come in the order of the calls. */
function openTurns() {
  let last = Promise.resolve()
  return async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const before = last
    last = promise
    await before
    return resolve
  }
}
