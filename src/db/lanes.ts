import type pg from 'pg'
import type { Reader, Statement } from './open.ts'
import { PipelinedClient } from './pipelined-client.ts'

interface Lane {
  client?: PipelinedClient | undefined
  connecting?: Promise<PipelinedClient> | undefined
  underWay: number
  /** When it last answered, or had nothing to answer: milliseconds of the process. */
  heardAt: number
}

export interface Lanes extends Reader {
  /** How many statements wait for their answer. */
  underWay(): number
  close(): Promise<void>
}

/** Longer than the database lets a statement run: what is silent for that long hangs, with everything sent after it. */
const ANSWER_WITHIN_MS = 20_000

/** So many are used while none of them is busy with a statement that takes longer than this: others are for what comes after it. */
const USED = 2
const MOVING_WITHIN_MS = 5

/**
 * A few connections that nobody checks out: statements are sent on the one with the fewest under way, without waiting
 * for the answers before them. Measured with 16 requests at a time, that takes a quarter off what a read costs server and
 * database together. A slow statement delays those sent after it on its connection, so only short ones belong here.
 * A connection that is lost fails what was under way on it; the next statement makes another.
 */
export function openLanes(
  settings: pg.ClientConfig,
  count: number,
  onError: (fault: Error) => void,
  answerWithinMs = ANSWER_WITHIN_MS
): Lanes {
  const lanes: Lane[] = Array.from({ length: count }, () => ({ underWay: 0, heardAt: 0 }))
  let closed = false

  // One look at all of them: a timer for each statement would cost as much as sending it.
  const watch = setInterval(() => {
    const latest = performance.now() - answerWithinMs
    for (const lane of lanes) if (lane.underWay > 0 && lane.heardAt < latest) lane.client?.socket.destroy()
  }, answerWithinMs / 4).unref()

  async function connect(lane: Lane) {
    if (closed) throw new Error('Client was closed')
    const client = new PipelinedClient(settings)
    const forget = () => {
      if (lane.client === client) lane.client = undefined
    }
    client.on('end', forget)
    client.on('error', fault => {
      forget()
      onError(fault)
    })
    await client.connect()
    Object.assign(lane, { client, heardAt: performance.now() })
    return client
  }

  /** One connection for all that ask while it is being made. */
  function connected(lane: Lane) {
    lane.connecting ??= connect(lane).finally(() => {
      lane.connecting = undefined
    })
    return lane.connecting
  }

  /** The one with the fewest under way of the first that move, since the fewer are used the more statements share a write; of all where none moves. */
  function choose() {
    const lately = performance.now() - MOVING_WITHIN_MS
    const moving = lanes.filter(lane => lane.underWay === 0 || lane.heardAt > lately)
    const choices = moving.length > 0 ? moving.slice(0, USED) : lanes
    return choices.reduce((least, one) => (one.underWay < least.underWay ? one : least))
  }

  return {
    async run<Row extends unknown[]>({ name, text }: Statement, values: unknown[]) {
      const lane = choose()
      if (lane.underWay++ === 0) lane.heardAt = performance.now()
      try {
        const client = lane.client ?? (await connected(lane))
        client.gather()
        const { rows } = await client.query<Row>({ name, text, values, rowMode: 'array' })
        return rows
      } finally {
        lane.underWay--
        lane.heardAt = performance.now()
      }
    },
    underWay: () => lanes.reduce((sum, lane) => sum + lane.underWay, 0),
    async close() {
      closed = true
      clearInterval(watch)
      await Promise.all(lanes.map(async lane => (lane.client ?? (await lane.connecting?.catch(() => undefined)))?.end()))
    }
  }
}
