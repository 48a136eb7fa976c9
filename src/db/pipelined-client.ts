import { Socket } from 'node:net'
import pg from 'pg'

/** A connection on which statements are sent without waiting for the answers to those before them. */
export class PipelinedClient extends pg.Client {
  readonly socket: Socket

  constructor(config: pg.ClientConfig = {}) {
    const socket = new Socket()
    super({ ...config, pipeline: true, stream: () => socket })
    this.socket = socket
  }

  /** What is asked within this tick is sent in one go: requests come out of a batch together, and a write costs as much as all of pg's own work. */
  gather() {
    const { socket } = this
    if (socket.writableCorked > 0) return
    socket.cork()
    process.nextTick(() => socket.uncork())
  }
}

/**
 * One that a pool lends, and ends when it is idle or broken: what is under way then must not be waited for, as pg would on a pipelined connection.
 * Its name must not say "Pool", or drizzle takes it for one.
 */
export class LentClient extends PipelinedClient {
  override end(): Promise<void>
  override end(callback: (fault: Error) => void): void
  override end(callback?: (fault: Error) => void) {
    setImmediate(() => this.socket.destroy())
    return callback ? super.end(callback) : super.end()
  }
}
