import type pg from 'pg'
import { isConnectionLost } from './errors.ts'
import { classifyIdle, DatabaseClient, DatabaseUnavailable } from './unavailable.ts'

interface Connection {
  client?: Promise<pg.Client> | undefined
  inFlight: number
}

/** Longer than the server's statement_timeout: a connection without an answer for so long is broken. */
export const QUERY_TIMEOUT_MS = 20_000

/**
 * Connections that all callers share: a statement is sent without waiting for the answers to the statements before it. With 16 requests at a time
 * a read costs a third less CPU than on connections of a pool. A slow statement delays those sent after it, so only short statements belong here.
 * A lost connection fails the statements in flight on it; the next statement opens another connection.
 */
export function openPipelined(settings: pg.ClientConfig, count: number, onError: (error: Error) => void) {
  const connections = Array.from({ length: count }, (): Connection => ({ inFlight: 0 }))
  let closed = false

  async function open() {
    const client = new DatabaseClient({ query_timeout: QUERY_TIMEOUT_MS, ...settings, pipeline: true })
    client.on('error', error => onError(classifyIdle(error)))
    await client.connect()
    return client
  }

  /** The connection's client, from now on until it is lost. */
  function connect(connection: Connection): Promise<pg.Client> {
    const opening = open()
    const forget = () => {
      if (connection.client === opening) connection.client = undefined
    }
    opening.then(client => client.once('end', forget), forget)
    connection.client = opening
    return opening
  }

  return {
    async query<Row extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<Row[]> {
      if (closed) throw new DatabaseUnavailable('pool_closed')
      const connection = connections.reduce((least, one) => (one.inFlight < least.inFlight ? one : least))
      const client = connection.client ?? connect(connection)
      connection.inFlight++
      try {
        const { rows } = await (await client).query<Row>(query)
        return rows
      } catch (error) {
        // The next statement may come before pg reports that the connection has ended.
        if (isConnectionLost(error) && connection.client === client) connection.client = undefined
        throw error
      } finally {
        connection.inFlight--
      }
    },
    /** Returns the number of statements that wait for their answer. */
    inFlight: () => connections.reduce((sum, { inFlight }) => sum + inFlight, 0),
    /** Waits for the statements in flight. */
    async close() {
      closed = true
      await Promise.all(connections.map(async ({ client }) => (await client?.catch(() => undefined))?.end()))
    }
  }
}
