import { isNodeAway, isUnavailable } from '../../platform/db/errors.ts'

const CHECK_EVERY_MS = 1_000

interface Written {
  unavailable(error: Error): void
  available(facts: { seconds: number; errors: number }): void
}

interface Lines {
  database: Written
  /** A node of a cluster, while the database itself answers. */
  node: Written
  more(facts: { errors: number }): void
}

/** Rejects while the database, or a node of it, does not answer. */
type Ask = () => Promise<void>

/**
 * Holds back the errors of an outage of the database or of a node of its cluster, of which every request and every poll has one. The log gets a line when
 * it becomes unavailable and a line when it answers again.
 */
export function openOutages({ database, node, more }: Lines) {
  const outages = { database: openOutage(database, more), node: openOutage(node, more) }
  let asks: Record<keyof typeof outages, Ask> | undefined

  return {
    /** Returns true if the error is not to be logged now. `write` logs it. */
    holds(error: unknown, write: () => void) {
      if (!asks || !(error instanceof Error) || !isUnavailable(error)) return false
      const kind = isNodeAway(error) ? 'node' : 'database'
      outages[kind](asks[kind], error, write)
      return true
    },
    /** Begins to hold errors back. */
    watch(askDatabase: Ask, askNodes: Ask) {
      asks = { database: askDatabase, node: askNodes }
    }
  }
}

function openOutage(written: Written, more: Lines['more']) {
  /** The number of errors held back since the first one; undefined while there is no outage. */
  let held: number | undefined

  async function follow(ask: Ask, error: Error, write: () => void) {
    const startedAt = performance.now()
    held = 0
    // The first answer may come from another connection that was lost in the same moment.
    if ((await answers(ask)) || (await answers(ask))) {
      // Only this statement failed, or the others have failed with it in the same moment.
      const errors = held
      held = undefined
      write()
      if (errors > 0) more({ errors })
      return
    }
    written.unavailable(error)
    do await new Promise<void>(wake => void setTimeout(wake, CHECK_EVERY_MS).unref())
    while (!(await answers(ask)))
    const errors = held + 1
    held = undefined
    written.available({ seconds: Math.round((performance.now() - startedAt) / 1_000), errors })
  }

  return (ask: Ask, error: Error, write: () => void) => {
    if (held === undefined) void follow(ask, error, write)
    else held++
  }
}

async function answers(ask: Ask) {
  return await ask().then(
    () => true,
    () => false
  )
}
