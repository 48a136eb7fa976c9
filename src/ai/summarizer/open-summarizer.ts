import type { Summaries, Summary } from '../ai.ts'
import { openThread, TimeLimitError } from '../thread.ts'
import type { SummaryRequest } from './worker.ts'

/** An hour of conversation takes about 0.1 s. A request that takes this long would delay the summaries of other owners. */
const LIMIT_MS = 30_000
/** About 20 minutes of speech. */
const FIRST_PART_CHARACTERS = 20_000
/** More than three hours of speech. */
const LONG_CHARACTERS = 200_000

/**
 * Summarises on a worker thread, and long conversations on another, so that no short one waits for them. When a conversation takes too long,
 * only its first part is summarised: that helps a reader more than an error.
 */
export function openSummarizer(program = new URL('./worker.ts', import.meta.url), limitMs = LIMIT_MS): Summaries {
  const open = (endsWhenDone: boolean) => openThread<SummaryRequest, Summary>(program, { limitMs, endsWhenDone })
  const [usual, long] = [open(false), open(true)]

  return {
    async summarize(conversation, signal) {
      const characters = conversation.segments.reduce((sum, { text }) => sum + text.length, 0)
      try {
        return await (characters > LONG_CHARACTERS ? long : usual).ask({ conversation }, signal)
      } catch (error) {
        if (!(error instanceof TimeLimitError)) throw error
        return await usual.ask({ conversation, characters: FIRST_PART_CHARACTERS }, signal)
      }
    },
    async check() {},
    async close() {
      await Promise.all([usual.close(), long.close()])
    }
  }
}
