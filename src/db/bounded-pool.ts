import pg from 'pg'

type Callback = Parameters<pg.Pool['connect']>[0]

/** Who would wait behind so many for a server's connections is told at once to come back. */
export const MOST_WAITING = 100

/** A pool that refuses who would wait behind many others: they would have gone by the time it is their turn. */
export class BoundedPool extends pg.Pool {
  readonly #mostWaiting: number

  constructor(config: pg.PoolConfig, mostWaiting: number) {
    super(config)
    this.#mostWaiting = mostWaiting
  }

  override connect(): Promise<pg.PoolClient>
  override connect(callback: Callback): void
  override connect(callback?: Callback) {
    if (this.waitingCount < this.#mostWaiting) return callback ? super.connect(callback) : super.connect()
    const fault = new Error('Too many wait for a connection to the database')
    if (!callback) return Promise.reject(fault)
    callback(fault, undefined, () => {})
  }
}
