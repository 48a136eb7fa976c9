import { isUnavailable } from '../../platform/db/errors.ts'

const CHECK_EVERY_MS = 1_000

interface Written {
  unavailable(error: Error): void
  available(facts: { seconds: number; errors: number }): void
  more(facts: { errors: number }): void
}

/**
 * Holds back the errors of an outage of the database, of which every request and every poll has one. The log gets a line when the database
 * becomes unavailable and a line when it answers again.
 */
export function openOutages(written: Written) {
  let ping: (() => Promise<void>) | undefined
  /** The number of errors held back since the first one; undefined while the database answers. */
  let held: number | undefined

  async function follow(ask: () => Promise<void>, error: Error, write: () => void) {
    const startedAt = performance.now()
    held = 0
    // The first answer may come from another connection that was lost in the same moment.
    if ((await answers(ask)) || (await answers(ask))) {
      // Only this statement failed, or the others have failed with it in the same moment.
      const errors = held
      held = undefined
      write()
      if (errors > 0) written.more({ errors })
      return
    }
    written.unavailable(error)
    do await new Promise<void>(wake => void setTimeout(wake, CHECK_EVERY_MS).unref())
    while (!(await answers(ask)))
    const errors = held + 1
    held = undefined
    written.available({ seconds: Math.round((performance.now() - startedAt) / 1_000), errors })
  }

  return {
    /** Returns true if the error is not to be logged now. `write` logs it. */
    holds(error: unknown, write: () => void) {
      if (!ping || !(error instanceof Error) || !isUnavailable(error)) return false
      if (held === undefined) void follow(ping, error, write)
      else held++
      return true
    },
    /** Begins to hold errors back. `ask` rejects while the database does not answer. */
    watch(ask: () => Promise<void>) {
      ping = ask
    }
  }
}

async function answers(ask: () => Promise<void>) {
  return await ask().then(
    () => true,
    () => false
  )
}
